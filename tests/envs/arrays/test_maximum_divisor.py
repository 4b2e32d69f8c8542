from rlve.envs.arrays.maximum_divisor import MaximumDivisor

PROBLEM = MaximumDivisor(N=4, K=5, A=[7, 4, 9, 1], reference_answer=3)
SCHEDULE = {
    d: {"N": n} for d, n in ((0, 3), (1, 5), (2, 8), (3, 11), (4, 15), (5, 20), (12, 94), (20, 426))
}
REWARDS = {
    1.0: ["3"],
    (2 / 3) ** 5: ["2"],
    (1 / 3) ** 5: ["1"],
    -0.5: ["4", "9" * 900],
    -1.0: ["0", "-3", "3.0", ""],
}
SAMPLES = {150: {"N": range(3, 43)}}


def test_answer_is_the_largest_that_gives_enough(problem):
    enough = [
        L for L in range(1, max(problem.A) + 1) if sum(int(a / L) for a in problem.A) >= problem.K
    ]
    assert problem.reference_answer == max(enough)
