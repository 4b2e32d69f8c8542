from rlve.envs.strings.secret_cow_code import SecretCowCode

# abc cab babcca
PROBLEM = SecretCowCode(MAX_N=5, MAX_K=8, S="abc", K=7, reference_answer="b")
SCHEDULE = {
    0: {"MAX_N": 5, "MAX_K": 8},
    1: {"MAX_N": 6, "MAX_K": 16},
    6: {"MAX_N": 12, "MAX_K": 512},
}
REWARDS = {
    1.0: ["b", " b\n"],
    0.0: ["c"],
    -1.0: [
        "d",  # not in S
        "B",
        "bc",
        "",
    ],
}
SAMPLES = {150: {"difficulty": range(10)}}


def test_gold_is_read_from_the_written_string(problem):
    assert 2 <= len(problem.S) <= problem.MAX_N
    assert len(problem.S) < problem.K <= problem.MAX_K
    text = problem.S
    while len(text) < problem.K:
        text = text + text[-1] + text[:-1]
    assert problem.reference_answer == text[problem.K - 1]
