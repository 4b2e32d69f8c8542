from random import Random

from rlve.envs.trees.kth_binary_tree import Kth_BinaryTree

PROBLEM = Kth_BinaryTree(MAX_N=9, N=6, reference_answer="(X)X(X)")
SCHEDULE = {d: {"MAX_N": n} for d, n in enumerate([3, 4, 6, 9, 13, 19, 28])}
REWARDS = {
    1.0: ["(X)X(X)"],
    0.0: ["((X))X(X)", "X(X(X))", "))((", ""],
    -0.5: ["(X) X(X)", "(x)x(x)", "[X]X[X]", "6"],
}


def test_trees_are_in_order():
    trees = [[""]]  # by the number of nodes, in order
    for nodes in range(1, 8):
        trees.append(
            [
                (left and f"({left})") + "X" + (right and f"({right})")
                for size in range(nodes)
                for left in trees[size]
                for right in trees[nodes - 1 - size]
            ]
        )
    numbered = [tree for group in trees for tree in group]
    drawn = set()
    for seed in range(400):
        problem = Kth_BinaryTree.sample(Random(seed), MAX_N=(3, 20, 600)[seed % 3])
        drawn.add(problem.N)
        assert problem.reference_answer == numbered[problem.N]
    assert drawn >= set(range(1, 20))
