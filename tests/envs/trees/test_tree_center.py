from rlve.envs.trees.tree_center import TreeCenter
from support.graphs import distances

# The path 1 - 0 - 2.
PROBLEM = TreeCenter(
    N=3, C=[1, 2, 4], edges=[(0, 2, 3), (0, 1, 1)], reference_answer=2, gold_answer=11
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["2"],
    (11 / 14) ** 8: ["0"],
    (11 / 17) ** 8: ["1"],
    -1.0: ["3", "-1", "2 2", "two", ""],
}
SAMPLES = {120: {"difficulty": range(5)}}


def test_gold_is_the_best_of_all_vertices(problem):
    vertices = range(problem.N)
    far = distances(vertices, problem.edges)
    sums = [sum(problem.C[v] * far[v, r] for v in vertices) for r in vertices]
    assert problem.gold_answer == min(sums)
    assert sums[problem.reference_answer] == min(sums)
    assert [problem.score(r) == 1 for r in vertices] == [s == min(sums) for s in sums]
