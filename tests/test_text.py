from rlve.levels import grow
from rlve.text import grid, indexed, joined, lines, spaced


def test_text():
    assert spaced([1, "a"]) == "1 a"
    assert joined([1, 0]) == "10"
    assert lines([(0, 1), (1, 2)]) == "(0, 1)\n(1, 2)"
    assert grid([[1, 2], [3, 4]]) == "1 2\n3 4"
    assert indexed("A", [5, 7]) == "A[0]=5 A[1]=7"
    assert indexed("A", [5], start=1) == "A[1]=5"


def test_grow():
    assert [grow(3, d) for d in range(9)] == [3, 4, 5, 6, 7, 8, 9, 10, 12]
    assert [grow(8, d, by=1.5, plus=0) for d in range(4)] == [8, 12, 18, 27]
