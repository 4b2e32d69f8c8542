from itertools import pairwise, product

from rlve.envs.bits.and_or_sequence_counting import AndOr_Sequence_Counting

# B is 2 0, 2 1, 2 2, 2 3, 3 2 or 3 3
PROBLEM = AndOr_Sequence_Counting(N=2, M=2, A=[1, 2], reference_answer=6)
SCHEDULE = {d: {"N": n, "M": range(1, 21)} for d, n in ((0, 2), (1, 3), (8, 10), (20, 45))}
REWARDS = {1.0: ["6", "+06"], 0.5**10: ["3", "12"], 0.0: ["0"], -1.0: ["-6", "6.0", "6 6", ""]}
SAMPLES = {120: {"N": [1, 2, 2, 2, 3, 3, 4, 8], "M": [2, 1, 2, 3, 1, 2, 2, 1]}}


def test_count_is_that_of_all_arrays(problem):
    arrays = product(range(2**problem.M), repeat=problem.N)
    assert problem.reference_answer == sum(fits(problem.A, B) for B in arrays)


def fits(A, B):
    pairs = [(a & b, a | b) for a, b in zip(A, B, strict=True)]
    return all(p[0] <= q[0] and p[1] >= q[1] for p, q in pairwise(pairs))
