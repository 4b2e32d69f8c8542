from random import Random

from rlve.envs.simulation.ab_program_simulation import ABProgramSimulation, rewrite

PROBLEM = ABProgramSimulation(
    N=5,
    max_steps=10,
    program=["B#", "A#", "#B", "#B", "A#"],
    gold_answer=["#B", "A#", "A#"],
    reference_answer="#B A# A#",
)
NOTHING = ABProgramSimulation(
    N=2, max_steps=10, program=["A#", "#A"], gold_answer=[], reference_answer=""
)
SCHEDULE = {
    0: {"N": 4, "max_steps": 10},
    1: {"N": 5, "max_steps": 12},
    2: {"N": 6, "max_steps": 14},
    8: {"N": 14, "max_steps": 29},
    20: {"N": 56, "max_steps": 103},
}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["#B A# A#", "#B  A#\nA#"],
            0.0: ["A# #B A#", "#B A#", ""],
            -1.0: ["#BA#A#", "#B, A#, A#", "#b a# a#"],
        },
    ),
    (NOTHING, {1.0: [""], 0.0: ["A# #A"]}),
]


def test_result_is_that_of_rewriting_in_random_order():
    for seed in range(150):
        rng = Random(seed)
        problem = ABProgramSimulation.generate(difficulty=seed % 9, seed=seed)
        assert len(problem.program) == problem.N
        for _ in range(2):
            tokens, rewrites = list(problem.program), 0
            while places := [i for i in range(len(tokens) - 1) if facing(tokens, i)]:
                i = rng.choice(places)
                left, right = tokens[i : i + 2]
                tokens[i : i + 2] = [] if left[0] == right[1] else [right, left]
                rewrites += 1
            assert tokens == problem.gold_answer
            assert 1 <= rewrites < problem.max_steps
            assert rewrite(problem.program) == (tokens, rewrites)


def facing(tokens, i):
    return tokens[i][1] == "#" and tokens[i + 1][0] == "#"
