from itertools import product

from rlve.envs.combinatorics.card_coloring_counting import (
    CardColoringCounting,
)

PROBLEM = CardColoringCounting(
    N=3, K=1, R=1, G=1, B=1, shuffling_methods=[[2, 3, 1]], reference_answer=2
)
SCHEDULE = {d: {"N": n, "K": range(4)} for d, n in ((0, 3), (1, 4), (20, 23))}
REWARDS = {1.0: ["2"], (2 / 3) ** 10: ["3"], (1 / 2) ** 10: ["1"], -1.0: ["0", "-2", "two", ""]}
SAMPLES = {120: {"N": range(2, 7), "K": range(4)}}


def test_number_of_classes(problem):
    assert len(problem.shuffling_methods) == problem.K
    numbers = problem.R, problem.G, problem.B
    shuffles = [[place - 1 for place in X] for X in problem.shuffling_methods]
    assert problem.reference_answer == classes(*numbers, shuffles)


def classes(R, G, B, shuffles):
    """Each colouring that is not yet reached, with all that shuffling makes of it."""
    colourings = {
        colouring
        for colouring in product("RGB", repeat=R + G + B)
        if [colouring.count(colour) for colour in "RGB"] == [R, G, B]
    }
    count = 0
    while colourings:
        count += 1
        reached = [colourings.pop()]
        for colouring in reached:
            for shuffle in shuffles:
                after = [""] * len(colouring)
                for place, colour in enumerate(colouring):
                    after[shuffle[place]] = colour
                if tuple(after) in colourings:
                    colourings.remove(tuple(after))
                    reached.append(tuple(after))
    return count
