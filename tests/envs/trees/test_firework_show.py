from functools import cache

from rlve.envs.trees.firework_show import FireworkShow

# Leaves 3 and 4 below 2 at the distances 7 and 3, and leaf 5 at 9.
PROBLEM = FireworkShow(
    N=5, parents=[(1, 2), (2, 5), (2, 1), (1, 9)], leaves=[3, 4, 5], reference_answer=6
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["6"], 0.0: ["5", "0", "-6"], -1.0: ["6.0", "", "6 6"]}
SAMPLES = {120: {"difficulty": range(5)}}


def test_gold_is_the_best_of_all_lengths(problem):
    inner = {parent for parent, _ in problem.parents}
    assert problem.leaves == [v for v in range(1, problem.N + 1) if v not in inner]
    assert problem.reference_answer == smallest_cost(problem)


def smallest_cost(problem):
    edges = [(v, *edge) for v, edge in enumerate(problem.parents, 2)]
    most = sum(w for _, _, w in edges)

    @cache
    def cost(v, distance):
        """The least cost below v with all leaves at this distance from v."""
        below = [(child, w) for child, parent, w in edges if parent == v]
        if not below:
            return 0 if distance == 0 else 10**6
        return sum(
            min(abs(w - new) + cost(child, distance - new) for new in range(distance + 1))
            for child, w in below
        )

    return min(cost(1, distance) for distance in range(most + 1))
