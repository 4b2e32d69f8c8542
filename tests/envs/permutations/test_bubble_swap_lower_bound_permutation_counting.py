from itertools import permutations
from random import Random

import pytest

from rlve.envs.permutations.bubble_swap_lower_bound_permutation_counting import (
    BubbleSwapLowerBound_PermutationCounting,
)

PROBLEM = BubbleSwapLowerBound_PermutationCounting(N=3, P=[2, 1, 3], reference_answer=2)
NO_LARGER = BubbleSwapLowerBound_PermutationCounting(N=3, P=[3, 1, 2], reference_answer=0)


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (20, 23)])
def test_schedule(d, N):
    assert BubbleSwapLowerBound_PermutationCounting.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "2", 1.0),
        (PROBLEM, "1", (1 / 2) ** 10),
        (PROBLEM, "3", (2 / 3) ** 10),
        (PROBLEM, "0", 0.0),
        (PROBLEM, "9" * 1000, 0.0),
        (PROBLEM, "-2", -1.0),
        (PROBLEM, "2.0", -1.0),
        (PROBLEM, "2 2", -1.0),
        (PROBLEM, "", -1.0),
        (NO_LARGER, "0", 1.0),
        (NO_LARGER, "1", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_count_over_all_permutations():
    good = {n: [p for p in permutations(range(1, n + 1)) if is_good(p)] for n in range(3, 8)}
    for seed in range(200):
        n = 3 + seed % 5
        problem = BubbleSwapLowerBound_PermutationCounting.sample(Random(seed), N=n)
        assert problem.reference_answer == sum(p > tuple(problem.P) for p in good[n])


def is_good(p):
    a, swaps = list(p), 0
    for _ in a:
        for i in range(len(a) - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swaps += 1
    return 2 * swaps == sum(abs(i - x) for i, x in enumerate(p, 1))
