from itertools import combinations_with_replacement, pairwise

from rlve.envs.trees.most_component_tree_removing_two_paths import MostComponentTreeRemovingTwoPaths
from support.graphs import beside, paths

# Two stars around 1 and 2, joined by 3: removing the centres leaves 3 and the four leaves.
PROBLEM = MostComponentTreeRemovingTwoPaths(
    N=7, edges=[(1, 3), (2, 3), (1, 4), (1, 5), (2, 6), (2, 7)], reference_answer=5
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 8: {"N": 14}, 20: {"N": 56}}
REWARDS = {1.0: ["5"], 0.0: ["4", "0", "-5"], -1.0: ["5.0", "5 5", ""]}
SAMPLES = {120: {"difficulty": range(5)}}


def test_gold_is_the_best_of_all_pairs_of_paths(problem):
    most = max(
        components(problem, {*a, *b})
        for a, b in combinations_with_replacement(paths(beside(problem.edges)), 2)
        if not steps(a) & steps(b)
    )
    assert problem.reference_answer == most


def steps(path):
    return {frozenset(step) for step in pairwise(path)}


def components(problem, removed):
    kept = [edge for edge in problem.edges if not removed & set(edge)]
    return problem.N - len(removed) - len(kept)
