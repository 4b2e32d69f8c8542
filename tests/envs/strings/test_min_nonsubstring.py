import pytest

from rlve.envs.strings.min_nonsubstring import MinNonsubstring

PROBLEM = MinNonsubstring(N=5, A="aabba", reference_answer="aaa")


@pytest.mark.parametrize(("d", "N"), [(0, 3), (1, 4), (20, 23)])
def test_schedule(d, N):
    assert MinNonsubstring.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("aaa", 1.0),
        (" aaa ", 1.0),
        ("aba", 0.0),  # not the first one
        ("aaaa", 0.0),
        ("ab", 0.0),
        ("", 0.0),
        ("AAA", -0.5),
        ("`aaa`", -0.5),
        ("a a a", -0.5),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_an_unmarked_answer_is_unparseable():
    assert PROBLEM.verify("aaa").reward == -1.0


def test_gold_is_the_first_word_that_is_no_substring():
    words = [""]
    for word in words:  # from the shortest on, and in lexicographic order
        if len(word) < 5:
            words += [word + "a", word + "b"]
    for seed in range(150):
        problem = MinNonsubstring.generate(difficulty=seed % 21, seed=seed)
        A = problem.A
        assert len(A) == problem.N
        found = {A[i:j] for j in range(len(A) + 1) for i in range(j + 1)}
        assert problem.reference_answer == next(word for word in words if word not in found)
