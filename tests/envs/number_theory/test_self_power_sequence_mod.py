from rlve.envs.number_theory.self_power_sequence_mod import SelfPowerSequenceMOD

PROBLEM = SelfPowerSequenceMOD(MAX_MOD=16, MOD=11, reference_answer=9)
SCHEDULE = {0: {"MAX_MOD": 16}, 1: {"MAX_MOD": 32}, 20: {"MAX_MOD": 16 * 2**20}}
REWARDS = {1.0: ["9"], 0.0: ["0", "10"], -0.5: ["11", "20", "-2", "9" * 1000], -1.0: ["nine", ""]}
SAMPLES = {300: {"MAX_MOD": range(3, 903, 3)}}


def test_answer_is_where_the_towers_settle(problem):
    assert 3 <= problem.MOD <= problem.MAX_MOD
    assert problem.reference_answer == settled(problem.MOD)


def settled(m):
    """Simulate the powers of 2 until they repeat; the exponent matters modulo the period only."""
    if m == 1:
        return 0
    powers = [1]
    while (power := powers[-1] * 2 % m) not in powers:
        powers.append(power)
    start = powers.index(power)
    period = len(powers) - start
    exponent = settled(period)
    while exponent < start:
        exponent += period
    return powers[exponent]
