"""Sampling on a GPU, with keys and values in pages."""

from rlve.models.engines.paged.engine import PagedEngine

__all__ = ["PagedEngine"]
