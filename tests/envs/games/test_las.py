from itertools import product
from random import Random

import pytest

from rlve.envs.games.las import LAS

PROBLEM = LAS(N=3, A=[1, 6, 2], reference_answer="2 2 3")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["2 2 3"],
    (2 / 3) ** 10: ["2 3 1"],
    (1 / 3) ** 10: ["1 3 3"],
    -0.5: ["3 2 3", "2 2 2", "2 2 4", "0 2 3"],
    -1.0: ["2 2", "2 2 3 3", "", "2, 2, 3"],
}
SAMPLES = {100: {"N": range(3, 7)}}


def test_verdicts_agree_with_the_definition(problem, seed):
    N = problem.N
    choices = list(product(*((i, (i + 1) % N) for i in range(N))))
    for foods in Random(seed).sample(choices, 6):
        satisfied = sum(
            got(problem.A, foods, person)
            >= max(
                got(problem.A, (*foods[:person], food, *foods[person + 1 :]), person)
                for food in (person, (person + 1) % N)
            )
            for person in range(N)
        )
        answer = " ".join(str(food + 1) for food in foods)
        reward = problem.verify(f"<answer>{answer}</answer>").reward
        assert reward == pytest.approx((satisfied / N) ** 10)
        assert (reward == 1) == (satisfied == N)


def got(calories, foods, person):
    return calories[foods[person]] / foods.count(foods[person])
