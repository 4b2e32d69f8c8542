"""RLVE: reinforcement learning of language models with adaptive verifiable environments."""
