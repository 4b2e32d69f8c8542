from collections import deque

from rlve.envs.simulation.josephus import Josephus

PROBLEM = Josephus(MAX_N=4, N=4, M=3, gold_answer=[3, 2, 4, 1], reference_answer="3 2 4 1")
SCHEDULE = {0: {"MAX_N": 3}, 1: {"MAX_N": 4}, 2: {"MAX_N": 5}, 8: {"MAX_N": 12}, 20: {"MAX_N": 50}}
REWARDS = {
    1.0: ["3 2 4 1"],
    0.5**10: ["3 2 1 4"],
    0.0: ["1 3 2 4"],
    -0.5: ["3 2 4", "3 2 4 1 1", "3 2 4 4", "3 2 4 5", "3 2 4 0", ""],
    -1.0: ["3, 2, 4, 1", "three"],
}
SAMPLES = {150: {"MAX_N": range(3, 23)}}


def test_order_is_that_of_a_queue(problem):
    assert 2 <= problem.M <= problem.N <= problem.MAX_N
    queue, order = deque(range(1, problem.N + 1)), []
    while queue:
        for _ in range(problem.M - 1):
            queue.append(queue.popleft())
        order.append(queue.popleft())
    assert problem.gold_answer == order
