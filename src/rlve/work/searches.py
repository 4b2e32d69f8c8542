"""Searches: trying and backing up, and deduction in puzzles."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from rlve.algorithms.grids import Cell
from rlve.contract import MAX_WORKED, Work
from rlve.text import counted, lines, spaced
from rlve.work.lists import state

T = TypeVar("T")
Place = TypeVar("Place", bound=Hashable)


def search(
    options: Callable[[list[T]], Iterable[T]],
    conflict: Callable[[list[T], T], str | None],
    done: Callable[[list[T]], bool],
    show: Callable[[T], str] = str,
    note: Callable[[list[T]], str] = lambda chosen: "",
) -> Work[list[T] | None]:
    """A search that backs up: the first complete list of choices, or None.

    `options` are what can come next after some choices, `conflict` says in a few words why one
    cannot be, `done` whether the choices are complete, and `note` what a reader should see of them.
    """

    def extend(chosen: list[T]) -> Work[list[T] | None]:
        if done(chosen):
            return chosen
        left = list(options(chosen))
        if not left:
            yield "Nothing is left to try"
        for option in left:
            if reason := conflict(chosen, option):
                yield f"Not {show(option)}: {reason}"
                continue
            longer = [*chosen, option]
            yield state("Try", map(show, longer)) + note(longer)
            found = yield from extend(longer)
            if found is not None:
                return found
            yield state("Back to", map(show, chosen))
        return None

    return (yield from extend([]))


def deduce(
    places: Sequence[Place],
    values: Callable[[Place], Iterable[T]],
    conflict: Callable[[Mapping[Place, T], Place, T], str | None],
    *,
    name: Callable[[Place], str],
    show: Callable[[Mapping[Place, T]], str],
) -> Work[dict[Place, T] | None]:
    """A value for every place: first what is forced; where nothing is, a trial that can back up.

    `conflict` says in a few words why a place cannot have a value, given what is filled so far; it
    must not cease to be one when more is filled. `show` writes down what is filled. The result is
    None if there is no solution, or none that could be written down: each place takes a line.
    """
    if sum(len(name(place)) + _shortest(len(list(values(place)))) for place in places) > MAX_WORKED:
        return None

    def fill(
        filled: dict[Place, T], known: dict[tuple[Place, T], str]
    ) -> Work[dict[Place, T] | None]:
        def why_not(place: Place) -> dict[T, str | None]:
            for value in values(place):
                if (place, value) not in known and (reason := conflict(filled, place, value)):
                    known[place, value] = reason
            return {value: known.get((place, value)) for value in values(place)}

        while len(filled) < len(places):
            place, reasons = _tightest(places, filled, why_not)
            left = [value for value, reason in reasons.items() if not reason]
            if len(left) < 2:
                excluded = [
                    f"not {spaced(x for x, its in reasons.items() if its == why)} ({why})"
                    for why in dict.fromkeys(filter(None, reasons.values()))
                ]
                result = f"so {left[0]}" if left else "so nothing fits"
                if left and not excluded:
                    result = f"only {left[0]}"
                yield f"{name(place)}: {', '.join([*excluded, result])}"
                if not left:
                    return None
                filled = {**filled, place: left[0]}
                continue
            yield f"{name(place)}: {' or '.join(map(str, left))}. Try {left[0]}"
            found = yield from fill({**filled, place: left[0]}, dict(known))
            if found is not None:
                return found
            known[place, left[0]] = "tried"
            yield f"Back: {name(place)} is not {left[0]}"
            yield show(filled)
        return filled

    return (yield from fill({}, {}))


def _shortest(values: int) -> int:
    """What a line that fills a place has at least, beside its name."""
    return len(": only 1\n" if values == 1 else ": 1 or 2. Try 1\n")


def _tightest(
    places: Iterable[Place],
    filled: Mapping[Place, T],
    why_not: Callable[[Place], dict[T, str | None]],
) -> tuple[Place, dict[T, str | None]]:
    """The first open place with one value left, or none; failing that, with the fewest left."""
    found: list[tuple[Place, dict[T, str | None]]] = []
    for place in places:
        if place not in filled:
            reasons = why_not(place)
            found.append((place, reasons))
            if list(reasons.values()).count(None) < 2:
                return found[-1]
    return min(found, key=lambda pair: list(pair[1].values()).count(None))


def fill_grid(
    cells: Sequence[Sequence[T]],
    empty: T,
    values: Sequence[T],
    fault: Callable[[list[list[T]], int, int], str | None],
    *,
    name: Callable[[Cell], str] = lambda cell: f"Row {cell[0] + 1}, column {cell[1] + 1}",
) -> Work[list[list[T]] | None]:
    """The grid with a value in every empty cell, by deduction.

    `fault` says what is wrong with a grid whose cell in row i and column j (from 0) is new.
    """
    grid = [list(row) for row in cells]
    places = [(i, j) for i, row in enumerate(grid) for j, x in enumerate(row) if x == empty]
    shown: Mapping[Cell, T] = {}  # what the grid has now

    def conflict(filled: Mapping[Cell, T], cell: Cell, value: T) -> str | None:
        nonlocal shown
        if filled is not shown:
            for i, j in places:
                grid[i][j] = filled.get((i, j), empty)
            shown = filled
        i, j = cell
        grid[i][j] = value
        reason = fault(grid, i, j)
        grid[i][j] = empty
        return reason

    def show(filled: Mapping[Cell, T]) -> str:
        rows = [
            spaced(filled.get((i, j), "_") if x == empty else x for j, x in enumerate(row))
            for i, row in enumerate(cells)
        ]
        return f"Grid: {'; '.join(rows)}"

    found = yield from deduce(
        places,
        lambda cell: values,
        conflict,
        name=name,
        show=show,
    )
    if found is None:
        return None
    return [[found.get((i, j), x) for j, x in enumerate(row)] for i, row in enumerate(cells)]


def join_rows(rows: Iterable[Sequence[object]]) -> Work[str]:
    """The rows of a grid of digits or characters, as an answer writes them, without separators."""
    joined = ["".join(map(str, row)) for row in rows]
    for i, row in enumerate(joined, 1):
        yield f"Row {i}: {spaced(row)}, written {row}"
    return lines(joined)


def ones_fault(line: Sequence[str], ones: int, name: str) -> str | None:
    """Why a line of 0, 1 and other cells, which are still empty, cannot get so many ones."""
    has, most = line.count("1"), len(line) - line.count("0")
    if has > ones:
        return f"{counted(has, 'one')} in {name}"
    return f"at most {counted(most, 'one')} in {name}" if most < ones else None
