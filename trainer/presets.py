"""What suits each backbone: which weights, which modules get an adapter, and how it is trained.

Pure data. The values of the two Qwen3-VL backbones are the paper's (section B.5); its batch size is
not stated there, and 32 triplets are ours. Knows nothing of torch, nor of a user's settings.
"""

from dataclasses import dataclass

from artifacts.errors import SettingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A backbone, and the hyperparameters that its settings start from."""

    #: What to load; empty where the user must say.
    model: str
    #: The name that the world knows the weights by; goes into adapters and cards.
    published: str
    #: A pattern that a module's whole name must match to get an adapter.
    target_modules: str
    #: A pattern found in a module's name, whose one group is the number of its layer.
    layer_pattern: str
    rank: int = 4
    alpha: float = 4
    dropout: float = 0
    learning_rate: float = 5e-5
    weight_decay: float = 0.01
    margin: float = 0.05
    epochs: int = 1
    batch_size: int = 32
    #: Trainable parameters of just this preset, where they are known for sure.
    trainable_parameters: int | None = None


_QWEN_TARGETS = r".*language_model\.layers\.\d+\.self_attn\.(q|k|v|o)_proj"
#: The vision tower's are `visual.blocks.N`: "layers" alone would do today, and "blocks" never.
_QWEN_LAYERS = r"language_model\.layers\.(\d+)\."

PRESETS: dict[str, Preset] = {
    # 2,400 triplets are enough to see it learn. At 3e-3, with adapters on the feed-forward layers
    # too and in batches of 16, the loss was still the margin after half of them.
    "minilm": Preset(
        model="minilm",
        published="sentence-transformers/all-MiniLM-L6-v2",
        target_modules=r".*encoder\.layer\.\d+\.attention\.(self\.(query|key|value)|output\.dense)",
        layer_pattern=r"encoder\.layer\.(\d+)\.",
        rank=16,
        alpha=16,
        learning_rate=2e-3,
        margin=0.2,
    ),
    "qwen3-vl-2b": Preset(
        model="Qwen/Qwen3-VL-Embedding-2B",
        published="Qwen/Qwen3-VL-Embedding-2B",
        target_modules=_QWEN_TARGETS,
        layer_pattern=_QWEN_LAYERS,
        trainable_parameters=1_605_632,
    ),
    "qwen3-vl-8b": Preset(
        model="Qwen/Qwen3-VL-Embedding-8B",
        published="Qwen/Qwen3-VL-Embedding-8B",
        target_modules=_QWEN_TARGETS,
        layer_pattern=_QWEN_LAYERS,
        trainable_parameters=3_833_856,
    ),
    "custom": Preset(model="", published="", target_modules="", layer_pattern=""),
}


def find_preset(name: str) -> Preset:
    """Return the preset called `name`, or raise SettingsError listing those there are."""
    try:
        return PRESETS[name]
    except KeyError:
        raise SettingsError(
            f"training.preset: expected one of {', '.join(PRESETS)}, found {name!r}"
        ) from None
