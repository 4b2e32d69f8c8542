from rlve.envs.strings.salad_bar import SaladBar

PROBLEM = SaladBar(N=6, S="jpjppj", gold_answer=4, reference_answer="1 5")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}}
REWARDS = {
    1.0: ["1 5"],
    (2 / 4) ** 5: ["3 5"],
    (1 / 4) ** 5: ["1 2"],
    -0.5: [
        "0 4",  # starts with j
        "1 6",  # ends with j
        "0 1",
        "3 3",
        "5 1",
        "-1 5",
        "1 7",
    ],
    -1.0: ["1", "1 5 6", "1-5", ""],
}
SAMPLES = {120: {"difficulty": range(10)}}


def test_gold_is_the_largest_of_all_lengths(problem):
    S, N = problem.S, problem.N
    assert len(S) == N
    assert set(S) == {"j", "p"}
    spans = [(i, j) for j in range(N + 1) for i in range(j) if is_fair(S[i:j])]
    assert problem.gold_answer == max(j - i for i, j in spans)


def is_fair(part):
    parts = [part[:k] for k in range(len(part) + 1)] + [part[k:] for k in range(len(part))]
    return all(text.count("p") >= text.count("j") for text in parts)
