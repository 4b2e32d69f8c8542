from rlve.envs.trees.min_inorder_binary_tree import MinInorderBinaryTree
from support.graphs import beside

# A star around 1, which has too many neighbours to come first.
PROBLEM = MinInorderBinaryTree(
    N=4, edges=[(1, 3), (1, 2), (1, 4)], gold_answer=[2, 1, 3, 4], reference_answer="2 1 3 4"
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {
    1.0: ["2 1 3 4"],
    (2 / 4) ** 10: ["2 1 4 3", "2 3 1 4"],
    0.0: ["4 3 2 1"],
    -0.5: ["2 1 3", "2 1 3 4 4", "2 1 3 3", "0 1 2 3", ""],
    -1.0: ["2, 1, 3, 4"],
}
SAMPLES = {150: {"difficulty": range(5)}}


def test_gold_is_the_smallest_of_all_traversals(problem):
    joined = beside(problem.edges)
    roots = [v for v in joined if len(joined[v]) <= 2]
    assert max(map(len, joined.values())) <= 3
    smallest = min(order for root in roots for order in traversals(joined, root, None))
    assert problem.gold_answer == smallest


def traversals(joined, root, parent):
    parts = [list(traversals(joined, child, root)) for child in joined[root] - {parent}]
    if not parts:
        yield [root]
    for first in parts[0] if parts else ():
        if len(parts) == 1:
            yield [root, *first]
            yield [*first, root]
        else:
            for second in parts[1]:
                yield [*first, root, *second]
                yield [*second, root, *first]
