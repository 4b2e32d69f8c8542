from itertools import combinations, combinations_with_replacement

from rlve.envs.trees.patrol import Patrol

# The path 4 - 1 - 3 - 2, with 5 on 3.
PROBLEM = Patrol(N=5, edges=[(1, 4), (2, 3), (1, 3), (3, 5)], K=1, reference_answer=6)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 8: {"N": 14}, 20: {"N": 56}}
REWARDS = {1.0: ["6"], 0.0: ["5", "0", "-6"], -1.0: ["6.0", "6 6", ""]}
SAMPLES = {120: {"difficulty": range(5)}}


def test_gold_is_the_best_of_all_new_edges(problem):
    near = [near_side(problem, edge) for edge in problem.edges]
    pairs = list(combinations(range(1, problem.N + 1), 2))
    pairs.append((1, 1))  # a loop, of no use
    best = min(
        problem.K
        + sum(1 if sum((x in side) != (y in side) for x, y in new) % 2 else 2 for side in near)
        for new in combinations_with_replacement(pairs, problem.K)
    )
    assert problem.reference_answer == best


def near_side(problem, cut):
    """The vertices that are joined to the first end of an edge without it."""
    side = {cut[0]}
    for _ in range(problem.N):
        for edge in problem.edges:
            if edge != cut and side & set(edge):
                side |= set(edge)
    return side
