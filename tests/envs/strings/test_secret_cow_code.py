import pytest

from rlve.envs.strings.secret_cow_code import SecretCowCode

# abc cab babcca
PROBLEM = SecretCowCode(MAX_N=5, MAX_K=8, S="abc", K=7, reference_answer="b")


@pytest.mark.parametrize(("d", "MAX_N", "MAX_K"), [(0, 5, 8), (1, 6, 16), (6, 12, 512)])
def test_schedule(d, MAX_N, MAX_K):
    assert SecretCowCode.level(d) == [{"MAX_N": MAX_N, "MAX_K": MAX_K}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("b", 1.0),
        (" b\n", 1.0),
        ("c", 0.0),
        ("d", -1.0),  # not in S
        ("B", -1.0),
        ("bc", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_read_from_the_written_string():
    for seed in range(150):
        problem = SecretCowCode.generate(difficulty=seed % 10, seed=seed)
        assert 2 <= len(problem.S) <= problem.MAX_N
        assert len(problem.S) < problem.K <= problem.MAX_K
        text = problem.S
        while len(text) < problem.K:
            text = text + text[-1] + text[:-1]
        assert problem.reference_answer == text[problem.K - 1]
