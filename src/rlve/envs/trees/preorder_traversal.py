from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import WRONG, ratio
from rlve.text import spaced
from rlve.work import Work, state


class PreorderTraversal(Environment[list[int]]):
    """Find the preorder traversal of a binary tree from its inorder and postorder traversals."""

    N: int
    inorder_traversal: list[int]
    postorder_traversal: list[int]
    preorder_traversal: list[int]
    reference_answer: str

    max_difficulty = 50  # at 65, a prompt exceeds 32,000 characters

    template = """
        The {N} nodes of a binary tree are numbered from 0 to {last}.

        Its inorder traversal (left subtree, root, right subtree) is:
        {inorder}

        Its postorder traversal (left subtree, right subtree, root) is:
        {postorder}

        Each subtree is traversed in the same way as the whole tree. Find the preorder traversal
        (root, left subtree, right subtree) of the tree.

        Output format: one line with the {N} nodes in preorder, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            inorder=spaced(self.inorder_traversal),
            postorder=spaced(self.postorder_traversal),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        inorder = rng.sample(range(N), N)
        preorder, postorder = random_traversals(rng, inorder)
        return cls(
            N=N,
            inorder_traversal=inorder,
            postorder_traversal=postorder,
            preorder_traversal=preorder,
            reference_answer=spaced(preorder),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return WRONG
        right = sum(x == gold for x, gold in zip(answer, self.preorder_traversal, strict=True))
        return ratio(right, self.N) ** 10

    def work(self) -> Work[str]:
        yield "The root is last in postorder; in inorder it stands between its two subtrees."
        roots: list[int] = []
        stack = [(self.inorder_traversal, self.postorder_traversal)]
        while stack:
            inorder, postorder = stack.pop()
            root = postorder[-1]
            roots.append(root)
            if len(inorder) == 1:
                yield f"Node {root} alone"
                continue
            size = inorder.index(root)
            left, right = inorder[:size], inorder[size + 1 :]
            yield f"Inorder {spaced(inorder)}, postorder {spaced(postorder)}: root {root}"
            yield f"Left of {root}: {spaced(left) or 'none'}. Right: {spaced(right) or 'none'}"
            if right:
                stack.append((right, postorder[size:-1]))
            if left:
                stack.append((left, postorder[:size]))
        yield "Each root came before its left subtree, and that before its right one."
        yield state("Preorder", roots)
        return spaced(roots)


def random_traversals(rng: Random, inorder: list[int]) -> tuple[list[int], list[int]]:
    """The preorder and postorder of a tree in which each root is drawn uniformly from its part."""
    preorder: list[int] = []
    postorder: list[int] = []
    # (low, high, root): a part of the inorder, or a root whose subtrees have been traversed.
    stack: list[tuple[int, int, int | None]] = [(0, len(inorder), None)]
    while stack:
        low, high, root = stack.pop()
        if root is not None:
            postorder.append(root)
        elif low < high:
            middle = rng.randrange(low, high)
            root = inorder[middle]
            preorder.append(root)
            stack += [(low, high, root), (middle + 1, high, None), (low, middle, None)]
    return preorder, postorder
