from random import Random

from rlve.envs.dialogues.lights_out import LightsOut
from support.tables import told

PROBLEM = LightsOut(N=3, presses=[(0, 0), (1, 1)])
SCHEDULE = {0: {"N": 3, "presses": 2}, 3: {"N": 4, "presses": 5}, 20: {"N": 9, "presses": 22}}
REPLIES = {
    "0 1 0\n1 1 1\n0 1 0": ["1 1"],
    "1 1 0\n1 0 0\n0 0 0": ["2 2"],
    "1 0 0\n0 1 1\n0 1 0": ["1 1 / 1 1", "3 3 / 3 3"],  # as at the start
    "Not allowed: ...": ["0 1", "4 1", "1 -1"],
    None: ["1", "1 1 1", "a b", ""],
    1.0: ["1 1 / 2 2", "2 2 / 4 4 / 1 1"],
    0.0: ["1 1 / 1 1 / 2 2"],
}
SAMPLES = {100: {"difficulty": range(9)}}


def test_replies_show_the_lights_within_one_step_of_an_odd_number_of_presses(problem, seed):
    cells = [(r, c) for r in range(problem.N) for c in range(problem.N)]
    pressed = Random(seed).choices(cells, k=problem.turns - 1)
    expected = []
    for turn in range(1, problem.turns):
        made = [*problem.presses, *pressed[:turn]]
        on = [sum(abs(r - i) + abs(c - j) < 2 for i, j in made) % 2 for r, c in cells]
        rows = (on[i : i + problem.N] for i in range(0, len(on), problem.N))
        expected.append("\n".join(" ".join(map(str, row)) for row in rows))
        if not any(on):
            expected[-1] = 1.0
            break
    assert told(problem, [f"{r + 1} {c + 1}" for r, c in pressed]) == expected
