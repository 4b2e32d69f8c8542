from itertools import product

from rlve.envs.strings.string_reversal_construction import StringReversalConstruction

PROBLEM = StringReversalConstruction(n=3, s="abc", t="cab", max_k=9, reference_answer="1")
EQUAL = StringReversalConstruction(n=3, s="aba", t="aba", max_k=9, reference_answer="3")
SCHEDULE = {0: {"n": 3}, 1: {"n": 4}, 20: {"n": 23}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["1", "1 1 1 1", "0 1 0", "1 1 1 1 0 0 0 0 0"],
            0.0: ["2", ""],
            -0.5: ["1 1 1 1 0 0 0 0 0 0", "4", "-1"],
            -1.0: ["1, 1", "cab"],
        },
    ),
    (EQUAL, {1.0: ["", "3"], 0.0: ["1"]}),
]
SAMPLES = {100: {"difficulty": range(3)}}


def test_shifts_are_judged_by_what_they_do(problem):
    for shifts in product(range(problem.n + 1), repeat=2):
        letters = list(problem.s)
        for x in shifts:
            ends = [letters.pop() for _ in range(x)]
            letters = ends + letters
        assert problem.score(list(shifts)) == ("".join(letters) == problem.t)
