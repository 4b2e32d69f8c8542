from itertools import combinations

from rlve.envs.trees.dyn_dynamite import DynDynamite
from support.graphs import distances

# The path 2 - 0 - 1 - 3 - 4.
PROBLEM = DynDynamite(
    N=5, edges=[(0, 2), (0, 1), (1, 3), (3, 4)], key_vertices=[2, 4, 1], M=2, gold_answer=1
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["0 4", "4 0", "3 2"],
    (1 / 2) ** 5: ["1 0"],
    (1 / 3) ** 5: ["2 0"],
    -0.5: ["0", "0 4 3", "0 5", "-1 0", "1 1", "2 2", ""],
    -1.0: ["0, 4", "zero four"],
}
SAMPLES = {120: {"difficulty": range(5)}}


def test_a_best_choice_with_a_repeated_vertex_is_invalid():
    problem = DynDynamite(N=3, edges=[(0, 1), (0, 2)], key_vertices=[0, 1, 2], M=2, gold_answer=1)
    assert problem.verify("<answer>0 0</answer>").reward == -0.5


def test_gold_is_the_best_of_all_choices(problem):
    far = distances(range(problem.N), problem.edges)
    best = min(
        max(min(far[key, c] for c in centres) for key in problem.key_vertices)
        for centres in combinations(range(problem.N), problem.M)
    )
    assert problem.gold_answer == best
    assert len(set(problem.reference().split())) == problem.M
