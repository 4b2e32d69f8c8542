from itertools import permutations

from tests.support.working import run

from rlve.work import deduce, fill_grid, join_rows, ones_fault, search, state


def queens(n):
    def conflict(chosen, column):
        for row, other in enumerate(chosen):
            if abs(column - other) in (0, len(chosen) - row):
                return f"attacked by row {row}"
        return None

    return search(lambda chosen: range(n), conflict, lambda chosen: len(chosen) == n)


def test_a_search_backs_up_and_finds_the_first_solution():
    lines, found = run(queens(4))
    assert found == [1, 3, 0, 2]
    assert lines[:5] == [
        "Try: 0",
        "Not 0: attacked by row 0",
        "Not 1: attacked by row 0",
        "Try: 0 2",
        "Not 0: attacked by row 0",
    ]
    assert "Back to: 0" in lines
    assert lines[-1] == "Try: 1 3 0 2"
    first = next(
        p
        for p in permutations(range(6))
        if all(abs(p[i] - p[j]) != j - i for j in range(6) for i in range(j))
    )
    assert run(queens(6))[1] == list(first)


def test_a_search_says_when_there_is_nothing():
    assert run(queens(3))[1] is None
    assert run(queens(0)) == ([], [])


def latin(rows):
    """Fill the zeros of a Latin square of 1, 2 and 3 in which no row or column repeats a value."""
    cells = [(i, j) for i in range(3) for j in range(3) if not rows[i][j]]

    def conflict(filled, cell, value):
        for i in range(3):
            for j in range(3):
                if (i == cell[0]) != (j == cell[1]) and value == filled.get((i, j), rows[i][j]):
                    return f"it is in row {i}" if i == cell[0] else f"it is in column {j}"
        return None

    return deduce(
        cells,
        lambda cell: (1, 2, 3),
        conflict,
        name=lambda cell: f"Row {cell[0]}, column {cell[1]}",
        show=lambda filled: state("Filled", filled.values()),
    )


def test_what_is_forced_comes_before_trials():
    lines, found = run(latin([[1, 2, 0], [0, 0, 0], [0, 1, 0]]))
    assert lines[0] == "Row 0, column 2: not 1 2 (it is in row 0), so 3"
    assert found[0, 2] == 3
    assert not any("Try" in line for line in lines)


def test_a_trial_that_fails_is_taken_back():
    lines, found = run(latin([[0, 0, 0], [0, 0, 1], [0, 0, 2]]))
    assert found[0, 2] == 3
    lines, found = run(latin([[1, 2, 0], [0, 0, 0], [0, 3, 3]]))
    assert found is None
    assert lines[-1].endswith("so nothing fits")


def test_a_trial_names_what_is_left_and_what_was_filled():
    def conflict(filled, place, value):
        return "a sum of 3 is needed" if value + sum(filled.values()) != 3 and filled else None

    work = deduce(
        "ab",
        lambda place: (1, 3) if place == "a" else (0, 1),
        conflict,
        name=str,
        show=lambda filled: state("Filled", filled.values()),
    )
    assert run(work) == (
        [
            "a: 1 or 3. Try 1",
            "b: not 0 1 (a sum of 3 is needed), so nothing fits",
            "Back: a is not 1",
            "Filled: none",
            "a: not 1 (tried), so 3",
            "b: not 1 (a sum of 3 is needed), so 0",
        ],
        {"a": 3, "b": 0},
    )


def test_a_grid_is_filled_and_written():
    def fault(rows, i, j):
        column = [row[j] for row in rows]
        return ones_fault(rows[i], 1, f"row {i + 1}") or ones_fault(column, 1, f"column {j + 1}")

    lines, rows = run(fill_grid(["1**", "***", "*0*"], "*", "01", fault))
    assert lines[:3] == [
        "Row 1, column 2: not 1 (2 ones in row 1), so 0",
        "Row 1, column 3: not 1 (2 ones in row 1), so 0",
        "Row 2, column 1: not 1 (2 ones in column 1), so 0",
    ]
    assert "Row 2, column 2: not 0 (at most 0 ones in column 2), so 1" in lines
    assert rows == [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]
    assert run(join_rows(rows)) == (
        ["Row 1: 1 0 0, written 100", "Row 2: 0 1 0, written 010", "Row 3: 0 0 1, written 001"],
        "100\n010\n001",
    )


def test_a_grid_without_a_solution():
    lines, rows = run(fill_grid(["**"], "*", "01", lambda rows, i, j: "*" not in rows[0] and "no"))
    assert rows is None
    assert "Back: Row 1, column 1 is not 0" in lines
    assert "Grid: _ _" in lines
