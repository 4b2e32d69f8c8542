"""Sets of cells of a grid such that each cell is in the set or shares a side with a member."""

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from rlve.algorithms.grids import Cell, neighbours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

_Chosen: TypeAlias = "tuple[int, _Chosen] | None"  # a linked list, last cell first

SCALE = 64  # prices are multiples of 1 / SCALE


def cheapest_dominating_set(F: list[list[int]]) -> list[Cell]:
    """Go over the grid cell by cell; the state is what matters of the last row of cells.

    There are too many states, so they are bounded by prices. A chosen cell pays the prices of all
    cells it dominates, which never come to more than its cost. So the sum of all prices is a lower
    bound, which a choice exceeds by the costs not paid in prices and by the prices paid more than
    once. Only states are kept whose excess is within a budget, minus the least excess of the cells
    to come; that is found from the other end of the grid, with half the budget. If the budget turns
    out too small, it is raised.
    """
    if len(F[0]) > len(F):
        return sorted((i, j) for j, i in cheapest_dominating_set(_turned(F)))
    width = len(F[0])
    prices, unpaid = _prices_below(F, _prices_by_failures)
    nothing = [0] * (len(prices) + 1)
    budget = sum(prices) // 160
    while True:
        _, excess = _choice_within(budget // 2, prices[::-1], unpaid[::-1], width, nothing)
        chosen, _ = _choice_within(budget, prices, unpaid, width, to_come=excess[::-1])
        if chosen is not None:
            return sorted(divmod(k, width) for k in chosen)
        budget += budget // 4 + 1


def least_dominating_cost(F: list[list[int]]) -> int:
    """The cost of a cheapest dominating set, found sooner than the set.

    Better prices leave fewer states, but decide differently which one of several cheapest sets is
    found, and that is to stay the same. What is found from the
    other end is used for two budgets.
    """
    if len(F[0]) > len(F):
        return least_dominating_cost(_turned(F))
    width = len(F[0])
    prices, unpaid = _prices_below(F, _prices_by_shrinking_steps)
    nothing = [0] * (len(prices) + 1)
    budget = sum(prices) // 160
    while True:
        _, excess = _least_excess(budget // 2, prices[::-1], unpaid[::-1], width, nothing)
        for _ in range(2):
            least, _ = _least_excess(budget, prices, unpaid, width, to_come=excess[::-1])
            if least <= budget:
                return (sum(prices) + least) // SCALE
            budget += budget // 4 + 1


def _turned(F: list[list[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*F, strict=True)]


def _choice_within(
    budget: int, prices: list[int], unpaid: list[int], width: int, to_come: list[int]
) -> tuple[list[int] | None, list[int]]:
    """The choice of least excess (None if it is not within the budget), and bounds.

    to_come[k] is a lower bound on the excess of the cells from number k on. If that is 0, the
    bounds in the result are right for the cells before number k, whatever the budget. A state has
    two bits for each of the last `width` cells: 0 is not yet dominated, 1 dominated, 2 chosen.
    """
    all_dominated = sum(1 << 2 * j for j in range(width))
    states: dict[int, tuple[int, _Chosen]] = {all_dominated: (0, None)}
    bounds = [0]
    for k, price in enumerate(prices):
        shift = 2 * (k % width)
        price_above = prices[k - width] if k >= width else 0
        price_left = prices[k - 1] if shift else 0
        limit = budget - to_come[k + 1]
        later: dict[int, tuple[int, _Chosen]] = {}
        for state, (excess, chosen) in states.items():
            above = state >> shift & 3
            left = state >> (shift - 2) & 3 if shift else 1
            others = state & ~(3 << shift)
            paid = (above == 2) + (left == 2)
            taking = excess + unpaid[k] + price * paid
            if above:
                taking += price_above
                leaving = excess + price if paid == 2 else excess
                to = others | (paid > 0) << shift
                if leaving <= limit and ((best := later.get(to)) is None or leaving < best[0]):
                    later[to] = leaving, chosen
            to = others | 2 << shift
            if left:
                taking += price_left
            else:
                to |= 1 << (shift - 2)
            if taking <= limit and ((best := later.get(to)) is None or taking < best[0]):
                later[to] = taking, (k, chosen)
        states = later
        bounds.append(min((excess for excess, _ in states.values()), default=budget + 1))
    final = [
        found
        for state, found in states.items()
        if (state | state >> 1) & all_dominated == all_dominated
    ]
    if not final:
        return None, bounds
    _, chosen = min(final, key=lambda found: found[0])
    cells: list[int] = []
    while chosen is not None:
        cells.append(chosen[0])
        chosen = chosen[1]
    return cells, bounds


def _least_excess(
    budget: int, prices: list[int], unpaid: list[int], width: int, to_come: list[int]
) -> tuple[int, list[int]]:
    """The least excess (more than the budget if there is none within it), and bounds.

    Like _choice_within, but faster, because it need not keep the choice.
    """
    all_dominated = sum(1 << 2 * j for j in range(width))
    states = {all_dominated: 0}
    bounds = [0]
    for k, price in enumerate(prices):
        shift = 2 * (k % width)
        price_above = prices[k - width] if k >= width else 0
        price_left = prices[k - 1] if shift else 0
        limit = budget - to_come[k + 1]
        in_last_row = k + width >= len(prices)
        here, taken, left_dominated = 3 << shift, 2 << shift, 1 << (shift - 2) if shift else 0
        later: dict[int, int] = {}
        for state, excess in states.items():
            above = state >> shift & 3
            left = state >> (shift - 2) & 3 if shift else 1
            others = state & ~here
            paid = (above == 2) + (left == 2)
            taking = excess + unpaid[k] + price * paid
            if above:
                taking += price_above
                if left or not in_last_row:  # or nothing could dominate the cell to the left
                    leaving = excess + price if paid == 2 else excess
                    to = others | (paid > 0) << shift
                    if leaving <= limit and leaving < later.get(to, inf):
                        later[to] = leaving
            to = others | taken
            if left:
                taking += price_left
            else:
                to |= left_dominated
            if taking <= limit and taking < later.get(to, inf):
                later[to] = taking
        states = later
        bounds.append(min(states.values(), default=budget + 1))
    final = [
        excess
        for state, excess in states.items()
        if (state | state >> 1) & all_dominated == all_dominated
    ]
    return min(final, default=budget + 1), bounds


def _prices_below(
    F: list[list[int]], choose_prices: Callable[["Array"], "Array"]
) -> tuple[list[int], list[int]]:
    """Prices of the cells and the costs they leave unpaid, both times SCALE.

    Any prices that leave nothing negative are valid; the larger their sum, the better. Subgradient
    steps raise the prices of cells that no cell would dominate for less than its cost, and lower
    those of cells that several would; then all are made to fit.
    """
    import numpy as np

    costs = np.array(F, dtype=np.float64)
    prices = choose_prices(costs)
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


def _prices_by_failures(costs: "Array") -> "Array":
    """Subgradient steps that become smaller after eight without a better sum."""
    import numpy as np

    prices = costs / 10
    best_prices, best, step, failures = prices, -np.inf, 0.05, 0
    for _ in range(min(800, 2 * costs.size)):
        left = costs - _around(prices)
        bound = prices.sum() + np.minimum(left, 0).sum()
        if bound > best:
            best_prices, best, failures = prices, bound, 0
        else:
            failures += 1
            if failures == 8:
                prices, step, failures = best_prices, step * 0.7, 0
                left = costs - _around(prices)
        slope = 1 - _around((left < 0).astype(np.float64))
        steepness = (slope * slope).sum()
        if steepness == 0:
            break
        prices = np.maximum(0, prices + step * (abs(best) + 1) / steepness * slope)
    return best_prices


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
