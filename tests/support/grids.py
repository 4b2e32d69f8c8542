"""Grids that are filled in all ways, for brute forces."""

from itertools import permutations, product


def fillings(text, blank, letters):
    """The texts in which each blank has become one of the letters."""
    for chosen in product(letters, repeat=text.count(blank)):
        rest = iter(chosen)
        yield "".join(next(rest) if x == blank else x for x in text)


def latin_squares(n, rows=()):
    """Row by row: no row has a value where one above it has it."""
    if len(rows) == n:
        yield rows
        return
    for row in permutations(range(n)):
        if all(x != y for above in rows for x, y in zip(row, above, strict=True)):
            yield from latin_squares(n, (*rows, row))


def sides(square):
    """The lines as they are seen from the left, from the right, from above and from below."""
    columns = list(zip(*square, strict=True))
    return square, [row[::-1] for row in square], columns, [line[::-1] for line in columns]
