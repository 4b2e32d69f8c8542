from rlve.levels import grow
from rlve.text import counted, grid, indexed, joined, lines, listed, spaced, weighted


def test_text():
    assert spaced([1, "a"]) == "1 a"
    assert joined([1, 0]) == "10"
    assert lines([(0, 1), (1, 2)]) == "(0, 1)\n(1, 2)"
    assert grid([[1, 2], [3, 4]]) == "1 2\n3 4"
    assert indexed("A", [5, 7]) == "A[0]=5 A[1]=7"
    assert indexed("A", [5], start=1) == "A[1]=5"


def test_counts_with_their_nouns():
    assert [counted(n, "point") for n in range(3)] == ["0 points", "1 point", "2 points"]
    assert counted(1, "vertex", "vertices") == "1 vertex"
    assert counted(2, "vertex", "vertices") == "2 vertices"


def test_lists_of_indexed_names():
    shown = [listed("p[{}]", 1, last) for last in range(6)]
    assert shown == [
        "",
        "p[1]",
        "p[1], p[2]",
        "p[1], p[2], p[3]",
        "p[1], p[2], ..., p[4]",
        "p[1], p[2], ..., p[5]",
    ]
    assert listed("X[{}]", 0, 9, " + ") == "X[0] + X[1] + ... + X[9]"


def test_weighted_sums():
    assert weighted([(3, "x"), (-1, "y"), (7, "")]) == "3 * x - y + 7"
    assert weighted([(-1, "x"), (0, "y"), (-1, "")]) == "-x - 1"
    assert weighted([(0, "x"), (1, "")]) == "1"
    assert weighted([(0, "x")]) == "0"
    assert weighted([(2, "x"), (-3, "y")], times="") == "2x - 3y"


def test_grow():
    assert [grow(3, d) for d in range(9)] == [3, 4, 5, 6, 7, 8, 9, 10, 12]
    assert [grow(8, d, by=1.5, plus=0) for d in range(4)] == [8, 12, 18, 27]
