from functools import cache
from itertools import combinations

from rlve.envs.trees.link_beads import LinkBeads

# The path 1 - 2 - 0 - 3: two of its edges can be blue, if one of them is in the middle.
PROBLEM = LinkBeads(N=4, edges=[(1, 2, 3), (0, 2, 1), (0, 3, 4)], reference_answer=5)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {1.0: ["5", "+05"], 0.0: ["7", "0", "-5"], -1.0: ["5.0", ""]}
SAMPLES = {120: {"difficulty": range(5)}}


def test_gold_is_the_best_of_all_colourings(problem):
    edges = problem.edges
    best = 0
    for size in range(len(edges) + 1):
        for blue in combinations(edges, size):
            coloured = frozenset((u, v, (u, v, w) in blue) for u, v, w in edges)
            if sum(w for *_, w in blue) > best and can_be_built(coloured):
                best = sum(w for *_, w in blue)
    assert problem.reference_answer == best


@cache
def can_be_built(edges):
    """Whether undoing one operation after the other ends with a single vertex."""
    if not edges:
        return True
    for x in {v for u, v, _ in edges} | {u for u, _, _ in edges}:
        at = [edge for edge in edges if x in edge[:2]]
        ends = [v if u == x else u for u, v, _ in at]
        if len(at) == 1 and not at[0][2] and can_be_built(edges - set(at)):
            return True
        joined = (min(ends), max(ends), False)
        if [blue for *_, blue in at] == [True, True] and can_be_built(edges - set(at) | {joined}):
            return True
    return False
