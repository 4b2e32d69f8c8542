from collections import Counter
from collections.abc import Sequence
from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.sampling.rejection import prefer, redraw, spread
from rlve.text import grid

MAX_SHIFTS = 500  # in how many ways the blocks of two or more shuffles can be rotated

UNSHUFFLED = "Two colourings count as the same only if every place has the same colour in both."
SHUFFLED = """\
The cards can be shuffled in the following ways, one per line. The shuffle X[1] X[2] ... X[{N}]
moves the card at place i to place X[i], for all i from 1 to {N} at once.

{shuffles}

Two colourings count as the same if a finite sequence of these shuffles turns one into the other.
The sequence may use each shuffle any number of times, in any order, and it may be empty."""


class CardColoringCounting(Environment[int]):
    """Count the ways to colour cards, up to shuffling them in given ways.

    A single shuffle is any permutation. Several shuffles rotate and reflect the same blocks of
    cards, as random permutations would make practically all colourings the same. A few cards can
    rarely be coloured in more than 3 ways, so several instances are drawn, and each of their
    answers is equally likely.
    """

    N: int
    K: int
    R: int
    G: int
    B: int
    shuffling_methods: list[list[int]]  # the card at position i goes to the i-th of these
    reference_answer: int

    max_difficulty = 60  # at 72, generating a problem takes too long

    template = """
        There are {N} cards at the places 1 to {N}. Each card is coloured red, green or blue, such
        that the numbers of red, green and blue cards are {R}, {G} and {B}.

        {same}

        How many different colourings are there?

        Output format: one positive integer, the number of different colourings.
        """

    def prompt(self) -> str:
        if not self.shuffling_methods:
            return self.fill(same=UNSHUFFLED)
        return self.fill(same=SHUFFLED.format(N=self.N, shuffles=grid(self.shuffling_methods)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d, "K": K} for K in range(4)]

    @classmethod
    def sample(cls, rng: Random, N: int, K: int) -> Self:
        return spread(rng, lambda: cls.draw(rng, N, K), by=lambda problem: problem.reference_answer)

    @classmethod
    def draw(cls, rng: Random, N: int, K: int) -> Self:
        R, G, B = prefer(lambda: split(rng, N), until=lambda parts: max(parts) < N)
        shuffles = [rng.sample(range(N), N)] if K == 1 else related_shuffles(rng, N, K)
        return cls(
            N=N,
            K=K,
            R=R,
            G=G,
            B=B,
            shuffling_methods=[[place + 1 for place in shuffle] for shuffle in shuffles],
            reference_answer=colourings(R, G, B, shuffles),
        )

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def split(rng: Random, N: int) -> list[int]:
    first = rng.randint(0, N)
    second = rng.randint(0, N - first)
    return rng.sample([first, second, N - first - second], 3)


def related_shuffles(rng: Random, N: int, K: int) -> list[list[int]]:
    """K permutations that rotate or reflect the same random blocks of positions.

    They generate a group of at most 2^K * MAX_SHIFTS permutations.
    """
    blocks = redraw(
        lambda: random_blocks(rng, N), until=lambda blocks: prod(map(len, blocks)) <= MAX_SHIFTS
    )
    shuffles: list[list[int]] = []
    for _ in range(K):
        shuffle = list(range(N))
        for block in blocks:
            shift, direction = rng.randrange(len(block)), rng.choice((1, -1))
            for i, position in enumerate(block):
                shuffle[position] = block[(shift + direction * i) % len(block)]
        shuffles.append(shuffle)
    return shuffles


def random_blocks(rng: Random, N: int) -> list[list[int]]:
    places = rng.sample(range(N), N)
    blocks: list[list[int]] = []
    while len(places) > 1:
        size = rng.randint(2, len(places))
        blocks.append(places[:size])
        places = places[size:]
    return blocks


def colourings(R: int, G: int, B: int, shuffles: Sequence[Sequence[int]]) -> int:
    """The average number of colourings left unchanged, over the group the shuffles generate."""
    group = generated(R + G + B, shuffles)
    types = Counter(map(cycle_lengths, group))
    return sum(count * unchanged(R, G, B, type_) for type_, count in types.items()) // len(group)


def generated(N: int, shuffles: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """All permutations that are products of the given ones."""
    identity = tuple(range(N))
    group, known = [identity], {identity}
    for permutation in group:
        for shuffle in shuffles:
            product = tuple(map(shuffle.__getitem__, permutation))
            if product not in known:
                known.add(product)
                group.append(product)
    return group


def cycle_lengths(permutation: tuple[int, ...]) -> tuple[int, ...]:
    left = set(range(len(permutation)))
    lengths: list[int] = []
    while left:
        place, size = left.pop(), len(left)
        while (place := permutation[place]) in left:
            left.remove(place)
        lengths.append(size + 1 - len(left))
    return tuple(sorted(lengths))


def unchanged(R: int, G: int, B: int, lengths: Sequence[int]) -> int:
    """The number of ways to give each cycle one colour, with the right numbers of cards.

    It is the coefficient of x^R y^G in the product of 1 + x^length + y^length. The polynomial is
    written as one integer, with `width` bits for each coefficient.
    """
    N = R + G + B
    width = 2 * N
    x, y = width, width * (N + 1)
    packed = 1
    for length in lengths:
        packed += (packed << x * length) + (packed << y * length)
    return packed >> R * x + G * y & (1 << width) - 1
