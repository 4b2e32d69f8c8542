from fractions import Fraction
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import fraction
from rlve.levels import grow
from rlve.rewards import exact
from rlve.text import lines
from rlve.work import Work, add_all, multiply_fractions


class PolyaModel(Environment[tuple[int, int]]):
    """Find the probability of given draws from a growing urn, as a fraction in lowest terms."""

    MAX_T_N: int
    T: int
    color2num: list[int]  # of colour 1, 2, ..., T
    D: int
    events: list[tuple[int, int]]  # (step, colour), both counted from 1, the steps increasing
    gold_answer: dict[str, int]  # under the keys numerator and denominator
    reference_answer: str

    max_difficulty = 35  # at 45, answers are too long to parse

    template = """
        A bag holds balls of {T} colours, numbered from 1 to {T}. At the start, the bag holds this
        many balls of each colour:

        {counts}

        At each of the steps 1, 2, 3, ... a ball is drawn from the bag uniformly at random and put
        back, and then further balls of the same colour are added to the bag; their number is {D}.

        What is the probability that all of these events happen?

        {events}

        Output format: one fraction p/q in lowest terms, with p >= 0 and q >= 1. A probability of 0
        would be 0/1, and a probability of 1 would be 1/1.
        """

    def prompt(self) -> str:
        counts = enumerate(self.color2num, 1)
        return self.fill(
            counts=lines(f"colour {c}: {n}" for c, n in counts),
            events=lines(f"the ball drawn at step {s} has colour {c}" for s, c in self.events),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_T_N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_T_N: int) -> Self:
        T = rng.randint(2, MAX_T_N)
        color2num = [rng.randint(1, MAX_T_N) for _ in range(T)]
        D = rng.randint(1, MAX_T_N)
        n = rng.randint(1, MAX_T_N)
        steps = sorted(rng.sample(range(1, n + 1), rng.randint(1, n)))
        events = [(step, rng.randint(1, T)) for step in steps]
        p, q = probability(color2num, D, [colour for _, colour in events]).as_integer_ratio()
        return cls(
            MAX_T_N=MAX_T_N,
            T=T,
            color2num=color2num,
            D=D,
            events=events,
            gold_answer={"numerator": p, "denominator": q},
            reference_answer=f"{p}/{q}",
        )

    def parse(self, text: str) -> tuple[int, int]:
        return fraction(text)

    def score(self, answer: tuple[int, int]) -> float:
        return exact(answer == (self.gold_answer["numerator"], self.gold_answer["denominator"]))

    def work(self) -> Work[str]:
        yield "Drawn in any other order, the same colours give the same numerators and"
        yield "denominators, so the order does not matter. Let the events be at the first steps."
        counts, result = list(self.color2num), Fraction(1)
        total = yield from add_all(counts)
        yield f"Balls: {total}"
        for i, (_, colour) in enumerate(self.events):
            here = Fraction(counts[colour - 1], total)
            mine = counts[colour - 1]
            terms = "" if here.numerator == mine else f"{mine}/{total} = "
            yield f"Colour {colour} has {mine} of {total} balls, probability {terms}{here}"
            result = (yield from multiply_fractions(result, here)) if i else here
            if i + 1 < len(self.events):
                grown = f"{mine} + {self.D} = {mine + self.D} of colour {colour}"
                yield f"Then {total} + {self.D} = {total + self.D} balls, {grown}"
            counts[colour - 1] += self.D
            total += self.D
        p, q = result.as_integer_ratio()
        yield f"So the probability is {p}/{q}"
        return f"{p}/{q}"


def probability(counts: list[int], D: int, colours: list[int]) -> Fraction:
    """The draws are exchangeable, so the events may as well be at steps 1, 2, 3, ..."""
    counts, result = list(counts), Fraction(1)
    for colour in colours:
        result *= Fraction(counts[colour - 1], sum(counts))
        counts[colour - 1] += D
    return result
