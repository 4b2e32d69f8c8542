from itertools import permutations

from rlve.envs.graphs.min_conversion_to_cycle_cost import MinConversionToCycleCost

# Edges 1 -> 0, 0 -> 1, 1 -> 2, 2 -> 3.
PROBLEM = MinConversionToCycleCost(N=4, A=[1, 0, 1, 2], C=[3, 4, 1, 2], gold_answer=3)
DONE = MinConversionToCycleCost(N=3, A=[1, 2, 0], C=[1, 2, 3], gold_answer=0)
TAILED = MinConversionToCycleCost(N=3, A=[1, 2, 1], C=[1, 1, 3], gold_answer=2)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["3 0 1 2"],
            (3 / 5) ** 3: ["1 3 0 2"],
            (3 / 7) ** 3: ["1 2 3 0"],
            -0.2: [
                "1 0 1 2",  # unchanged
                "1 0 3 2",  # two cycles
                "3 3 1 2",  # a cycle of three, with an edge from it to vertex 0
                "0 1 2 3",
            ],
            -0.5: [
                "3 0 1",  # too short
                "3 0 1 2 3",  # too long
                "3 0 1 4",
                "-1 0 1 2",
                "",
            ],
            -1.0: ["3, 0, 1, 2"],
        },
    ),
    (DONE, {1.0: ["1 2 0"], 0.0: ["2 0 1"]}),  # it must not be changed
    (TAILED, {1.0: ["2 0 1"], -0.2: ["1 2 1"]}),  # a way into a cycle is no cycle
]
SAMPLES = {150: {"difficulty": range(5)}}


def test_gold_is_the_minimum_over_all_cycles(problem):
    assert problem.gold_answer == min(costs(problem))


def costs(problem):
    """What each order of the vertices along a cycle costs."""
    for rest in permutations(range(1, problem.N)):
        order = (0, *rest)
        steps = zip(order, (*rest, 0), strict=True)
        yield sum(problem.C[t] for s, t in steps if problem.A[t] != s)
