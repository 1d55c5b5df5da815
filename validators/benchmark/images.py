"""Rules on what is asked of the image model: the prompts and the flips.

Checks key words, not the wording. Knows nothing of images themselves.
"""

from artifacts.reports import RuleReport, judge, tally
from validators.benchmark.tables import Benchmark, Scene
from validators.chance import is_plausible

#: Section A.4: what each prompt has to state, and the words by which it is known. They begin with a
#: space, since there is a "row" in "brown".
_REQUIRED = {
    "a gray background": (" gray", " grey"),
    "each object exactly once": (" exactly once",),
    "scattered, not in a row": (" row",),
    "no bleeding across objects": (" bleed",),
}


def prompt_names_every_binding(benchmark: Benchmark) -> RuleReport:
    """The prompt holds every "form object" phrase of its scene's generation caption."""

    def check(scene: Scene) -> str | None:
        phrases = benchmark.captions[scene.scene_id].generation
        missing = [
            phrase.words for phrase in phrases if not _holds(scene.image_prompt, phrase.words)
        ]
        return f"{scene.scene_id}: the prompt lacks {', '.join(missing)}" if missing else None

    # A generation caption that can't be taken apart is the finding of another rule.
    readable = (s for s in benchmark.scenes if benchmark.captions[s.scene_id].generation)
    return judge("prompt_names_every_binding", readable, check)


def prompt_states_the_requirements(benchmark: Benchmark) -> RuleReport:
    """The prompt asks for the background, the number, the layout and the locality of attributes."""

    def check(scene: Scene) -> str | None:
        prompt = f" {' '.join(scene.image_prompt.casefold().split())}"
        missing = [
            requirement
            for requirement, signs in _REQUIRED.items()
            if not any(sign in prompt for sign in signs)
        ]
        return f"{scene.scene_id}: the prompt lacks {'; '.join(missing)}" if missing else None

    return judge("prompt_states_the_requirements", benchmark.scenes, check)


def half_of_the_images_flipped(benchmark: Benchmark) -> RuleReport:
    """Flips come up about as often as not."""
    flipped, scenes = sum(scene.flip for scene in benchmark.scenes), len(benchmark.scenes)
    is_fair = is_plausible(flipped, scenes, 1 / 2)
    findings = () if is_fair else (f"{flipped} of {scenes} scenes are flipped",)
    return tally("half_of_the_images_flipped", scenes, findings)


def _holds(prompt: str, phrase: str) -> bool:
    """Whether `phrase` stands in `prompt` as whole words ("red cube" isn't in "bored cubes")."""
    start = prompt.find(phrase)
    while start >= 0:
        before, after = prompt[:start][-1:], prompt[start + len(phrase) :][:1]
        if not before.isalnum() and not after.isalnum():
            return True
        start = prompt.find(phrase, start + 1)
    return False
