from itertools import combinations

from rlve.envs.trees.tree_coloring import TreeColoring
from support.graphs import distances

# The path 2 - 0 - 1 - 3.
PROBLEM = TreeColoring(
    N=4,
    K=2,
    edges=[(0, 2, 1), (0, 1, 5), (1, 3, 2)],
    reference_answer="1 2",
    reference_answer_distance=13,
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: [
        "1 2",
        "3 0",
        "2 3",  # 8 + 5
    ],
    (3 / 13) ** 2: ["0 2"],
    -0.5: ["1", "1 2 3", "1 1", "1 4", "-1 2", ""],
    -1.0: ["1, 2"],
}
SAMPLES = {100: {"difficulty": range(5)}}


def test_gold_is_the_best_of_all_choices(problem):
    n = problem.N
    far = distances(range(n), problem.edges)
    totals = {
        chosen: sum(
            far[u, v] for u, v in combinations(range(n), 2) if (u in chosen) == (v in chosen)
        )
        for chosen in combinations(range(n), problem.K)
    }
    gold = problem.reference_answer_distance
    assert gold == max(totals.values())
    for chosen, total in totals.items():
        assert problem.score(list(chosen)) == (total / gold) ** 2
