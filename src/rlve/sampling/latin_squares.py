"""Random Latin squares."""

from random import Random

from rlve.errors import GenerationError


def random_latin_square(rng: Random, n: int) -> list[list[int]]:
    """A nearly uniform Latin square of 0 .. n-1, n >= 2.

    The walk of Jacobson and Matthews (1996). A square is a set of triples (row, column, value); a
    move adds a triple and changes those that then clash. This can leave one triple that counts -1,
    which the next move adds.
    """
    values = [[[(i + j) % n] for j in range(n)] for i in range(n)]  # by row and column
    columns = [[[(v - i) % n] for v in range(n)] for i in range(n)]  # by row and value
    rows = [[[(v - j) % n] for v in range(n)] for j in range(n)]  # by column and value

    def put(i: int, j: int, v: int) -> None:
        values[i][j].append(v)
        columns[i][v].append(j)
        rows[j][v].append(i)

    def take(i: int, j: int, v: int) -> None:
        values[i][j].remove(v)
        columns[i][v].remove(j)
        rows[j][v].remove(i)

    missing: tuple[int, int, int] | None = None  # the triple that counts -1
    for move in range(100 * n**3):
        if missing is None:
            if move >= n**3:
                return [[value for (value,) in row] for row in values]
            i, j = rng.randrange(n), rng.randrange(n)
            v = (values[i][j][0] + rng.randrange(1, n)) % n
        else:
            i, j, v = missing
        x, y, w = rng.choice(rows[j][v]), rng.choice(columns[i][v]), rng.choice(values[i][j])
        if missing is None:
            put(i, j, v)
        for triple in ((i, j, w), (i, y, v), (x, j, v)):
            take(*triple)
        for triple in ((i, y, w), (x, j, w), (x, y, v)):
            put(*triple)
        if w in values[x][y]:
            take(x, y, w)
            missing = None
        else:
            missing = x, y, w
    raise GenerationError(f"the walk did not return to a Latin square of side {n}")
