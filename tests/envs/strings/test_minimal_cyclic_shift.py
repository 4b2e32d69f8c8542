import pytest

from rlve.envs.strings.minimal_cyclic_shift import MinimalCyclicShift

PROBLEM = MinimalCyclicShift(N=5, S="10010", reference_answer="00101")


@pytest.mark.parametrize(("d", "N"), [(0, 4), (1, 5), (20, 24)])
def test_schedule(d, N):
    assert MinimalCyclicShift.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("00101", 1.0),
        ("00100", (4 / 5) ** 10),  # no rotation of S
        ("01001", (3 / 5) ** 10),
        ("11010", 0.0),
        ("0101", -1.0),
        ("001010", -1.0),
        ("00102", -1.0),
        ("0 0 1 0 1", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_smallest_string_on_the_way():
    for seed in range(150):
        problem = MinimalCyclicShift.generate(difficulty=seed % 21, seed=seed)
        digits = list(problem.S)
        assert set(digits) == {"0", "1"}
        smallest = digits
        for _ in range(problem.N):
            digits = [*digits[1:], digits[0]]
            smallest = digits if digits < smallest else smallest
        assert problem.reference_answer == "".join(smallest)
