"""Linear equations in fractions, for brute forces."""

from fractions import Fraction


def solution(rows):
    """Of as many equations as unknowns; the last number of a row is its right side."""
    rows = [[Fraction(x) for x in row] for row in rows]
    for i in range(len(rows)):
        pivot = next(r for r in range(i, len(rows)) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r, row in enumerate(rows):
            if r != i and row[i]:
                rows[r] = [x - row[i] * y for x, y in zip(row, rows[i], strict=True)]
    return [row[-1] for row in rows]
