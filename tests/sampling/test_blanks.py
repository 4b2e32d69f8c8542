from random import Random

from rlve.sampling.blanks import with_blanks


def test_a_share_of_the_cells_is_blank():
    for seed in range(50):
        rng = Random(seed)
        rows = ["abcde"[: 1 + seed % 5]] * (1 + seed % 3)
        size = len(rows) * len(rows[0])
        blanked = with_blanks(rng, rows, 0.5, "*")
        assert sum(row.count("*") for row in blanked) == max(1, size // 2)
        for row, puzzle in zip(rows, blanked, strict=True):
            assert all(given in ("*", value) for value, given in zip(row, puzzle, strict=True))


def test_the_rows_are_copied():
    rows = [[1, 2], [3, 4]]
    assert with_blanks(Random(1), rows, 1.0, 0) == [[0, 0], [0, 0]]
    assert rows == [[1, 2], [3, 4]]


def test_every_cell_can_be_the_blank_one():
    drawn = {str(with_blanks(Random(seed), [[1, 2], [3, 4]], 0.1, 0)) for seed in range(60)}
    assert len(drawn) == 4
