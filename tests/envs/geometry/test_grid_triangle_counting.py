from itertools import combinations
from math import comb, gcd
from random import Random

import pytest

from rlve.algorithms.number_theory import totients
from rlve.envs.geometry.grid_triangle_counting import GridTriangleCounting

PROBLEM = GridTriangleCounting(MAX_N_M=5, N=1, M=2, reference_answer=18)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (20, 14053))}
REWARDS = {
    1.0: ["18"],
    (17 / 18) ** 10: ["17"],
    (18 / 36) ** 10: ["36"],
    -1.0: ["0", "-18", "18.0", ""],
}


def test_an_answer_that_is_off_by_one_never_passes():
    problem = GridTriangleCounting.generate(difficulty=20, seed=0)
    assert problem.reference_answer > 10**17
    assert not problem.verify(f"<answer>{problem.reference_answer + 1}</answer>").correct


@pytest.mark.parametrize(("N", "M"), [(n, m) for n in range(1, 5) for m in range(1, 5)])
def test_gold_is_the_number_of_triples_that_span_an_area(N, M):
    points = [(x, y) for x in range(N + 1) for y in range(M + 1)]
    count = sum(
        (b[0] - a[0]) * (c[1] - a[1]) != (b[1] - a[1]) * (c[0] - a[0])
        for a, b, c in combinations(points, 3)
    )
    problem = next(
        problem
        for seed in range(2000)
        if (problem := GridTriangleCounting.sample(Random(seed), 4)).N == N and problem.M == M
    )
    assert problem.reference_answer == count


def test_gold_is_that_of_the_sum_over_all_vectors():
    for seed in range(100):
        problem = GridTriangleCounting.sample(Random(seed), 5 + seed % 40)
        N, M = problem.N, problem.M
        on_lines = sum(
            (gcd(a, b) - 1) * (N + 1 - a) * (M + 1 - b) * (2 if a and b else 1)
            for a in range(N + 1)
            for b in range(M + 1)
            if a or b
        )
        assert problem.reference_answer == comb((N + 1) * (M + 1), 3) - on_lines


def test_totients():
    phi = totients(60)
    assert phi[:3] == [0, 1, 1]
    for n in range(1, 61):
        assert phi[n] == sum(gcd(n, k) == 1 for k in range(1, n + 1))
