import pytest

from rlve.envs.bits.delta_min_popcount import DeltaMinPopcount, fewest_changes

# 2 XOR (2 + 14) = 18; no single bit can change, as 14 is no power of two
PROBLEM = DeltaMinPopcount(digit_num=4, binary_string="1110", reference_answer=2)


def test_schedule():
    lengths = [DeltaMinPopcount.level(d)[0]["digit_num"] for d in (0, 1, 2, 8, 20)]
    assert lengths == [4, 5, 6, 14, 56]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("2", 1.0),
        ("+2", 1.0),
        ("3", 0.0),
        ("-2", 0.0),
        ("10", 0.0),  # binary notation
        ("2.0", -1.0),
        ("2 2", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_minimum_over_many_numbers():
    for d in range(1, 200):
        fewest = min((n ^ (n + d)).bit_count() for n in range(600))
        assert fewest_changes(f"{d:b}") == fewest


def test_problems():
    for seed in range(100):
        problem = DeltaMinPopcount.generate(difficulty=seed % 21, seed=seed)
        assert len(problem.binary_string) == problem.digit_num
        assert problem.binary_string[0] == "1"
        assert problem.reference_answer == fewest_changes(problem.binary_string)
