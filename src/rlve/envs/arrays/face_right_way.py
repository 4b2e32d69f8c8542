from random import Random
from typing import Self, TypedDict

from rlve import Environment, Level
from rlve.answers import integer_rows, pairs
from rlve.foundation.pictures import Bars
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import spread
from rlve.text import grid, indexed, spaced
from rlve.work import Work

NOT_ALL_ZERO = -0.2


class Best(TypedDict):
    K: int  # the length of the blocks
    M: int  # their number


class FaceRightWay(Environment[list[tuple[int, int]]]):
    """Make a 0/1 array all zero by flipping as few blocks of one fixed length as possible.

    In short arrays, one block is too often enough, so several arrays are drawn, and each of their
    answers is equally likely.
    """

    N: int
    A: list[int]
    reference_answer: str
    gold_answer: Best

    max_difficulty = 150  # at 190, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Bars(first=1)

    template = """
        An array A has {N} elements, numbered from 1 to {N}, each of which is 0 or 1:

        {A}

        Choose a length K with 1 <= K <= {N}. One operation flips (0 becomes 1, and 1 becomes 0) all
        elements of a contiguous block of exactly K elements, A[l] to A[l + K - 1]; K is the same
        for all operations. Make all elements 0.

        First, the number M of operations must be as small as possible, over all choices of K.
        Second, among all ways with that M, the length K must be as small as possible.

        Output format: M lines, one per operation in any order, each with the first and the last
        position of the block, l and l + K - 1, separated by a space.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            K = rng.randint(2, N)
            positions = range(N - K + 1)
            starts = rng.sample(positions, rng.randint(1, len(positions)))
            A = flipped([0] * N, [(start + 1, start + K) for start in starts])
            blocks = best_blocks(A)
            start, end = blocks[0]
            gold = Best(K=end - start + 1, M=len(blocks))
            return cls(N=N, A=A, reference_answer=grid(blocks), gold_answer=gold)

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> list[tuple[int, int]]:
        return [pair for row in integer_rows(text, columns=2) for pair in pairs(row)]

    def score(self, answer: list[tuple[int, int]]) -> float:
        if not all(1 <= start <= end <= self.N for start, end in answer):
            return INVALID
        lengths = {end - start + 1 for start, end in answer}
        if len(lengths) > 1:
            return INVALID
        if any(flipped(self.A, answer)):
            return NOT_ALL_ZERO
        M, K = self.gold_answer["M"], self.gold_answer["K"]
        reward = 0.5 * ratio(M, len(answer)) ** 5
        if len(answer) == M:
            reward += 0.5 * ratio(K, max(lengths, default=K)) ** 5  # of no blocks if A is all 0
        return reward

    def work(self) -> Work[str]:
        yield "For each K, no block is needed twice. Where the leftmost block starts, no other one"
        yield "flips. So it must start at the first 1. Flip it, and go on in the same way."
        best: list[tuple[int, int]] | None = None
        for K in range(1, self.N + 1):
            blocks: list[tuple[int, int]] = []
            steps = [f"K = {K}: {spaced(self.A)}"]
            now = self.A
            while any(now) and (start := now.index(1) + 1) + K - 1 <= self.N:
                blocks.append((start, start + K - 1))
                now = flipped(self.A, blocks)
                steps.append(f"flip {start} to {start + K - 1}: {spaced(now)}")
            if any(now):
                steps.append("no room for the next block")
            elif best is None or len(blocks) < len(best):
                best = blocks
                steps.append(f"M = {len(blocks)}, best so far")
            else:
                steps.append(f"M = {len(blocks)} >= {len(best)}")
            yield "; ".join(steps)
        yield "Blocks: " + ", ".join(map(spaced, best or []))
        return grid(best or [])


def flipped(A: list[int], blocks: list[tuple[int, int]]) -> list[int]:
    """The array after flipping blocks, given by their first and last positions."""
    changes = [0] * (len(A) + 1)
    for start, end in blocks:
        changes[start - 1] ^= 1
        changes[end] ^= 1
    result: list[int] = []
    turned = 0
    for value, change in zip(A, changes, strict=False):
        turned ^= change
        result.append(value ^ turned)
    return result


def best_blocks(A: list[int]) -> list[tuple[int, int]]:
    """The fewest blocks and, among those, the shortest."""
    options = (forced_blocks(A, K) for K in range(1, len(A) + 1))
    return min((blocks for blocks in options if blocks is not None), key=len)


def forced_blocks(A: list[int], K: int) -> list[tuple[int, int]] | None:
    """The blocks of length K that zero the array; None if the last elements do not become 0. Only a
    block that starts at the leftmost 1 can clear it.
    """
    rest = list(A)
    blocks: list[tuple[int, int]] = []
    for start in range(len(A) - K + 1):
        if rest[start]:
            blocks.append((start + 1, start + K))
            for i in range(start, start + K):
                rest[i] ^= 1
    return None if any(rest) else blocks
