from random import Random

import pytest

from rlve.envs.bits.max_xor_set import MaxXorSet

PROBLEM = MaxXorSet(N=3, MAX_bit_length=3, A=[6, 5, 1], gold_answer=7)


@pytest.mark.parametrize(("d", "N", "shortest"), [(0, 3, 3), (1, 4, 4), (8, 12, 5), (20, 50, 7)])
def test_schedule(d, N, shortest):
    lengths = range(shortest, shortest + 5)
    assert MaxXorSet.level(d) == [{"N": N, "MAX_bit_length": length} for length in lengths]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 2", 1.0),
        ("2 0", 1.0),
        ("0", (6 / 7) ** 5),
        ("0 1", (3 / 7) ** 5),
        ("0 0 0 2", 1.0),  # two of the three cancel out
        ("1 1", 0.0),
        ("", 0.0),
        ("0 3", -0.5),
        ("-1", -0.5),
        ("9" * 1000, -0.5),
        ("0, 2", -1.0),
        ("none", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_largest_of_all_subsets():
    for seed in range(150):
        problem = MaxXorSet.sample(Random(seed), N=1 + seed % 9, MAX_bit_length=2 + seed % 7)
        assert all(1 <= x <= 2**problem.MAX_bit_length - 2 for x in problem.A)
        xors = [0]
        for x in problem.A:
            xors += [x ^ y for y in xors]
        assert problem.gold_answer == max(xors)
        indices = [int(token) for token in problem.reference().split()]
        assert len(set(indices)) == len(indices)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
