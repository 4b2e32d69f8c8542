from functools import cache
from itertools import permutations

from rlve.envs.permutations.bubble_swap_lower_bound_permutation_counting import (
    BubbleSwapLowerBound_PermutationCounting,
)

PROBLEM = BubbleSwapLowerBound_PermutationCounting(N=3, P=[2, 1, 3], reference_answer=2)
NO_LARGER = BubbleSwapLowerBound_PermutationCounting(N=3, P=[3, 1, 2], reference_answer=0)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["2"],
            (2 / 3) ** 10: ["3"],
            (1 / 2) ** 10: ["1"],
            0.0: ["0", "9" * 1000],
            -1.0: ["-2", "2.0", "2 2", ""],
        },
    ),
    (NO_LARGER, {1.0: ["0"], 0.0: ["1"]}),
]
SAMPLES = {200: {"N": range(3, 8)}}


def test_gold_is_the_count_over_all_permutations(problem):
    later = (p for p in permutations(range(1, problem.N + 1)) if p > tuple(problem.P))
    assert problem.reference_answer == sum(map(is_good, later))


@cache
def is_good(p):
    a, swaps = list(p), 0
    for _ in a:
        for i in range(len(a) - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swaps += 1
    return 2 * swaps == sum(abs(i - x) for i, x in enumerate(p, 1))
