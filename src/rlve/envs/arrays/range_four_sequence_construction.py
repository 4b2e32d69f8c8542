from functools import cache
from itertools import combinations, pairwise
from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, spread
from rlve.text import lines, spaced
from rlve.work import Work, search

NEIGHBOURS = {0: (1, 3), 1: (0, 2), 2: (1,), 3: (0,)}
SHORT = 9
FEW = 4


class RangeFourSequenceConstruction(Environment[list[int]]):
    """Find a sequence of 0 to 3 with restricted neighbours and different values where required.

    Conditions that leave a short sequence many solutions are redrawn, and the solutions of several
    draws are made equally likely.
    """

    N: int
    conditions: list[list[int]]  # positions, counted from 1
    reference_answer: str

    guessable = (
        "For N = 3 and 4 (d = 0, 1), one sequence meets all conditions; for N = 5, it meets half "
        "of them."
    )

    max_difficulty = 700  # at 865, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        Find a sequence of {N} integers, each of which is 0, 1, 2 or 3. Its positions are numbered
        from 1 to {N}.

        Two neighbouring values of the sequence, in either order, can only be 0 and 1, 1 and 2, or
        0 and 3. All other pairs of neighbouring values are forbidden: 0 and 2, 1 and 3, 2 and 3,
        and any two equal values.

        Each line below is one condition (p1, p2, ...): the values at these positions must be
        pairwise different.

        {conditions}

        A sequence that meets all conditions exists, and any such sequence is right.

        Output format: one line with the {N} values in order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(conditions=lines(f"({', '.join(map(str, p))})" for p in self.conditions))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            hidden = draw_sequence(rng, N)
            conditions = draw_conditions(rng, hidden)
            return cls(N=N, conditions=conditions, reference_answer=spaced(hidden))

        if N > SHORT:
            return draw()
        return spread(
            rng,
            lambda: prefer(draw, until=lambda problem: problem.solutions().bit_count() <= FEW),
            by=cls.solutions,
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or not all(0 <= value <= 3 for value in answer):
            return INVALID
        if not all(b in NEIGHBOURS[a] for a, b in pairwise(answer)):
            return INVALID
        met = sum(
            len({answer[position - 1] for position in positions}) == len(positions)
            for positions in self.conditions
        )
        return ratio(met, len(self.conditions)) ** 5

    def solutions(self) -> int:
        """The short sequences that meet the conditions, one bit for each."""
        meeting = -1
        for positions in self.conditions:
            for pair in combinations(sorted(positions), 2):
                meeting &= different(self.N)[pair]
        return meeting

    def work(self) -> Work[str]:
        yield "Fill in the sequence from the left with values that may be neighbours. Go back when"
        yield "none fits the conditions."
        found = yield from search(
            lambda chosen: NEIGHBOURS[chosen[-1]] if chosen else range(4),
            self.clash,
            lambda chosen: len(chosen) == self.N,
        )
        return spaced(found or [])

    def clash(self, chosen: list[int], value: int) -> str | None:
        """Why a value cannot come next."""
        here = len(chosen) + 1
        for positions in self.conditions:
            for other in positions:
                if here in positions and other < here and chosen[other - 1] == value:
                    return f"position {other} has it, and {here} must differ"
        return None


@cache
def different(N: int) -> dict[tuple[int, int], int]:
    """For every two positions, the sequences with different values there, one bit for each."""
    sequences = [[value] for value in NEIGHBOURS]
    for _ in range(N - 1):
        sequences = [[*start, value] for start in sequences for value in NEIGHBOURS[start[-1]]]
    return {
        (i, j): sum((s[i - 1] != s[j - 1]) << bit for bit, s in enumerate(sequences))
        for i, j in combinations(range(1, N + 1), 2)
    }


def draw_sequence(rng: Random, N: int) -> list[int]:
    weights = [rng.randint(1, N) for _ in range(4)]
    sequence = rng.choices(range(4), weights)
    while len(sequence) < N:
        possible = NEIGHBOURS[sequence[-1]]
        sequence += rng.choices(possible, [weights[value] for value in possible])
    return sequence


def draw_conditions(rng: Random, sequence: list[int]) -> list[list[int]]:
    """Distinct sets of 2 to 4 positions with different values, by index in a list never built."""
    positions = [[i for i, value in enumerate(sequence, 1) if value == v] for v in range(4)]
    kinds = [kind for size in (2, 3, 4) for kind in combinations(positions, size)]
    sizes = [prod(map(len, kind)) for kind in kinds]
    count = rng.randint(1, min(2 * len(sequence), sum(sizes)))
    conditions: list[list[int]] = []
    for number in rng.sample(range(sum(sizes)), count):
        index = 0
        while number >= sizes[index]:
            number -= sizes[index]
            index += 1
        condition: list[int] = []
        for options in kinds[index]:
            number, i = divmod(number, len(options))
            condition.append(options[i])
        rng.shuffle(condition)
        conditions.append(condition)
    return conditions
