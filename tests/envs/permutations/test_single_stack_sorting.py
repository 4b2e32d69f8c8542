from itertools import product
from random import Random

from rlve.envs.permutations.single_stack_sorting import SingleStackSorting

PROBLEM = SingleStackSorting(N=4, output_sequence=[2, 1, 3, 0], reference_answer="aaabbabb")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 3: {"N": 6}, 20: {"N": 50}}
REWARDS = {
    1.0: ["aaabbabb"],
    (2 / 4) ** 10: ["aaabbbab"],
    (1 / 4) ** 10: ["abababab"],
    0.0: ["abaaabbb"],
    -0.5: ["aaabbab", "aaabbabbb", "b", "aaaaa", "aaaaax", "bx", ""],
    -1.0: ["axb", "aaab babb", "aaab\nbabb", "AAABBABB", "c"],
}


def test_the_planted_operations_are_the_only_ones():
    outputs = {}
    for n in range(3, 6):
        for string in map("".join, product("ab", repeat=2 * n)):
            output = by_moving(string, n)
            if output is not None:
                outputs.setdefault((n, tuple(output)), []).append(string)
    for seed in range(150):
        problem = SingleStackSorting.sample(Random(seed), N=3 + seed % 3)
        only = outputs[problem.N, tuple(problem.output_sequence)]
        assert only == [problem.reference_answer]
        assert problem.verify(f"<answer>{only[0]}</answer>").correct


def by_moving(string, n):
    queue, stack, output = list(range(n))[::-1], [], []
    routes = {"a": (queue, stack), "b": (stack, output)}
    for letter in string:
        source, target = routes[letter]
        if not source:
            return None
        target.append(source.pop())
    return output if len(output) == n else None
