"""Evaluation as in the paper: test sets, benchmarks, and what is reported about them."""
