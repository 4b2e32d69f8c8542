from itertools import pairwise

from rlve.envs.graphs.odd_visitation import OddVisitation

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


def test_references_are_right():
    for seed in range(150):
        problem = OddVisitation.generate(difficulty=seed % 21, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
        walk = [int(v) for v in problem.reference().split()]
        assert all(walk.count(v) % 2 for v in range(problem.N))
        steps = {frozenset(step) for step in pairwise(walk)}
        assert steps <= {frozenset(edge) for edge in problem.edges}
        assert len(set(problem.edges)) == max(problem.N - 1, int(problem.N * problem.edge_ratio))


def test_shortest_walks_are_right_and_those_with_a_step_less_are_not():
    for seed in range(100):
        problem = OddVisitation.generate(difficulty=seed % 5, seed=seed)
        walk = shortest_walk(problem)
        assert problem.verify(f"<answer>{' '.join(map(str, walk))}</answer>").correct
        assert problem.verify(f"<answer>{' '.join(map(str, walk[1:]))}</answer>").reward == 0
        assert len(walk) <= len(problem.reference().split())


def shortest_walk(problem):
    """Breadth-first search over the last vertex and the vertices visited an odd number of times."""
    walks = [[v] for v in range(problem.N)]
    seen = {(v, 1 << v) for v in range(problem.N)}
    for walk in walks:
        odd = 0
        for v in walk:
            odd ^= 1 << v
        if odd == (1 << problem.N) - 1:
            return walk
        for edge in problem.edges:
            for s, t in (edge, edge[::-1]):
                if s == walk[-1] and (t, odd ^ 1 << t) not in seen:
                    seen.add((t, odd ^ 1 << t))
                    walks.append([*walk, t])
    return None
