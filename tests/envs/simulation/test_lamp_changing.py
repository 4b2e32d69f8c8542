from rlve.envs.simulation.lamp_changing import LampChanging

# 100 -> 101 -> 110: lamp 2 differs from lamp 3 at time 1
PROBLEM = LampChanging(MAX_N_T=8, N=3, B=[1, 0, 0], T=2, K=2, reference_answer="ON")
SCHEDULE = {d: {"MAX_N_T": n} for d, n in enumerate([8, 12, 18, 27, 40, 60])}


REWARDS = {1.0: ["ON", "\nON "], 0.0: ["OFF"], -0.5: ["on", "1", "ON OFF", ""]}
SAMPLES = {200: {"MAX_N_T": range(3, 43)}}


def test_answer_is_the_simulated_state(problem):
    lamps = problem.B
    for _ in range(problem.T):
        lamps = [here ^ after for here, after in zip(lamps, lamps[1:] + lamps[:1], strict=True)]
    assert problem.reference_answer == ("ON" if lamps[problem.K - 1] else "OFF")
