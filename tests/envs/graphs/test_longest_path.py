import pytest

from rlve.envs.graphs.longest_path import LongestPath

PROBLEM = LongestPath(
    N=4,
    edge_density=0.35,
    edges=[(0, 1, 3), (1, 2, 4), (2, 0, 1), (3, 1, 2)],
    gold_answer=7,
)


def test_schedule():
    densities = [level["edge_density"] for level in LongestPath.level(0)]
    assert densities == [0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]  # some edge
    assert [LongestPath.level(d)[0]["N"] for d in (0, 1, 7, 20)] == [4, 5, 11, 24]
    assert len(LongestPath.level(1)) == 10


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 1 2", 1.0),
        ("3 1 2 0", 1.0),
        ("3 1 2", (6 / 7) ** 5),
        ("2 0", (1 / 7) ** 5),
        ("3", 0.0),
        ("0 1 2 0", -0.5),  # a vertex twice
        ("0 2", -0.5),  # an edge against its direction
        ("0 3", -0.5),  # no such edge
        ("4", -0.5),  # no such vertex
        ("-1 0", -0.5),
        ("", -1.0),
        ("0, 1, 2", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_maximum_over_all_paths():
    for seed in range(150):
        problem = LongestPath.generate(difficulty=seed % 4, seed=seed)
        assert problem.gold_answer == max(
            weight for v in range(problem.N) for weight in path_weights(problem, [v])
        )
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def path_weights(problem, path):
    """What each way to continue this path adds to its weight."""
    yield 0
    for s, t, w in problem.edges:
        if s == path[-1] and t not in path:
            for rest in path_weights(problem, [*path, t]):
                yield w + rest
