from itertools import combinations

from rlve.envs.strings.kth_subsequence import KthSubsequence

# a, aa, ab, aba, b, ba
PROBLEM = KthSubsequence(N=3, S="aba", K=4, reference_answer="aba")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}}
REWARDS = {1.0: ["aba", " aba\n"], 0.0: ["ab", ""], -1.0: ["a b a", "ABA", "4"]}
SAMPLES = {150: {"difficulty": range(7)}}


def test_gold_is_found_in_the_sorted_list(problem):
    assert set(problem.S) == set("ab")
    lengths = range(1, problem.N + 1)
    found = {"".join(letters) for n in lengths for letters in combinations(problem.S, n)}
    assert problem.reference_answer == sorted(found)[problem.K - 1]
