from rlve.envs.graphs.minimum_chromatic_number import MinimumChromaticNumber
from support.graphs import colourings

# A triangle 0 1 2 with a tail 2 3, and the isolated vertex 4.
PROBLEM = MinimumChromaticNumber(
    N=5,
    edge_density=0.45,
    edges=[(0, 1), (1, 2), (0, 2), (2, 3)],
    reference_answer="0 1 2 0 0",
    gold_answer=3,
)
DENSITIES = [0.02, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]
SCHEDULE = {
    0: {"N": 5, "edge_density": DENSITIES[2:]},  # some edge
    1: {"N": 6, "edge_density": DENSITIES[2:]},
    7: {"N": 12, "edge_density": DENSITIES},
    20: {"N": 25, "edge_density": DENSITIES},
}
REWARDS = {
    1.0: [
        "0 1 2 0 0",
        "7 -5 100 7 -5",  # any integers
    ],
    (3 / 4) ** 5: ["0 1 2 3 0"],
    (3 / 5) ** 5: ["0 1 2 3 4"],
    -0.5: [
        "0 1 2 2 0",  # the ends of (2, 3) are alike
        "0 1 2 0",  # too few
        "0 1 2 0 0 0",  # too many
        "",
    ],
    -1.0: ["a b c a a"],
}
SAMPLES = {120: {"difficulty": range(4)}}


def test_gold_is_the_fewest_colours_of_all_colourings(problem):
    found = colourings(problem.N, problem.edges)
    assert problem.gold_answer == min(len(set(colours)) for colours in found)
