from functools import cache

from rlve.envs.permutations.inversion_pair import InversionPair
from support.searching import ways

PROBLEM = InversionPair(N=3, A=[5, 0, 1], B=[2, 4, 3], reference_answer=1)
FACING = InversionPair(N=3, A=[1, 2, 3], B=[2, 4, 5], reference_answer=0)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = [
    (PROBLEM, {1.0: ["1"], (1 / 3) ** 10: ["3"], 0.0: ["0"], -1.0: ["-1", "1 move", ""]}),
    (FACING, {1.0: ["0"], 0.0: ["1"]}),
]
SAMPLES = {120: {"N": [4, 3, 3, 3]}}


def test_swaps_agree_with_searching_all_orders(problem):
    assert all(0 <= x < 2 * problem.N for x in problem.A + problem.B)
    assert problem.reference_answer == by_search(tuple(problem.A), tuple(problem.B))


def by_search(A, B):
    n = len(A)
    reached = [(a, b, moves + m) for a, moves in orders(n) for b, m in orders(n)]
    values = [
        (sum((A[i] - B[j]) ** 2 for i, j in zip(a, b, strict=True)), moves)
        for a, b, moves in reached
    ]
    return min(values)[1]  # the smallest sum, and then the fewest moves


@cache
def orders(n):
    """All orders of 0 .. n-1 with the moves each needs."""

    def swaps(order):
        for i in range(n - 1):
            yield i, (*order[:i], order[i + 1], order[i], *order[i + 2 :])

    return [(order, len(way)) for order, way in ways(tuple(range(n)), swaps)]
