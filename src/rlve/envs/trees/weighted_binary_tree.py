from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, WRONG, ratio
from rlve.sampling.rejection import spread
from rlve.text import lines, spaced
from rlve.work import Work, is_easy, multiply, state


class WeightedBinaryTree(Environment[list[int]]):
    """Build the binary tree with a given inorder traversal and the largest score.

    At the lowest levels, the few answers are about equally likely.
    """

    N: int
    MAX_SCORE: int
    scores: list[int]
    gold: int
    reference_answer: str

    max_difficulty = 25  # at 35, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        Build a binary tree on the {N} nodes 0 to {last} whose inorder traversal (left subtree,
        root, right subtree) lists them in ascending order. Node i has the value d_i:

        {scores}

        The score of a tree is defined like this:

        - The score of a leaf, a node without children, is its value.
        - The score of any other tree is (score of the left subtree) * (score of the right subtree)
          + (value of the root). An empty subtree has score 1.

        Build the tree with the largest possible score, and give its preorder traversal (root, left
        subtree, right subtree). Any tree with the largest score is accepted.

        Output format: one line with the {N} nodes in preorder, separated by spaces.
        """

    def prompt(self) -> str:
        values = lines(f"d_{i}={value}" for i, value in enumerate(self.scores))
        return self.fill(last=self.N - 1, scores=values)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d), "MAX_SCORE": 5}]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX_SCORE: int) -> Self:
        def draw() -> Self:
            scores = [rng.randint(1, MAX_SCORE) for _ in range(N)]
            gold, preorder = best_tree(scores)
            return cls(
                N=N,
                MAX_SCORE=MAX_SCORE,
                scores=scores,
                gold=gold,
                reference_answer=spaced(preorder),
            )

        # Two large trees rarely have the same answer, and finding one takes a while.
        draws = 1 + 120 // N
        return spread(rng, draw, by=lambda problem: problem.reference_answer, draws=draws)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        total = score_of(answer, self.scores)
        return WRONG if total is None else ratio(total, self.gold) ** 5

    def work(self) -> Work[str]:
        yield "For each range of nodes, shorter ones first, try each node as root, with the best"
        yield "scores left and right of it. An empty side has 1, a single node its value."
        best = dict.fromkeys(((i, i - 1) for i in range(self.N + 1)), 1)  # by first and last node
        roots: dict[tuple[int, int], int] = {}
        for i, value in enumerate(self.scores):
            best[i, i], roots[i, i] = value, i
        for size in range(1, self.N):
            for i in range(self.N - size):
                tries: dict[int, int] = {}
                texts: list[str] = []
                for r in range(i, i + size + 1):
                    left, right, value = best[i, r - 1], best[r + 1, i + size], self.scores[r]
                    tries[r] = left * right + value
                    if not is_easy("*", left, right):
                        yield from multiply(left, right)
                        texts.append(f"root {r}: {left * right} + {value} = {tries[r]}")
                    else:
                        texts.append(f"root {r}: {left} * {right} + {value} = {tries[r]}")
                root = max(tries, key=tries.__getitem__)
                best[i, i + size], roots[i, i + size] = tries[root], root
                yield f"{i} to {i + size}: {'; '.join(texts)}; best {tries[root]}, root {root}"
        preorder: list[int] = []
        ranges = [(0, self.N - 1)]
        while ranges:
            i, j = ranges.pop()
            if i <= j:
                preorder.append(roots[i, j])
                yield f"Root of {i} to {j}: {roots[i, j]}"
                ranges += [(roots[i, j] + 1, j), (i, roots[i, j] - 1)]
        yield state("Preorder", preorder)
        return spaced(preorder)


def score_of(preorder: list[int], values: list[int]) -> int | None:
    """The score of the tree with this preorder and ascending inorder; None if there is none."""
    left: dict[int, int] = {}
    right: dict[int, int] = {}
    stack: list[int] = []  # the nodes whose right subtree is still to come
    passed = -1  # the last node popped: nothing below it can follow
    for v in preorder:
        if v < passed:
            return None
        parent = None
        while stack and stack[-1] < v:
            parent = passed = stack.pop()
        if parent is not None:
            right[parent] = v
        elif stack:
            left[stack[-1]] = v
        stack.append(v)
    score: dict[int, int] = {}
    for v in reversed(preorder):
        is_leaf = v not in left and v not in right
        product = (score[left[v]] if v in left else 1) * (score[right[v]] if v in right else 1)
        score[v] = values[v] if is_leaf else product + values[v]
    return score[preorder[0]]


def best_tree(values: list[int]) -> tuple[int, list[int]]:
    """The largest score and the preorder of a tree that has it."""
    n = len(values)
    best = [[1] * (n + 1) for _ in range(n + 1)]  # [i][j]: of the nodes from i to j - 1
    root = [[0] * (n + 1) for _ in range(n + 1)]
    for i in reversed(range(n)):
        best[i][i + 1], root[i][i + 1] = values[i], i
        for j in range(i + 2, n + 1):
            best[i][j], root[i][j] = max(
                (best[i][r] * best[r + 1][j] + values[r], r) for r in range(i, j)
            )
    preorder: list[int] = []
    stack = [(0, n)]
    while stack:
        i, j = stack.pop()
        if i < j:
            r = root[i][j]
            preorder.append(r)
            stack += [(r + 1, j), (i, r)]
    return best[0][n], preorder
