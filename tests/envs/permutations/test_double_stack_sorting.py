from itertools import product
from random import Random

from rlve.envs.permutations.double_stack_sorting import DoubleStackSorting

PROBLEM = DoubleStackSorting(N=4, reference_answer="aacdbabb", output_sequence=[2, 1, 3, 0])
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 3: {"N": 7}, 20: {"N": 56}}
REWARDS = {
    1.0: ["aaabbabb", "aacdbabb", "cacdbcdd"],
    (2 / 4) ** 10: ["aaabbbab"],
    (1 / 4) ** 10: ["abababab"],
    0.0: ["abaaabbb"],
    -0.5: ["aaabbabbb", "aaabbab", "b", "aaaaa", "aaaaax", "bx", ""],
    -1.0: ["axb", "aaab babb", "AAABBABB", "aaabbabb."],
}


def test_verdicts_agree_with_all_strings():
    outputs = {"".join(string): by_moving(string) for string in product("abcd", repeat=6)}
    for seed in range(100):
        problem = DoubleStackSorting.sample(Random(seed), N=3)
        for string in Random(seed).sample(list(outputs), 50):
            verdict = problem.verify(f"<answer>{string}</answer>")
            assert verdict.correct == (outputs[string] == problem.output_sequence)
            assert (verdict.reward == -0.5) == (outputs[string] is None)
        assert outputs[problem.reference_answer] == problem.output_sequence


def by_moving(string):
    queue, first, second, output = [2, 1, 0], [], [], []
    routes = {
        "a": (queue, first),
        "b": (first, output),
        "c": (queue, second),
        "d": (second, output),
    }
    for letter in string:
        source, target = routes[letter]
        if not source:
            return None
        target.append(source.pop())
    return output if len(output) == 3 else None
