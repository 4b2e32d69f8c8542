from itertools import product

from rlve.envs.geometry.ska_rock_garden import SkaRockGarden

PROBLEM = SkaRockGarden(
    N=3,
    X=[0, 6, 1],
    Y=[5, 1, 5],
    M=[2, 2, 1],
    gold_answer_perimeter=4,
    gold_answer_cost=2,
    reference_answer="010",
)
AT_ONE_PLACE = SkaRockGarden(
    N=3,
    X=[1, 2, 1],
    Y=[2, 1, 2],
    M=[2, 2, 1],
    gold_answer_perimeter=0,
    gold_answer_cost=2,
    reference_answer="010",
)
AS_IT_IS = SkaRockGarden(
    N=2,
    X=[1, 2],
    Y=[3, 3],
    M=[2, 1],
    gold_answer_perimeter=2,
    gold_answer_cost=0,
    reference_answer="00",
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["010"],
            0.5 + 0.5 * (2 / 3) ** 5: ["101"],
            0.5 * (4 / 20) ** 5: ["000"],
            -1.0: ["01", "0100", "012", "0 1 0", ""],
        },
    ),
    (AT_ONE_PLACE, {1.0: ["010"], 0.5 + 0.5 * (2 / 3) ** 5: ["101"], 0.0: ["000"]}),
    (AS_IT_IS, {1.0: ["00"], 0.5: ["11"], 0.5 * (2 / 6) ** 5: ["10"]}),
]
SAMPLES = {120: {"N": range(3, 7)}}


def test_gold_is_the_smallest_over_all_choices(problem):
    gold = problem.gold_answer_perimeter, problem.gold_answer_cost
    assert gold == min(judged(problem, choice) for choice in product("01", repeat=problem.N))
    assert judged(problem, problem.reference_answer) == gold


def judged(problem, choice):
    xs, ys, cost = [], [], 0
    for x, y, m, c in zip(problem.X, problem.Y, problem.M, choice, strict=True):
        xs.append(y if c == "1" else x)
        ys.append(x if c == "1" else y)
        cost += m if c == "1" else 0
    return 2 * (max(xs) - min(xs) + max(ys) - min(ys)), cost
