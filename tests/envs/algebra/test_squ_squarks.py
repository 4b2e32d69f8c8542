from itertools import combinations

import pytest

from rlve.envs.algebra.squ_squarks import SquSquarks

PROBLEM = SquSquarks(N=3, sums=[5, 3, 4], reference_answer="2 1 3")
FOUR = SquSquarks(N=4, sums=[5, 6, 7, 7, 8, 9], reference_answer="2 3 4 5")


def test_schedule():
    assert [SquSquarks.level(d) for d in (0, 1, 20)] == [[{"N": 3}], [{"N": 4}], [{"N": 23}]]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "2 1 3", 1.0),
        (PROBLEM, "3 2 1", 1.0),
        (FOUR, "2 3 4 5", 1.0),
        (FOUR, "1 4 5 3", (5 / 7) ** 5),  # 4 5 6 7 8 9
        (PROBLEM, "1 2 4", (2 / 4) ** 5),  # 3 5 6
        (PROBLEM, "7 8 9", 0.0),
        (PROBLEM, "1 2", -0.5),
        (PROBLEM, "1 2 3 4", -0.5),
        (PROBLEM, "", -0.5),
        (PROBLEM, "2 2 2", -0.5),
        (PROBLEM, "0 3 5", -0.5),
        (PROBLEM, "-1 4 6", -0.5),
        (PROBLEM, "1, 2, 3", -1.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_a_second_solution_is_right_too():
    # 1 4 6 7 and 2 3 5 8 have the same sums.
    problem = SquSquarks(N=4, sums=[5, 7, 8, 10, 11, 13], reference_answer="1 4 6 7")
    assert problem.verify("<answer>1 4 6 7</answer>").correct
    assert problem.verify("<answer>2 3 5 8</answer>").correct


def test_right_answers_are_those_found_by_trying():
    for seed in range(100):
        problem = SquSquarks.generate(difficulty=seed % 3, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
        for numbers in combinations(range(1, 2 * problem.N + 1), problem.N):
            sums = [a + b for i, a in enumerate(numbers) for b in numbers[:i]]
            same = sorted(sums) == sorted(problem.sums)
            assert (problem.score(list(numbers)) == 1.0) == same
