from functools import cache

from rlve.envs.graphs.maximum_weight_matching import MaximumWeightMatching

# The path 0 1 2 3 with a heavy edge in its middle, and the edge 4 5.
PROBLEM = MaximumWeightMatching(
    N=6,
    edge_density=0.3,
    edges=[(0, 1, 2), (1, 2, 6), (2, 3, 3), (4, 5, 2)],
    gold_weight=8,
    reference_answer="1 2 4 5",
)
SCHEDULE = {
    d: {"N": n, "edge_density": [0.1, 0.3, 0.4]} for d, n in ((0, 5), (1, 6), (8, 16), (20, 62))
}
REWARDS = {
    1.0: ["1 2 4 5", "5 4 2 1"],
    (7 / 8) ** 5: ["0 1 2 3 4 5"],
    (6 / 8) ** 5: ["1 2"],
    0.0: [""],
    -0.5: [
        "0 1 1 2",  # 1 twice
        "1 2 2 1",  # an edge twice
        "1 2 3 4",  # no such edge
        "1 2 6 7",  # no such vertices
        "3 3",
    ],
    -1.0: [
        "1 2 4",  # an odd number of ends
        "1-2 4-5",
    ],
}
SAMPLES = {250: {"N": range(4, 11), "edge_density": [0.2, 0.3, 0.4, 0.6, 0.9]}}


def test_gold_is_the_maximum_over_all_matchings(problem):
    weight = {(u, v): w for u, v, w in problem.edges}

    @cache
    def best(left):
        if not left:
            return 0
        first, rest = left[0], left[1:]
        return max(
            best(rest),
            *(
                weight[first, v] + best(tuple(x for x in rest if x != v))
                for v in rest
                if (first, v) in weight
            ),
            0,
        )

    assert problem.gold_weight == best(tuple(range(problem.N)))
