import pytest

from rlve.envs.strings.shared_substring_counting import SharedSubstringCounting

# b twice, a twice, ba once
PROBLEM = SharedSubstringCounting(MAX_LEN=10, S="bba", T="aba", reference_answer=5)
NONE = SharedSubstringCounting(MAX_LEN=10, S="bb", T="aaa", reference_answer=0)


@pytest.mark.parametrize(("d", "MAX_LEN"), [(0, 10), (1, 12), (2, 14), (3, 16)])
def test_schedule(d, MAX_LEN):
    assert SharedSubstringCounting.level(d) == [{"MAX_LEN": MAX_LEN}]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "5", 1.0),
        (PROBLEM, "4", (4 / 5) ** 10),
        (PROBLEM, "10", (5 / 10) ** 10),
        (PROBLEM, "0", 0.0),
        (PROBLEM, "-5", -1.0),
        (PROBLEM, "5.0", -1.0),
        (PROBLEM, "", -1.0),
        (NONE, "0", 1.0),
        (NONE, "1", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_counts_all_pairs_of_substrings():
    for seed in range(100):
        problem = SharedSubstringCounting.generate(difficulty=seed % 4, seed=seed)
        of_s, of_t = substrings(problem.S), substrings(problem.T)
        assert problem.reference_answer == sum(of_t.count(text) for text in of_s)


def substrings(text):
    return [text[i:j] for j in range(len(text) + 1) for i in range(j)]
