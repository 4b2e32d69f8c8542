from heapq import heappop, heappush
from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw, spread
from rlve.text import lines, spaced
from rlve.work import Work, state


class HURWarehouseStore(Environment[list[int]]):
    """Serve as many customers as possible from a stock that grows day by day.

    The best plans that the solver finds are made equally likely; for three days (d = 0), the last
    two days would often be best.
    """

    N: int
    A: list[int]  # what each day delivers
    B: list[int]  # what its customer asks for
    gold_answer: int  # how many customers can be served
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right

    template = """
        A store is open for {N} days, numbered from 1 to {N}. Its stock is empty at first. On day i,
        A[i] items are added to the stock; after that, one customer asks for B[i] items. You can
        serve this customer if the stock has at least B[i] items, which then leave the stock; or you
        can send the customer away, and the stock stays as it is. What is left stays for the next
        days.

        {days}

        Choose the days on which you serve the customer such that they are as many as possible.
        If several choices have the largest number of days, any of them is right.

        Output format: one line with the numbers of the days on which you serve the customer, in any
        order, separated by spaces.
        """

    def prompt(self) -> str:
        days = enumerate(zip(self.A, self.B, strict=True), start=1)
        return self.fill(days=lines(f"A[{i}]={a} B[{i}]={b}" for i, (a, b) in days))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> tuple[list[int], list[int]]:
            return [rng.randint(0, N) for _ in range(N)], [rng.randint(1, N) for _ in range(N)]

        def can_serve(drawn: tuple[list[int], list[int]]) -> bool:
            A, B = drawn
            return any(stock >= b for stock, b in zip(accumulate(A), B, strict=True))

        def problem() -> Self:
            A, B = redraw(draw, until=can_serve)
            days = most_days(A, B)
            return cls(N=N, A=A, B=B, gold_answer=len(days), reference_answer=spaced(days))

        return spread(rng, problem, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        served = set(answer)
        if len(served) != len(answer) or not all(1 <= day <= self.N for day in answer):
            return INVALID
        stock = 0
        for day, (a, b) in enumerate(zip(self.A, self.B, strict=True), start=1):
            stock += a
            if day in served:
                stock -= b
            if stock < 0:
                return INVALID
        return ratio(len(answer), self.gold_answer) ** 5

    def work(self) -> Work[str]:
        yield "Serve whoever can be served. If the stock is too small, serve the new customer"
        yield "instead of the one served so far who asked for the most, if that one asked for more."
        yield "Then just as many are served, and more is left."
        stock, served = 0, list[int]()
        for day, (a, b) in enumerate(zip(self.A, self.B, strict=True), 1):
            line = f"Day {day}: {stock} + {a} = {stock + a}"
            stock += a
            largest = max(served, key=lambda other: self.B[other - 1], default=0)
            if stock >= b:
                served.append(day)
                line += f", serve: {stock} - {b} = {stock - b}"
                stock -= b
            elif largest and self.B[largest - 1] > b:
                more = self.B[largest - 1]
                served = [other for other in served if other != largest] + [day]
                line += (
                    f" < {b}, instead of day {largest}: {stock} + {more} - {b} = {stock + more - b}"
                )
                stock += more - b
            else:
                line += f" < {b}, send away"
            yield f"{line}. {state('Served', served)}"
        return spaced(served)


def most_days(A: list[int], B: list[int]) -> list[int]:
    """The days, counted from 1, on which to serve.

    A demand that the stock does not cover replaces the largest one so far if that is larger: as
    many are served, and more is left.
    """
    stock = 0
    served: list[tuple[int, int]] = []  # (-B, day): a heap whose first is the largest demand
    for day, (a, b) in enumerate(zip(A, B, strict=True), start=1):
        stock += a
        if stock < b and served and -served[0][0] > b:
            stock -= heappop(served)[0]
        if stock >= b:
            stock -= b
            heappush(served, (-b, day))
    return sorted(day for _, day in served)
