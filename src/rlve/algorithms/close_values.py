"""Values for the cells of a grid, at least cost, with neighbours that differ by at most D."""

from bisect import bisect_right
from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from rlve.algorithms.flows import Network
from rlve.algorithms.grids import neighbours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]
    Kept: TypeAlias = NDArray[np.bool_]

Costs: TypeAlias = list[list[list[int]]]  # of cell (i, j) and value v: costs[i][j][v]

FEW_COSTS = 1500  # up to which a flow through all of them is fast
SWEEPS, SWEEPS_AT_ONCE = 240, 6  # at most, and before the bounds are looked at
LARGEST = 2**30  # total for which bounds are used,
ROUNDING = 1e-3  # and more than they can then be off


def cheapest_close_values(costs: Costs, D: int) -> list[list[int]]:
    """The least values, cell by cell, of all those whose total cost is least.

    There are least ones: of two cheapest ways, the smaller value of every cell is a cheapest way
    again. A minimum cut finds them, but takes long if there are many costs. Then values are left
    out with which the total would be above what is allowed, as lower bounds show. What is found is
    right if its total is allowed. If not, or if too much is left, the bounds are improved.
    """
    import numpy as np

    P, Q, R = len(costs), len(costs[0]), len(costs[0][0])
    if D == 0:  # all values are equal; the flow would take longest to find that out
        value = min(range(R), key=lambda v: sum(cost[v] for row in costs for cost in row))
        return [[value] * Q for _ in range(P)]
    everything = [[list(range(R))] * Q for _ in range(P)]
    largest = max(cost for row in costs for cell in row for cost in cell)
    if P * Q * R <= FEW_COSTS or P * Q * largest > LARGEST:
        return _by_flow(costs, D, everything)
    before, best, room = -inf, inf, 4.0
    enough = 2.0  # values of a cell for a fast flow; later on, a slower one beats further sweeps
    for least, with_value in _lower_bounds(np.array(costs, dtype=np.float64), D):
        # How much the bound has risen lately says how far below the least total it may still be.
        allowed = min(best, least + room * (least - before) + 1)
        kept = _with_support(with_value <= allowed + ROUNDING, D)
        if np.count_nonzero(kept) <= enough * P * Q:
            if kept.any():
                left = [[np.flatnonzero(cell).tolist() for cell in row] for row in kept]
                values = _by_flow(costs, D, left)
                best = sum(costs[i][j][values[i][j]] for i in range(P) for j in range(Q))
                if best <= allowed:
                    return values
            room *= 2
        before = least
        enough += 0.2
    return _by_flow(costs, D, everything)


def _by_flow(costs: Costs, D: int, kept: list[list[list[int]]]) -> list[list[int]]:
    """The cheapest of the values kept, which are in ascending order and all of some use.

    A minimum cut goes through a chain of arcs for each cell; cutting an arc gives its value. An arc
    of unlimited capacity leads from the chain of a cell to that of one beside it, for each value w
    of the latter: if the cell has a value above w + D, its neighbour has one above w.
    """
    P, Q = len(kept), len(kept[0])
    source, sink, n = 0, 1, 2
    chains: list[list[list[int]]] = []  # the vertices between the arcs of each cell, and both ends
    for row in kept:
        chains.append([])
        for values in row:
            chains[-1].append([source, *range(n, n + len(values) - 1), sink])
            n += len(values) - 1
    network = Network(n)
    for i, row in enumerate(kept):
        for j, values in enumerate(row):
            chain = chains[i][j]
            for k, value in enumerate(values):
                network.add(chain[k], chain[k + 1], costs[i][j][value])
            for x, y in neighbours(P, Q, (i, j)):
                for k, w in enumerate(kept[x][y][:-1], 1):
                    above = bisect_right(values, w + D)
                    if above < len(values):
                        network.add(chain[above], chains[x][y][k], inf)
    network.send(source, sink)
    reached = network.reached(source)
    return [
        [
            next(v for v, vertex in zip(values, chain[1:], strict=True) if vertex not in reached)
            for values, chain in zip(*rows, strict=True)
        ]
        for rows in zip(kept, chains, strict=True)
    ]


def _with_support(kept: "Kept", D: int) -> "Kept":
    """Without values that some neighbour has no value near; nothing if a cell has none left."""
    import numpy as np

    before = -1
    while (count := np.count_nonzero(kept)) != before:
        before = count
        near = _least_near(np.where(kept, 0.0, 1.0), D) == 0
        kept = kept.copy()
        kept[1:] &= near[:-1]
        kept[:-1] &= near[1:]
        kept[:, 1:] &= near[:, :-1]
        kept[:, :-1] &= near[:, 1:]
    return kept if kept.any(axis=2).all() else np.zeros_like(kept)


def _least_near(values: "Array", D: int) -> "Array":
    """The least of those at most D places away, along the last axis."""
    import numpy as np

    R = values.shape[-1]
    reach = min(D, R - 1)
    padded = np.full((*values.shape[:-1], R + 2 * reach), inf)
    padded[..., reach : reach + R] = values
    width = 1
    while width < 2 * reach + 1:
        step = min(width, 2 * reach + 1 - width)
        padded = np.minimum(padded[..., :-step], padded[..., step:])
        width += step
    return padded


def _lower_bounds(costs: "Array", D: int) -> Iterator[tuple[float, "Array"]]:
    """Ever better bounds on the total cost: of all ways, and of those that give a cell a value.

    If each cost is split into a part for its row and one for its column, the cheapest ways for the
    rows alone and for the columns alone are a lower bound. The best split has no better one than
    the least total; it is approached by sequential message passing (Kolmogorov, 2006).
    """
    for along_rows in _parts_for_rows(costs, D):
        rows = _with_each_value(along_rows.swapaxes(0, 1), D).swapaxes(0, 1)
        columns = _with_each_value(costs - along_rows, D)
        least_row, least_column = rows.min(axis=2), columns.min(axis=2)
        least = float(least_row[:, 0].sum() + least_column[0].sum())
        yield least, least + (rows - least_row[..., None]) + (columns - least_column[..., None])


def _with_each_value(costs: "Array", D: int) -> "Array":
    """The least cost of each column alone, with each value in each of its cells."""
    import numpy as np

    before = np.zeros_like(costs)
    after = np.zeros_like(costs)
    for i in range(1, len(costs)):
        before[i] = _least_near(before[i - 1] + costs[i - 1], D)
        after[-i - 1] = _least_near(after[-i] + costs[-i], D)
    return before + costs + after


def _parts_for_rows(costs: "Array", D: int) -> Iterator["Array"]:
    """Parts of the costs for rows, the rest being for columns, with ever better lower bounds.

    Cell by cell, forwards and backwards, costs are moved between row and column until both cost the
    same with each value of the cell. Cells of the same diagonal i + j = k do not affect each other,
    so they are treated at once: slot (k, i) is for cell (i, k - i).
    """
    import numpy as np

    P, Q, R = costs.shape
    total = np.zeros((P + Q - 1, P, R))
    for i in range(P):
        total[i : i + Q, i] = costs[i]
    # What the rows and columns cost before and after a cell, at least, with each of its values.
    left, right, above, below = messages = np.zeros((4, *total.shape))
    diagonals = [(k, max(0, k - Q + 1), min(P, k + 1)) for k in range(P + Q - 1)]
    i, j = np.indices((P, Q))
    for sweep in range(1, SWEEPS + 1):
        for k, start, end in diagonals[:-1]:
            half = 0.5 * (total[k, start:end] + messages[:, k, start:end].sum(axis=0))
            last = min(end, P - 1)  # before it, cells have one below
            first = max(start, k - Q + 2)  # from it on, cells have one to the right
            down = half[: last - start] - below[k, start:last]
            across = half[first - start :] - right[k, first:end]
            least = _least_near(np.concatenate([down, across]), D)
            above[k + 1, start + 1 : last + 1] = least[: len(down)]
            left[k + 1, first:end] = least[len(down) :]
        for k, start, end in diagonals[:0:-1]:
            half = 0.5 * (total[k, start:end] + messages[:, k, start:end].sum(axis=0))
            first = max(start, 1)  # from it on, cells have one above
            last = min(end, k)  # before it, cells have one to the left
            up = half[first - start :] - above[k, first:end]
            across = half[: last - start] - left[k, start:last]
            least = _least_near(np.concatenate([up, across]), D)
            below[k - 1, first - 1 : end - 1] = least[: len(up)]
            right[k - 1, start:last] = least[len(up) :]
        if sweep % SWEEPS_AT_ONCE == 0:
            half = 0.5 * (total + messages.sum(axis=0))
            yield (half - left - right)[i + j, i]
