from itertools import pairwise, product

from rlve.envs.strings.palindrome_partition_counting import PalindromePartitionCounting

# 0|1|0|0, 010|0, 0|1|00
PROBLEM = PalindromePartitionCounting(N=4, S="0100", reference_answer=3)
SCHEDULE = {0: {"N": 5}, 1: {"N": 6}, 5: {"N": 10}, 6: {"N": 12}}
REWARDS = {1.0: ["3"], (3 / 4) ** 10: ["4"], (2 / 3) ** 10: ["2"], -1.0: ["0", "-3", "3 ways", ""]}
SAMPLES = {100: {"difficulty": range(5)}}


def test_gold_counts_the_sets_of_cuts(problem):
    S, N = problem.S, problem.N
    assert len(S) == N
    count = 0
    for chosen in product((False, True), repeat=N - 1):
        cuts = [0, *(i for i, cut in enumerate(chosen, 1) if cut), N]
        count += all(S[a:b] == "".join(reversed(S[a:b])) for a, b in pairwise(cuts))
    assert problem.reference_answer == count
