from collections import deque
from random import Random

import pytest

from rlve.envs.simulation.josephus import Josephus

PROBLEM = Josephus(MAX_N=4, N=4, M=3, gold_answer=[3, 2, 4, 1], reference_answer="3 2 4 1")


def test_schedule():
    assert [Josephus.level(d)[0]["MAX_N"] for d in (0, 1, 2, 8, 20)] == [3, 4, 5, 12, 50]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("3 2 4 1", 1.0),
        ("3 2 1 4", 0.5**10),
        ("1 3 2 4", 0.0),
        ("3 2 4", -0.5),
        ("3 2 4 1 1", -0.5),
        ("3 2 4 4", -0.5),
        ("3 2 4 5", -0.5),
        ("3 2 4 0", -0.5),
        ("", -0.5),
        ("3, 2, 4, 1", -1.0),
        ("three", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_order_is_that_of_a_queue():
    for seed in range(150):
        problem = Josephus.sample(Random(seed), MAX_N=3 + seed % 20)
        assert 2 <= problem.M <= problem.N <= problem.MAX_N
        queue, order = deque(range(1, problem.N + 1)), []
        while queue:
            for _ in range(problem.M - 1):
                queue.append(queue.popleft())
            order.append(queue.popleft())
        assert problem.gold_answer == order
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
