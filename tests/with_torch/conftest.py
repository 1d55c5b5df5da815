"""What holds for every test that needs the extra `train`: no network, and one thread.

Two threads on a machine that is busy wait for each other.
"""

import os

# Before any of these packages is imported: they read it once.
os.environ["HF_HUB_OFFLINE"] = "1"

import torch

torch.set_num_threads(1)
