from collections import Counter
from random import Random

import pytest

from rlve.envs.probability.random_range_max_expectation import RandomRangeMaxExpectation

# Of the three segments of an array of two elements, one raises the first element to 2.
PROBLEM = RandomRangeMaxExpectation(
    N=2, Q=1, array=[0, 2], gold_answer=[2, 6], reference_answer="2 6"
)


def test_schedule():
    assert [RandomRangeMaxExpectation.level(d)[0]["N"] for d in (0, 1, 7, 8)] == [3, 4, 10, 12]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("2 6", 1.0),
        ("2 5", (1 / 2) ** 3),
        ("2 10006", (1 / 2) ** 3),  # not reduced
        ("6 2", 0.0),
        ("2", -0.5),
        ("2 6 6", -0.5),
        ("", -0.5),
        ("2, 6", -1.0),
        ("2/3 2", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_expectations_are_those_of_all_sequences_of_operations():
    for seed in range(120):
        problem = RandomRangeMaxExpectation.sample(Random(seed), N=2 + seed % 4)
        N = problem.N
        arrays = Counter({tuple(problem.array): 1})
        for _ in range(problem.Q):
            after = Counter()
            for array, ways in arrays.items():
                for start in range(N):
                    for end in range(start + 1, N + 1):
                        top = (max(array[start:end]),) * (end - start)
                        after[array[:start] + top + array[end:]] += ways
            arrays = after
        gold = [sum(array[i] * ways for array, ways in arrays.items()) % 10000 for i in range(N)]
        assert problem.gold_answer == gold
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
