from collections.abc import Iterable
from itertools import permutations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, state

SMALL = 5
FEW = 1 / 6


class PipelineArrangement(Environment[list[int]]):
    """Order products so that two machines, one after the other, finish them as early as possible.

    Problems of up to five products are redrawn if more than a sixth of all orders are best; so are
    those of more than three, if sorting the products by one machine's time is best.
    """

    N: int
    A: list[int]
    B: list[int]
    gold_answer: int  # the earliest finishing time
    reference_answer: str

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        {N} products, numbered from 0 to {last}, are processed first by machine A and then by
        machine B. Product i needs A[i] units of time on machine A and B[i] units on machine B:

        {products}

        Each machine handles one product at a time, and both handle the products in the same order,
        which you choose. Machine A starts at time 0 and works without a pause. Machine B starts a
        product as soon as machine A has finished it and machine B has finished the one before.

        Find an order for which machine B finishes the last product as early as possible. If there
        are several, any of them is right.

        Output format: one line with a permutation of the integers 0 to {last}, separated by spaces:
        the products in the order in which they are processed.
        """

    def prompt(self) -> str:
        products = enumerate(zip(self.A, self.B, strict=True))
        return self.fill(
            last=self.N - 1, products=lines(f"A[{i}]={a} B[{i}]={b}" for i, (a, b) in products)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A, B = ([rng.randint(1, N) for _ in range(N)] for _ in "AB")
            order = best_order(A, B)
            return cls(
                N=N,
                A=A,
                B=B,
                gold_answer=finishing_time(A, B, order),
                reference_answer=spaced(order),
            )

        def draw_small() -> Self:
            return prefer(draw, lambda problem: N > SMALL or problem.share_of_best_orders() <= FEW)

        return prefer(draw_small, lambda problem: N == 3 or not problem.is_sorted_best())

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        return ratio(self.gold_answer, finishing_time(self.A, self.B, answer)) ** 5

    def is_sorted_best(self) -> bool:
        by_a = sorted(range(self.N), key=self.A.__getitem__)
        by_b = sorted(range(self.N), key=self.B.__getitem__, reverse=True)
        times = (finishing_time(self.A, self.B, order) for order in (by_a, by_b))
        return min(times) == self.gold_answer

    def share_of_best_orders(self) -> float:
        times = [finishing_time(self.A, self.B, order) for order in permutations(range(self.N))]
        return times.count(self.gold_answer) / len(times)

    def work(self) -> Work[str]:
        yield "With i right before j, A's work on j can overlap B's on i by min(A[j], B[i]). So i"
        yield "should be first if this is at least min(A[i], B[j]). It is, for any i before j, in"
        yield "this order (Johnson's rule): first those quicker on A, by ascending A; then the"
        yield "others, by descending B."
        for i, (a, b) in enumerate(zip(self.A, self.B, strict=True)):
            yield f"Product {i}: {a} < {b}, first" if a < b else f"Product {i}: {a} >= {b}, then"
        order = best_order(self.A, self.B)
        first = [i for i in order if self.A[i] < self.B[i]]
        then = [i for i in order if i not in first]
        yield "First: " + (", ".join(f"{i} with A {self.A[i]}" for i in first) or "none")
        yield "Then: " + (", ".join(f"{i} with B {self.B[i]}" for i in then) or "none")
        yield state("Order", order)
        return spaced(order)


def finishing_time(A: list[int], B: list[int], order: Iterable[int]) -> int:
    done_a = done_b = 0
    for i in order:
        done_a += A[i]
        done_b = max(done_a, done_b) + B[i]
    return done_b


def best_order(A: list[int], B: list[int]) -> list[int]:
    """Johnson's rule: first those quicker on A, by A; then the others, by descending B."""
    quick = [i for i in range(len(A)) if A[i] < B[i]]
    others = [i for i in range(len(A)) if A[i] >= B[i]]
    return sorted(quick, key=A.__getitem__) + sorted(others, key=lambda i: -B[i])
