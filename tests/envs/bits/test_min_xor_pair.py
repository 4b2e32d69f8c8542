from collections import Counter
from itertools import combinations

from rlve.envs.bits.min_xor_pair import MinXorPair

PROBLEM = MinXorPair(
    N=3, max_bit_length=3, A=[4, 1, 6], indices=[1, 0, 2], reference_answer="0 2", gold_answer=2
)
SCHEDULE = {
    0: {"N": 3, "max_bit_length": 3},
    1: {"N": 4, "max_bit_length": 4},
    8: {"N": 12, "max_bit_length": 5},
    20: {"N": 50, "max_bit_length": 7},
}
REWARDS = {
    1.0: ["0 2"],
    (2 / 5) ** 5: ["0 1"],
    (2 / 7) ** 5: ["1 2"],
    -0.5: ["2 0", "1 1", "0 3", "-1 2"],
    -1.0: ["0", "0 1 2", "0, 2", ""],
}


def test_gold_is_the_smallest_of_all_pairs():
    twins = Counter()
    for seed in range(150):
        problem = MinXorPair.generate(difficulty=seed % 12, seed=seed)
        A = problem.A
        assert len(set(A)) == problem.N
        assert 0 <= min(A) <= max(A) < 2**problem.max_bit_length
        assert [A[i] for i in problem.indices] == sorted(A)
        values = [(x & y) ^ (x | y) for x, y in combinations(A, 2)]
        assert problem.gold_answer == min(values)
        twins[values.count(1)] += 1
    assert set(twins) == {0, 1}
