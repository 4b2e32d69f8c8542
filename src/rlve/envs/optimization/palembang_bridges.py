from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work

TASKS = {
    1: """Choose one integer P. The cost of the pair i is |P - S[i]| + |P - T[i]|.""",
    2: """Choose two integers P[1] and P[2], which may be equal. The cost of the pair i is the
smaller of |P[1] - S[i]| + |P[1] - T[i]| and |P[2] - S[i]| + |P[2] - T[i]|.""",
}
OUTPUTS = {
    1: "one integer, P.",
    2: "one line with the two integers P[1] and P[2], in any order, separated by a space.",
}

FEW = 5  # pairs


class PalembangBridges(Environment[list[int]]):
    """Choose one or two positions so that the total distance between pairs via them is smallest.

    For one position the median is right, so K = 1 is drawn again once. With few pairs, 1 and 2 are
    often the best two positions, so such pairs are redrawn up to twice.
    """

    N: int
    K: int  # 1 or 2
    S: list[int]
    T: list[int]
    gold_answer: int  # the smallest total cost

    max_difficulty = 500  # at 600, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} pairs of integers S[i] and T[i], with i from 1 to {N}:

        {pairs}

        {task}
        Make the sum of the costs over all i as small as possible. If several choices have the
        smallest sum, any of them is right.

        Output format: {output}
        """

    def prompt(self) -> str:
        pairs = enumerate(zip(self.S, self.T, strict=True), 1)
        return self.fill(
            pairs=lines(f"S[{i}]={s} T[{i}]={t}" for i, (s, t) in pairs),
            task=TASKS[self.K],
            output=OUTPUTS[self.K],
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = prefer(lambda: rng.randint(1, 2), lambda number: number == 2, tries=2)

        def draw() -> Self:
            S, T = ([rng.randint(0, N) for _ in range(N)] for _ in "ST")
            return cls(N=N, K=K, S=S, T=T, gold_answer=cost(S, T, best_positions(S, T, K)))

        return prefer(draw, lambda p: N > FEW or cost(p.S, p.T, [1, 2]) > p.gold_answer, tries=3)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.K:
            return INVALID
        return ratio(self.gold_answer, cost(self.S, self.T, answer)) ** 5

    def reference(self) -> str:
        return spaced(best_positions(self.S, self.T, self.K))

    def work(self) -> Work[str]:
        yield "Call S[i] and T[i] ends. The total distance from P to some ends is smallest if P is"
        yield "a median of them; then it is the sum of the larger half minus that of the smaller."
        pairs = list(zip(self.S, self.T, strict=True))
        if self.K == 1:
            position, _ = yield from best_for("All", pairs)
            return str(position)
        yield "A pair does best with the P nearer its middle, (S + T) / 2. So sort by S + T, and"
        yield "try all ways to cut the list into a first part for P[1] and a last part for P[2]."
        for s, t in pairs:
            yield f"{s} + {t} = {s + t}"
        pairs.sort(key=sum)
        yield f"Sorted: {spaced(f'({s}, {t})' for s, t in pairs)}"
        found: dict[int, list[int]] = {}
        for size in range(1, self.N):
            left, first = yield from best_for(f"First {size}", pairs[:size])
            right, second = yield from best_for(f"Last {self.N - size}", pairs[size:])
            yield f"{first} + {second} = {first + second} for {left} and {right}"
            found.setdefault(first + second, [left, right])
        least = min(found)
        yield f"The smallest is {least}, with {spaced(found[least])}"
        return spaced(found[least])


def cost(S: list[int], T: list[int], positions: list[int]) -> int:
    pairs = zip(S, T, strict=True)
    return sum(min(abs(p - s) + abs(p - t) for p in positions) for s, t in pairs)


def best_positions(S: list[int], T: list[int], K: int) -> list[int]:
    """The median of all ends, or one for each part of the pairs split by their midpoints.

    A pair is better off at the position nearer its midpoint.
    """
    if K == 1:
        return [median([*S, *T])]
    pairs = sorted(zip(S, T, strict=True), key=sum)
    splits = [
        [median([end for pair in part for end in pair]) for part in (pairs[:size], pairs[size:])]
        for size in range(1, len(pairs))
    ]
    return min(splits, key=lambda positions: cost(S, T, positions))


def median(values: list[int]) -> int:
    return sorted(values)[(len(values) - 1) // 2]


def best_for(label: str, pairs: list[tuple[int, int]]) -> Work[tuple[int, int]]:
    """The best position for some pairs, and its cost: the larger ends minus the smaller ones."""
    ends = sorted(end for pair in pairs for end in pair)
    smaller, larger = ends[: len(pairs)], ends[len(pairs) :]
    cost = sum(larger) - sum(smaller)
    terms = " - ".join([" + ".join(map(str, larger)), *map(str, smaller)])
    yield f"{label}: ends {spaced(ends)}, median {median(ends)}, cost {terms} = {cost}"
    return median(ends), cost
