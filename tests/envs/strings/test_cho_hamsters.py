from random import Random

from rlve.envs.strings.cho_hamsters import ChoHamsters

# abab holds ab, ba and ab.
PROBLEM = ChoHamsters(N=2, MAX_M=7, S=["ab", "ba"], M=3, reference_answer=4)
SCHEDULE = {
    0: {"N": 1, "MAX_M": 4},
    1: {"N": 2, "MAX_M": 7},
    2: {"N": 3, "MAX_M": 11},
    5: {"N": 6, "MAX_M": 40},
}
REWARDS = {1.0: ["4"], 0.0: ["5", "-4"], -1.0: ["abab", "4 5", ""]}


def test_gold_is_the_length_of_the_shortest_text():
    for seed in range(120):
        problem = ChoHamsters.sample(Random(seed), N=1 + seed % 3, MAX_M=6)
        for i, a in enumerate(problem.S):
            assert 2 * problem.N <= len(a) <= 3 * problem.N
            assert not any(a in b for b in problem.S[:i] + problem.S[i + 1 :])
        assert problem.reference_answer == shortest(problem.S, problem.M)


def shortest(words, count):
    """Write letter by letter; of each last few letters, keep the largest number of occurrences."""
    memory = max(map(len, words)) - 1
    best, length = {"": 0}, 0
    while max(best.values()) < count:
        longer = {}
        for recent, found in best.items():
            for text in (recent + "a", recent + "b"):
                hits = found + sum(text.endswith(word) for word in words)
                state = text[-memory:]
                longer[state] = max(hits, longer.get(state, 0))
        best, length = longer, length + 1
    return length
