from collections import Counter

from rlve.envs.probability.random_range_max_expectation import RandomRangeMaxExpectation

# Of the three segments of an array of two elements, one raises the first element to 2.
PROBLEM = RandomRangeMaxExpectation(
    N=2, Q=1, array=[0, 2], gold_answer=[2, 6], reference_answer="2 6"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 7: {"N": 10}, 8: {"N": 12}}
REWARDS = {
    1.0: ["2 6"],
    (1 / 2) ** 3: [
        "2 5",
        "2 10006",  # not reduced
    ],
    0.0: ["6 2"],
    -0.5: ["2", "2 6 6", ""],
    -1.0: ["2, 6", "2/3 2"],
}
SAMPLES = {120: {"N": range(2, 6)}}


def test_expectations_are_those_of_all_sequences_of_operations(problem):
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
