from random import Random

from rlve.envs.dialogues.battleships import Battleships
from support.tables import told

PROBLEM = Battleships(N=6, lengths=[3, 2], ships=[[(1, 1), (1, 2), (1, 3)], [(3, 5), (4, 5)]])
SCHEDULE = {0: {"N": 6, "S": 2}, 3: {"N": 7, "S": 3}, 20: {"N": 16, "S": 8}}
REPLIES = {
    "miss": ["6 6", "2 1", "1 1 / 1 4"],
    "hit": ["1 1", "1 3 / 3 5"],
    "sunk": ["3 5 / 4 5", "1 2 / 1 1 / 1 3"],
    "You have fired there before.": ["6 6 / 6 6", "1 1 / 1 1"],
    "Not allowed: ...": ["0 1", "1 7"],
    None: ["1", "1 2 3", "one two", ""],
    1.0: ["1 1 / 1 2 / 1 3 / 4 5 / 3 5", "3 5 / 9 9 / 3 5 / 4 5 / 1 1 / 1 2 / 1 3"],
    0.0: [" / ".join(["6 6"] * 21)],
}
SAMPLES = {100: {"difficulty": range(6)}}


def test_replies_are_those_of_ships_that_are_hit_cell_by_cell(problem, seed):
    left = {number: len(ship) for number, ship in enumerate(problem.ships)}
    fleet = {cell: number for number, ship in enumerate(problem.ships) for cell in ship}
    assert len(fleet) == sum(problem.lengths)
    for (r, c), number in fleet.items():
        near = [(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        assert {fleet.get(cell, number) for cell in near} == {number}
    shots = Random(seed).sample([*fleet, *fleet, (1, 1), (1, 2), (2, 1), (2, 2)], len(fleet))
    expected, fired = [], set()
    for shot in shots[: problem.turns - 1]:
        if shot in fired:
            expected.append("You have fired there before.")
            continue
        fired.add(shot)
        if shot in fleet:
            left[fleet[shot]] -= 1
        said = "miss" if shot not in fleet else "hit" if left[fleet[shot]] else "sunk"
        expected.append(said if any(left.values()) else 1.0)
    assert told(problem, [f"{r} {c}" for r, c in shots]) == expected
