from random import Random

import pytest

from rlve.envs.bits.nand_result_counting import NANDResultCounting

# Bits 0 and 2 are equal in all numbers: 0, 2, 5 and 7 can be made.
PROBLEM = NANDResultCounting(N=2, K=3, A=[5, 7], L=1, R=6, reference_answer=2)
NOTHING = NANDResultCounting(N=2, K=3, A=[5, 7], L=3, R=4, reference_answer=0)


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (8, 12), (20, 50)])
def test_schedule(d, N):
    assert NANDResultCounting.level(d) == [{"N": N, "K": d + 2}]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "2", 1.0),
        (PROBLEM, "1", 0.5**10),
        (PROBLEM, "4", 0.5**10),
        (PROBLEM, "0", 0.0),
        (PROBLEM, "-2", -1.0),
        (PROBLEM, "2 5", -1.0),
        (PROBLEM, "two", -1.0),
        (PROBLEM, "", -1.0),
        (NOTHING, "0", 1.0),
        (NOTHING, "1", 0.0),
        (NOTHING, "-1", -1.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_count_is_that_of_the_closure():
    for seed in range(150):
        K = 1 + seed % 6
        problem = NANDResultCounting.sample(Random(seed), N=2 + seed % 4, K=K)
        made = closure(problem.A, 2**K - 1)
        assert all(0 <= x < 2**K for x in problem.A)
        assert problem.reference_answer == sum(problem.L <= x <= problem.R for x in made)


def closure(numbers, mask):
    made, new = set(numbers), list(set(numbers))
    while new:
        x = new.pop()
        for y in list(made):
            if (value := mask ^ (x & y)) not in made:
                made.add(value)
                new.append(value)
    return made
