from itertools import permutations
from random import Random

from rlve.envs.dialogues.towers_of_hanoi import TowersOfHanoi
from support.tables import told

PROBLEM = TowersOfHanoi(pegs=[1, 1], goal=3, moves=3)
SCHEDULE = {0: {"moves": 3}, 1: {"moves": 5}, 20: {"moves": 43}}
REPLIES = {
    "peg 1: 2\npeg 2: 1\npeg 3:": ["1 2", "2 3 / 1 2"],
    "peg 1:\npeg 2: 1\npeg 3: 2": ["1 2 / 1 3"],
    "peg 1: 2 1\npeg 2:\npeg 3:": ["1 2 / 2 1"],
    "Not allowed: take ...": ["2 1", "1 1", "1 4", "0 1"],
    "Not allowed: a larger ...": ["1 2 / 1 2"],
    None: ["1", "1 2 3", "a b", ""],
    1.0: ["1 2 / 1 3 / 2 3", "1 2 / 3 1 / 1 3 / 2 3"],
    0.0: ["1 2 / 2 1 / 1 2 / 2 1"],
}
SAMPLES = {100: {"difficulty": range(9)}}


def test_replies_are_those_of_three_stacks(problem, seed):
    stacks = stacked(problem.pegs)
    moves = Random(seed).choices(list(permutations((1, 2, 3), 2)), k=problem.turns - 1)
    expected = []
    for source, target in moves:
        note = ""
        if not stacks[source]:
            note = "Not allowed: take a disc from a peg that has one to another peg.\n"
        elif stacks[target] and stacks[target][-1] < stacks[source][-1]:
            note = "Not allowed: a larger disc would lie on a smaller one.\n"
        else:
            stacks[target].append(stacks[source].pop())
        rows = (" ".join([f"peg {peg}:", *map(str, stacks[peg])]) for peg in stacks)
        expected.append(note + "\n".join(rows))
        if len(stacks[problem.goal]) == len(problem.pegs):
            expected[-1] = 1.0
            break
    assert told(problem, [f"{a} {b}" for a, b in moves]) == expected


def test_no_shorter_way_leads_to_the_goal():
    for seed in range(100):
        problem = TowersOfHanoi.generate(difficulty=seed % 4, seed=seed)
        reached, steps = {tuple(problem.pegs)}, 0
        while (problem.goal,) * len(problem.pegs) not in reached:
            reached |= {after for pegs in reached for after in shifts(pegs)}
            steps += 1
        assert steps == problem.moves


def stacked(pegs):
    """The discs on each peg, the largest first."""
    discs = range(len(pegs), 0, -1)
    return {peg: [disc for disc in discs if pegs[disc - 1] == peg] for peg in (1, 2, 3)}


def shifts(pegs):
    """Where the discs can be after one move."""
    stacks = stacked(pegs)
    tops = {peg: min(stacks[peg], default=99) for peg in stacks}
    for source, target in permutations(tops, 2):
        if tops[source] < tops[target]:
            yield tuple(target if i == tops[source] else at for i, at in enumerate(pegs, 1))
