from random import Random

from rlve.envs.arrays.repeat_sequence_lnds import RepeatSequenceLNDS, longest

PROBLEM = RepeatSequenceLNDS(n=4, MAX_T=5, T=3, a=[3, 1, 4, 2], reference_answer=5)
SCHEDULE = {
    0: {"n": 3, "MAX_T": 5},
    1: {"n": 4, "MAX_T": 7},
    2: {"n": 5, "MAX_T": 10},
    3: {"n": 6, "MAX_T": 15},
    20: {"n": 23, "MAX_T": 14053},
}
REWARDS = {1.0: ["5"], 0.0: ["4", "-5"], -1.0: ["5.0", "5 5", ""]}


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
