from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.text import spaced
from rlve.work import Work, show_sum, split_powers, state


class NANDResultCounting(Environment[int]):
    """Count the values in an interval that can be made from given numbers by NAND.

    The answers of several draws are made equally likely, as up to half would be 0.
    """

    N: int
    K: int  # bits
    A: list[int]
    L: int
    R: int
    reference_answer: int

    max_difficulty = 45  # at 57, a prompt exceeds 32,000 characters

    template = """
        All numbers here are integers from 0 to {last}, seen as {K} bits in binary notation.
        The operation NAND acts on each bit of two such numbers:
        1 NAND 1 = 0, and 0 NAND 0 = 0 NAND 1 = 1 NAND 0 = 1.

        These {N} numbers are given, in decimal notation: {A}

        From them, make numbers by expressions with NAND and brackets. An expression can use each
        given number any number of times, or not at all.

        How many different numbers v with {L} <= v <= {R} can be made?

        Output format: one non-negative integer, how many numbers can be made.
        """

    def prompt(self) -> str:
        return self.fill(last=2**self.K - 1, A=spaced(self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d), "K": d + 2}]

    @classmethod
    def sample(cls, rng: Random, N: int, K: int) -> Self:
        def draw() -> Self:
            A = random_numbers(rng, N, K)
            L, R = sorted((rng.randrange(2**K), rng.randrange(2**K)))
            return cls(N=N, K=K, A=A, L=L, R=R, reference_answer=count_results(A, K, L, R))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "NAND can make every bitwise function. Two bit positions that agree in every given"
        yield "number agree in every result; apart from that, every choice of bits can be made."
        yield from split_powers(self.A, width=self.K)
        groups: dict[tuple[int, ...], list[int]] = {}
        for i in reversed(range(self.K)):
            groups.setdefault(tuple(x >> i & 1 for x in self.A), []).append(2**i)
        sums = "; ".join(map(show_sum, groups.values()))
        yield f"Group the powers that are in the same numbers: {sums}"
        made = [0]
        for group in map(sum, groups.values()):
            yield f"Without {group}: {spaced(made)}; with it: " + ", ".join(
                f"{v} + {group} = {v + group}" for v in made
            )
            made += [v + group for v in made]
        inside = sorted(v for v in made if self.L <= v <= self.R)
        yield f"{state(f'From {self.L} to {self.R}', inside)}. Count: {len(inside)}"
        return str(len(inside))


def random_numbers(rng: Random, N: int, K: int) -> list[int]:
    """Numbers that have equal bits within each of some random classes."""
    bits = rng.sample([1 << i for i in range(K)], K)
    cuts = [0, *sorted(rng.sample(range(1, K), rng.randint(0, K - 1))), K]
    classes = [sum(bits[a:b]) for a, b in pairwise(cuts)]
    numbers: list[int] = []
    for _ in range(N):
        share = rng.random()
        numbers.append(sum(part for part in classes if rng.random() < share))
    return numbers


def count_results(A: list[int], K: int, L: int, R: int) -> int:
    """NAND makes every function of bits, so it makes all unions of atoms, and nothing else.

    An atom is a set of bits that are equal in each number of A.
    """
    atoms: dict[tuple[int, ...], int] = {}
    for i in range(K):
        column = tuple(x >> i & 1 for x in A)
        atoms[column] = atoms.get(column, 0) | 1 << i
    descending = sorted(atoms.values(), reverse=True)
    return count_unions(descending, R) - count_unions(descending, L - 1)


def count_unions(atoms: list[int], high: int) -> int:
    """Count the unions of disjoint atoms, given in descending order, that are at most `high`.

    Unions are ordered by the highest atom in which they differ. So the atoms of the largest one,
    read as a binary number, tell how many are smaller.
    """
    if high < 0:
        return 0
    largest = smaller = 0
    for atom in atoms:
        fits = largest | atom <= high
        smaller = 2 * smaller + fits
        largest |= atom * fits
    return smaller + 1
