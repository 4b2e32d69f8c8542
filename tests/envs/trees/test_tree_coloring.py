from itertools import combinations, product

import pytest

from rlve.envs.trees.tree_coloring import TreeColoring

# The path 2 - 0 - 1 - 3.
PROBLEM = TreeColoring(
    N=4,
    K=2,
    edges=[(0, 2, 1), (0, 1, 5), (1, 3, 2)],
    reference_answer="1 2",
    reference_answer_distance=13,
)


def test_schedule():
    assert [TreeColoring.level(d) for d in (0, 1, 20)] == [[{"N": 3}], [{"N": 4}], [{"N": 23}]]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 2", 1.0),
        ("3 0", 1.0),
        ("2 3", 1.0),  # 8 + 5
        ("0 2", (3 / 13) ** 2),
        ("1", -0.5),
        ("1 2 3", -0.5),
        ("1 1", -0.5),
        ("1 4", -0.5),
        ("-1 2", -0.5),
        ("", -0.5),
        ("1, 2", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_best_of_all_choices():
    for seed in range(100):
        problem = TreeColoring.generate(difficulty=seed % 5, seed=seed)
        n = problem.N
        far = [[0 if u == v else 10**6 for v in range(n)] for u in range(n)]
        for u, v, w in problem.edges:
            far[u][v] = far[v][u] = w
        for m, u, v in product(range(n), repeat=3):
            far[u][v] = min(far[u][v], far[u][m] + far[m][v])
        totals = {
            chosen: sum(
                far[u][v] for u, v in combinations(range(n), 2) if (u in chosen) == (v in chosen)
            )
            for chosen in combinations(range(n), problem.K)
        }
        gold = problem.reference_answer_distance
        assert gold == max(totals.values())
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
        for chosen, total in totals.items():
            assert problem.score(list(chosen)) == (total / gold) ** 2
