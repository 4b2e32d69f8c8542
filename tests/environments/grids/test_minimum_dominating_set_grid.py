from random import Random

import pytest

from rlve.environments.grids.minimum_dominating_set_grid import (
    Minimum_DominatingSet_Grid,
    cheapest_dominating_set,
)

PROBLEM = Minimum_DominatingSet_Grid(MAX_N_M=3, N=2, M=3, F=[[4, 1, 6], [5, 2, 5]], gold_answer=3)


def test_schedule():
    sizes = [Minimum_DominatingSet_Grid.level(d)[0]["MAX_N_M"] for d in (0, 1, 7, 20)]
    assert sizes == [3, 4, 10, 23]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 2\n2 2", 1.0),
        ("2 2\n\n1 2\n", 1.0),
        ("1 1\n2 3", (3 / 9) ** 5),
        ("1 2\n2 2\n1 1", (3 / 7) ** 5),
        ("1 2", -0.2),
        ("", -0.2),
        ("1 2\n1 2\n2 2", -0.5),
        ("0 2\n2 2", -0.5),
        ("1 2\n2 4", -0.5),
        ("1 2\n-2 2", -0.5),
        ("1 2 2 2", -1.0),
        ("1 2\n2", -1.0),
        ("(1, 2)\n(2, 2)", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_minimum_over_all_sets():
    problems = [
        Minimum_DominatingSet_Grid.sample(Random(seed), MAX_N_M=2 + seed % 2) for seed in range(150)
    ]
    for problem in [PROBLEM, *problems]:
        assert problem.gold_answer == minimum_over_all_sets(problem.F)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def test_gold_is_the_minimum_of_larger_grids():
    for seed in range(60):
        rng = Random(seed)
        N, M = rng.randint(2, 7), rng.randint(2, 4)
        highest = rng.choice([1, 2, N * M])
        F = [[rng.randint(1, highest) for _ in range(M)] for _ in range(N)]
        assert sum(F[i][j] for i, j in cheapest_dominating_set(F)) == row_by_row(F)


def test_reference_is_right():
    for seed in range(20):
        problem = Minimum_DominatingSet_Grid.generate(difficulty=seed % 10, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def minimum_over_all_sets(F):
    N, M = len(F), len(F[0])
    costs = [cost for row in F for cost in row]
    near = [
        sum(1 << x * M + y for x in range(N) for y in range(M) if abs(x - i) + abs(y - j) <= 1)
        for i in range(N)
        for j in range(M)
    ]
    cells = range(N * M)
    return min(
        sum(costs[k] for k in cells if chosen >> k & 1)
        for chosen in range(1 << N * M)
        if all(chosen & mask for mask in near)
    )


def row_by_row(F):
    """The least cost for each pair of sets of chosen columns in the last two rows."""
    M = len(F[0])
    masks = range(1 << M)
    full = masks[-1]
    best = {(0, 0): 0}
    for i, row in enumerate(F):
        later = {}
        for (before, last), cost in best.items():
            for mask in masks:
                covered = before | last | last << 1 | last >> 1 | mask
                if i and covered & full != full:
                    continue
                total = cost + sum(row[j] for j in range(M) if mask >> j & 1)
                later[last, mask] = min(total, later.get((last, mask), total))
        best = later
    return min(
        cost
        for (before, last), cost in best.items()
        if (before | last | last << 1 | last >> 1) & full == full
    )
