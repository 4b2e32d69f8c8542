from itertools import combinations

from rlve.envs.arrays.recursive_sequence_sum_construction import RecursiveSequenceSumConstruction


def problem_with(F0, A, B, S):
    return RecursiveSequenceSumConstruction(
        N=4, MAX_F0=128, MAX_A=16, MAX_B=16_384, F0=F0, A=A, B=B, S=S, reference_answer="?"
    )


PROBLEM = problem_with(F0=1, A=2, B=1, S=22)  # F = 1, 3, 7, 15, 31, ...
SCHEDULE = {
    d: {"N": n, "MAX_F0": 128, "MAX_A": 16, "MAX_B": 16384} for d, n in ((0, 4), (1, 5), (20, 56))
}
TABLE = {
    1.0: ["2 3", "3 2"],
    0.0: ["1 3", "4", "9" * 900],
    -0.5: ["2 2", "0 2 3", "-2 3"],
    -1.0: ["", "2, 3", "n"],
}
REWARDS = [
    (PROBLEM, TABLE),
    # where the sequence is constant, any indices are right
    (problem_with(F0=7, A=1, B=0, S=21), {1.0: ["1 2 3", f"5 {'9' * 900} 1"], 0.0: ["1 2"]}),
    (problem_with(F0=0, A=5, B=0, S=0), {1.0: ["1000000"], -0.5: ["0"]}),
    # indices far beyond the planted ones can be right
    (problem_with(F0=0, A=1, B=3, S=300), {1.0: ["100", "40 60"], 0.0: ["40 61"]}),
]
SAMPLES = {100: {"N": range(1, 7), "MAX_F0": 3, "MAX_A": 3, "MAX_B": 3}}


def test_verdicts_follow_the_recurrence(problem):
    values = [problem.F0]
    for _ in range(6):
        values.append(problem.A * values[-1] + problem.B)
    for k in range(1, 5):
        for indices in combinations(range(1, 7), k):
            right = sum(values[n] for n in indices) == problem.S
            assert problem.score(list(indices)) == float(right)
