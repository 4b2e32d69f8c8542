from rlve.envs.trees.preorder_traversal import PreorderTraversal

PROBLEM = PreorderTraversal(
    N=4,
    inorder_traversal=[3, 0, 2, 1],
    postorder_traversal=[3, 2, 1, 0],
    preorder_traversal=[0, 3, 1, 2],
    reference_answer="0 3 1 2",
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0 3 1 2"],
    (2 / 4) ** 10: ["0 3 2 1"],
    (1 / 4) ** 10: ["0 0 0 0"],
    0.0: ["2 1 3 0", "0 3 1", "0 3 1 2 2", ""],
    -1.0: ["0, 3, 1, 2", "root"],
}
SAMPLES = {150: {"difficulty": range(5)}}


def test_gold_is_the_one_tree_with_both_traversals(problem):
    trees = [
        preorder
        for preorder, postorder in traversals(problem.inorder_traversal)
        if postorder == problem.postorder_traversal
    ]
    assert trees == [problem.preorder_traversal]


def traversals(inorder):
    """Preorder and postorder of all trees with this inorder."""
    if not inorder:
        yield [], []
    for i, root in enumerate(inorder):
        for before, after in traversals(inorder[:i]):
            for pre, post in traversals(inorder[i + 1 :]):
                yield [root, *before, *pre], [*after, *post, root]
