import pytest

from rlve.envs.trees.maximum_independent_set_tree import Maximum_IndependentSet_Tree

# The path 0 - 2 - 1 - 3.
PROBLEM = Maximum_IndependentSet_Tree(
    N=4,
    edges=[(0, 2), (1, 3), (1, 2)],
    R=[3, 1, 2, 4],
    reference_weight=7,
    reference_answer="0 3",
)


def test_schedule():
    levels = [Maximum_IndependentSet_Tree.level(d) for d in (0, 1, 8, 20)]
    assert levels == [[{"N": 4}], [{"N": 5}], [{"N": 14}], [{"N": 56}]]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 3", 1.0),
        ("3 0", 1.0),
        ("2 3", (6 / 7) ** 3),
        ("1", (1 / 7) ** 3),
        ("", 0.0),
        ("3 3", -0.5),
        ("0 2", -0.5),
        ("0 4", -0.5),
        ("-1", -0.5),
        ("0, 3", -1.0),
        ("none", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_best_of_all_sets():
    for seed in range(120):
        problem = Maximum_IndependentSet_Tree.generate(difficulty=seed % 5, seed=seed)
        best = 0
        for mask in range(2**problem.N):
            chosen = [v for v in range(problem.N) if mask >> v & 1]
            if not any(mask >> u & mask >> v & 1 for u, v in problem.edges):
                best = max(best, sum(problem.R[v] for v in chosen))
        assert problem.reference_weight == best
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
