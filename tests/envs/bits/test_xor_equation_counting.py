from rlve.envs.bits.xor_equation_counting import XorEquationCounting

# (1, 2), (2, 1)
PROBLEM = XorEquationCounting(N=2, RANGE=3, R=2, L=1, K=3, reference_answer=2)
SCHEDULE = {
    d: {"N": n, "RANGE": [3, 7, 31, 127, 1023, 4095, 32767, 131071, 1048575]}
    for d, n in ((0, 2), (1, 3), (8, 10), (20, 45))
}
REWARDS = {1.0: ["2"], 0.0: ["1", "9999"], -0.5: ["10000", "10002", "-1"], -1.0: ["2.0", "1 2", ""]}
SAMPLES = {150: {"N": range(1, 13), "RANGE": range(3, 41)}}


def test_count_is_that_of_adding_variables_one_by_one(problem):
    assert problem.L < problem.R <= problem.RANGE
    counts = {0: 1}
    for _ in range(problem.N):
        longer = {}
        for x, count in counts.items():
            for y in range(problem.L, problem.R + 1):
                longer[x ^ y] = longer.get(x ^ y, 0) + count
        counts = longer
    assert problem.reference_answer == counts.get(problem.K, 0) % 10_000
