from rlve.algorithms.grids import (
    CORNERS,
    SIDES,
    equal_cells,
    keeps,
    neighbours,
    prefix_sums,
    steps_from,
)


def test_neighbours_share_a_side_or_a_corner():
    N, M = 3, 4
    cells = [(i, j) for i in range(N) for j in range(M)]
    for i, j in cells:
        beside = {(x, y) for x, y in cells if abs(x - i) + abs(y - j) == 1}
        around = {(x, y) for x, y in cells if max(abs(x - i), abs(y - j)) == 1}
        assert set(neighbours(N, M, (i, j))) == beside
        assert set(neighbours(N, M, (i, j), SIDES + CORNERS)) == around


def test_equal_cells():
    assert equal_cells([[1, 2], [3, 4]], [[1, 3], [3, 4]]) == 3
    assert equal_cells(["ab"], ["ba"]) == 0


def test_keeps():
    assert keeps(["01", "10"], ["*1", "**"], "*")
    assert not keeps(["01", "10"], ["*1", "*1"], "*")
    assert keeps([[5, 0]], [[-1, 0]], -1)


def test_distances_go_around_walls():
    grid = ["..#", "#.#", "..."]
    steps = steps_from(3, 3, [(0, 0), (2, 2)], free=lambda cell: grid[cell[0]][cell[1]] == ".")
    assert steps == {(0, 0): 0, (2, 2): 0, (0, 1): 1, (2, 1): 1, (1, 1): 2, (2, 0): 2}


def test_prefix_sums():
    matrix = [[1, 2, 3], [4, 5, 6]]
    sums = prefix_sums(matrix)
    for i in range(3):
        for j in range(4):
            assert sums[i][j] == sum(sum(row[:j]) for row in matrix[:i])
