from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import letters
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.work import Work


class Kth_BinaryTree(Environment[str]):
    """Write down the N-th binary tree.

    A string of other characters is ill-formed, with the published reward of -0.5.
    """

    MAX_N: int
    N: int
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Binary trees, with left and right subtrees told apart, are numbered 0, 1, 2, ...:

        - The empty tree has number 0, and the tree of a single node has number 1.
        - A tree with fewer nodes has a smaller number than one with more nodes.
        - Of two trees with equally many nodes, the one whose left subtree has the smaller number
          comes first. If their left subtrees are the same, the one whose right subtree has the
          smaller number comes first.

        A tree is written as (L)X(R), where X stands for its root, L is its left subtree and R its
        right subtree, written in the same way. If a subtree is empty, its parentheses are left out
        too. For example, number 14 is (X)X(X(X)): the left subtree of its root is a single node,
        and the right subtree is a node that has only a right child.

        Write down the tree that has number {N}.

        Output format: one line with only the characters X, ( and ), without spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(3, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(1, MAX_N)
        return cls(MAX_N=MAX_N, N=N, reference_answer=written(N))

    def parse(self, text: str) -> str:
        return letters(text, "X()", reward=INVALID)

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Count the trees of each size: 0, 1, ... of the nodes below the root are on its left."
        yield "0 nodes: 1 tree, number 0. 1 node: 1 tree, number 1"
        trees, first = [1, 1], [0, 1]
        while first[-1] + trees[-1] <= self.N:
            first.append(first[-1] + trees[-1])
            products = [f"{a} * {b}" for a, b in zip(trees, trees[::-1], strict=True)]
            trees.append(sum(a * b for a, b in zip(trees, trees[::-1], strict=True)))
            start = f"the first is number {first[-2]} + {trees[-2]} = {first[-1]}"
            yield f"{len(trees) - 1} nodes: {' + '.join(products)} = {trees[-1]} trees, {start}"
        return (yield from write_tree(self.N, trees, first))


def write_tree(number: int, trees: list[int], first: list[int]) -> Work[str]:
    """The tree with a number, from how many there are of each size, and the first numbers."""
    if number < 2:
        yield f"Tree {number}: {'X' if number else 'empty'}"
        return "X" * number
    size = max(n for n in range(len(first)) if first[n] <= number)
    place = number - first[size]
    yield f"Tree {number}: {size} nodes, {number} - {first[size]} = {place} of this size before it"
    left, right = 0, size - 1
    while True:
        here = trees[left] * trees[right]
        yield f"{left} left, {right} right: {trees[left]} * {trees[right]} = {here} of them"
        if place < here:
            break
        yield f"Not among these. Others before it: {place} - {here} = {place - here}"
        place -= here
        left, right = left + 1, right - 1
    more_left, more_right = divmod(place, trees[right])
    yield f"{place} < {here}, so it is one of these. Right trees for each left one: {trees[right]}"
    yield (
        f"Left trees before its own: {place} // {trees[right]} = {more_left}, "
        f"right ones: {place} mod {trees[right]} = {more_right}"
    )
    yield (
        f"Left: number {first[left]} + {more_left} = {first[left] + more_left}. "
        f"Right: number {first[right]} + {more_right} = {first[right] + more_right}"
    )
    parts: list[str] = []
    for subtree in (first[left] + more_left, first[right] + more_right):
        parts.append((yield from write_tree(subtree, trees, first)))
    tree = "X".join(f"({part})" if part else "" for part in parts)
    yield f"So tree {number}: {tree}"
    return tree


def written(number: int) -> str:
    """The tree with that number; the recursion is as deep as the tree, logarithmic in N."""
    if number == 0:
        return ""
    catalan = [1]  # how many trees have 0, 1, 2, ... nodes
    first = [0, 1]  # and the number of the first of them
    while first[-1] <= number:
        catalan.append(sum(a * b for a, b in zip(catalan, reversed(catalan), strict=True)))
        first.append(first[-1] + catalan[-1])
    nodes = len(catalan) - 1
    rank, left = number - first[nodes], 0
    while rank >= catalan[left] * catalan[nodes - 1 - left]:
        rank -= catalan[left] * catalan[nodes - 1 - left]
        left += 1
    left_rank, right_rank = divmod(rank, catalan[nodes - 1 - left])
    parts = written(first[left] + left_rank), written(first[nodes - 1 - left] + right_rank)
    return "X".join(f"({part})" if part else "" for part in parts)
