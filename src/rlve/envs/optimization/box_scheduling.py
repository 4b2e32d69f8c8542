from math import gcd, isqrt
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import indexed, spaced
from rlve.work import Work, euclid, state


class BoxScheduling(Environment[list[int]]):
    """Assign slots to boxes by two lexicographic minimisations.

    If D and N are coprime, which the published schedule does not exclude, all Y are 0.
    """

    MAX_N: int
    N: int
    C: list[int]  # of the boxes 1, 2, ..., N-1
    D: int
    S: int
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 50  # at 65, a prompt exceeds 32,000 characters

    template = """
        There are {N} slots, numbered from 0 to {last}, and {last} boxes, numbered from 1 to {last}.
        Each box i has an integer C[i]:

        {C}

        For each box i choose two non-negative integers X[i] and Y[i]. They put it into the slot
        Pos[i] = (C[i] + {D} * X[i] + Y[i]) mod {N}
        No two boxes may have the same slot, and slot {S} must stay empty.

        Among all choices, take those with the lexicographically smallest sequence Y[1] to
        Y[{last}] and, among these, the one with the lexicographically smallest sequence X[1] to
        X[{last}]. (Of two sequences, the one with the smaller value at the first place where they
        differ is lexicographically smaller.)

        Output format: one line with the slots Pos[1] to Pos[{last}] of this choice, in the order
        of the boxes, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, C=indexed("C", self.C, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(3, MAX_N)
        C = [rng.randrange(N) for _ in range(N - 1)]
        D = prefer(lambda: rng.randint(1, N - 1), lambda D: gcd(D, N) > 1, tries=isqrt(N))
        S = rng.randrange(N)
        gold = slots(N, C, D, S)
        return cls(MAX_N=MAX_N, N=N, C=C, D=D, S=S, gold_answer=gold, reference_answer=spaced(gold))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N - 1 or set(answer) != set(range(self.N)) - {self.S}:
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, self.N - 1) ** 10

    def work(self) -> Work[str]:
        yield "Box by box, Y should be as small as possible, and then X. Which slots can X reach?"
        common = yield from euclid(self.D, self.N)
        if common > 1:
            yield f"Steps of {self.D} lead to all slots with the same remainder modulo {common}."
            yield "Take the least Y for which one of them is free. Step on to the first free slot."
            yield "Which of them X takes does not matter for later Y, only how many are left."
        else:
            yield f"Steps of {self.D} lead to all slots, so Y is 0. Step on to the first free slot."
        free = [slot for slot in range(self.N) if slot != self.S]
        assigned: list[int] = []
        for box, start in enumerate(self.C, 1):
            yield state("Free", free)
            slot, y = start, 0
            while not any(other % common == slot % common for other in free):
                slot, y = slot + 1, y + 1
            way = [slot % self.N]
            while way[-1] not in free:
                way.append((way[-1] + self.D) % self.N)
            yield f"Box {box}: C {start}, Y {y}, {state('slots', way)}, take {way[-1]}"
            free.remove(way[-1])
            assigned.append(way[-1])
        return spaced(assigned)


def slots(N: int, C: list[int], D: int, S: int) -> list[int]:
    """The slot of each box, one box after another.

    Y decides the residue of the slot modulo gcd(D, N), and X which slot with that residue it is. So
    the smallest Y leads to the next residue with a free slot, and X does not affect later Y.
    """
    common = gcd(D, N)
    taken = {S}
    free = [N // common] * common  # how many slots of each residue
    free[S % common] -= 1
    assigned: list[int] = []
    for slot in C:
        while not free[slot % common]:
            slot += 1
        while slot % N in taken:
            slot += D
        taken.add(slot % N)
        free[slot % common] -= 1
        assigned.append(slot % N)
    return assigned
