from rlve.envs.bits.energy_storage_meter import EnergyStorageMeter

# The XORs are 0 1 2 3 and 1 0 3 2.
PROBLEM = EnergyStorageMeter(MAX_N_M=4, N=2, M=4, K=1, reference_answer=6)
NOTHING = EnergyStorageMeter(MAX_N_M=4, N=2, M=4, K=3, reference_answer=0)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 4), (1, 6), (2, 9), (3, 13), (12, 474), (20, 12138))}
REWARDS = [
    (PROBLEM, {1.0: ["6"], 0.5**10: ["3", "12"], 0.0: ["0"], -1.0: ["-6", "6.0", "6 6", ""]}),
    (NOTHING, {1.0: ["0"], 0.0: ["1"], -1.0: ["-1"]}),
]
SAMPLES = {150: {"MAX_N_M": range(4, 44)}}


def test_sum_is_that_of_all_pairs(problem):
    excesses = (max(0, (i ^ j) - problem.K) for i in range(problem.N) for j in range(problem.M))
    assert problem.reference_answer == sum(excesses)
