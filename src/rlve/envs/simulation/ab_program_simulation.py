from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.errors import Unparseable
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import redraw
from rlve.text import spaced
from rlve.work import Work, state

TOKENS = ("A#", "#A", "B#", "#B")


class ABProgramSimulation(Environment[list[str]]):
    """Rewrite a sequence of tokens until no two neighbours face each other.

    A program that needs no rewriting is redrawn.
    """

    N: int
    max_steps: int  # a program takes fewer rewrites
    program: list[str]
    gold_answer: list[str]
    reference_answer: str

    max_difficulty = 80  # above, running a program takes long, and answers get too long to be read

    template = """
        A program is a sequence of tokens. There are four tokens: A#, #A, B# and #B.

        Two neighbouring tokens whose # marks face each other must be rewritten, by these rules:
        - A# #A is removed;
        - B# #B is removed;
        - A# #B becomes #B A#
        - B# #A becomes #A B#

        This is repeated until no two neighbouring tokens have # marks that face each other. (The
        order of rewriting makes no difference to the result.) For example, B# A# #B becomes
        B# #B A#, which becomes A#.

        Here is a program of {N} tokens:

        {program}

        What are the tokens in the end?

        Output format: one line with the remaining tokens in order, separated by spaces. If no token
        remains, the answer is empty.
        """

    def prompt(self) -> str:
        return self.fill(program=spaced(self.program))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d), "max_steps": grow(10, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int, max_steps: int) -> Self:
        def draw() -> list[str]:
            weights = [rng.randint(1, N) for _ in TOKENS]
            return rng.choices(TOKENS, weights, k=N)

        program = redraw(draw, until=lambda program: 0 < rewrite(program)[1] < max_steps)
        result, _ = rewrite(program)
        return cls(
            N=N,
            max_steps=max_steps,
            program=program,
            gold_answer=result,
            reference_answer=spaced(result),
        )

    def parse(self, text: str) -> list[str]:
        tokens = text.split()
        if not set(tokens) <= set(TOKENS):
            raise Unparseable("a token other than A#, #A, B# and #B")
        return tokens

    def score(self, answer: list[str]) -> float:
        return exact(answer == self.gold_answer)

    def work(self) -> Work[str]:
        yield "Rewrite the first two neighbours whose # marks face each other, again and again."
        tokens = self.program
        yield state("Tokens", tokens)
        while (at := facing(tokens)) is not None:
            first, second = tokens[at : at + 2]
            new = [] if first[0] == second[1] else [second, first]
            change = f"becomes {spaced(new)}" if new else "is removed"
            tokens = [*tokens[:at], *new, *tokens[at + 2 :]]
            yield f"{first} {second} {change}. {state('Tokens', tokens)}"
        yield "No two neighbours face each other any more."
        return spaced(tokens)


def rewrite(program: list[str]) -> tuple[list[str], int]:
    """What a program becomes, and in how many rewrites (the same number in any order).

    Each token like #A passes the tokens like B# before it, up to the first A# it meets.
    """
    settled: list[str] = []  # tokens with # in front
    waiting: list[str] = []  # tokens with # behind
    rewrites = 0
    for token in program:
        if token[0] != "#":
            waiting.append(token)
            continue
        position = len(waiting) - 1
        while position >= 0 and waiting[position][0] != token[1]:
            position -= 1
        rewrites += len(waiting) - max(position, 0)
        if position >= 0:
            del waiting[position]
        else:
            settled.append(token)
    return settled + waiting, rewrites


def facing(tokens: list[str]) -> int | None:
    """Where the first two neighbours are whose # marks face each other."""
    pairs = enumerate(pairwise(tokens))
    return next((i for i, (a, b) in pairs if a[1] == "#" and b[0] == "#"), None)
