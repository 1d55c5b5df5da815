"""What of a model's settings identifies a dataset, and how its rows name the model.

Asks no server: a finished build is judged, repaired and queried without one.
"""

from importlib.util import find_spec

from pydantic import JsonValue

from artifacts.errors import GenerationError, SettingsError
from artifacts.plans import Plan
from artifacts.settings import LlmSettings
from generators.prompting import prompt_checksum

#: The recorded setting that holds all of it.
IDENTITY = "llm_identity"


def llm_identity(llm: LlmSettings) -> dict[str, JsonValue]:
    """Return what must be equal for a build to be continued: model, sampling, prompts.

    Not where the server is, how fast it is asked, or what it may cost.
    """
    settings: dict[str, JsonValue] = llm.model_dump(mode="json", exclude=set(llm.OPERATION))
    return {**settings, "prompts_sha256": prompt_checksum(llm.style)}


def model_name(llm: LlmSettings) -> str:
    """Return the name that rows have for the model."""
    return f"{llm.model}@{llm.revision}" if llm.revision else llm.model


def require_client() -> None:
    """Raise SettingsError where the packages are missing that ask a server."""
    missing = [name for name in ("openai", "aiohttp") if find_spec(name) is None]
    if missing:
        raise SettingsError(
            f"dataset.writer: llm needs {' and '.join(missing)}, found none installed; "
            "pip install '.[llm]'"
        )


class ServedWriter:
    """Stands for the model where a writer's name is needed; it cannot be asked here."""

    name = "llm"
    repeats_itself = False

    def __init__(self, llm: LlmSettings) -> None:
        self.model = model_name(llm)

    def write(self, plan: Plan) -> str:
        """Raise GenerationError: a server is asked by the driver alone."""
        raise GenerationError(
            f"the draft of attempt {plan.attempt} of {plan.construction} is gone and a model "
            "doesn't repeat itself: run `saber dataset` for new ones"
        )
