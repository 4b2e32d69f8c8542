from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import RIGHT, ratio
from rlve.sampling.rejection import prefer, spread
from rlve.text import lines
from rlve.work import Work, least_multiple

ROOM = 10  # with smaller numbers there are too few systems to choose from


class CRT(Environment[int]):
    """Find an integer that has given remainders modulo several moduli.

    The system is made from a planted number, but every solution is right, even a smaller one. A
    modulus above half of it would give it away, so there is none if the number is large enough, and
    a system is redrawn if one condition alone, with x = r or x = r + m, gives a solution. Of
    several draws each number is equally likely. The lowest levels have too few systems for that.
    """

    MAX_X: int
    M: int  # how many congruences were asked for; fewer if the planted number is small
    B: list[int]  # the moduli, not always coprime
    X_mod_B: list[int]
    reference_answer: int  # the planted number

    guessable = (
        "At difficulties 0 and 1 there are few different numbers to find, and r + m of the largest "
        "modulus is often right."
    )

    max_difficulty = 120  # at 160, there are more numbers than can be drawn from
    unique_up_to = None  # several answers can be right

    template = """
        Find a non-negative integer x that satisfies all of this:

        {congruences}

        Such an x exists; if there are several, any one of them is right.

        Output format: one non-negative integer, only the value of x.
        """

    def prompt(self) -> str:
        pairs = zip(self.X_mod_B, self.B, strict=True)
        return self.fill(congruences=lines(f"x ≡ {r} (mod {b})" for r, b in pairs))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        MAX_X = grow(5, d - d // 3, by=1.5, plus=0)  # every third step adds a congruence instead
        return [{"MAX_X": MAX_X, "M": M} for M in range(2, 2 + d // 3 + 1)]

    @classmethod
    def sample(cls, rng: Random, MAX_X: int, M: int) -> Self:
        crowded = MAX_X < ROOM

        def draw() -> Self:
            X = rng.randint(2 if crowded else M + 1, MAX_X)
            highest = X if crowded else max(X // 2, M + 1)
            B = rng.sample(range(2, highest + 1), min(M, X - 1))
            return cls(MAX_X=MAX_X, M=M, B=B, X_mod_B=[X % b for b in B], reference_answer=X)

        if crowded:
            return draw()

        def draw_fair() -> Self:
            return prefer(draw, lambda problem: not problem.is_given_away(), tries=5)

        return spread(rng, draw_fair, by=lambda problem: problem.reference_answer, draws=8)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        right = sum(answer % b == r for b, r in zip(self.B, self.X_mod_B, strict=True))
        return ratio(right, len(self.B)) ** 10

    def is_given_away(self) -> bool:
        conditions = zip(self.X_mod_B, self.B, strict=True)
        return any(self.score(x) == RIGHT for r, b in conditions for x in (r, r + b))

    def work(self) -> Work[str]:
        yield "Take in one condition after the other. Adding the step, the least common multiple"
        yield "of the moduli so far, keeps the earlier ones true."
        x, step = self.X_mod_B[0], self.B[0]
        yield f"x = {x}, step {step}"
        for b, r in zip(self.B[1:], self.X_mod_B[1:], strict=True):
            while x % b != r:
                yield f"{x} mod {b} = {x % b}, not {r}: {x} + {step} = {x + step}"
                x += step
            yield f"{x} mod {b} = {r}"
            if b != self.B[-1]:
                yield f"The least common multiple of {step} and {b}:"
                step = yield from least_multiple(step, b)
                yield f"Step {step}"
        yield f"So x = {x}"
        return str(x)
