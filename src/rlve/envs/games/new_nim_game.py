from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.bits import XorBasis
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import indexed, spaced
from rlve.work import Work, state, xor_pairs

NOT_WINNING = -0.2


class NewNimGame(Environment[list[int]]):
    """Discard as few matches as possible, in whole heaps, so that a game of Nim is won.

    Problems in which nothing need be discarded, almost half at d = 0, are redrawn. So, where
    possible, are those in which a heap to discard is as large as another.
    """

    N: int
    A: list[int]
    gold_answer: int  # the least number of matches to discard

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right
    picture = Bars(first=1, answer="positions")

    template = """
        Two players play a game with {N} heaps of matches. Heap i, from 1 to {N}, has A[i] matches:

        {A}

        In the first round, the first player discards any whole heaps: none, one or several, but
        not all of them. Then the second player discards any whole heaps of those that are left:
        none, one or several, but not all of them.

        From then on they play ordinary Nim with the heaps that are left, and the first player
        moves first: a move takes one or more matches from a single heap, and whoever takes the last
        match of all wins.

        Which heaps must the first player discard to be able to win whatever the second player does?
        Make the number of matches that the first player discards as small as possible. Any such
        choice is accepted.

        Output format: one line with the distinct numbers i of the heaps that the first player
        discards, in any order, separated by spaces. If these are none, give an empty answer.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = prefer(
            lambda: [rng.randint(1, 2 * N) for _ in range(N)], until=is_hard_to_guess, tries=40
        )
        return cls(N=N, A=A, gold_answer=sum(A[i - 1] for i in best_discards(A)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        discarded = set(answer)
        if len(discarded) < len(answer) or not discarded < set(range(1, self.N + 1)):
            return INVALID
        basis = XorBasis()
        kept = [size for i, size in enumerate(self.A, 1) if i not in discarded]
        if not all(basis.add(size) for size in kept):
            return NOT_WINNING
        return ratio(self.gold_answer, sum(self.A) - sum(kept)) ** 3

    def reference(self) -> str:
        return spaced(best_discards(self.A))

    def work(self) -> Work[str]:
        yield "In Nim, the player to move loses exactly if the XOR of the heaps is 0. So the second"
        yield "player can win exactly if some of the kept heaps have the XOR 0."
        yield "A heap that is the XOR of kept heaps must go, therefore; all others can stay."
        yield "Go through the heaps, the largest first: to keep one that is discarded, one at least"
        yield "as large would have to go instead."
        xors, discarded = [0], list[int]()
        for i in sorted(range(1, self.N + 1), key=lambda i: -self.A[i - 1]):
            size = self.A[i - 1]
            if size in xors:
                discarded.append(i)
                yield f"Heap {i}: {size} is one of the XORs, discard"
                continue
            yield f"Heap {i}: keep {size}"
            xors += yield from xor_pairs([(x, size) for x in xors])
            yield state("XORs of kept heaps", sorted(xors))
        yield state("Discarded", sorted(discarded))
        return spaced(sorted(discarded))


def is_hard_to_guess(A: list[int]) -> bool:
    discards = best_discards(A)
    return len(discards) > 0 and all(A.count(A[i - 1]) == 1 for i in discards)


def best_discards(A: list[int]) -> list[int]:
    """The heaps to discard, counted from 1.

    If some of the kept heaps have the XOR 0, the second player wins by leaving just these. Sets
    without such heaps form a matroid, so it is best to keep the largest heaps possible.
    """
    basis = XorBasis()
    largest_first = sorted(range(1, len(A) + 1), key=lambda i: -A[i - 1])
    return sorted(i for i in largest_first if not basis.add(A[i - 1]))
