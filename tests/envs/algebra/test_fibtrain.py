from rlve.envs.algebra.fibtrain import Fibtrain

# 5, 3, 8, 11, 19 board at stations 1 to 5; 3, 3, 8, 11 leave at stations 2 to 5.
PROBLEM = Fibtrain(MAX_N=6, MAX_A_B=20, N=6, A=5, B=3, M=21, X=4, reference_answer=13)
SCHEDULE = {
    d: {"MAX_N": n, "MAX_A_B": 20}
    for d, n in enumerate(
        [5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 23, 26, 29, 32, 36, 40, 45, 50, 56, 62]
    )
}
REWARDS = {1.0: ["13"], 0.0: ["12", "-13"], -1.0: ["13.0", "13 21", ""]}
SAMPLES = {150: {"difficulty": range(6)}}


def test_answer_is_that_of_the_only_number_that_fits(problem):
    fitting = [B for B in range(60) if simulate(problem, B)[problem.N - 1] == problem.M]
    assert fitting == [problem.B]
    assert problem.reference_answer == simulate(problem, problem.B)[problem.X]
    assert (problem.X in (3, problem.N - 1)) == (problem.MAX_N == 5)


def simulate(problem, B):
    boarding, leaving, aboard = {1: problem.A, 2: B}, {1: 0, 2: B}, {}
    on = 0
    for i in range(1, problem.N):
        if i >= 3:
            boarding[i] = boarding[i - 1] + boarding[i - 2]
            leaving[i] = boarding[i - 1]
        on += boarding[i] - leaving[i]
        aboard[i] = on
    return aboard
