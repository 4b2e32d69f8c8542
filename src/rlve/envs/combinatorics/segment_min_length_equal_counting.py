from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact_residue
from rlve.sampling.rejection import spread


class SegmentMinLengthEqual_Counting(Environment[int]):
    """Count the arrays that can be cut into blocks whose minimum is their length.

    For small N, the set S would often be all of 1..N, so each count among several draws is equally
    likely.
    """

    N: int
    S: list[int]
    MOD: int
    reference_answer: int

    max_difficulty = 250  # at 340, generating a problem takes too long

    template = """
        Count the arrays a of {N} integers, each of them from the set {{{S}}}, that have the
        following property: the array can be cut into one or more consecutive, non-empty blocks
        such that in each block the smallest element is equal to the number of elements of the
        block. An array counts once, however it can be cut.

        Give the count modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(S=", ".join(map(str, self.S)), largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        S = spread(
            rng,
            lambda: sorted(rng.sample(range(1, N + 1), rng.randint(2, N))),
            by=lambda drawn: count_arrays(N, drawn),
        )
        MOD = rng.randint(2, 10**6)
        return cls(N=N, S=S, MOD=MOD, reference_answer=count_arrays(N, S) % MOD)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def count_arrays(N: int, S: list[int]) -> int:
    """The number of arrays, which is the number of arrays with their cuts.

    An array can be cut like this in at most one way: as the first block grows, its minimum does
    not, so only one length can equal it.
    """
    blocks = {length: count_blocks(length, S) for length in S}
    arrays = [1]  # by length
    for n in range(1, N + 1):
        arrays.append(sum(arrays[n - length] * blocks[length] for length in S if length <= n))
    return arrays[N]


def count_blocks(length: int, S: list[int]) -> int:
    """The number of blocks of this length whose minimum is the length."""
    larger = sum(value > length for value in S)
    return (larger + 1) ** length - larger**length
