"""The one exception tree. Foreign exceptions are converted into it where they enter.

    SaberError                  everything this project raises on purpose
    ├── VocabularyError         a vocabulary file is missing, malformed or contradicts itself
    ├── SettingsError           a setting is unknown, invalid or contradicts another
    ├── GenerationError         the settings ask for something that cannot be sampled
    ├── BuildError              a build as a whole
    │   ├── BuildMissingError   there is no finished build of that name
    │   ├── BuildConflictError  a build of that name exists with other settings
    │   └── BuildLockedError    another process is writing that build
    ├── StoreError              a file cannot be written or read
    │   └── DamagedFileError    a file is not what the manifest says it is
    ├── ServerError             a model's server
    │   ├── ServerFailedError   it cannot be reached, or keeps failing
    │   └── ServerRefusedError  it refuses what every request asks: key, model, schema, length
    ├── ModelError              an embedding model
    │   ├── ModelMissingError   a package or the weights that it needs aren't there
    │   └── EmbeddingError      what it returned cannot be scored
    ├── TrainingError           the data or the model cannot be trained on as asked
    ├── QueryError              an SQL query is refused or fails
    └── ValidationFailedError   a check of a finished build failed

A message says what was expected, what was found, where, and what to do. A bad *record* is data and
never an exception; a bad shard, setting or server is one.
"""

from vocab.errors import SaberError, VocabularyError

__all__ = [
    "BuildConflictError",
    "BuildError",
    "BuildLockedError",
    "BuildMissingError",
    "DamagedFileError",
    "EmbeddingError",
    "GenerationError",
    "ModelError",
    "ModelMissingError",
    "QueryError",
    "SaberError",
    "ServerError",
    "ServerFailedError",
    "ServerRefusedError",
    "SettingsError",
    "StoreError",
    "TrainingError",
    "ValidationFailedError",
    "VocabularyError",
]


class SettingsError(SaberError):
    """A setting is unknown, invalid or contradicts another."""


class GenerationError(SaberError):
    """The settings ask for something that cannot be sampled."""


class BuildError(SaberError):
    """A build as a whole is not what the command needs."""


class BuildMissingError(BuildError):
    """There is no finished build of that name."""


class BuildConflictError(BuildError):
    """A build of that name exists with other settings."""


class BuildLockedError(BuildError):
    """Another process is writing that build."""


class StoreError(SaberError):
    """A file cannot be written or read."""


class DamagedFileError(StoreError):
    """A file is not what the manifest says it is."""


class ServerError(SaberError):
    """A model's server doesn't do what the run needs."""


class ServerFailedError(ServerError):
    """The server cannot be reached, or keeps failing."""


class ServerRefusedError(ServerError):
    """The server refuses what every request asks; its own words are in the message."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        #: The status code of its answer, where it was that.
        self.status = status


class ModelError(SaberError):
    """An embedding model doesn't do what the run needs."""


class ModelMissingError(ModelError):
    """A package that the model needs isn't installed, or its weights can't be found."""


class EmbeddingError(ModelError):
    """What the model returned cannot be scored: not finite, not normalised, all the same."""


class TrainingError(SaberError):
    """The data or the model cannot be trained on as asked."""


class QueryError(SaberError):
    """An SQL query is refused or fails."""


class ValidationFailedError(SaberError):
    """A check of a finished build failed."""
