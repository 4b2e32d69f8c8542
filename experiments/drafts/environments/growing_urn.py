import re
from fractions import Fraction
from random import Random
from typing import Self

import rlve
from rlve.answers import text_lines

COLOURS = ["red", "blue", "green", "white"]


def chance(balls: list[int], added: list[int], known: dict[int, int]) -> Fraction:
    """The probability that each draw in `known`, counted from 1, has the colour given there."""
    colours = range(len(balls))
    states = {(0,) * len(balls): Fraction(1)}  # how often each colour was drawn
    for draw in range(1, max(known) + 1):
        more: dict[tuple[int, ...], Fraction] = {}
        for drawn, weight in states.items():
            now = [balls[c] + added[c] * drawn[c] for c in colours]
            total = sum(now)
            for c in colours:
                if known.get(draw, c) == c:
                    state = drawn[:c] + (drawn[c] + 1,) + drawn[c + 1 :]
                    more[state] = more.get(state, Fraction(0)) + weight * Fraction(now[c], total)
        states = more
    return sum(states.values(), Fraction(0))


class GrowingUrn(rlve.Environment[str]):
    """The probability of a colour at a later draw from an urn that grows."""

    max_difficulty = 20

    balls: list[int]
    added: list[int]
    draw: int
    colour: int
    known_draw: int  # 0 if nothing is known
    known_colour: int
    reference_answer: str

    template = """
        An urn holds balls of {colour_num} colours:

        {rows}

        Draws are made one after the other, and are counted from 1. In each draw one ball is taken at random, each ball that is then in the urn being equally likely. The drawn ball is put back at once, together with as many new balls of its own colour as the list says for this colour. So the numbers of balls can change from draw to draw.

        {question}

        Output format: the probability as a fraction p/q in lowest terms, two positive integers with a slash between them and without spaces, such as 7/12.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "colour_num": 2 + (d >= 8) + (d >= 16),
                "draw": 2 + d // 7,
                "most_balls": 6 + d,
                "least_added": 0 if d >= 10 else 1,
                "known_num": int(d >= 6),
            }
        ]

    @classmethod
    def sample(
        cls, rng: Random, colour_num: int, draw: int, most_balls: int, least_added: int, known_num: int
    ) -> Self:
        for _ in range(100):
            balls = [rng.randint(1, most_balls) for _ in range(colour_num)]
            added = [rng.randint(least_added, 4) for _ in range(colour_num)]
            colour = rng.randrange(colour_num)
            known_draw, known_colour = 0, 0
            if len(set(added)) == 1:
                continue
            if known_num:
                known_draw = rng.choice([m for m in range(1, draw + 2) if m != draw])
                known_colour = rng.randrange(colour_num)
                answer = chance(balls, added, {draw: colour, known_draw: known_colour})
                answer /= chance(balls, added, {known_draw: known_colour})
            else:
                answer = chance(balls, added, {draw: colour})
            if 0 < answer < 1 and 5 <= answer.denominator < 10**30 and answer != Fraction(balls[colour], sum(balls)):
                break
        else:
            # One ball of the first colour, n others: (n n + 4 n + 6) / ((n + 1) (n + 2) (n + 3)), not 1 / (n + 1).
            balls = [1] + [rng.randint(1, most_balls) for _ in range(colour_num - 1)]
            added = [1] + [2] * (colour_num - 1)
            draw, colour, known_draw, known_colour = 2, 0, 0, 0
            answer = chance(balls, added, {draw: colour})
        return cls(
            balls=balls,
            added=added,
            draw=draw,
            colour=colour,
            known_draw=known_draw,
            known_colour=known_colour,
            reference_answer=f"{answer.numerator}/{answer.denominator}",
        )

    def prompt(self) -> str:
        rows = [
            f"{name}: {ball} at the start; {more} new {name} whenever a {name} ball is drawn"
            for name, ball, more in zip(COLOURS, self.balls, self.added)
        ]
        asked = f"the ball of draw {self.draw} is {COLOURS[self.colour]}"
        if self.known_draw:
            question = (
                f"It is known that the ball of draw {self.known_draw} is {COLOURS[self.known_colour]}; nothing is "
                f"known of the other draws. What is the conditional probability, given this, that {asked}?"
            )
        else:
            question = f"Nothing is known of the results of the draws. What is the probability that {asked}?"
        return self.fill(colour_num=str(len(self.balls)), rows="\n".join(rows), question=question)

    def parse(self, text: str) -> str:
        match = re.fullmatch(r"([0-9]{1,200}) ?/ ?([0-9]{1,200})", " ".join(text_lines(text)).strip())
        if match is None:
            raise rlve.Unparseable("not a fraction p/q")
        return f"{int(match[1])}/{int(match[2])}"

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
