from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import letters
from rlve.levels import grow
from rlve.rewards import INVALID, exact


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
