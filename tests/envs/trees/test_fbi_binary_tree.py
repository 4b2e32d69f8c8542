from random import Random

import pytest

from rlve.envs.trees.fbi_binary_tree import FBI_BinaryTree

PROBLEM = FBI_BinaryTree(N=2, string="1100", reference_answer="IIIBBBF")


def test_schedule():
    assert [FBI_BinaryTree.level(d) for d in (0, 1, 8)] == [[{"N": 2}], [{"N": 3}], [{"N": 10}]]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("IIIBBBF", 1.0),
        ("IIIBBBB", (6 / 7) ** 5),
        ("BBBBBBB", (3 / 7) ** 5),
        ("FFFFFFI", 0.0),
        ("IIIBBB", -0.5),
        ("IIIBBBFF", -0.5),
        ("iiibbbf", -0.5),
        ("III BBBF", -0.5),
        ("", -0.5),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_only_an_answer_that_is_not_marked_is_unparseable():
    assert PROBLEM.verify("IIIBBBF").reward == -1.0


def test_labels_follow_from_the_substrings():
    for seed in range(150):
        problem = FBI_BinaryTree.sample(Random(seed), N=2 + seed % 5)
        assert set(problem.string) == {"0", "1"}
        assert len(problem.string) == 2**problem.N
        assert problem.reference_answer == "".join(labels(problem.string))


def labels(string):
    """A block of 2^k characters comes after the smaller ones that end where it ends."""
    for end in range(1, len(string) + 1):
        size = 1
        while end % size == 0 and size <= len(string):
            block = string[end - size : end]
            yield "F" if len(set(block)) == 2 else {"0": "B", "1": "I"}[block[0]]
            size *= 2
