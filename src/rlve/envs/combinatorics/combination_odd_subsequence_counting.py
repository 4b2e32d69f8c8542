from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.text import spaced
from rlve.work import Work, add_to


class CombinationOddSubsequenceCounting(Environment[int]):
    """Count the subsequences whose neighbours have odd binomial coefficients.

    Most short sequences have the answer 0 or 1, so several are drawn, and each of their answers is
    equally likely.
    """

    N: int
    A: list[int]
    reference_answer: int

    max_difficulty = 45  # at 52, generating a problem takes too long

    template = """
        Here is a sequence of {N} different positive integers:

        {A}

        Choose two or more of its elements, not necessarily adjacent ones, and keep them in their
        order: this gives a subsequence a[1], a[2], ..., a[k] with k >= 2. It is good if, for every
        i from 1 to k - 1, the binomial coefficient C(a[i], a[i+1]) is odd. Here C(x, y) is the
        number of ways to choose y of x objects, so that C(x, y) = 0, which is even, for y > x.

        Count the good subsequences.

        Output format: one integer, the exact number of good subsequences; it can be 0.
        """

    def prompt(self) -> str:
        return self.fill(A=spaced(self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        return spread(rng, lambda: cls.draw(rng, N), by=lambda problem: problem.reference_answer)

    @classmethod
    def draw(cls, rng: Random, N: int) -> Self:
        A = rng.sample(range(1, 2 * N), N)
        return cls(N=N, A=A, reference_answer=good_subsequences(A))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "C(x, y) is odd if and only if each power of 2 in y is also in x (Lucas's theorem)."
        width = max(self.A).bit_length()
        yield "Powers: " + ", ".join(f"2^{k} = {2**k}" for k in range(width))
        for x in self.A:
            parts = [2**k for k in reversed(range(width)) if x >> k & 1]
            if len(parts) > 1:
                yield f"{x} = {' + '.join(map(str, parts))}"
        yield "Let f(x) count the choices from x on, also of x alone: 1, plus f(y) for each later y"
        yield "that can follow x. Go from the right. As x alone is not good, add up all f - 1."
        f: dict[int, int] = {}
        total = 0
        for x in reversed(self.A):
            after = [y for y in f if x & y == y]
            f[x] = 1 + sum(f[y] for y in after)
            sums = "".join(f" + {f[y]}" for y in after)
            yield f"x = {x}: then {spaced(after) or 'none'}, f = 1" + (
                f"{sums} = {f[x]}" if after else ""
            )
            if after:
                total = yield from add_to(
                    total, f[x] - 1, f"Without x alone {f[x]} - 1 = {f[x] - 1}"
                )
        yield f"So the number of good subsequences is {total}"
        return str(total)


def good_subsequences(A: list[int]) -> int:
    """The number of good subsequences of different positive integers.

    C(x, y) is odd if and only if each bit of y is a bit of x (Lucas's theorem).
    """
    starting: list[tuple[int, int]] = []  # an element, and how many it starts
    for x in reversed(A):
        starting.append((x, 1 + sum(ways for y, ways in starting if x & y == y)))
    return sum(ways - 1 for _, ways in starting)
