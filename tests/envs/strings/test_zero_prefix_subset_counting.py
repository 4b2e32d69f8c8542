from itertools import combinations

from rlve.envs.strings.zero_prefix_subset_counting import ZeroPrefixSubsetCounting

# The three strings alone, and b with either of the others.
PROBLEM = ZeroPrefixSubsetCounting(N=3, array=["ab", "b", "a"], reference_answer=5)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["5"],
    (4 / 5) ** 10: ["4"],
    (5 / 7) ** 10: ["7"],
    0.0: ["0"],
    -1.0: ["-5", "five", ""],
}
SAMPLES = {100: {"difficulty": range(7)}}


def test_gold_counts_the_subsets(problem):
    N, array = problem.N, problem.array
    assert len(set(array)) == N
    related = {
        frozenset((i, j))
        for i in range(N)
        for j in range(N)
        if i != j and array[i] == array[j][: len(array[i])]
    }
    count = 0
    for size in range(1, N + 1):
        for chosen in combinations(range(N), size):
            count += not any(frozenset(pair) in related for pair in combinations(chosen, 2))
    assert problem.reference_answer == count
