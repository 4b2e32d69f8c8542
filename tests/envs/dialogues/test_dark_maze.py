from random import Random

from rlve.envs.dialogues.dark_maze import DarkMaze
from support.tables import told

# From the start, a way east and south, and a dead end in the south.
PROBLEM = DarkMaze(
    N=2, start=(0, 0), goal=(1, 1), passages=[((0, 0), (0, 1)), ((0, 1), (1, 1)), ((1, 0), (0, 0))]
)
SCHEDULE = {0: {"N": 3}, 3: {"N": 5}, 20: {"N": 14}}
REPLIES = {
    "You are in row 1, column 2. Open: south, west.": ["east", "north / east"],
    "You are in row 2, column 1. Open: north.": ["south"],
    "You are in row 1, column 1. Open: east, south.": ["south / north"],
    "There is a wall. You are in row 1, column 1. Open: east, south.": ["north", "west"],
    None: ["up", "north north", "1", ""],
    1.0: ["east / south", "south / north / east / south"],
    0.0: [" / ".join(["north"] * PROBLEM.turns)],
}
SAMPLES = {100: {"difficulty": range(9)}}
WAYS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}


def test_every_search_depth_first_arrives_by_what_it_is_told(problem, seed):
    assert len(problem.passages) == problem.N**2 - 1
    opened = {frozenset(passage) for passage in problem.passages}
    rng, here, seen = Random(seed), problem.start, {problem.start}
    trail, moves, said = [], [], []
    while here != problem.goal:
        near = {way: (here[0] + i, here[1] + j) for way, (i, j) in WAYS.items()}
        near = {way: there for way, there in near.items() if {here, there} in opened}
        where = f"row {here[0] + 1}, column {here[1] + 1}"
        said.append(f"You are in {where}. Open: {', '.join(near)}.")
        new = [way for way in near if near[way] not in seen]
        back = [way for way in near if [near[way]] == trail[-1:]]
        moves.append(rng.choice(new or back))
        trail = [*trail, here] if new else trail[:-1]
        here = near[moves[-1]]
        seen.add(here)
    assert said[0] in problem.prompt()
    assert told(problem, moves) == [*said[1:], 1.0]
