from itertools import combinations

from rlve.envs.trees.max_tree_k_path_coverage import MaxTree_KPathCoverage
from support.graphs import beside, paths

# A star around 2 of which one arm, 0 - 4, is longer.
PROBLEM = MaxTree_KPathCoverage(
    N=5, edges=[(0, 2), (1, 2), (2, 3), (0, 4)], K=1, reference_answer=4
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 8: {"N": 14}, 20: {"N": 56}}
REWARDS = {1.0: ["4"], 0.0: ["5", "0", "-4"], -1.0: ["4.0", "4 4", ""]}


def test_gold_is_the_best_of_all_choices_of_paths():
    several = 0
    for seed in range(120):
        problem = MaxTree_KPathCoverage.generate(difficulty=seed % 6, seed=seed)
        covered = [frozenset(path) for path in paths(beside(problem.edges)) if len(path) > 1]
        most = max(len(set().union(*choice)) for choice in combinations(covered, problem.K))
        assert problem.reference_answer == most
        several += problem.K > 1
    assert several
