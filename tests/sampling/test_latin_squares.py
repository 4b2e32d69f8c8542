from collections import Counter
from random import Random

from rlve.sampling.latin_squares import random_latin_square


def test_each_value_is_once_in_every_line():
    for seed in range(100):
        n = 2 + seed % 7
        square = random_latin_square(Random(seed), n)
        assert len(square) == n
        for line in [*square, *zip(*square, strict=True)]:
            assert sorted(line) == list(range(n))


def test_all_squares_are_drawn_about_equally_often():
    drawn = Counter(str(random_latin_square(Random(seed), 3)) for seed in range(1200))
    assert len(drawn) == 12
    assert all(60 < count < 150 for count in drawn.values())


def test_squares_need_not_be_cyclic():
    # In a cyclic square of side 5 no two rows and two columns meet in only two values.
    assert any(has_subsquare(random_latin_square(Random(seed), 5)) for seed in range(5))


def has_subsquare(square):
    n = range(len(square))
    return any(
        square[a][c] == square[b][d] and square[a][d] == square[b][c]
        for a in n
        for b in range(a)
        for c in n
        for d in range(c)
    )
