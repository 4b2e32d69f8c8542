from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import increasing_lengths
from rlve.algorithms.flows import Network
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, spread
from rlve.text import indexed, spaced
from rlve.work import Work, extend_chains, show_sum

NOT_REDUCED = -0.2

SHORT = 5

# A worked solution lists the longest subsequences, and tries all sets of their elements.
MOST_FOUND, MOST_TRIED = 100, 12


class MinCostReducingLNDS(Environment[list[int]]):
    """Shorten the longest non-decreasing subsequence by erasing elements as cheaply as possible.

    In short arrays, erasing one element is often enough, and often several sets are best. So
    problems with a single best set are preferred there, and the best sets of several problems are
    made equally likely.
    """

    N: int
    A: list[int]
    B: list[int]  # the costs of erasing
    original_lnds_length: int
    gold_answer: int  # the minimum total cost
    reference_answer: str

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        The arrays A and B have {N} integers each, with indices from 0 to {last}:

        {A}
        {B}

        You can erase elements of A; the others keep their order. Erasing A[i] costs B[i].

        A non-decreasing subsequence consists of elements, not necessarily adjacent, in their order,
        none of which is smaller than the one before it. Erase elements such that the longest
        non-decreasing subsequence of what is left is shorter than that of A. (If all
        elements are erased, its length is 0.) Make the total cost as small as possible. If several
        sets of elements have the smallest cost, any of them is right.

        Output format: one line with the indices of the erased elements (0-based, all different, in
        any order), separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=indexed("A", self.A), B=indexed("B", self.B))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = [rng.randint(1, 2 * N) for _ in range(N)]
            B = [rng.randint(1, N) for _ in range(N)]
            erased = cheapest_erasure(A, B)
            return cls(
                N=N,
                A=A,
                B=B,
                original_lnds_length=longest(A),
                gold_answer=sum(B[i] for i in erased),
                reference_answer=spaced(erased),
            )

        if N > SHORT:
            return draw()
        return spread(
            rng,
            lambda: prefer(draw, until=lambda problem: len(problem.optima()) == 1),
            by=cls.optima,
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        erased = set(answer)
        if len(erased) < len(answer) or not all(0 <= i < self.N for i in erased):
            return INVALID
        if longest([a for i, a in enumerate(self.A) if i not in erased]) >= (
            self.original_lnds_length
        ):
            return NOT_REDUCED
        return ratio(self.gold_answer, sum(self.B[i] for i in erased)) ** 3

    def optima(self) -> tuple[tuple[int, ...], ...]:
        """All best sets of indices of a short array."""
        sizes = range(1, self.N + 1)
        choices = (indices for k in sizes for indices in combinations(range(self.N), k))
        return tuple(indices for indices in choices if self.score(list(indices)) == 1)

    def work(self) -> Work[str | None]:
        yield "Find the longest subsequences: j can follow an earlier i with A[i] <= A[j]."
        chains = yield from extend_chains([1] * self.N, lambda i, j: self.A[i] <= self.A[j])
        lengths = [length for length, _ in chains]
        longest = max(lengths)
        found = [[i] for i in range(self.N) if lengths[i] == 1]
        for length in range(2, longest + 1):
            found = [
                [*chain, j]
                for chain in found
                for j in range(chain[-1] + 1, self.N)
                if lengths[j] == length and self.A[chain[-1]] <= self.A[j]
            ]
            if len(found) > MOST_FOUND:
                return None
        yield "The indices of a longest one have the lengths 1, 2 and so on, in turn."
        yield f"All of length {longest}: {', '.join(map(spaced, found))}"
        yield "An element of each must go. Try sets of their indices, the cheapest first."
        inside = sorted({i for chain in found for i in chain})
        if len(inside) > MOST_TRIED:
            return None
        sizes = range(1, len(inside) + 1)
        choices = [chosen for k in sizes for chosen in combinations(inside, k)]
        for chosen in sorted(choices, key=lambda chosen: sum(self.B[i] for i in chosen)):
            missed = next((chain for chain in found if not set(chain) & set(chosen)), None)
            costs = show_sum(self.B[i] for i in chosen)
            yield f"{spaced(chosen)}, cost {costs}: " + (
                f"misses {spaced(missed)}" if missed else "misses none"
            )
            if missed is None:
                return spaced(chosen)
        return None


def longest(A: list[int]) -> int:
    return max(increasing_lengths(A, strictly=False), default=0)


def cheapest_erasure(A: list[int], B: list[int]) -> list[int]:
    """A minimum vertex cut of the network whose paths are the longest subsequences."""
    n = len(A)
    lengths = increasing_lengths(A, strictly=False)
    source, sink = 2 * n, 2 * n + 1
    network = Network(2 * n + 2)  # element i is entered at i and left at n + i
    unlimited = sum(B) + 1
    for i, length in enumerate(lengths):
        network.add(i, n + i, B[i])
        if length == 1:
            network.add(source, i, unlimited)
        if length == max(lengths):
            network.add(n + i, sink, unlimited)
        for j in range(i):
            if A[j] <= A[i] and lengths[j] + 1 == length:
                network.add(n + j, i, unlimited)
    network.send(source, sink)
    side = network.reached(source)
    return [i for i in range(n) if i in side and n + i not in side]
