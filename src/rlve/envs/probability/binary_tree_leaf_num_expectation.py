from fractions import Fraction
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import fraction
from rlve.errors import Unparseable
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import counted
from rlve.work import Work, multiply


class BinaryTreeLeafNumExpectation(Environment[tuple[int, int]]):
    """Find the expected number of leaves of a random binary tree, as a fraction.

    The fraction need not be reduced. At the lowest levels, trees of one and two nodes, both with
    the answer 1/1, count as one case.
    """

    MAX_N: int
    N: int
    gold_answer: dict[str, int]  # the reduced fraction A/B, under the keys A and B
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        A binary tree is either empty or a node with a left and a right subtree, which are binary
        trees; left and right matter. A leaf is a node whose two subtrees are empty.

        One of all binary trees with exactly {nodes} is drawn, each with the same probability.
        What is the expected number of its leaves?

        Output format: one fraction A/B with positive integers A and B. The fraction need not be in
        lowest terms, but the denominator is always written: 7/1, not 7.
        """

    def prompt(self) -> str:
        return self.fill(nodes=counted(self.N, "node"))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = spread(rng, lambda: rng.randint(1, MAX_N), by=expected_leaves)
        A, B = expected_leaves(N).as_integer_ratio()
        return cls(MAX_N=MAX_N, N=N, gold_answer={"A": A, "B": B}, reference_answer=f"{A}/{B}")

    def parse(self, text: str) -> tuple[int, int]:
        numerator, denominator = fraction(text)
        if numerator < 1 or denominator < 1:
            raise Unparseable("expected a fraction of positive integers")
        return numerator, denominator

    def score(self, answer: tuple[int, int]) -> float:
        A, B = answer
        return exact(A * self.gold_answer["B"] == B * self.gold_answer["A"])

    def work(self) -> Work[str]:
        N = self.N
        yield "Let T(n) be the number of trees with n nodes. A tree without one of its leaves has"
        yield "n - 1 nodes, and n empty places that could have held the leaf."
        yield "So all trees with n nodes have n * T(n - 1) leaves together. The T(n) are the"
        yield "Catalan numbers, with T(n) / T(n - 1) = (4 * n - 2) / (n + 1)."
        yield "So a tree has n * T(n - 1) / T(n) = n * (n + 1) / (4 * n - 2) leaves on average."
        yield f"n = {N}: {N} + 1 = {N + 1}"
        top = yield from multiply(N, N + 1)
        four = yield from multiply(4, N)
        yield f"{four} - 2 = {four - 2}"
        yield f"So the expected number is {top}/{four - 2}"
        return f"{top}/{four - 2}"


def expected_leaves(N: int) -> Fraction:
    """Removing a leaf leaves a tree of N - 1 nodes, whose N empty slots could have held the leaf.

    So the trees of N nodes have N * Catalan(N - 1) leaves in total; divide by Catalan(N).
    """
    return Fraction(N * (N + 1), 2 * (2 * N - 1))
