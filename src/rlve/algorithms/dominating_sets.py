"""Sets of cells of a grid such that each cell is in the set or shares a side with a member."""

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from rlve.algorithms.grids import Cell, neighbours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

SCALE = 64  # prices are multiples of 1 / SCALE
FEW = 32  # states with which a good choice is looked for


def least_dominating_cost(F: list[list[int]]) -> int:
    """The cost of a cheapest dominating set."""
    if len(F[0]) > len(F):
        return least_dominating_cost(_turned(F))
    scan = _Scan(*_prices_below(F), width=len(F[0]))
    return (sum(scan.prices) + scan.least_excess()) // SCALE


def cheapest_dominating_set(F: list[list[int]]) -> list[Cell]:
    """A cheapest dominating set."""
    if len(F[0]) > len(F):
        return sorted((i, j) for j, i in cheapest_dominating_set(_turned(F)))
    width = len(F[0])
    scan = _Scan(*_prices_below(F), width)
    return sorted(divmod(k, width) for k in scan.choice(scan.least_excess()))


def _turned(F: list[list[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*F, strict=True)]


class _Scan:
    """A search that goes over the grid cell by cell; the state is what matters of the last row.

    There are too many states, so they are bounded by prices. A chosen cell pays the prices of all
    cells it dominates, which never come to more than its cost. So the sum of all prices is a lower
    bound, which a choice exceeds by the costs not paid in prices and by the prices paid more than
    once. Only states are kept whose excess is within a budget, minus a bound on the cells to come.

    A state has two bits for each of the last `width` cells: 0 is not dominated, 1 dominated, 2
    chosen. Once only the cell below can dominate a cell, that one must be chosen, and the excess of
    a state includes what it leaves unpaid. Otherwise states that pay much in the next row, and
    cannot be part of a cheap choice, would be kept for as long as it takes to get there.
    """

    def __init__(self, prices: list[int], unpaid: list[int], width: int) -> None:
        self.prices = prices
        self.unpaid = unpaid
        self.width = width
        self.start = {sum(1 << 2 * j for j in range(width)): 0}  # all above is dominated

    def least_excess(self) -> int:
        """The least excess of a choice.

        If a small budget is too small, a good choice shows how large it need be at most.
        """
        enough = None
        budget = sum(self.prices) // 160
        while True:
            *_, last = self.layers(budget, self.to_come(budget // 2))
            if last:
                return min(last.values())
            if enough is None:
                at_most = sum(self.unpaid) + 4 * sum(self.prices)  # as five cells can pay a price
                *_, last = self.layers(at_most, most=FEW)
                enough = min(last.values())
            budget = min(budget + budget // 2 + 1, enough)

    def choice(self, least: int) -> list[int]:
        """A choice with the least excess, last cell first."""
        layers = [self.start, *self.layers(least, self.to_come(least // 2))]
        state, excess = min(layers[-1].items())  # from which the steps are traced back
        chosen: list[int] = []
        for k in reversed(range(len(self.prices))):
            shift = 2 * (k % self.width)
            if state >> shift & 2:
                chosen.append(k)
            unchanged = ~(15 << shift >> 2)  # a step only changes a cell and the one to its left
            state, excess = min(
                (earlier, paid)
                for earlier, paid in layers[k].items()
                if not (earlier ^ state) & unchanged
                and self.step(k, {earlier: paid}, least).get(state) == excess
            )
        return chosen

    def to_come(self, budget: int) -> list[int]:
        """A lower bound on the excess of the cells from number k on, for each k.

        It is found from the other end of the grid. As the excess of a state also includes cells
        of the next row, the bound for a state is one for all cells up to there.
        """
        cells = len(self.prices)
        backwards = _Scan(self.prices[::-1], self.unpaid[::-1], self.width)
        bounds = [0] * (self.width + 1)
        for states in backwards.layers(budget):
            bounds.append(min(states.values(), default=budget + 1))
        return bounds[cells::-1]

    def layers(
        self, budget: int, to_come: list[int] | None = None, most: int | None = None
    ) -> Iterator[dict[int, int]]:
        """After each cell, the states that are within the budget, and their least excess.

        At most about this many are kept, if a number is given.
        """
        # The excess of a state may include cells up to the one below the last.
        to_come = [*(to_come or [])[self.width + 1 :], *[0] * len(self.prices)]
        states = self.start
        for k in range(len(self.prices)):
            states = self.step(k, states, budget - to_come[k])
            if most is not None and len(states) > most:
                limit = sorted(states.values())[most - 1]
                states = {state: excess for state, excess in states.items() if excess <= limit}
            yield states

    def step(self, k: int, states: dict[int, int], limit: int) -> dict[int, int]:
        """The states after cell k and their least excess, where it is within the limit."""
        shift = 2 * (k % self.width)
        price = self.prices[k]
        price_above = self.prices[k - self.width] if k >= self.width else 0
        price_left = self.prices[k - 1] if shift else 0
        unforced = self.unpaid[k] + price_above  # for a cell that need not be chosen
        below = [*self.unpaid[k + self.width - 1 : k + self.width + 1], limit + 1, limit + 1]
        below_left = below[0]
        last_in_row = shift == 2 * self.width - 2
        below_here = below[1] if last_in_row else 0  # or the cell to the right may yet dominate it
        here, taken, left_dominated = 3 << shift, 2 << shift, 1 << shift >> 2
        later: dict[int, int] = {}
        for state, excess in states.items():
            above = state >> shift & 3
            left = state >> (shift - 2) & 3 if shift else 1
            others = state & ~here
            paid = (above == 2) + (left == 2)
            taking = excess + price * paid
            if above:
                taking += unforced
                leaving = excess
                if paid == 2:
                    leaving += price
                elif not paid:
                    leaving += below_here
                if not left:
                    leaving += below_left
                if leaving <= limit:
                    to = others | (paid > 0) << shift
                    if leaving < later.get(to, inf):
                        later[to] = leaving
            to = others | taken
            if left:
                taking += price_left
            else:
                to |= left_dominated
            if taking <= limit and taking < later.get(to, inf):
                later[to] = taking
        return later


def _prices_below(F: list[list[int]]) -> tuple[list[int], list[int]]:
    """Prices of the cells and the costs they leave unpaid, both times SCALE.

    Any prices that leave nothing negative are valid; the larger their sum, the better. Subgradient
    steps raise the prices of cells that no cell would dominate for less than its cost, and lower
    those of cells that several would; then all are made to fit.
    """
    import numpy as np

    costs = np.array(F, dtype=np.float64)
    prices = _prices_by_shrinking_steps(costs)
    overpaid = np.maximum(1, _around(prices) / costs)
    padded = np.pad(overpaid, 1, constant_values=1)
    shifts = (padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:], overpaid)
    fitting = np.floor(prices * SCALE / np.maximum.reduce(shifts)).astype(np.int64).tolist()
    return _with_prices_raised(fitting, F)


def _around(values: "Array") -> "Array":
    """The sum of each cell and of those that share a side with it."""
    total = values.copy()
    total[1:] += values[:-1]
    total[:-1] += values[1:]
    total[:, 1:] += values[:, :-1]
    total[:, :-1] += values[:, 1:]
    return total


def _prices_by_shrinking_steps(costs: "Array") -> "Array":
    """Ever smaller subgradient steps, each along a mean of the slopes so far."""
    import numpy as np

    prices = best_prices = costs / 10
    best, slope = -np.inf, np.zeros_like(costs)
    for step in costs.mean() * np.geomspace(0.1, 0.003, min(400, 2 * costs.size)):
        left = costs - _around(prices)
        bound = prices.sum() + np.minimum(left, 0).sum()
        if bound > best:
            best_prices, best = prices, bound
        slope = 0.9 * slope + 0.1 * (1 - _around((left < 0).astype(np.float64)))
        prices = np.maximum(0, prices + step * slope)
    return best_prices


def _with_prices_raised(prices: list[list[int]], F: list[list[int]]) -> tuple[list[int], list[int]]:
    """Raise each price by as much as all cells that pay it still can, and list what is unpaid."""
    N, M = len(F), len(F[0])
    dominating = {(i, j): [(i, j), *neighbours(N, M, (i, j))] for i in range(N) for j in range(M)}
    unpaid = {
        (i, j): F[i][j] * SCALE - sum(prices[x][y] for x, y in cells)
        for (i, j), cells in dominating.items()
    }
    result: list[int] = []
    for (i, j), cells in dominating.items():
        more = min(unpaid[cell] for cell in cells)
        result.append(prices[i][j] + more)
        for cell in cells:
            unpaid[cell] -= more
    return result, list(unpaid.values())
