from itertools import combinations

from rlve.envs.dialogues.minefield import Minefield
from support.tables import told

# ? 1 0
# ? 2 1
# ? ? ?    are open at the start
PROBLEM = Minefield(N=3, mines=[(0, 0), (2, 2)], start=(0, 2))
SCHEDULE = {0: {"N": 4, "mines": 2}, 2: {"N": 5, "mines": 3}, 20: {"N": 14, "mines": 62}}
REPLIES = {
    "? 1 0\n1 2 1\n? ? ?": ["2 1", "2 1 / 1 3"],
    "? 1 0\n? 2 1\n? ? ?": ["1 2", "2 2 / 1 3"],  # open already
    "Not allowed: ...": ["0 1", "4 1", "1 4"],
    None: ["1", "1 1 1", "a b", ""],
    1.0: ["3 1", "2 1 / 3 2 / 3 1"],  # around the 0 of row 3, column 1, all are opened
    0.0: ["1 1", "2 1 / 3 3", "1 2 / 1 2 / 1 2"],
}
SAMPLES = {100: {"difficulty": range(3)}}


def test_replies_count_the_mines_and_no_guess_is_needed(problem):
    cells = {(r, c) for r in range(problem.N) for c in range(problem.N)}
    near = {
        (r, c): {(i, j) for i, j in cells if max(abs(r - i), abs(c - j)) == 1} for r, c in cells
    }
    known, moves, said = set(), [], []
    newly = problem.start
    while newly:
        known = spread(known | {newly}, near, problem.mines)
        counts = {cell: len(near[cell].intersection(problem.mines)) for cell in known}
        if moves:
            said.append(drawn(counts, problem.N))
        if len(known) + len(problem.mines) == len(cells):
            said[-1] = 1.0
            break
        possible = [
            mines
            for mines in combinations(sorted(cells - known), len(problem.mines))
            if all(len(near[cell].intersection(mines)) == counts[cell] for cell in known)
        ]
        newly = min(cells - known - {mine for mines in possible for mine in mines})
        moves.append(f"{newly[0] + 1} {newly[1] + 1}")
    assert told(problem, moves) == said


def spread(known, near, mines):
    """Open what is around a 0, until nothing changes."""
    zeros = {cell for cell in known if near[cell].isdisjoint(mines)}
    wider = known.union(*(near[cell] for cell in zeros))
    return known if wider == known else spread(wider, near, mines)


def drawn(counts, N):
    rows = ([str(counts.get((r, c), "?")) for c in range(N)] for r in range(N))
    return "\n".join(map(" ".join, rows))
