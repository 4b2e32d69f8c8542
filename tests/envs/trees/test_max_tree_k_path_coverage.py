from itertools import combinations

from rlve.envs.trees.max_tree_k_path_coverage import MaxTree_KPathCoverage

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
        paths = list(all_paths(problem))
        most = max(len(set().union(*choice)) for choice in combinations(paths, problem.K))
        assert problem.reference_answer == most
        several += problem.K > 1
    assert several


def all_paths(problem):
    joined = {v: set() for v in range(problem.N)}
    for u, v in problem.edges:
        joined[u].add(v)
        joined[v].add(u)
    stack = [[v] for v in range(problem.N)]
    while stack:
        path = stack.pop()
        if path[0] < path[-1]:
            yield frozenset(path)
        stack += [[*path, v] for v in joined[path[-1]] - set(path)]
