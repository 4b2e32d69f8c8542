from itertools import permutations

from rlve.envs.trees.weighted_binary_tree import WeightedBinaryTree

PROBLEM = WeightedBinaryTree(N=3, MAX_SCORE=5, scores=[2, 1, 4], gold=9, reference_answer="1 0 2")
SCHEDULE = {d: {"N": n, "MAX_SCORE": 5} for d, n in ((0, 3), (1, 4), (8, 12), (20, 50))}
REWARDS = {
    1.0: ["1 0 2"],
    (7 / 9) ** 5: ["0 1 2", "2 0 1"],
    0.0: ["1 2 0"],  # no preorder: 0 belongs to the left
    -0.5: ["1 0", "1 0 2 2", "1 0 0", "1 2 3", "-1 0 1", ""],
    -1.0: ["1, 0, 2"],
}
SAMPLES = {120: {"difficulty": range(5)}}


def test_gold_is_the_best_of_all_trees(problem):
    best = max(score for _, score in trees(problem.scores, 0, problem.N))
    assert problem.gold == best


def test_every_order_is_scored_as_the_tree_it_stands_for():
    for seed in range(20):
        problem = WeightedBinaryTree.generate(difficulty=seed % 3, seed=seed)
        scores = dict(trees(problem.scores, 0, problem.N))
        for order in permutations(range(problem.N)):
            reward = (scores[order] / problem.gold) ** 5 if order in scores else 0.0
            assert problem.score(list(order)) == reward


def trees(values, low, high):
    """The preorder and the score of each tree on the nodes from low to high - 1."""
    if low == high:
        yield (), 1
    for root in range(low, high):
        for left, a in trees(values, low, root):
            for right, b in trees(values, root + 1, high):
                is_leaf = high - low == 1
                yield (root, *left, *right), values[root] + (0 if is_leaf else a * b)
