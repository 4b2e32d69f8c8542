from functools import reduce
from itertools import permutations
from operator import xor
from random import Random

from rlve.envs.combinatorics.canon import Canon, exists, sequences

PROBLEM = Canon(MAX_N_M=3, N=2, M=3, MOD=10, reference_answer=6)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 3), (1, 4), (2, 5), (8, 12), (20, 50))}
REWARDS = {1.0: ["6"], 0.0: ["0", "9"], -0.5: ["10", "-4"], -1.0: ["6 6", ""]}


def test_number_of_sequences():
    counts = {(N, M): enumerated(N, M) for N in range(2, 5) for M in range(2, 5)}
    counts |= {(N, M): enumerated(N, M) for N in (2, 3) for M in (5, 6, 7, 8)}
    for (N, M), count in counts.items():
        assert exists(N, M) == (count > 0)
        for MOD in (2, 3, 4, 10, 97, 10**6):
            assert sequences(N, M, MOD) == count % MOD
    for seed in range(100):
        problem = Canon.sample(Random(seed), MAX_N_M=3 + seed % 2)
        count = counts[problem.N, problem.M]
        assert count
        assert problem.reference_answer == count % problem.MOD


def enumerated(N, M):
    return sum(reduce(xor, masks) == 0 for masks in permutations(range(1, 2**N), M))
