from random import Random

from rlve.envs.graphs.shortest_path_count_construction import (
    ShortestPathCountConstruction,
    graph_with_paths,
    shortest_path_count,
)

PROBLEM = ShortestPathCountConstruction(MAX_K=12, K=3)
TWELVE = ShortestPathCountConstruction(MAX_K=12, K=12, N_constraint=14)

TWO_PATHS = "4\nNNYY\nNNYY\nYYNN\nYYNN"
THREE_PATHS = "5\nNNYYY\nNNYYY\nYYNNN\nYYNNN\nYYNNN"
SCHEDULE = {d: {"MAX_K": n} for d, n in ((0, 12), (1, 18), (2, 27), (3, 40), (20, 39226))}
REWARDS = {
    1.0: [THREE_PATHS, THREE_PATHS.replace("\n", "  \r\n\n")],
    (2 / 3) ** 10: [TWO_PATHS],
    (1 / 3) ** 10: ["2\nNY\nYN"],
    0.0: [
        "2\nNN\nNN",  # not connected
        "3\nNNY\nNNN\nYNN",
    ],
    -1.0: [
        "",
        "two\nNY\nYN",
        "1\nN",
        "0",
        "-2\nNY\nYN",
        "3\nNY\nYN",  # too few rows
        "2\nNY\nYN\nNN",
        "2\nNY\nYNN",  # a row too long
        "2\nN Y\nY N",
        "2\nNX\nXN",
        "2\nny\nyn",
        "2\nNY\nNN",  # not symmetric
        "2\nYY\nYN",  # not N on the diagonal
        "9" * 500,
    ],
}


def test_rewards_where_the_number_of_vertices_is_bounded():
    def middle(n):
        rows = ["NN" + "Y" * (n - 2)] * 2 + ["YY" + "N" * (n - 2)] * (n - 2)
        return TWELVE.verify(f"<answer>{n}\n" + "\n".join(rows) + "</answer>").reward

    assert middle(14) == -0.5  # 12 paths, but too many vertices
    assert middle(13) == (11 / 12) ** 10
    assert TWELVE.verify(f"<answer>{TWELVE.reference()}</answer>").correct


def test_references_fit_the_bound():
    for seed in range(200):
        problem = ShortestPathCountConstruction.generate(difficulty=seed % 21, seed=seed)
        assert (problem.K >= 12) == isinstance(problem.N_constraint, int)
    assert all(len(graph_with_paths(k)) < min(6 * k.bit_length() + 4, k + 2) for k in range(12, 99))


def test_paths_are_counted_as_by_listing_them_all():
    rng = Random(1)
    for _ in range(150):
        n = rng.randint(2, 6)
        edges = {frozenset(rng.sample(range(n), 2)) for _ in range(rng.randint(1, 9))}
        matrix = ["".join("NY"[{u, v} in edges] for v in range(n)) for u in range(n)]
        lengths = [len(path) for path in paths(matrix, [0])]
        expected = lengths.count(min(lengths)) if lengths else 0
        assert shortest_path_count(matrix) == expected
    for k in range(1, 20):
        matrix = graph_with_paths(k)
        lengths = [len(path) for path in paths(matrix, [0])] if k < 8 else []
        assert k >= 8 or lengths.count(min(lengths)) == k


def paths(matrix, path):
    """All simple paths to vertex 2, which has index 1, that start with this one."""
    if path[-1] == 1:
        yield path
        return
    for v, joined in enumerate(matrix[path[-1]]):
        if joined == "Y" and v not in path:
            yield from paths(matrix, [*path, v])
