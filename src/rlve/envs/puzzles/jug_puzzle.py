from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.answers import integer, text_lines
from rlve.errors import Unparseable
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import prefer
from rlve.text import counted, indexed, lines, spaced

OPERANDS = {"Fill": 1, "Empty": 1, "Pour": 2}
Move: TypeAlias = tuple[str, list[int]]


class JugPuzzle(Environment[list[Move]]):
    """Measure an amount of water with jugs of given capacities.

    Any moves that end with the amount in a jug are right, however many. A target that is a capacity
    or the difference of two, and so easily found, is redrawn.
    """

    N: int
    steps: int  # the number of random moves from which the target is taken
    jug_capacities: list[int]
    target_volumn: int  # spelt as published
    reference_answer: str

    max_difficulty = 50  # at 60, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} jugs, numbered from 0 to {last}, with these capacities in litres:

        {jug_capacities}

        At first all jugs are empty. There are three kinds of moves:
        - Fill i: fill jug i from the tap until it is full.
        - Empty i: pour all water of jug i away.
        - Pour i j: pour water from jug i into another jug j until jug i is empty or jug j is full.

        Find a sequence of moves after which some jug contains exactly {target}. It
        need not be the shortest.

        Output format: one move per line, in the order of execution, spelt as above with numbers in
        place of i and j. For example:

        Fill 2
        Pour 2 0
        Empty 0
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            jug_capacities=indexed("capacity", self.jug_capacities),
            target=counted(self.target_volumn, "litre"),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3, "steps": s} for s in (*range(3, 11), *range(15, 51, 5))]

    @classmethod
    def sample(cls, rng: Random, N: int, steps: int) -> Self:
        def draw() -> Self:
            capacities = [rng.randint(2, 10 * N) for _ in range(N)]
            target, moves = play(rng, capacities, steps)
            return cls(
                N=N,
                steps=steps,
                jug_capacities=capacities,
                target_volumn=target,
                reference_answer=lines(f"{kind} {spaced(jugs)}" for kind, jugs in moves),
            )

        return prefer(
            draw, lambda problem: problem.target_volumn not in problem.jug_capacities, tries=1000
        )

    def parse(self, text: str) -> list[Move]:
        moves: list[Move] = []
        for line in text_lines(text):
            kind, *jugs = line.split()
            if len(jugs) != OPERANDS.get(kind):
                raise Unparseable(f"not a move: {line[:40]!r}")
            moves.append((kind, [integer(jug) for jug in jugs]))
        return moves

    def score(self, answer: list[Move]) -> float:
        amounts = [0] * self.N
        for kind, jugs in answer:
            if not all(0 <= jug < self.N for jug in jugs) or len(set(jugs)) < len(jugs):
                return INVALID
            make(kind, jugs, amounts, self.jug_capacities)
        return exact(self.target_volumn in amounts)


def make(kind: str, jugs: list[int], amounts: list[int], capacities: list[int]) -> bool:
    """Make a move; False if it changes nothing."""
    before = [amounts[jug] for jug in jugs]
    match kind, jugs:
        case "Fill", [i]:
            amounts[i] = capacities[i]
        case "Empty", [i]:
            amounts[i] = 0
        case _:
            i, j = jugs
            poured = min(amounts[i], capacities[j] - amounts[j])
            amounts[i] -= poured
            amounts[j] += poured
    return before != [amounts[jug] for jug in jugs]


def play(rng: Random, capacities: list[int], steps: int) -> tuple[int, list[Move]]:
    """A target and moves that reach it.

    The target is one of the last new amounts that random moves produce.
    """
    N = len(capacities)
    jug = rng.randrange(N)
    target, reached = capacities[jug], 1
    moves: list[Move] = []
    amounts = [0] * N
    known = {0, *capacities, *(a - b for a in capacities for b in capacities)}
    for _ in range(steps):
        moves.append(random_move(rng, amounts, capacities))
        new = sorted({*amounts} - known)
        if new:
            known.update(new)
            target, reached = rng.choice(new), len(moves)
    return target, moves[:reached] if target not in capacities else [("Fill", [jug])]


def random_move(rng: Random, amounts: list[int], capacities: list[int]) -> Move:
    """Make a random move that changes something; pouring, if possible, is the likeliest."""
    jugs = range(len(capacities))
    filled = [jug for jug in jugs if amounts[jug]]
    unfilled = [jug for jug in jugs if amounts[jug] < capacities[jug]]
    changing: dict[str, list[list[int]]] = {
        "Fill": [[jug] for jug in unfilled],
        "Empty": [[jug] for jug in filled],
        "Pour": [[i, j] for i in filled for j in unfilled if i != j],
    }
    # The probability of a kind is that of drawing it, and then jugs for which it changes something.
    N = len(capacities)
    weights = [
        0.1 * len(changing["Fill"]) / N,
        0.1 * len(changing["Empty"]) / N,
        0.8 * len(changing["Pour"]) / N**2,
    ]
    (kind,) = rng.choices(list(changing), weights)
    move = rng.choice(changing[kind])
    make(kind, move, amounts, capacities)
    return kind, move
