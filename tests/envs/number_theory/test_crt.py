from math import lcm

from rlve.envs.number_theory.crt import CRT

PROBLEM = CRT(MAX_X=5, M=2, B=[4, 6], X_mod_B=[1, 5], reference_answer=5)
SCHEDULE = {
    0: {"MAX_X": 5, "M": 2},
    2: {"MAX_X": 10, "M": 2},
    3: {"MAX_X": 10, "M": [2, 3]},
    4: {"MAX_X": 15, "M": [2, 3]},
    5: {"MAX_X": 22, "M": [2, 3]},
    6: {"MAX_X": 22, "M": [2, 3, 4]},
    7: {"MAX_X": 33, "M": [2, 3, 4]},
    20: {"MAX_X": 1234, "M": range(2, 9)},
}
REWARDS = {
    1.0: [
        "5",
        "17",  # another solution
    ],
    (1 / 2) ** 10: ["1"],
    0.0: ["0"],
    -1.0: ["-7", "5 17", ""],
}
SAMPLES = {100: {"difficulty": range(5)}}


def test_planted_number_and_its_residue_class_are_the_solutions(problem):
    period = lcm(*problem.B)
    assert len(set(problem.B)) == min(problem.M, problem.reference_answer - 1)
    right = [x for x in range(min(period, 400)) if problem.verify(f"<answer>{x}</answer>").correct]
    assert right == [x for x in [problem.reference_answer % period] if x < 400]
