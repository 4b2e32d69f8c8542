from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.envs.graphs.coloring_counting import ColoringCounting, colour_sum

# C[0] = 0 and C[1] = 1, or C[0] = 1 and C[1] in 0, 2, or C[0] = 0 and C[1] = 2; C[2] = 0 always.
PROBLEM = ColoringCounting(N=3, edge_density=0.35, edges=[(0, 1)], R=[1, 2, 0], reference_answer=9)


def test_schedule():
    densities = [level["edge_density"] for level in ColoringCounting.level(0)]
    assert densities == [0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]  # at least one edge
    assert [ColoringCounting.level(d)[0]["N"] for d in (0, 1, 7, 13)] == [4, 5, 11, 17]
    assert len(ColoringCounting.level(7)) == 11


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("9", 1.0),
        ("6", (6 / 9) ** 10),
        ("18", (9 / 18) ** 10),
        ("0", -1.0),
        ("-9", -1.0),
        ("9.0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_literal_problem():
    assert brute(PROBLEM.N, PROBLEM.edges, PROBLEM.R) == 9


def test_sum_is_that_over_all_colourings():
    for seed in range(60):
        problem = ColoringCounting.generate(difficulty=seed % 2, seed=seed)
        assert problem.reference_answer == brute(problem.N, problem.edges, problem.R) > 0


PAIRS = [(u, v) for v in range(5) for u in range(v)]


@given(st.sets(st.sampled_from(PAIRS)), st.lists(st.integers(0, 4), min_size=5, max_size=5))
def test_sum_with_any_edges_and_bounds(edges, R):
    assert colour_sum(5, sorted(edges), R) == brute(5, edges, R)


def brute(n, edges, R):
    return sum(
        len(set(colours))
        for colours in product(*(range(bound + 1) for bound in R))
        if all(colours[u] != colours[v] for u, v in edges)
    )
