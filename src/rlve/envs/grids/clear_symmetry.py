from math import isqrt
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import counted
from rlve.work import Work


class ClearSymmetry(Environment[int]):
    """Find the smallest symmetric 0/1 square that can hold x ones, no two of them side by side.

    All answers possible at a level are about equally likely; otherwise small ones would be rare.
    """

    MAX_X: int
    x: int
    reference_answer: int

    guessable = (
        "Up to difficulty 2, only three sides are possible, each in a third of the problems."
    )

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        A matrix of zeros and ones with n rows and n columns is
        - clear if no two ones are in cells that share a side;
        - symmetric if it stays the same when it is mirrored left to right, and also when it is
          mirrored top to bottom.

        Find the smallest n >= 1 for which there is a matrix with n rows and n columns that is both
        clear and symmetric and contains exactly {ones}.

        Output format: one integer, the smallest n.
        """

    def prompt(self) -> str:
        return self.fill(ones=counted(self.x, "one"))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_X": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_X: int) -> Self:
        x = spread(rng, lambda: rng.randint(1, MAX_X), by=smallest_side, draws=48)
        return cls(MAX_X=MAX_X, x=x, reference_answer=smallest_side(x))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "If n is even, the two middle rows are equal, so they hold no ones, nor do the middle"
        yield "columns: n - 1 can hold as many. If n is odd, a chessboard holds most,"
        yield "(n * n + 1) / 2. Fewer are possible as well: ones come in fours, in twos (in the"
        yield "middle row or column), and as the centre. Only 3 ones with n = 3 are not: the centre"
        yield "would be next to the middles of two sides."
        n = 1
        while True:
            most = (n * n + 1) // 2
            holds = f"({n} * {n} + 1) / 2 = {most}"
            if most >= self.x and (n, self.x) != (3, 3):
                yield f"n = {n}: {holds} >= {self.x}"
                return str(n)
            yield f"n = {n}: {holds}" + (", not for 3" if most >= self.x else f" < {self.x}")
            yield f"Next n: {n} + 2 = {n + 2}"
            n += 2


def smallest_side(x: int) -> int:
    """The smallest odd n with (n * n + 1) / 2 >= x; an even side is never better than n - 1.

    A chessboard has that many ones, and fewer are always possible, except three with side 3.
    """
    if x == 3:
        return 5
    n = isqrt(2 * x - 2) + 1  # the smallest n with n * n >= 2 * x - 1
    return n + 1 - n % 2
