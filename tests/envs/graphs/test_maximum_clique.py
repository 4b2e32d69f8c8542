from itertools import combinations

import pytest

from rlve.envs.graphs.maximum_clique import MaximumClique

# A triangle 0 1 2 with a tail 2 3 4.
PROBLEM = MaximumClique(
    N=5,
    edge_density=0.55,
    edges=[(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)],
    gold_answer=3,
    reference_answer="0 1 2",
)


def test_schedule():
    densities = [level["edge_density"] for level in MaximumClique.level(0)]
    assert densities == [0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]  # at least one edge
    assert [MaximumClique.level(d)[0]["N"] for d in (0, 1, 7, 20)] == [4, 6, 18, 44]
    assert len(MaximumClique.level(7)) == 10


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 1 2", 1.0),
        ("2 0 1", 1.0),
        ("3 4", (2 / 3) ** 5),
        ("4", (1 / 3) ** 5),
        ("", 0.0),
        ("0 1 2 3", -0.5),  # 0 and 3 are not adjacent
        ("0 1 1", -0.5),  # a vertex twice
        ("4 5", -0.5),  # no such vertex
        ("-1", -0.5),
        ("0, 1, 2", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_largest_of_all_cliques():
    for seed in range(120):
        problem = MaximumClique.generate(difficulty=seed % 4, seed=seed)
        edges = set(problem.edges)
        assert problem.gold_answer == max(
            size
            for size in range(1, problem.N + 1)
            for chosen in combinations(range(problem.N), size)
            if all(pair in edges for pair in combinations(chosen, 2))
        )
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
