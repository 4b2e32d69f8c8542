from random import Random

import pytest

from rlve.envs.number_theory.prefix_concatenation import PrefixConcatenation

PROBLEM = PrefixConcatenation(MAX_N=64, N=12, M=1000, reference_answer=112)


def test_schedule():
    levels = [PrefixConcatenation.level(d) for d in (0, 1, 20)]
    assert levels == [[{"MAX_N": bound}] for bound in (64, 128, 64 * 2**20)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("112", 1.0),
        ("0112", 1.0),
        ("1112", 0.0),
        ("-888", 0.0),
        ("0", 0.0),
        ("123456789101112", 0.0),
        ("9" * 1000, 0.0),
        ("112 mod 1000", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_is_the_remainder_of_the_written_number():
    for seed in range(150):
        problem = PrefixConcatenation.sample(Random(seed), MAX_N=8 + 8 * seed)
        assert 2 <= problem.N <= problem.MAX_N
        assert 3 <= problem.M <= 10**6
        value = 0
        for digit in "".join(map(str, range(1, problem.N + 1))):
            value = (value * 10 + int(digit)) % problem.M
        assert problem.reference_answer == value
