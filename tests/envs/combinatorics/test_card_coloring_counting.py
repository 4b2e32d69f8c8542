from itertools import product
from random import Random

from rlve.envs.combinatorics.card_coloring_counting import (
    CardColoringCounting,
    colourings,
    generated,
)

PROBLEM = CardColoringCounting(
    N=3, K=1, R=1, G=1, B=1, shuffling_methods=[[2, 3, 1]], reference_answer=2
)
SCHEDULE = {d: {"N": n, "K": range(4)} for d, n in ((0, 3), (1, 4), (20, 23))}
REWARDS = {1.0: ["2"], (2 / 3) ** 10: ["3"], (1 / 2) ** 10: ["1"], -1.0: ["0", "-2", "two", ""]}


def test_prompt_says_what_makes_colourings_the_same():
    assert "2 3 1" in PROBLEM.prompt()
    free = CardColoringCounting(
        N=3, K=0, R=1, G=1, B=1, shuffling_methods=[], reference_answer=6
    ).prompt()
    assert "shuffle" not in free
    assert "every place" in free


def test_number_of_classes():
    for seed in range(120):
        problem = CardColoringCounting.sample(Random(seed), N=2 + seed % 5, K=seed // 5 % 4)
        assert len(problem.shuffling_methods) == problem.K
        numbers = problem.R, problem.G, problem.B
        shuffles = [[place - 1 for place in X] for X in problem.shuffling_methods]
        assert problem.reference_answer == classes(*numbers, shuffles)


def test_number_of_classes_for_any_shuffles():
    for seed in range(60):
        rng = Random(seed)
        R, G, B = rng.randint(0, 2), rng.randint(0, 2), rng.randint(1, 2)
        N = R + G + B
        shuffles = [rng.sample(range(N), N) for _ in range(rng.randint(0, 3))]
        assert colourings(R, G, B, shuffles) == classes(R, G, B, shuffles)


def test_groups_stay_small():
    for seed in range(12):
        problem = CardColoringCounting.sample(Random(seed), N=23, K=2 + seed % 2)
        shuffles = [[place - 1 for place in X] for X in problem.shuffling_methods]
        assert len(generated(23, shuffles)) <= 4000


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
