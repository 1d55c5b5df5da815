"""What holds for the tests that need torchvision, kept with open_clip beside the other packages.

Its published build doesn't find its compiled operators beside a build of torch for CPUs. Neither a
CLIP model nor Qwen3-VL's processor calls them; they only have to have been named.
"""

import os

# Before any of these packages is imported: they read it once.
os.environ["HF_HUB_OFFLINE"] = "1"

import torch

torch.set_num_threads(1)

#: Kept as long as the tests run: with it go the names.
_LIBRARY = torch.library.Library("torchvision", "DEF")
for _operator in ("nms", "qnms"):
    if not hasattr(torch.ops.torchvision, _operator):
        _LIBRARY.define(f"{_operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
