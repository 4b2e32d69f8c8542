from itertools import permutations

import pytest

from rlve.envs.graphs.graph_isomorphism import GraphIsomorphism

# The path 0 1 2 3 becomes the path 1 3 0 2.
PROBLEM = GraphIsomorphism(
    N=4,
    edge_density=0.55,
    G1_edges=[(0, 1), (1, 2), (2, 3)],
    G2_edges=[(0, 3), (1, 3), (0, 2)],
    reference_answer="1 3 0 2",
)


def test_schedule():
    densities = [level["edge_density"] for level in GraphIsomorphism.level(0)]
    assert densities == [0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]  # at least one edge
    assert [GraphIsomorphism.level(d)[0]["N"] for d in (0, 1, 7, 20)] == [3, 4, 10, 23]
    assert len(GraphIsomorphism.level(7)) == 10


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 3 0 2", 1.0),
        ("2 0 3 1", 1.0),
        ("0 3 1 2", (2 / 3) ** 10),
        ("0 1 2 3", 0.0),
        ("1 3 0", -0.5),  # too short
        ("1 3 0 2 4", -0.5),  # too long
        ("1 3 0 0", -0.5),  # 0 twice
        ("1 3 0 4", -0.5),
        ("", -0.5),
        ("1, 3, 0, 2", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == pytest.approx(reward, abs=0)


def test_right_are_just_the_isomorphisms():
    for seed in range(100):
        problem = GraphIsomorphism.generate(difficulty=seed % 3, seed=seed)
        goal = {frozenset(edge) for edge in problem.G2_edges}
        right = {
            " ".join(map(str, p))
            for p in permutations(range(problem.N))
            if {frozenset((p[u], p[v])) for u, v in problem.G1_edges} == goal
        }
        assert problem.reference() in right
        for p in permutations(range(problem.N)):
            text = " ".join(map(str, p))
            assert problem.verify(f"<answer>{text}</answer>").correct == (text in right)


def test_planted_permutation_is_right():
    for d in range(21):
        problem = GraphIsomorphism.generate(difficulty=d, seed=d)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
