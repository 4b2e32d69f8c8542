from collections import Counter

from rlve.envs.grids.grid_component import GridComponent

PROBLEM = GridComponent(MAX_N_M=4, N=3, M=3, grid=["110", "001", "011"], reference_answer=3)
ZEROS = GridComponent(MAX_N_M=4, N=2, M=2, grid=["00", "00"], reference_answer=0)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 4), (1, 5), (2, 6), (6, 10), (7, 12), (20, 56))}
REWARDS = [
    (PROBLEM, {1.0: ["3"], 0.0: ["5", "-3"], -1.0: ["3 cells", ""]}),
    (ZEROS, {1.0: ["0"], 0.0: ["1"]}),
]
SAMPLES = {200: {"MAX_N_M": range(2, 9)}}


def test_answer_is_the_most_frequent_label(problem):
    assert problem.reference_answer == max(Counter(labels(problem.grid)).values(), default=0)


def labels(grid):
    """The smallest number of a cell in its component, spread from neighbour to neighbour."""
    label = {
        (i, j): i * len(row) + j
        for i, row in enumerate(grid)
        for j, value in enumerate(row)
        if value == "1"
    }
    while True:
        smaller = {
            (i, j): min(
                label[cell]
                for cell in [(i, j), (i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
                if cell in label
            )
            for i, j in label
        }
        if smaller == label:
            return label.values()
        label = smaller
