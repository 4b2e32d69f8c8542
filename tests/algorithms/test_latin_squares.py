from itertools import permutations, product

from rlve.algorithms.latin_squares import is_latin_square, views, visible


def test_the_latin_squares_of_side_three():
    values = list(product(range(3), repeat=3))
    squares = [rows for rows in product(values, repeat=3) if is_latin_square(rows)]
    assert len(squares) == 12


def test_values_out_of_range_make_no_latin_square():
    assert is_latin_square([[0, 1], [1, 0]])
    assert not is_latin_square([[1, 2], [2, 1]])
    assert not is_latin_square([[0, 10**900], [10**900, 0]])


def test_visible_heights_are_those_with_none_taller_before():
    for heights in permutations(range(6)):
        expected = [h for i, h in enumerate(heights) if all(x <= h for x in heights[:i])]
        assert visible(heights) == expected


def test_views_from_the_four_sides():
    found = views([[1, 2, 0], [0, 1, 2], [2, 0, 1]])
    assert found.left == [[1, 2], [0, 1, 2], [2]]
    assert found.right == [[0, 2], [2], [1, 2]]
    assert found.top == [[1, 2], [2], [0, 2]]
    assert found.bottom == [[2], [0, 1, 2], [1, 2]]
