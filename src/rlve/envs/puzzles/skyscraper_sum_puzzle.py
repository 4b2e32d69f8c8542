from rlve.envs.puzzles.skyscraper_puzzle import SkyscraperPuzzle


class SkyscraperSumPuzzle(SkyscraperPuzzle):
    """Fill a Latin square with heights, given the sums of those visible from each side.

    Any square with these sums is right; there can be several. The planted square is nearly uniform
    among all Latin squares.
    """

    seen = sum

    template = """
        Fill a grid of {N} rows and {N} columns with heights from 0 to {last}, such that each row
        and each column contains every height exactly once.

        A cell is visible from a side if no taller cell is before it, seen from that side. So the
        first cell is always visible. The sums of the heights of the visible cells must be:
        - in the rows from top to bottom, seen from the left: {left}
        - in the rows from top to bottom, seen from the right: {right}
        - in the columns from left to right, seen from the top: {top}
        - in the columns from left to right, seen from the bottom: {bottom}

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {N} heights, separated by spaces: the filled grid.
        """
