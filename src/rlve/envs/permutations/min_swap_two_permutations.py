from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, redraw
from rlve.text import indexed, spaced
from rlve.work import Work, state

STILL_REPEATED = -0.2


class MinSwapTwoPermutations(Environment[list[int]]):
    """Swap as few elements as possible between two arrays to make both permutations.

    The prompt asks for each index at most once, so an answer that repeats one is invalid. Problems
    with a single smallest choice are preferred; otherwise most indices would be right at d = 0.
    """

    N: int
    A: list[int]
    B: list[int]
    gold_answer: int  # the least number of indices

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        A and B are two arrays of length {N}, indexed from 0. Together they contain every integer
        from 1 to {N} exactly twice.

        {A}
        {B}

        Choosing an index i exchanges A[i] and B[i]. Choose as few indices as possible such that,
        after the exchanges, no integer is repeated within A and none is repeated within B.
        Any smallest choice is accepted.

        Output format: one line with the chosen indices in any order, separated by spaces. Write
        each index at most once.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A), B=indexed("B", self.B))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> tuple[list[int], list[int]]:
            A, B = (rng.sample(range(1, N + 1), N) for _ in range(2))
            return exchanged(A, B, rng.sample(range(N), rng.randint(1, N - 1)))

        A, B = prefer(
            lambda: redraw(draw, until=lambda arrays: not are_permutations(*arrays)),
            until=lambda arrays: has_one_solution(*arrays),
        )
        return cls(N=N, A=A, B=B, gold_answer=len(fewest_exchanges(A, B)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not all(0 <= index < self.N for index in answer) or len(set(answer)) < len(answer):
            return INVALID
        if not are_permutations(*exchanged(self.A, self.B, answer)):
            return STILL_REPEATED
        return ratio(self.gold_answer, len(answer)) ** 5

    def reference(self) -> str:
        return spaced(fewest_exchanges(self.A, self.B))

    def work(self) -> Work[str]:
        yield "If an integer is in both arrays, exchange both of its indices or none. If it is"
        yield "twice in one array, exchange exactly one of them."
        for value in range(1, self.N + 1):
            where = [
                f"{name}[{i}]"
                for name, array in (("A", self.A), ("B", self.B))
                for i, x in enumerate(array)
                if x == value
            ]
            rule = "exactly one" if where[0][0] == where[1][0] else "both or none"
            yield f"{value} in {spaced(where)}: {rule}"
        yield "Follow the rules from index to index: like (both or none) or unlike (exactly one)."
        yield "Linked indices form a group of two parts, unlike each other: exchange the smaller."
        links, chosen, seen = linked(self.A, self.B), list[int](), dict[int, bool]()
        for start in range(self.N):
            if start in seen:
                continue
            seen[start] = True
            group, steps = [start], [f"From {start}"]
            for i in group:
                for j, alike in links[i]:
                    if j not in seen:
                        seen[j] = seen[i] == alike
                        group.append(j)
                        steps.append(f"{j} {'like' if alike else 'unlike'} {i}")
            one, other = ([i for i in group if seen[i] is part] for part in (True, False))
            chosen += min(one, other, key=len)
            sets = [f"{{{spaced(part)}}}" if part else "none" for part in (one, other)]
            yield f"{', '.join(steps)}: {' or '.join(sets)}"
        yield state("Exchanged", sorted(chosen))
        return spaced(sorted(chosen))


def exchanged(A: list[int], B: list[int], indices: list[int]) -> tuple[list[int], list[int]]:
    a, b = A[:], B[:]
    for i in indices:
        a[i], b[i] = b[i], a[i]
    return a, b


def are_permutations(A: list[int], B: list[int]) -> bool:
    return len(set(A)) == len(A) and len(set(B)) == len(B)


def fewest_exchanges(A: list[int], B: list[int]) -> list[int]:
    """The indices of a smallest choice, in ascending order."""
    return sorted(i for sides in groups(A, B) for i in min(sides, key=len))


def has_one_solution(A: list[int], B: list[int]) -> bool:
    """Whether only one choice is the smallest."""
    return all(len(one) != len(other) for one, other in groups(A, B))


def groups(A: list[int], B: list[int]) -> list[tuple[list[int], list[int]]]:
    """Groups of indices, each in two parts, exactly one of which must be chosen.

    The two indices of an integer must be treated alike if it is in A and in B, and differently if
    it is in one array twice. So one index decides for all those linked to it in this way.
    """
    links = linked(A, B)
    split: list[tuple[list[int], list[int]]] = []
    side: dict[int, bool] = {}
    for start in range(len(A)):
        if start in side:
            continue
        side[start] = True
        group = [start]
        for i in group:
            for j, alike in links[i]:
                if j not in side:
                    side[j] = side[i] == alike
                    group.append(j)
        split.append(([i for i in group if side[i]], [i for i in group if not side[i]]))
    return split


def linked(A: list[int], B: list[int]) -> list[list[tuple[int, bool]]]:
    """For each index, those of the same integers, and whether to treat them alike."""
    first: dict[int, tuple[int, bool]] = {}  # integer -> its first index, and whether it is in B
    links: list[list[tuple[int, bool]]] = [[] for _ in A]
    for j, both in enumerate(zip(A, B, strict=True)):
        for in_b, value in zip((False, True), both, strict=True):
            if value not in first:
                first[value] = j, in_b
                continue
            i, i_in_b = first[value]
            links[i].append((j, i_in_b != in_b))
            links[j].append((i, i_in_b != in_b))
    return links
