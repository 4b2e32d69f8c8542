from random import Random

import pytest

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


@pytest.mark.parametrize(
    ("d", "N", "steps"), [(0, 4, 10), (1, 5, 12), (2, 6, 14), (8, 14, 29), (20, 56, 103)]
)
def test_schedule(d, N, steps):
    assert ABProgramSimulation.level(d) == [{"N": N, "max_steps": steps}]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "#B A# A#", 1.0),
        (PROBLEM, "#B  A#\nA#", 1.0),
        (PROBLEM, "A# #B A#", 0.0),
        (PROBLEM, "#B A#", 0.0),
        (PROBLEM, "", 0.0),
        (PROBLEM, "#BA#A#", -1.0),
        (PROBLEM, "#B, A#, A#", -1.0),
        (PROBLEM, "#b a# a#", -1.0),
        (NOTHING, "", 1.0),
        (NOTHING, "A# #A", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


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
