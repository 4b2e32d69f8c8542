from functools import cache
from itertools import permutations
from random import Random

from rlve.envs.combinatorics.derangement_extension import DerangementExtension

PROBLEM = DerangementExtension(N=4, M=1, MOD=666623333, reference_answer=8)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["8"],
    0.0: ["9", "0", "666623332"],
    -0.5: ["666623333", "-1"],
    -1.0: ["8 permutations", ""],
}
SAMPLES = {150: {"N": range(2, 8)}}


def test_number_of_permutations(problem):
    assert problem.reference_answer == enumerated(problem.N)[problem.M]


def test_the_modulus_is_applied():
    problem = DerangementExtension.from_parameters(
        {"N": 14, "M": 0, "MOD": 998244353, "reference_answer": 32071101049 % 998244353}
    )
    drawn = (DerangementExtension.sample(Random(seed), N=14) for seed in range(200))
    assert problem in drawn


@cache
def enumerated(N):
    counts = [0] * (N + 1)
    for p in permutations(range(N)):
        counts[sum(p[i] == i for i in range(N))] += 1
    return counts
