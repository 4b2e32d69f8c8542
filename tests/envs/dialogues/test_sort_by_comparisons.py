from random import Random

from rlve.envs.dialogues.sort_by_comparisons import SortByComparisons
from support.tables import told

PROBLEM = SortByComparisons(N=3, order=[2, 3, 1])
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REPLIES = {
    "2 is lighter": ["compare 1 2", "compare 2 3"],
    "3 is lighter": ["compare 3 1", "compare 1 2 / compare 1 3"],
    "Not allowed: ...": ["compare 1 1", "compare 0 1", "compare 1 4"],
    None: ["compare 1", "compare 1 2 3", "answer 2 3", "weigh 1 2", ""],
    1.0: ["answer 2 3 1", "compare 1 2 / compare 1 3 / compare 2 3 / answer 2 3 1"],
    0.0: ["answer 1 3 2", "answer 2 2 1", " / ".join(["compare 1 2"] * 4)],
}
SAMPLES = {100: {"difficulty": range(12)}}


def test_replies_are_those_of_a_balance(problem, seed):
    weights = dict(zip(problem.order, range(problem.N), strict=True))
    assert {*weights} == {*range(1, problem.N + 1)}
    a, b = Random(seed).sample(sorted(weights), 2)
    lighter = a if weights[a] < weights[b] else b
    assert told(problem, [f"compare {a} {b}"]) == [f"{lighter} is lighter"]
