from itertools import combinations

from rlve.envs.graphs.imp_party import ImpParty

# The clique 0 1 2 3 4 5, and 6 is joined to 0 and 1, 7 to 8.
PROBLEM = ImpParty(
    N=3, edges=[*combinations(range(6), 2), (0, 6), (1, 6), (7, 8)], reference_answer="5 0 3"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 7: {"N": 10}, 20: {"N": 23}}
REWARDS = {
    1.0: ["5 0 3", "6 1 0"],
    (2 / 3) ** 5: ["6 0 2"],
    (1 / 3) ** 5: ["0 7 8"],
    0.0: ["6 7 3"],
    -0.5: [
        "5 0",  # too few
        "5 0 3 1",  # too many
        "5 0 0",  # a vertex twice
        "5 0 9",  # no such vertex
        "5 0 -1",
        "",
    ],
    -1.0: ["5, 0, 3"],
}
SAMPLES = {100: {"difficulty": 0}}


def test_right_are_just_the_cliques(problem):
    edges = set(problem.edges)
    for chosen in combinations(range(9), 3):
        clique = edges.issuperset(combinations(chosen, 2))
        text = " ".join(map(str, chosen))
        assert problem.verify(f"<answer>{text}</answer>").correct == clique
    # as the prompt says, two thirds of the vertices are joined
    assert any(edges.issuperset(combinations(c, 2)) for c in combinations(range(9), 6))
