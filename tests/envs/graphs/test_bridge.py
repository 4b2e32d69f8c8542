import pytest

from rlve.envs.graphs.bridge import Bridge

# A triangle 0 1 2, a tail 2 3 4, and the isolated vertex 5.
PROBLEM = Bridge(
    N=6,
    edge_density=0.3,
    component_num=3,
    edges=[(2, 3), (0, 1), (1, 2), (3, 4), (0, 2)],
    bridges=[(2, 3), (3, 4)],
    reference_answer="2 3 3 4",
)


@pytest.mark.parametrize(
    ("d", "N", "blocks"),
    [(0, 4, {2, 3}), (3, 7, {2, 3, 4, 5}), (20, 56, {2, 5, 11, 16, 28, 39, 44})],
)
def test_schedule(d, N, blocks):
    level = Bridge.level(d)
    assert {setting["N"] for setting in level} == {N}
    assert {setting["component_num"] for setting in level} == blocks
    assert len({setting["edge_density"] for setting in level}) == 15
    assert len(level) == 15 * len(blocks)


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("2 3 3 4", 1.0),
        ("4 3 3 2", 1.0),
        ("2 3", (1 / 2) ** 5),
        ("", 0.0),
        ("2 3 3 2", -0.5),  # the same bridge twice
        ("2 3 3 4 0 1", -0.5),  # an edge on a cycle
        ("2 3 3 5", -0.5),  # no edge
        ("2 3 3 3", -0.5),
        ("2 3 3 -1", -0.5),
        ("2 3 3", -1.0),  # an odd number of ends
        ("(2, 3) (3, 4)", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_bridges_are_the_edges_whose_removal_separates_their_ends():
    for seed in range(150):
        problem = Bridge.generate(difficulty=seed % 5, seed=seed)
        needed = {
            edge
            for edge in problem.edges
            if edge[1]
            not in reachable(edge[0], [other for other in problem.edges if other != edge])
        }
        assert set(problem.bridges) == needed
        assert len(problem.bridges) == len(needed) > 0


def reachable(start, edges):
    reached, before = {start}, 0
    while len(reached) > before:
        before = len(reached)
        reached |= {x for edge in edges if reached & set(edge) for x in edge}
    return reached
