from random import Random

from rlve.envs.puzzles.binario_no_adjacency_requirement import Binario_NoAdjacencyRequirement
from support.grids import fillings

PROBLEM = Binario_NoAdjacencyRequirement(
    MAX_N_M=3,
    sparsity=0.9,
    N=2,
    M=3,
    matrix=["1*****", "******", "******", "*****0"],
    reference_answer="111000\n000111\n000111\n111000",
)
SCHEDULE = {
    d: {"MAX_N_M": n, "sparsity": [i / 10 for i in range(1, 10)]}
    for d, n in enumerate([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14])
}
REWARDS = {
    1.0: [
        "111000\n000111\n000111\n111000",
        "101010\n010101\n010101\n101010",  # another solution
        "111000\n\n 000111\n000111\n111000",
    ],
    0.0: [
        "111000\n000111\n001011\n111000",  # columns are not balanced
        "111000\n100111\n000111\n011000",  # rows are not balanced
    ],
    -0.5: ["000111\n111000\n000111\n111000"],  # a given is changed
    -1.0: [
        "111000\n000111\n000111",
        "111000\n000111\n000111\n111000\n111000",
        "111000\n000111\n000111\n11100",
        "111000\n000111\n000111\n11100*",
        "1 1 1 0 0 0\n0 0 0 1 1 1\n0 0 0 1 1 1\n1 1 1 0 0 0",
        "",
    ],
}


def test_exactly_the_balanced_fillings_are_right():
    for seed in range(100):
        problem = Binario_NoAdjacencyRequirement.sample(
            Random(seed), MAX_N_M=2 + seed % 2, sparsity=0.1 + seed % 2 / 10
        )
        found = list(fillings("\n".join(problem.matrix), "*", "01"))
        assert problem.reference_answer in found
        for text in found:
            rows = text.split("\n")
            lines = [*rows, *zip(*rows, strict=True)]
            balanced = all(2 * line.count("1") == len(line) for line in lines)
            assert problem.verify(f"<answer>{text}</answer>").reward == balanced
