from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.work import Work


class MinimumFibonacciRepresentation(Environment[int]):
    """Find how few Fibonacci numbers, added or subtracted, make a given integer.

    There are few different answers (two at difficulty 0), so K is chosen from several draws to make
    each about equally likely.
    """

    MAX_K: int
    K: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        The Fibonacci numbers here are 1, 2, 3, 5, 8, 13, ...: each one after the first two is the
        sum of the two before it.

        Write {K} as a sum of terms, each of which is a Fibonacci number or the negative of a
        Fibonacci number. The same term may be used several times. For example, 86 = 89 - 3 has two
        terms, and 86 cannot be written with fewer.

        What is the smallest possible number of terms for {K}?

        Output format: one integer, the number of terms.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_K": grow(15, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_K: int) -> Self:
        K = spread(rng, lambda: rng.randint(4, MAX_K), by=fewest_terms, draws=40)
        return cls(MAX_K=MAX_K, K=K, reference_answer=fewest_terms(K))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "A Fibonacci number nearest to what is left is always part of a shortest sum:"
        yield "terms that are close can be moved apart without more terms, as in 3 + 8 = 13 - 2;"
        yield "then those after the largest come to at most half the gap to its neighbour."
        yield "A negative rest needs as many terms as a positive one, so the sign does not matter."
        below, above = 1, 2
        while above < self.K:
            yield f"{below} + {above} = {below + above}"
            below, above = above, below + above
        left, terms = self.K, 0
        while left:
            below, above = 1, 2
            while above <= left:
                below, above = above, below + above
            terms += 1
            if left == below:
                yield f"Term {terms}: {left} is a Fibonacci number, left 0"
                break
            nearer = min(left - below, above - left)
            yield (
                f"Term {terms}: {left} is between {below} and {above}, {left} - {below} = "
                f"{left - below}, {above} - {left} = {above - left}, left {nearer}"
            )
            left = nearer
        yield f"So the smallest number of terms is {terms}"
        return str(terms)


def fewest_terms(n: int) -> int:
    """Greedy: a Fibonacci number nearest n is always part of a shortest sum."""
    terms = 0
    while n:
        below, above = 1, 2
        while above <= n:
            below, above = above, below + above
        n = min(n - below, above - n)
        terms += 1
    return terms
