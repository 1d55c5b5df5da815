"""Finetuning an embedder on the triplets: LoRA, then LiNeS (section B.5).

Heavy packages (torch, sentence-transformers, peft) are imported inside the functions that use them.
"""
