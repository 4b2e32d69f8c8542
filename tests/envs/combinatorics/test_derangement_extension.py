from itertools import permutations
from random import Random

import pytest

from rlve.envs.combinatorics.derangement_extension import DerangementExtension

PROBLEM = DerangementExtension(N=4, M=1, MOD=666623333, reference_answer=8)


def test_schedule():
    assert [DerangementExtension.level(d) for d in (0, 1, 20)] == [[{"N": n}] for n in (4, 5, 24)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("8", 1.0),
        ("9", 0.0),
        ("0", 0.0),
        ("666623332", 0.0),
        ("666623333", -0.5),
        ("-1", -0.5),
        ("8 permutations", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_number_of_permutations():
    counts = {N: enumerated(N) for N in range(2, 8)}
    for seed in range(150):
        problem = DerangementExtension.sample(Random(seed), N=2 + seed % 6)
        assert problem.reference_answer == counts[problem.N][problem.M]


def test_the_modulus_is_applied():
    problem = DerangementExtension.from_parameters(
        {"N": 14, "M": 0, "MOD": 998244353, "reference_answer": 32071101049 % 998244353}
    )
    drawn = (DerangementExtension.sample(Random(seed), N=14) for seed in range(200))
    assert problem in drawn


def enumerated(N):
    counts = [0] * (N + 1)
    for p in permutations(range(N)):
        counts[sum(p[i] == i for i in range(N))] += 1
    return counts
