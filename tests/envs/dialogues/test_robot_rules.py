from random import Random

from rlve.envs.dialogues.robot_rules import RobotRules
from support.tables import told

PROBLEM = RobotRules(N=5, K=4, start=(0, 0), goal=(2, 2), meanings=[0, 1, 2, 3], turn=0)
TURNING = RobotRules(N=5, K=4, start=(0, 0), goal=(2, 2), meanings=[0, 1, 2, 3], turn=1)
SCHEDULE = {0: {"N": 5, "K": 4}, 3: {"N": 8, "K": 5}, 20: {"N": 25, "K": 10}}
REPLIES = [
    (
        PROBLEM,
        {
            "The robot is in row 5, column 1.": ["1", "3 / 1 / 1"],  # around the edge
            "The robot is in row 1, column 2.": ["2", "9 / 2"],
            "The robot is in row 2, column 1.": ["3"],
            "The robot is in row 1, column 5.": ["4"],
            "Not allowed: ...": ["0", "5", "-1"],
            None: ["1 2", "north", ""],
            1.0: ["2 / 2 / 3 / 3", "2 / 2 / 0 / 3 / 3"],
            0.0: [" / ".join("123412341")],
        },
    ),
    (
        TURNING,
        {
            "The robot is in row 5, column 2.": ["1 / 1", "1 / 9 / 1"],  # north, then east
            "The robot is in row 1, column 2.": ["1 / 1 / 1"],
            "The robot is in row 1, column 1.": ["1 / 1 / 1 / 1"],
        },
    ),
]
SAMPLES = {100: {"difficulty": range(9)}}


def test_replies_follow_from_turns_in_the_complex_plane(problem, seed):
    assert {*problem.meanings} == {0, 1, 2, 3}
    commands = Random(seed).choices(range(1, problem.K + 1), k=problem.turns - 1)
    here, expected = complex(*problem.start), []
    for time, command in enumerate(commands):
        here -= (-1j) ** (problem.meanings[command - 1] + time * problem.turn)  # north is -1
        row, column = (round(x) % problem.N for x in (here.real, here.imag))
        expected.append(f"The robot is in row {row + 1}, column {column + 1}.")
        if (row, column) == problem.goal:
            expected[-1] = 1.0
            break
    assert told(problem, commands) == expected
