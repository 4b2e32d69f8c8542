from rlve.envs.graphs.maximum_achromatic_number import MaximumAchromaticNumber
from support.graphs import colourings

# The path 0 1 2 3 and the isolated vertex 4.
PROBLEM = MaximumAchromaticNumber(
    N=5,
    edge_density=0.35,
    edges=[(0, 1), (1, 2), (2, 3)],
    gold_answer=3,
    reference_answer="0 1 2 0 0",
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
        "-7 5 100 -7 5",  # any integers
    ],
    (2 / 3) ** 5: ["0 1 0 1 1"],
    -0.5: [
        "0 1 2 3 0",  # 0 and 2 do not meet
        "0 1 2 0 4",  # 4 meets nothing
        "0 1 1 0 0",  # the ends of (1, 2) are alike
        "0 1 2 0",  # too few
        "0 1 2 0 0 0",  # too many
        "",
    ],
    -1.0: ["a b c a a"],
}
SAMPLES = {150: {"difficulty": range(4)}}


def test_gold_is_the_most_colours_of_all_right_colourings(problem):
    complete = []
    for colours in colourings(problem.N, problem.edges):
        used = len(set(colours))
        pairs = {frozenset((colours[a], colours[b])) for a, b in problem.edges}
        complete += [used] * (len(pairs) == used * (used - 1) // 2)
    assert problem.gold_answer == max(complete)
