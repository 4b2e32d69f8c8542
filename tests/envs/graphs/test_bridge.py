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
DENSITIES = [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9]
SCHEDULE = {
    0: {"N": 4, "edge_density": DENSITIES, "component_num": [2, 3]},
    3: {"N": 7, "edge_density": DENSITIES, "component_num": range(2, 6)},
    20: {"N": 56, "edge_density": DENSITIES, "component_num": [2, 5, 11, 16, 28, 39, 44]},
}
REWARDS = {
    1.0: ["2 3 3 4", "4 3 3 2"],
    (1 / 2) ** 5: ["2 3"],
    0.0: [""],
    -0.5: [
        "2 3 3 2",  # the same bridge twice
        "2 3 3 4 0 1",  # an edge on a cycle
        "2 3 3 5",  # no edge
        "2 3 3 3",
        "2 3 3 -1",
    ],
    -1.0: [
        "2 3 3",  # an odd number of ends
        "(2, 3) (3, 4)",
    ],
}
SAMPLES = {150: {"difficulty": range(5)}}


def test_bridges_are_the_edges_whose_removal_separates_their_ends(problem):
    needed = {
        edge
        for edge in problem.edges
        if edge[1] not in reachable(edge[0], [other for other in problem.edges if other != edge])
    }
    assert set(problem.bridges) == needed
    assert len(problem.bridges) == len(needed) > 0


def reachable(start, edges):
    reached, before = {start}, 0
    while len(reached) > before:
        before = len(reached)
        reached |= {x for edge in edges if reached & set(edge) for x in edge}
    return reached
