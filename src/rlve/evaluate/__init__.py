"""Evaluation as in the paper: test sets, benchmarks, and what to report about them."""
