"""The root of the project's exceptions, and the one that the words can raise.

The root lives here because every other folder may import this one. The whole tree is drawn in
`artifacts/errors.py`; this module knows nothing of the branches that grow elsewhere.
"""


class SaberError(Exception):
    """Anything that this project raises on purpose; its message is one a user can act on."""


class VocabularyError(SaberError):
    """A word file that cannot be used; the message names the file, the place and the remedy."""
