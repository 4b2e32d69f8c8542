from itertools import accumulate, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_increasing
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import counted, lines, listed, spaced
from rlve.work import Work, prefix_sums


class Minimum_MaxAbsSlicer(Environment[list[int]]):
    """Cut +1s and -1s into batches of small absolute sums, with the smallest labels at the cuts."""

    N: int
    M: int
    A: list[int]  # a permutation of 1 .. N
    B: list[int]
    gold_answer_max_abs: int
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters

    template = """
        The arrays A and B have {N} elements each, with indices from 0 to {last}. A is a permutation
        of the integers from 1 to {N}, and each element of B is 1 or -1:

        {arrays}

        Cut the indices 0 to {last} into exactly {M} consecutive non-empty batches. They are
        given by their last indices, {ends} = {last}: the first batch is
        0 to end[1], the second one end[1] + 1 to end[2], and so on.

        First, the largest absolute value of the sum of B over a batch must be as small as possible.
        Second, among all ways to cut that achieve this, the sequence
        A[end[1]] to A[end[{M}]] must be lexicographically smallest: its first element
        as small as possible, then its second element, and so on.

        Output format: one line with the {M} values A[end[1]] to A[end[{M}]] (elements of A, not
        indices), separated by spaces.
        """

    def prompt(self) -> str:
        items = zip(self.A, self.B, strict=True)
        arrays = lines(f"A[{i}]={a} B[{i}]={b}" for i, (a, b) in enumerate(items))
        return self.fill(last=self.N - 1, arrays=arrays, ends=listed("end[{}]", 1, self.M, " < "))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        M = rng.randint(3, N - 1)
        A = rng.sample(range(1, N + 1), N)
        plus = rng.random()
        B = [1 if rng.random() < plus else -1 for _ in range(N)]
        ends = best_ends(A, B, M)
        gold = [A[end] for end in ends]
        return cls(
            N=N,
            M=M,
            A=A,
            B=B,
            gold_answer_max_abs=largest_sum(B, ends),
            gold_answer=gold,
            reference_answer=spaced(gold),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.M or not all(1 <= value <= self.N for value in answer):
            return INVALID
        index = {value: i for i, value in enumerate(self.A)}
        ends = [index[value] for value in answer]
        if not is_increasing(ends) or ends[-1] != self.N - 1:
            return INVALID
        largest = largest_sum(self.B, ends)
        reward = 0.5 * ratio(self.gold_answer_max_abs, largest) ** 5
        if largest == self.gold_answer_max_abs:
            right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
            reward += 0.5 * ratio(right, self.M) ** 5
        return reward

    def work(self) -> Work[str]:
        yield "P[j] is the sum of the first j elements of B."
        sums = yield from prefix_sums(self.B)
        total = abs(sums[-1])
        zeros = [j for j in range(1, self.N + 1) if sums[j] == 0]
        limit = -(-total // self.M)
        if total:
            sizes = f"{self.M} * {limit - 1} < |{sums[-1]}| <= {self.M} * {limit}"
            yield f"{sizes}: no limit below {limit} is possible"
        elif len(zeros) < self.M:
            limit = 1
            yield f"Zeros after P[0]: {len(zeros)}, too few for {self.M} batches of sum 0: limit 1"
        else:
            yield f"Zeros after P[0]: {len(zeros)}, enough for {self.M} batches of sum 0: limit 0"
        if limit:
            yield "P changes by 1 each time. So a rest of at least k elements with a sum from"
            yield f"-{limit} * k to {limit} * k can be cut into k batches of sums from -{limit} to"
            yield f"{limit}. List the ends that make such a batch and leave such a rest. Take that"
            yield "of the smallest A."
        else:
            yield "List the ends after which P is 0 and that leave enough others. Take that of the"
            yield "smallest A."
        ends: list[int] = []
        start = 0
        for left in reversed(range(self.M)):
            options = [
                end
                for end in range(start, self.N - left)
                if abs(sums[end + 1] - sums[start]) <= limit
                and abs(sums[-1] - sums[end + 1]) <= limit * left
                and (left or end == self.N - 1)
                and (limit or sum(j > end + 1 for j in zeros) >= left)
            ]
            ends.append(min(options, key=self.A.__getitem__))
            shown = ", ".join(f"A[{end}] = {self.A[end]}" for end in options)
            yield f"From {start}, then {counted(left, 'batch', 'batches')}: {shown}; end {ends[-1]}"
            start = ends[-1] + 1
        chosen = [self.A[end] for end in ends]
        yield f"Values: {spaced(chosen)}"
        return spaced(chosen)


def largest_sum(B: list[int], ends: list[int]) -> int:
    """The largest absolute sum of a batch."""
    bounds = pairwise([-1, *ends])
    return max(abs(sum(B[start + 1 : end + 1])) for start, end in bounds)


def best_ends(A: list[int], B: list[int], M: int) -> list[int]:
    """The last indices of the batches: each in turn has the smallest A for which the rest can still
    be cut as well.
    """
    N = len(A)
    rests = [*accumulate(reversed(B), initial=0)][::-1]  # the sums from each index on
    zeros = [*accumulate((rest == 0 for rest in reversed(rests)), initial=0)][::-1]
    if rests[0]:
        bound = -(-abs(rests[0]) // M)
    else:
        bound = 0 if zeros[1] >= M else 1

    def can_be_cut(start: int, batches: int) -> bool:
        if start == N or batches == 0:
            return start == N and batches == 0
        if bound == 0:
            return rests[start] == 0 and zeros[start + 1] >= batches
        return N - start >= batches and abs(rests[start]) <= bound * batches

    ends: list[int] = []
    start = 0
    for batches in reversed(range(M)):
        options = (
            end
            for end in range(start, N)
            if abs(rests[start] - rests[end + 1]) <= bound and can_be_cut(end + 1, batches)
        )
        ends.append(min(options, key=A.__getitem__))
        start = ends[-1] + 1
    return ends
