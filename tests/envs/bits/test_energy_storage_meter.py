from random import Random

import pytest

from rlve.envs.bits.energy_storage_meter import EnergyStorageMeter

# The XORs are 0 1 2 3 and 1 0 3 2.
PROBLEM = EnergyStorageMeter(MAX_N_M=4, N=2, M=4, K=1, reference_answer=6)
NOTHING = EnergyStorageMeter(MAX_N_M=4, N=2, M=4, K=3, reference_answer=0)


def test_schedule():
    limits = [EnergyStorageMeter.level(d)[0]["MAX_N_M"] for d in (0, 1, 2, 3, 12, 20)]
    assert limits == [4, 6, 9, 13, 474, 12138]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "6", 1.0),
        (PROBLEM, "3", 0.5**10),
        (PROBLEM, "12", 0.5**10),
        (PROBLEM, "0", 0.0),
        (PROBLEM, "-6", -1.0),
        (PROBLEM, "6.0", -1.0),
        (PROBLEM, "6 6", -1.0),
        (PROBLEM, "", -1.0),
        (NOTHING, "0", 1.0),
        (NOTHING, "1", 0.0),
        (NOTHING, "-1", -1.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_sum_is_that_of_all_pairs():
    for seed in range(150):
        problem = EnergyStorageMeter.sample(Random(seed), MAX_N_M=4 + seed % 40)
        excesses = (max(0, (i ^ j) - problem.K) for i in range(problem.N) for j in range(problem.M))
        assert problem.reference_answer == sum(excesses)
