from itertools import combinations

import pytest

from rlve.envs.graphs.imp_party import ImpParty

# The clique 0 1 2 3 4 5, and 6 is joined to 0 and 1, 7 to 8.
PROBLEM = ImpParty(
    N=3,
    edges=[*combinations(range(6), 2), (0, 6), (1, 6), (7, 8)],
    reference_answer="5 0 3",
)


@pytest.mark.parametrize("d", [0, 1, 7, 20])
def test_schedule(d):
    assert ImpParty.level(d) == [{"N": 3 + d}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("5 0 3", 1.0),
        ("6 1 0", 1.0),
        ("6 0 2", (2 / 3) ** 5),
        ("0 7 8", (1 / 3) ** 5),
        ("6 7 3", 0.0),
        ("5 0", -0.5),  # too few
        ("5 0 3 1", -0.5),  # too many
        ("5 0 0", -0.5),  # a vertex twice
        ("5 0 9", -0.5),  # no such vertex
        ("5 0 -1", -0.5),
        ("", -0.5),
        ("5, 0, 3", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_a_clique_of_two_thirds_exists():
    for seed in range(100):
        problem = ImpParty.generate(difficulty=seed % 3, seed=seed)
        edges = set(problem.edges)
        assert len(edges) == len(problem.edges)
        assert any(
            all(pair in edges for pair in combinations(chosen, 2))
            for chosen in combinations(range(3 * problem.N), 2 * problem.N)
        )


def test_right_are_just_the_cliques():
    for seed in range(20):
        problem = ImpParty.generate(difficulty=0, seed=seed)
        edges = set(problem.edges)
        for chosen in combinations(range(9), 3):
            clique = all(pair in edges for pair in combinations(chosen, 2))
            text = " ".join(map(str, chosen))
            assert problem.verify(f"<answer>{text}</answer>").correct == clique


def test_planted_vertices_are_right():
    for d in range(21):
        problem = ImpParty.generate(difficulty=d, seed=d)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
