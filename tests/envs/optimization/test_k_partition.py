from collections import Counter

from rlve.envs.optimization.k_partition import KPartition

PROBLEM = KPartition(N=4, K=2, T=7, Multiset_S=[1, 4, 3, 6], reference_answer="1 6\n4 3")
SCHEDULE = {
    0: [{"N": 4, "K": 2}, {"N": 6, "K": 3}, {"N": 8, "K": 4}, {"N": 10, "K": 5}],
    20: [{"N": 44, "K": 2}, {"N": 66, "K": 3}, {"N": 88, "K": 4}, {"N": 110, "K": 5}],
}
REWARDS = {
    1.0: ["1 6\n4 3", "3 4\n\n6 1"],
    0.0: ["1 4\n3 6"],
    -0.5: [
        "1 6 4 3",
        "1 6\n4\n3",
        "1 6 4\n3",
        "1 6\n2 5",  # not the given numbers
        "1 6\n1 6",
        "",
    ],
    -1.0: ["1 6\n4, 3"],
}
SAMPLES = {100: {"difficulty": 0}}


def test_all_ways_of_grouping_are_judged_by_their_sums(problem):
    found = 0
    for first in groups_with_the_first(problem.Multiset_S, problem.K):
        second = list((Counter(problem.Multiset_S) - Counter(first)).elements())
        answer = " ".join(map(str, second)) + "\n" + " ".join(map(str, first))
        correct = problem.verify(f"<answer>{answer}</answer>").correct
        assert correct == (sum(first) == sum(second))
        found += correct
    assert found


def groups_with_the_first(numbers, size):
    groups = [[numbers[0]]]
    for x in numbers[1:]:
        groups += [[*group, x] for group in groups if len(group) < size]
    return [group for group in groups if len(group) == size]
