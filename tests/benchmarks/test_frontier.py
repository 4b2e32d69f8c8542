"""The benchmark of frontiers runs, and tells good estimates from bad ones."""

import runpy
from pathlib import Path
from random import Random

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "frontier.py"


def test_more_outputs_give_narrower_intervals_that_hold_the_truth():
    benchmark = runpy.run_path(str(BENCHMARK))
    rng = Random(0)
    curves = benchmark["simulated_model"](rng, benchmark["logistic"], 2.0)
    few = benchmark["quality"](curves, benchmark["fixed"](curves, 20, range(10), rng))
    answers, asked = benchmark["adaptive"](curves, 24, rng)
    adaptive = benchmark["quality"](curves, answers)
    assert asked <= 24 * len(curves)
    assert adaptive.width < few.width
    assert adaptive.covered > 0.85
    assert benchmark["agreement"](adaptive, adaptive) == (1.0, 1.0)
