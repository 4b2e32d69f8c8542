from itertools import combinations

from rlve.envs.grids.max_no_conflicting_bombs import MaxNoConflictingBombs

PROBLEM = MaxNoConflictingBombs(
    MAX_N_M=3, N=2, M=4, grid=[["*", "#", "*", "x"], ["*", "x", "*", "*"]], gold_answer=3
)
NO_PLACE = MaxNoConflictingBombs(MAX_N_M=3, N=2, M=2, grid=[["#", "x"], ["x", "x"]], gold_answer=0)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 3), (1, 4), (7, 10), (8, 12), (20, 50))}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["B#Bx\n*x*B", "B#Bx\n\n*x*B\n"],
            (2 / 3) ** 3: ["B#Bx\n*x**"],
            0.0: ["*#*x\n*x**"],
            -0.5: [
                "B#Bx\nBx*B",  # two B in a column, and an x between two in a row
                "*#*x\nBx*B",
                "B#BB\n*x**",  # an x is replaced
                "BBBx\n*x**",  # a # is replaced
                "B#Bx\nxx*B",  # a * is replaced by x
                "B#?x\n*x*B",
                "b#*x\n*x**",
            ],
            -1.0: ["B#Bx", "B#Bx\n*x*", "B # B x\n* x * B", ""],
        },
    ),
    (NO_PLACE, {1.0: ["#x\nxx"], -0.5: ["#B\nxx"]}),
]
SAMPLES = {150: {"MAX_N_M": range(2, 5)}}


def test_gold_is_the_most_over_all_sets_of_places(problem):
    grid = problem.grid
    cells = [(i, j) for i, row in enumerate(grid) for j, cell in enumerate(row) if cell == "*"]
    conflicts = {
        (p, q)
        for p, q in combinations(cells, 2)
        if (p[0] == q[0] and "#" not in grid[p[0]][p[1] : q[1]])
        or (p[1] == q[1] and "#" not in [grid[i][p[1]] for i in range(p[0], q[0])])
    }
    independent = [()]
    for cell in cells:
        independent += [
            (*chosen, cell)
            for chosen in independent
            if not any((other, cell) in conflicts for other in chosen)
        ]
    assert problem.gold_answer == max(map(len, independent))


def test_a_record_may_have_its_rows_as_texts():
    recorded = PROBLEM.parameters() | {"grid": ["*#*x", "*x**"]}
    problem = MaxNoConflictingBombs.from_parameters(recorded)
    assert problem.prompt() == PROBLEM.prompt()
    assert problem.reference() == PROBLEM.reference()
    assert problem.verify("<answer>B#Bx\n*x*B</answer>").correct
    assert MaxNoConflictingBombs.from_parameters(problem.parameters()) == problem
