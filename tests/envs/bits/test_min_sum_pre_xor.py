from itertools import product
from random import Random

from rlve.envs.bits.min_sum_pre_xor import MinSumPreXor

# B is 2, x, x ^ 3, x ^ 2: x = 2 is best
PROBLEM = MinSumPreXor(N=4, P=[2, -1, 3, 1], gold_answer=5)
NOTHING = MinSumPreXor(N=3, P=[0, -1, 0], gold_answer=0)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["2 0 3 1"],  # 2 + 2 + 1 + 0
            (5 / 7) ** 5: ["2 2 3 1"],  # 2 + 0 + 3 + 2
            0.0: [f"2 {2**3000} 3 1"],
            -0.5: [
                "2 -1 3 1",
                "1 0 3 1",  # a fixed entry
                "2 0 3",
                "2 0 3 1 0",
                "",
            ],
            -1.0: ["2, 0, 3, 1"],
        },
    ),
    (NOTHING, {1.0: ["0 0 0"], 0.0: ["0 1 0"]}),
]


def test_gold_is_the_smallest_of_all_fillings():
    tried = 0
    for seed in range(300):
        problem = MinSumPreXor.sample(Random(seed), N=3 + seed % 3)
        free = [i for i, p in enumerate(problem.P) if p == -1]
        assert 1 <= len(free) < problem.N
        if len(free) <= 2:
            tried += 1
            assert problem.gold_answer == min(all_sums(problem.P, free))
    assert tried >= 100


def all_sums(P, free):
    P = list(P)
    for values in product(range(16), repeat=len(free)):
        for i, value in zip(free, values, strict=True):
            P[i] = value
        total = B = 0
        for p in P:
            B ^= p
            total += B
        yield total
