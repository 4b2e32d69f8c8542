from itertools import product

import pytest

from rlve.envs.trees.tree_center import TreeCenter

# The path 1 - 0 - 2.
PROBLEM = TreeCenter(
    N=3, C=[1, 2, 4], edges=[(0, 2, 3), (0, 1, 1)], reference_answer=2, gold_answer=11
)


def test_schedule():
    assert [TreeCenter.level(d) for d in (0, 1, 20)] == [[{"N": 4}], [{"N": 5}], [{"N": 24}]]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("2", 1.0),
        ("0", (11 / 14) ** 8),
        ("1", (11 / 17) ** 8),
        ("3", -1.0),
        ("-1", -1.0),
        ("2 2", -1.0),
        ("two", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_best_of_all_vertices():
    for seed in range(120):
        problem = TreeCenter.generate(difficulty=seed % 5, seed=seed)
        n = problem.N
        far = [[0 if u == v else 10**6 for v in range(n)] for u in range(n)]
        for u, v, w in problem.edges:
            far[u][v] = far[v][u] = w
        for m, u, v in product(range(n), repeat=3):
            far[u][v] = min(far[u][v], far[u][m] + far[m][v])
        sums = [sum(map(int.__mul__, problem.C, far[r])) for r in range(n)]
        assert problem.gold_answer == min(sums)
        assert sums[problem.reference_answer] == min(sums)
        assert [problem.score(r) == 1 for r in range(n)] == [s == min(sums) for s in sums]
