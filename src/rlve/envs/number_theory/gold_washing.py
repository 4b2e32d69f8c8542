from collections import Counter
from heapq import nlargest
from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import prefer
from rlve.text import counted
from rlve.work import Work, add_to, state


class GoldWashing(Environment[int]):
    """Add up the largest products of the frequencies of two digit products.

    For N <= 10, the answer is K: f(x) = x for x <= 9 and f(10) = 0, so that every g(a, b) is 1 or
    0, and at least K of them are 1. Up to difficulty 5 there are no other N; beyond, problems whose
    answer is a multiple of K are redrawn.
    """

    MAX_N: int
    N: int
    K: int
    reference_answer: int

    guessable = "Up to difficulty 5, K is always right: no digit product occurs twice."

    max_difficulty = 90  # at 115, generating a problem takes too long

    template = """
        Let f(x) be the product of the decimal digits of x. For example, f(234) = 2 * 3 * 4 = 24,
        and f(x) = 0 if x has a digit 0.

        For integers a and b with 1 <= a <= {N} and 1 <= b <= {N}, let g(a, b) be the number of
        ordered pairs of integers (x, y) with 1 <= x <= {N}, 1 <= y <= {N}, f(x) = a and f(y) = b.
        Here x and y can be equal, and so can a and b.

        There are {N} * {N} values g(a, b), one for each ordered pair (a, b). Sort all of them,
        equal ones included, from the largest to the smallest. What is the sum of the first {K}?

        Output format: one positive integer, the sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        def draw() -> Self:
            N = rng.randint(2, MAX_N)
            K = rng.randint(1, N)
            return cls(MAX_N=MAX_N, N=N, K=K, reference_answer=sum_of_largest(N, K))

        return prefer(draw, lambda problem: problem.reference_answer % problem.K > 0, tries=50)

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Let c(a) be the number of x with f(x) = a. Then g(a, b) = c(a) * c(b)."
        yield "A single digit is its own product: f(x) = x up to x = 9."
        products = [prod(map(int, str(x))) for x in range(1, self.N + 1)]
        for x in range(10, self.N + 1):
            yield f"f({x}) = {' * '.join(str(x))} = {products[x - 1]}"
        counts = [products.count(a) for a in range(1, self.N + 1)]
        yield state(f"c(a) for a from 1 to {self.N}", counts)
        yield "Take the largest g = c(a) * c(b) first; multiply how many a and b have these counts:"
        left, total = self.K, 0
        for value in sorted({x * y for x in counts for y in counts}, reverse=True):
            ways = {(x, y) for x in counts for y in counts if x * y == value}
            terms = [f"{counts.count(x)} * {counts.count(y)}" for x, y in sorted(ways)]
            split = " = ".join(f"{x} * {y}" for x, y in sorted(ways))
            pairs = sum(counts.count(x) * counts.count(y) for x, y in ways)
            taken = min(left, pairs)
            yield (
                f"g = {split} = {value}: {' + '.join(terms)} = {counted(pairs, 'pair')} (a, b), "
                f"left to take {left}, so take {taken}"
            )
            total = yield from add_to(total, taken * value, f"{taken} * {value} = {taken * value}")
            left -= taken
            if not left:
                break
        yield f"So the sum is {total}"
        return str(total)


def sum_of_largest(N: int, K: int) -> int:
    """The sum of the K largest products of two counts; if there are fewer, the rest count as 0.

    With the counts in descending order, the product of the i-th and the j-th is no larger than i *
    j products, so only those with i * j <= K matter.
    """
    occurrences = Counter(prod(map(int, str(x))) for x in range(1, N + 1))
    counts = sorted((count for a, count in occurrences.items() if a > 0), reverse=True)
    products = (x * y for i, x in enumerate(counts, 1) for y in counts[: K // i])
    return sum(nlargest(K, products))
