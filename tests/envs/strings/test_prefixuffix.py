from rlve.envs.strings.prefixuffix import Prefixuffix

PROBLEM = Prefixuffix(N=7, S="aababba", reference_answer=1)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 20: {"N": 24}}
REWARDS = {1.0: ["1"], 0.0: ["3", "0", "-1"], -1.0: ["a", "1 1", ""]}
SAMPLES = {150: {"difficulty": range(21)}}


def test_gold_is_the_longest_of_all_lengths(problem):
    S, N = problem.S, problem.N
    assert len(S) == N
    fitting = [0]
    for length in range(1, N // 2 + 1):
        first, last = S[:length], S[N - length :]
        if any(first[i:] + first[:i] == last for i in range(length)):
            fitting.append(length)
    assert problem.reference_answer == max(fitting)


def test_half_of_the_length_is_no_good_guess():
    problems = [Prefixuffix.generate(difficulty=8, seed=seed) for seed in range(100)]
    assert sum(problem.reference_answer == problem.N // 2 for problem in problems) < 40
