from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.rejection import prefer
from rlve.text import listed

MAX_MOD = 1_000_000


class Canon(Environment[int]):
    """Count the sequences of different sets that contain every element an even number of times.

    N and M are redrawn if there is no such sequence at all.
    """

    MAX_N_M: int
    N: int
    M: int
    MOD: int
    reference_answer: int

    max_difficulty = 100  # at 130, generating a problem takes too long

    template = """
        Count the sequences of {M} subsets T[1] to T[{M}] of {{{numbers}}} for which all of
        the following hold:
        - no T[i] is empty;
        - the sets are pairwise different;
        - each integer from 1 to {N} is an element of an even number of the sets; that number may
          be 0.

        The order matters: the same sets in another order are another sequence. Give the number of
        sequences modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(numbers=listed("{}", 1, self.N), last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = prefer(
            lambda: (rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)),
            until=lambda sizes: exists(*sizes),
        )
        MOD = rng.randint(2, MAX_MOD)
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, MOD=MOD, reference_answer=sequences(N, M, MOD))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def exists(N: int, M: int) -> bool:
    """Whether there is a sequence, for N, M >= 2.

    The 2^N - 1 non-empty sets together contain each element an even number of times. So the sets
    that a sequence leaves out do too, which neither one set nor two different sets can.
    """
    left_out = 2**N - 1 - M
    return M >= 3 and (left_out == 0 or left_out >= 3)


def sequences(N: int, M: int, MOD: int) -> int:
    """The number of sequences modulo MOD.

    The last set is determined by the others. From the sequences of m - 1 different sets, leave out
    those for which it is empty, and those for which it equals one of the others: without that pair
    they are a sequence of length m - 2, and the pair is one of the sets it lacks.
    """
    sets = (2**N - 1) % MOD
    before_last, last = 1 % MOD, 0  # for lengths 0 and 1
    different = 1  # the sequences of different sets, one shorter
    for m in range(2, M + 1):
        different = different * (sets - m + 2) % MOD
        fitting = different - last - (m - 1) * (sets - m + 2) * before_last
        before_last, last = last, fitting % MOD
    return last
