from itertools import combinations

from rlve.envs.strings.binary_alternation import BinaryAlternation

PROBLEM = BinaryAlternation(zero_count=2, string="0110", gold_answer=1, reference_answer="0 1")
DONE = BinaryAlternation(zero_count=2, string="01010", gold_answer=0, reference_answer="")
SCHEDULE = {d: {"zero_count": n} for d, n in ((0, 2), (1, 3), (8, 10), (9, 12))}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["0 1", "\n 3 2 \n\n"],
            (1 / 2) ** 5: ["0 3\n0 1"],
            (1 / 3) ** 5: ["1 1\n0 1\n2 2"],
            -0.5: [
                "",  # not yet alternating
                "0 2",
                "0 4",  # no such position
                "-4 1",
            ],
            -1.0: ["0 1 2", "0\n1", "0, 1"],
        },
    ),
    (DONE, {1.0: [""], 0.0: ["1 1"], -0.5: ["0 1"]}),
]


def test_gold_is_the_distance_in_the_graph_of_swaps():
    for seed in range(100):
        problem = BinaryAlternation.generate(difficulty=seed % 3, seed=seed)
        assert problem.string.count("0") == problem.zero_count
        assert problem.gold_answer == distance(problem.string) > 0


def distance(string):
    level, seen, steps = {string}, {string}, 0
    while not any("00" not in text and "11" not in text for text in level):
        level = {swapped for text in level for swapped in neighbours(text)} - seen
        seen |= level
        steps += 1
    return steps


def neighbours(text):
    for i, j in combinations(range(len(text)), 2):
        yield text[:i] + text[j] + text[i + 1 : j] + text[i] + text[j + 1 :]
