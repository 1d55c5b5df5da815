"""The prompt from which an image model draws a scene (section A.4).

Knows the required look and binding locality; not which model draws, or when.
"""

from collections.abc import Sequence

_PROMPT = """\
A clean CLEVR-style 3D render of exactly {count} objects on a seamless neutral gray background, \
with soft studio light and soft contact shadows.

The scene shows: {caption}

Objects, each appearing exactly once:
{items}

Layout: every object stands alone, fully visible and clearly separated from the others. The \
objects are scattered at irregular positions and depths, not laid out in a row, a grid or a \
circle, and have similar sizes.

Binding locality: every attribute applies only to the object it is listed with. Colors, \
materials, patterns, textures and visual effects must not transfer, blend or bleed across \
objects, nor onto the background. Nothing else is in the picture: no text, no labels, no people, \
no further objects."""


def image_prompt(generation_caption: str, phrases: Sequence[str]) -> str:
    """Return the prompt for a scene of these "form object" phrases."""
    items = "\n".join(f"- {phrase}" for phrase in phrases)
    return _PROMPT.format(count=len(phrases), caption=generation_caption, items=items)
