from rlve.envs.graphs.odd_visitation import OddVisitation
from support.graphs import beside
from support.searching import ways

PROBLEM = OddVisitation(
    N=4, edge_ratio=1.0, edges=[(0, 1), (1, 2), (1, 3)], reference_answer="0 1 2 1 3 1"
)
SCHEDULE = {
    0: {"N": 3, "edge_ratio": [1.0, 1.1, 1.2, 1.3]},
    1: {"N": 4, "edge_ratio": [i / 10 for i in range(10, 18)]},
    20: {"N": 50, "edge_ratio": [i / 10 for i in range(10, 21)]},
}
REWARDS = {
    1.0: ["0 1 2 1 3 1", "1 0 1 2 1 3"],
    0.0: [
        "0 1 2 1 3 1 3 1 3",
        "0 1 2 1 3",  # 1 twice
        "0 1 2",  # without 3
        "2",
        "",
    ],
    -0.5: [
        "0 1 2 3 1",  # no edge
        "0 0 1 2 1 3 1",
        "0 1 4",
        "-1",
    ],
    -1.0: ["0, 1, 2, 1, 3, 1"],
}
SAMPLES = {100: {"difficulty": range(5)}}


def test_shortest_walks_are_right_and_those_with_a_step_less_are_not(problem):
    walk = shortest_walk(problem)
    assert problem.verify(f"<answer>{' '.join(map(str, walk))}</answer>").correct
    assert problem.verify(f"<answer>{' '.join(map(str, walk[1:]))}</answer>").reward == 0
    assert len(walk) <= len(problem.reference().split())


def shortest_walk(problem):
    """A search over the last vertex and the vertices visited an odd number of times."""
    joined = {None: range(problem.N), **beside(problem.edges)}

    def steps(state):
        last, odd = state
        for v in joined[last]:
            yield v, (v, odd ^ 1 << v)

    everything = (1 << problem.N) - 1
    return next(walk for (_, odd), walk in ways((None, 0), steps) if odd == everything)
