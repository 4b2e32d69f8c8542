from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.text import indexed, spaced
from rlve.work import Work, split_powers

FREE = -1


class MinSumPreXor(Environment[list[int]]):
    """Fill in an array so that the sum of the XORs of its prefixes is smallest."""

    N: int
    P: list[int]  # -1 where an entry is missing
    gold_answer: int  # the smallest sum

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right

    template = """
        Here is an array P of {N} entries:

        {P}

        Replace each -1 by a non-negative integer of your choice; there is no upper limit, and
        different ones can be replaced by different integers. All other entries stay as they are.

        Let B[1] = P[1] and B[i] = B[i-1] XOR P[i] for 2 <= i <= {N}, where XOR is bitwise. Make the
        sum B[1] + B[2] + ... + B[{N}] as small as possible. If several choices give the smallest
        sum, any of them is right.

        Output format: one line with the {N} entries of the completed array P, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(P=indexed("P", self.P, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        P = [rng.randint(0, 2 * N) for _ in range(N)]
        for i in rng.sample(range(N), rng.randint(1, N - 1)):
            P[i] = FREE
        return cls(N=N, P=P, gold_answer=sum(accumulate(best_array(P), int.__xor__)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or min(answer) < 0:
            return INVALID
        if any(x != p for x, p in zip(answer, self.P, strict=True) if p != FREE):
            return INVALID
        return ratio(self.gold_answer, sum(accumulate(answer, int.__xor__))) ** 5

    def reference(self) -> str:
        return spaced(best_array(self.P))

    def work(self) -> Work[str | None]:
        if max(self.P) > 15:
            return None  # their XORs are not for the head
        yield "At a -1, B can be made any b. Up to the next -1, the later B are then b XOR q,"
        yield "where q is the XOR of the entries since; the first q is 0. So b should have the"
        yield "powers of 2 that are in more than half of the q."
        filled: list[int] = []
        before = 0
        for i, p in enumerate(self.P, 1):
            if p != FREE:
                yield f"B[{i}] = {before} XOR {p} = {before ^ p}"
                filled.append(p)
                before ^= p
                continue
            b = yield from best_b(fixed_run(self.P, i))
            yield f"B[{i}] = {b}, so P[{i}] = {before} XOR {b} = {before ^ b}"
            filled.append(before ^ b)
            before = b
        yield f"P: {spaced(filled)}"
        return spaced(filled)


def best_b(run: list[int]) -> Work[int]:
    """The b in front of some fixed entries that makes the sum of all B smallest."""
    q, steps = [0], ["0"]
    for p in run:
        steps.append(f"{q[-1]} XOR {p} = {q[-1] ^ p}")
        q.append(q[-1] ^ p)
    yield f"q: {', '.join(steps)}"
    if not any(q):
        return 0
    parts = yield from split_powers(q)
    b = 0
    for power in dict.fromkeys(power for number in parts for power in parts[number]):
        inside = sum(bool(number & power) for number in q)
        often = 2 * inside > len(q)
        yield f"{power} is in {inside} of {len(q)} q, {'more' if often else 'not more'} than half"
        b += power * often
    return b


def best_array(P: list[int]) -> list[int]:
    """A free entry can set B to whatever is best there and for the fixed entries that follow."""
    filled: list[int] = []
    before = 0  # B in front of the entry
    for i, p in enumerate(P):
        entry = before ^ best_start(fixed_run(P, i + 1)) if p == FREE else p
        before ^= entry
        filled.append(entry)
    return filled


def fixed_run(P: list[int], start: int) -> list[int]:
    """The entries from here up to the next free one."""
    end = start
    while end < len(P) and P[end] != FREE:
        end += 1
    return P[start:end]


def best_start(run: list[int]) -> int:
    """The smallest B in front of the run that minimises the sum of that B and the Bs in the run."""
    prefixes = list(accumulate(run, int.__xor__))
    bits = max(prefixes, default=0).bit_length()
    start = 0
    for bit in range(bits):
        ones = sum(prefix >> bit & 1 for prefix in prefixes)
        if 1 + len(run) - ones < ones:
            start |= 1 << bit
    return start
