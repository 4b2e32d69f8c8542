from itertools import pairwise
from random import Random

from rlve.envs.graphs.mixed_graph_eulerian_circuit import MixedGraphEulerianCircuit

PROBLEM = MixedGraphEulerianCircuit(
    N=5,
    undirected_edges=[(0, 1), (2, 4), (3, 4)],
    directed_edges=[(2, 0), (1, 2), (2, 3)],
    reference_answer="0 1 2 3 4 2 0",
)
SCHEDULE = {0: {"N": 3}, 7: {"N": 10}, 20: {"N": 23}}
REWARDS = {
    1.0: ["0 1 2 3 4 2 0", "4 2 0 1 2 3 4"],
    (3 / 6) ** 10: [
        "0 1 2 0",
        "0 1 2 0 1 2 3 4 2 0",  # an edge that is used twice does not count
    ],
    0.0: ["0 1 0", "4"],
    -0.5: [
        "0 1 2 4 3 2 0",  # against a direction
        "0 2 1 0",
        "0 1 2 3 4 2",  # not closed
        "0 1 3 4 2 0",  # no such edge
        "0 0",
        "5",
        "-1",
    ],
    -1.0: ["", "0->1->2->0"],
}


def test_correct_are_exactly_the_circuits_that_a_search_finds():
    rng = Random(1)
    for seed in range(100):
        problem = MixedGraphEulerianCircuit.generate(difficulty=seed % 3, seed=seed)
        free = frozenset(enumerate(problem.undirected_edges + problem.directed_edges))
        found = set(circuits(problem, [0], free))
        assert found
        length = len(free) + 1
        tried = [*found, *(tuple(rng.choices(range(problem.N), k=length)) for _ in range(20))]
        for walk in tried:
            verdict = problem.verify(f"<answer>{' '.join(map(str, walk))}</answer>")
            if walk[0] == 0:
                assert verdict.correct == (walk in found)
            else:
                assert verdict.correct <= (walk[0] == walk[-1] and len(set(pairwise(walk))) > 2)


def circuits(problem, walk, free):
    """All ways to go on from a walk along the edges that are still free."""
    if not free and walk[-1] == walk[0]:
        yield tuple(walk)
    for i, (u, v) in free:
        both = i < len(problem.undirected_edges)
        for s, t in [(u, v), (v, u)] if both else [(u, v)]:
            if s == walk[-1]:
                yield from circuits(problem, [*walk, t], free - {(i, (u, v))})
