from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.graphs import Edge, ordered
from rlve.algorithms.trees import RootedTree
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import spread
from rlve.text import lines, spaced


class MinInorderBinaryTree(Environment[list[int]]):
    """Make a tree into a binary tree whose inorder traversal is lexicographically smallest.

    At the lowest levels, the few answers are about equally likely.
    """

    N: int
    edges: list[Edge]  # (u, v) with 1 <= u < v
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 300  # at 400, generating a problem takes too long
    picture = Graph(first=1, answer="order")

    template = """
        A tree has {N} vertices, numbered from 1 to {N}. Its edges (u, v) have no direction:

        {edges}

        Make it a binary tree: choose any vertex with at most two neighbours as the root, so that
        every vertex has at most two children, and say of each child whether it is a left or a right
        one. Of two children, one is left and the other right; a lone child may be either.

        The inorder traversal of a binary tree lists first the left subtree of its root, in the same
        way, then the root, then the right subtree, in the same way.

        Of all binary trees that can be made of this tree, find the lexicographically smallest
        inorder traversal: the one whose first number is smallest; of those with the same first
        number, the one whose second number is smallest; and so on.

        Output format: one line with the {N} numbers of that traversal, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(edges=lines(self.edges))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            edges = random_split_tree(rng, N)
            gold = smallest_inorder(edges)
            return cls(N=N, edges=edges, gold_answer=gold, reference_answer=spaced(gold))

        return spread(rng, draw, by=lambda problem: problem.reference_answer, draws=30)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N, first=1):
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, self.N) ** 10


def random_split_tree(rng: Random, N: int) -> list[Edge]:
    """A root with random subtrees of uniformly drawn sizes, as edges in random order."""
    edges: list[Edge] = []
    parts = [(0, rng.sample(range(1, N + 1), N))]  # with the vertex above
    while parts:
        above, (root, *rest) = parts.pop()
        edges.append(ordered(above, root))
        left = rng.randint(0, len(rest))
        parts += [(root, part) for part in (rest[:left], rest[left:]) if part]
    edges = edges[1:]  # nothing is above the root
    rng.shuffle(edges)
    return edges


def smallest_inorder(edges: list[Edge]) -> list[int]:
    """From the vertex that comes first, climb to the best root; then choose each child's side."""
    joined = [v for edge in edges for v in edge]
    tree = RootedTree(edges, min(v for v in joined if joined.count(v) <= 2))
    heads = smallest_heads(tree)
    root = tree.root
    # What has been passed is the left subtree. Of two other neighbours, the one with the smaller
    # head is the right child and the other the parent. A single one is the right child if its
    # subtree starts with a smaller number than its own, otherwise the parent.
    while ahead := tree.children[root]:
        above = max(ahead, key=lambda v: heads[v])
        if len(ahead) == 1 and heads[above] < above:
            break
        root = above
    return inorder(RootedTree(edges, root))


def smallest_heads(tree: RootedTree) -> dict[int, int]:
    """The smallest number that the inorder traversal of each subtree can start with."""
    heads: dict[int, int] = {}
    for v in reversed(tree.order):
        starts = [heads[child] for child in tree.children[v]]
        heads[v] = min(starts) if len(starts) == 2 else min([v, *starts])
    return heads


def inorder(tree: RootedTree) -> list[int]:
    """The smallest inorder traversal of a tree with this root."""
    heads = smallest_heads(tree)
    traversal: list[int] = []
    stack = [(tree.root, False)]  # with whether only the vertex itself is left to list
    while stack:
        v, alone = stack.pop()
        if alone:
            traversal.append(v)
            continue
        parts = [(child, False) for child in sorted(tree.children[v], key=lambda c: heads[c])]
        is_first = not parts or (len(parts) == 1 and v < heads[parts[0][0]])
        parts.insert(0 if is_first else 1, (v, True))
        stack += reversed(parts)
    return traversal
