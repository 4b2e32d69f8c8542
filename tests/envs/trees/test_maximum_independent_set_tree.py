from rlve.envs.trees.maximum_independent_set_tree import Maximum_IndependentSet_Tree

# The path 0 - 2 - 1 - 3.
PROBLEM = Maximum_IndependentSet_Tree(
    N=4, edges=[(0, 2), (1, 3), (1, 2)], R=[3, 1, 2, 4], reference_weight=7, reference_answer="0 3"
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 8: {"N": 14}, 20: {"N": 56}}
REWARDS = {
    1.0: ["0 3", "3 0"],
    (6 / 7) ** 3: ["2 3"],
    (1 / 7) ** 3: ["1"],
    0.0: [""],
    -0.5: ["3 3", "0 2", "0 4", "-1"],
    -1.0: ["0, 3", "none"],
}
SAMPLES = {120: {"difficulty": range(5)}}


def test_gold_is_the_best_of_all_sets(problem):
    best = 0
    for mask in range(2**problem.N):
        chosen = [v for v in range(problem.N) if mask >> v & 1]
        if not any(mask >> u & mask >> v & 1 for u, v in problem.edges):
            best = max(best, sum(problem.R[v] for v in chosen))
    assert problem.reference_weight == best
