from math import inf

from rlve.algorithms.tours import lightest_tour


def test_no_tour():
    assert lightest_tour([[0, 1, inf], [1, 0, inf], [inf, inf, 0]]) is None
