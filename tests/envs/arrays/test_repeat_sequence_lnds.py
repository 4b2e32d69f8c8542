from random import Random

import pytest

from rlve.envs.arrays.repeat_sequence_lnds import RepeatSequenceLNDS, longest

PROBLEM = RepeatSequenceLNDS(n=4, MAX_T=5, T=3, a=[3, 1, 4, 2], reference_answer=5)


def test_schedule():
    levels = [RepeatSequenceLNDS.level(d) for d in (0, 1, 2, 3, 20)]
    assert levels == [
        [{"n": n, "MAX_T": T}] for n, T in ((3, 5), (4, 7), (5, 10), (6, 15), (23, 14_053))
    ]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [("5", 1.0), ("4", 0.0), ("-5", 0.0), ("5.0", -1.0), ("5 5", -1.0), ("", -1.0)],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_length_is_that_in_the_whole_sequence():
    assert PROBLEM.reference_answer == longest_of(PROBLEM.a * PROBLEM.T)
    random = Random(0)
    for _ in range(150):
        n, T = random.randint(1, 5), random.randint(1, 25)
        a = [random.randint(1, n) for _ in range(n)]
        assert longest(a, T) == longest_of(a * T)
    for seed in range(20):
        problem = RepeatSequenceLNDS.generate(difficulty=seed % 4, seed=seed)
        assert problem.reference_answer == longest_of(problem.a * problem.T)


def longest_of(sequence):
    """By the last value of the subsequence."""
    lengths = dict.fromkeys(sequence, 0)
    for value in sequence:
        lengths[value] = 1 + max(length for last, length in lengths.items() if last <= value)
    return max(lengths.values())
