import pytest

from rlve.envs.trees.preorder_traversal import PreorderTraversal

PROBLEM = PreorderTraversal(
    N=4,
    inorder_traversal=[3, 0, 2, 1],
    postorder_traversal=[3, 2, 1, 0],
    preorder_traversal=[0, 3, 1, 2],
    reference_answer="0 3 1 2",
)


def test_schedule():
    levels = [PreorderTraversal.level(d) for d in (0, 1, 8, 20)]
    assert levels == [[{"N": 3}], [{"N": 4}], [{"N": 12}], [{"N": 50}]]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 3 1 2", 1.0),
        ("0 3 2 1", (2 / 4) ** 10),
        ("0 0 0 0", (1 / 4) ** 10),
        ("2 1 3 0", 0.0),
        ("0 3 1", 0.0),
        ("0 3 1 2 2", 0.0),
        ("", 0.0),
        ("0, 3, 1, 2", -1.0),
        ("root", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_one_tree_with_both_traversals():
    for seed in range(150):
        problem = PreorderTraversal.generate(difficulty=seed % 5, seed=seed)
        trees = [
            preorder
            for preorder, postorder in traversals(problem.inorder_traversal)
            if postorder == problem.postorder_traversal
        ]
        assert trees == [problem.preorder_traversal]
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def traversals(inorder):
    """Preorder and postorder of all trees with this inorder."""
    if not inorder:
        yield [], []
    for i, root in enumerate(inorder):
        for before, after in traversals(inorder[:i]):
            for pre, post in traversals(inorder[i + 1 :]):
                yield [root, *before, *pre], [*after, *post, root]
