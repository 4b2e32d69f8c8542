from itertools import product
from random import Random

from rlve.envs.strings.not_containing_string_counting import NotContainingStringCounting

# Of the 8 strings, 011, 110 and 111 contain it.
PROBLEM = NotContainingStringCounting(
    MAX_N=8, MAX_M=3, N=3, pattern="11", MOD=7, reference_answer=5
)
SCHEDULE = {
    0: {"MAX_N": 8, "MAX_M": 3},
    1: {"MAX_N": 16, "MAX_M": 4},
    8: {"MAX_N": 2048, "MAX_M": 12},
}
REWARDS = {1.0: ["5"], 0.0: ["4"], -0.5: ["7", "12", "-2"], -1.0: ["five", ""]}
SAMPLES = {100: {"MAX_N": 10, "MAX_M": 6}}


def test_gold_counts_all_strings_without_the_pattern(problem):
    assert 2 <= len(problem.pattern) <= min(6, problem.N - 1)
    strings = map("".join, product("01", repeat=problem.N))
    count = sum(problem.pattern not in string for string in strings)
    assert problem.reference_answer == count % problem.MOD


def test_gold_of_long_strings():
    """Letter by letter: the strings without the pattern, by their last few digits."""
    for seed in range(30):
        problem = NotContainingStringCounting.sample(Random(seed), MAX_N=300, MAX_M=8)
        memory = len(problem.pattern) - 1
        counts = {"": 1}
        for _ in range(problem.N):
            longer = {}
            for recent, count in counts.items():
                for text in (recent + "0", recent + "1"):
                    if text != problem.pattern:
                        longer[text[-memory:]] = longer.get(text[-memory:], 0) + count
            counts = longer
        assert problem.reference_answer == sum(counts.values()) % problem.MOD
