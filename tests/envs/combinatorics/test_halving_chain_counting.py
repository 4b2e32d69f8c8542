from rlve.envs.combinatorics.halving_chain_counting import HalvingChainCounting

PROBLEM = HalvingChainCounting(MAX_N=16, N=6, reference_answer=6)
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 16), (1, 24), (2, 36), (3, 54), (20, 52597))}
REWARDS = {1.0: ["6"], (5 / 6) ** 10: ["5"], (1 / 2) ** 10: ["12"], -1.0: ["0", "-6", "6.0", ""]}
SAMPLES = {100: {"MAX_N": range(16, 76)}}


def test_number_of_sequences(problem):
    assert problem.reference_answer == enumerated(problem.N)


def enumerated(last):
    return 1 + sum(enumerated(y) for y in range(1, last + 1) if y <= last / 2)
