from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Intervals
from rlve.rewards import INVALID, ratio
from rlve.text import counted, lines, spaced


class MYJ(Environment[list[int]]):
    """Set prices in a row of shops so that customers with limits pay as much as possible."""

    N: int
    M: int
    customers: list[tuple[int, int, int]]  # (a, b, c): looks at the shops a .. b, pays at most c
    gold_answer: int  # the largest total that can be earned
    reference_answer: str

    max_difficulty = 45  # at 52, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Intervals("customers", first=1)

    template = """
        There are {N} shops in a row, numbered from 1 to {N}. You set the price P[i] of each shop i,
        an integer that is at least 0.

        There {are}. Customer (a, b, c) looks at the shops a to b, both included, and
        finds the lowest price among them. If it is at most c, the customer pays this price, once;
        otherwise the customer pays nothing. All customers:

        {customers}

        Set the prices such that the customers pay as much as possible in total. If several ways
        have the largest total, any of them is right.

        Output format: one line with the prices P[1] to P[{N}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            are=f"{'is' if self.M == 1 else 'are'} {counted(self.M, 'customer')}",
            customers=lines(self.customers),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        T = N * (N + 1) // 2
        M = rng.randint(1, T)
        customers: list[tuple[int, int, int]] = []
        for _ in range(M):
            a, b = sorted((rng.randint(1, N), rng.randint(1, N)))
            customers.append((a, b, rng.randint(1, T)))
        prices = best_prices(N, customers)
        return cls(
            N=N,
            M=M,
            customers=customers,
            gold_answer=revenue(customers, prices),
            reference_answer=spaced(prices),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or min(answer) < 0:
            return INVALID
        return ratio(revenue(self.customers, answer), self.gold_answer) ** 5


def revenue(customers: list[tuple[int, int, int]], prices: list[int]) -> int:
    lowest = ((min(prices[a - 1 : b]), c) for a, b, c in customers)
    return sum(price for price, c in lowest if price <= c)


def best_prices(N: int, customers: list[tuple[int, int, int]]) -> list[int]:
    """The prices that earn most; each of them is the limit c of a customer.

    earned[i, j, k] is the most that customers who look only at shops i .. j pay if no price there
    is below the k-th limit. Some shop p among them has the lowest price, which is what customers
    who look at it pay; the others look only at shops to its left or only at shops to its right.
    """
    import numpy as np

    limits = sorted({c for _, _, c in customers})
    buyers = np.zeros((N + 1, N + 1, len(limits)), dtype=np.int64)
    for a, b, c in customers:
        buyers[a, b, : limits.index(c) + 1] += 1
    buyers = buyers.cumsum(axis=0).cumsum(axis=1)  # [i, j, k]: with a <= i, b <= j, c >= limit k
    earned = np.zeros((N + 2, N + 1, len(limits)), dtype=np.int64)

    def with_lowest(i: int, j: int):
        """[p - i, k]: what is earned if shop p has the lowest price of shops i .. j, limit k."""
        p = np.arange(i, j + 1)
        looking = buyers[p, j] - buyers[i - 1, j] - buyers[p, p - 1] + buyers[i - 1, p - 1]
        return earned[i, p - 1] + earned[p + 1, j] + looking * np.array(limits)

    for i in range(N, 0, -1):
        for j in range(i, N + 1):
            best = with_lowest(i, j).max(axis=0)
            earned[i, j] = np.maximum.accumulate(best[::-1])[::-1]

    prices = [0] * N
    parts = [(1, N, 0)]  # shops i .. j whose prices are not below the limit of this number
    while parts:
        i, j, lowest = parts.pop()
        if i <= j:
            table = with_lowest(i, j)[:, lowest:]
            offset, above = divmod(int(table.argmax()), table.shape[1])
            p, k = i + offset, lowest + above
            prices[p - 1] = limits[k]
            parts += [(i, p - 1, k), (p + 1, j, k)]
    return prices
