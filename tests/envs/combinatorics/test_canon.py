from functools import reduce
from itertools import permutations
from operator import xor
from random import Random

import pytest

from rlve.envs.combinatorics.canon import Canon, exists, sequences

PROBLEM = Canon(MAX_N_M=3, N=2, M=3, MOD=10, reference_answer=6)


def test_schedule():
    levels = [Canon.level(d) for d in (0, 1, 2, 8, 20)]
    assert levels == [[{"MAX_N_M": n}] for n in (3, 4, 5, 12, 50)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [("6", 1.0), ("0", 0.0), ("9", 0.0), ("10", -0.5), ("-4", -0.5), ("6 6", -1.0), ("", -1.0)],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


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
