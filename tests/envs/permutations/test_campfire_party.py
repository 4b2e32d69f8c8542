from itertools import combinations, permutations
from random import Random

from rlve.envs.permutations.campfire_party import CampfireParty

PROBLEM = CampfireParty(  # 0 2 1 3 4
    N=5,
    desired_neighbors=[(4, 2), (2, 3), (0, 1), (1, 4), (3, 0)],
    reference_answer="1 2",
    reference_answer_cost=2,
)
CONTENT = CampfireParty(
    N=4,
    desired_neighbors=[(1, 3), (2, 0), (3, 1), (0, 2)],
    reference_answer="",
    reference_answer_cost=0,
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 3: {"N": 7}, 20: {"N": 56}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["1 2", "2 1"],
            (2 / 3) ** 3: ["2 1\n\n0"],
            (2 / 6) ** 3: ["1 2\n1 2\n1 2", "0 1\n0 2\n0 1"],
            -0.2: ["", "1 3", "1 2\n1 2"],
            -0.5: ["1 5", "-1 2", "1 2\n3 3"],
            -1.0: ["1, 2", "none"],
        },
    ),
    # nobody must move
    (CONTENT, {1.0: [""], 0.0: ["2", "0 1 2 3", "1 3"], -0.2: ["0 1"], -0.5: ["0 4"]}),
]
SAMPLES = {200: {"N": range(4, 9)}}


def test_three_students_move_along():
    circle = CampfireParty(  # 0 moves to the seat of 1, 1 to that of 2, 2 to that of 0: 2 0 1 3 4
        N=5,
        desired_neighbors=[(2, 1), (0, 3), (4, 0), (1, 4), (3, 2)],
        reference_answer="0 1 2",
        reference_answer_cost=3,
    )
    assert circle.verify("<answer>0 1 2</answer>").correct
    assert circle.verify("<answer>2 1 0</answer>").reward == -0.2


def test_cost_agrees_with_all_placements(problem):
    students = [0]  # follow the wishes round the circle
    while len(students) < problem.N:
        wished = problem.desired_neighbors[students[-1]]
        students.append(next(s for s in wished if s not in students[-2:]))
    costs = [
        sum(student != (shift + turn * i) % problem.N for i, student in enumerate(students))
        for shift in range(problem.N)
        for turn in (1, -1)
    ]
    assert problem.reference_answer_cost == min(costs)


def test_cost_agrees_with_a_search_over_all_operations():
    cheapest = costs_of_all_arrangements(5)
    for seed in range(20):
        problem = CampfireParty.sample(Random(seed), N=5)
        wishes = problem.desired_neighbors
        fine = [
            cost
            for seats, cost in cheapest.items()
            if all({seats[i - 1], seats[i - 4]} == set(wishes[seats[i]]) for i in range(5))
        ]
        assert problem.reference_answer_cost == min(fine)


def costs_of_all_arrangements(n):
    """By seats: Bellman's iteration, with every list of students as an operation."""
    start = tuple(range(n))
    best = {start: 0}
    changed = [start]
    while changed:
        seats = changed.pop()
        for m in range(2, n + 1):
            for places in combinations(range(n), m):
                for rest in permutations(places[1:]):
                    after, order = list(seats), (places[0], *rest)
                    for here, there in zip(order, order[1:] + order[:1], strict=True):
                        after[there] = seats[here]
                    if best[seats] + m < best.get(tuple(after), 10 * n):
                        best[tuple(after)] = best[seats] + m
                        changed.append(tuple(after))
    return best
