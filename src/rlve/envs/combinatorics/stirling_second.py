from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.work import Work, add, is_easy, modulo, multiply

MODULUS = 10**9 + 7


class StirlingSecond(Environment[int]):
    """Count the ways to put distinct balls into distinct boxes so that no box is empty."""

    MAX_N: int
    MAX_R: int
    N: int
    R: int
    reference_answer: int

    max_difficulty = 50  # at 60, generating a problem takes too long

    template = """
        There are {N} distinct balls and {R} distinct boxes. In how many ways can all balls be put
        into the boxes so that no box is empty? Two ways are different if some ball is in different
        boxes; the order of the balls within a box does not matter.

        Give the number of ways modulo {modulus}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(modulus=MODULUS, largest=MODULUS - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(7, d), "MAX_R": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_R: int) -> Self:
        N = rng.randint(2, MAX_N)
        R = rng.randint(2, min(N, MAX_R))
        # Inclusion and exclusion over the sets of `empty` boxes that stay empty.
        count = sum((-1) ** empty * comb(R, empty) * (R - empty) ** N for empty in range(R + 1))
        return cls(MAX_N=MAX_N, MAX_R=MAX_R, N=N, R=R, reference_answer=count % MODULUS)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, MODULUS)

    def work(self) -> Work[str]:
        yield (
            "Let T(n, r) be the number of ways for n balls and r "
            "boxes. The last ball goes to one of"
        )
        yield "r boxes, with others or alone: T(n, r) = r * (T(n - 1, r) + T(n - 1, r - 1))."
        row = [1]
        yield "T(1, 1) = 1"
        for n in range(2, self.N + 1):
            after: list[int] = []
            for r in range(1, min(n, self.R) + 1):
                same, fewer = (row[k - 1] if 1 <= k <= len(row) else 0 for k in (r, r - 1))
                total = same + fewer
                if is_easy("+", same, fewer) and is_easy("*", r, total):
                    yield f"T({n}, {r}) = {r} * ({same} + {fewer}) = {r * total}"
                else:
                    yield f"T({n}, {r}) = {r} * ({same} + {fewer})"
                    yield from multiply(r, (yield from add(same, fewer)))
                after.append(r * total)
            row = after
        answer = yield from modulo(row[-1], MODULUS)
        yield f"So the number is {answer}"
        return str(answer)
