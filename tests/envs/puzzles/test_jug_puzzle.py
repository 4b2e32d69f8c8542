from functools import partial

from rlve.envs.puzzles.jug_puzzle import JugPuzzle
from support.searching import ways

PROBLEM = JugPuzzle(
    N=3,
    steps=6,
    jug_capacities=[5, 3, 10],
    target_volumn=4,
    reference_answer="Fill 0\nPour 0 1\nEmpty 1\nPour 0 1\nFill 0\nPour 0 1",
)
SCHEDULE = {
    d: {"N": n, "steps": [3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 35, 40, 45, 50]}
    for d, n in ((0, 3), (1, 4), (2, 5), (20, 23))
}
REWARDS = {
    1.0: [
        "Fill 0\nPour 0 1\nEmpty 1\nPour 0 1\nFill 0\nPour 0 1",
        " Fill  2\n\nPour 2 1\nEmpty 1\nPour 2 1",  # 10 - 3 - 3
        "Pour 0 1\nEmpty 2\nFill 2\nFill 2\nPour 2 1\nEmpty 1\nPour 2 1",  # idle moves
    ],
    0.0: [
        "Fill 2\nPour 2 1\nEmpty 1\nPour 2 1\nFill 2",  # no longer there in the end
        "Fill 0",
        "",
    ],
    -0.5: ["Fill 3", "Empty -1", "Fill 0\nPour 0 0", "Fill " + "9" * 900],
    -1.0: [
        "Fill 3\nfill 0",
        "fill 0",
        "Fill",
        "Fill 0 1",
        "Pour 0",
        "Fill x",
        "Fill 0, Pour 0 1",
        "0",
    ],
}
SAMPLES = {100: {"N": [2, 3], "steps": [4, 4, 6, 8, 21, 3, 5, 5, 9, 20]}}


def test_shortest_moves_found_by_search_are_right(problem):
    moves = search(problem.jug_capacities, problem.target_volumn)
    text = "\n".join(moves)
    assert problem.verify(f"<answer>{text}</answer>").reward == 1.0
    shorter = "\n".join(moves[:-1])
    assert problem.verify(f"<answer>{shorter}</answer>").reward == 0.0


def search(capacities, target):
    """A shortest way, over the amounts in the jugs."""
    start = (0,) * len(capacities)
    pours = partial(moves_from, capacities)
    return next(way for amounts, way in ways(start, pours) if target in amounts)


def moves_from(capacities, amounts):
    jugs = range(len(capacities))
    for i in jugs:
        yield f"Fill {i}", tuple(capacities[k] if k == i else amounts[k] for k in jugs)
        yield f"Empty {i}", tuple(0 if k == i else amounts[k] for k in jugs)
        for j in jugs:
            if i != j:
                both = amounts[i] + amounts[j]
                there = min(both, capacities[j])
                changed = {i: both - there, j: there}
                yield f"Pour {i} {j}", tuple(changed.get(k, amounts[k]) for k in jugs)
