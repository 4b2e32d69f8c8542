from rlve.envs.number_theory.power_cycle import PowerCycle, is_periodic

PROBLEM = PowerCycle(digit_num=2, N=32, K=2, reference_answer=4)
SCHEDULE = {d: {"digit_num": n} for d, n in enumerate([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16])}
REWARDS = {
    1.0: ["4", "04"],
    1 / 2: ["8"],
    1 / 3: ["12"],
    0.0: ["2", "6", "9" * 1000, "4" + "0" * 900],
    -1.0: ["0", "-4", "4.0", "9" * 4002, ""],
}
SAMPLES = {200: {"digit_num": range(1, 5)}}


def test_answer_is_the_period_of_the_last_digits(problem):
    assert 1 <= problem.N < 10**problem.digit_num
    assert 1 <= problem.K <= problem.digit_num
    assert problem.reference_answer == period(problem.N, problem.K)


def test_powers_are_periodic_from_the_first_one_on():
    for K in (1, 2, 3):
        for N in range(1, 300):
            assert is_periodic(N, K) == (period(N, K) is not None)


def period(N, K):
    """Multiply until residues repeat; None if the first one is not among those that do."""
    seen = {}
    residue, steps = N % 10**K, 0
    while residue not in seen:
        seen[residue] = steps
        residue, steps = residue * N % 10**K, steps + 1
    return steps if seen[residue] == 0 else None
