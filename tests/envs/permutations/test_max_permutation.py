from itertools import permutations

from rlve.envs.permutations.max_permutation import MaxPermutation

PROBLEM = MaxPermutation(
    N=4, MAX_DIGIT_NUM=2, array=["1", "12", "2", "12"], gold=212121, reference_answer="2 1 3 0"
)
SCHEDULE = {d: {"N": n, "MAX_DIGIT_NUM": 5} for d, n in ((0, 3), (1, 4), (2, 5), (8, 12), (20, 50))}
REWARDS = {
    1.0: ["2 1 3 0", "2 3 1 0"],
    (212112 / 212121) ** 5: ["2 1 0 3"],
    (112212 / 212121) ** 5: ["0 1 2 3"],
    -0.5: ["2 1 3", "2 1 3 3", "2 1 3 4", "2 1 3 0 0", ""],
    -1.0: ["2, 1, 3, 0"],
}
SAMPLES = {120: {"N": range(3, 7), "MAX_DIGIT_NUM": range(2, 6)}}


def test_a_difference_in_the_last_digits_does_not_pass():
    array = ["2"] * 40 + ["21", "1"]
    problem = MaxPermutation(
        N=42,
        MAX_DIGIT_NUM=2,
        array=array,
        gold=int("".join(array)),
        reference_answer=" ".join(map(str, range(42))),
    )
    swapped = " ".join(map(str, [*range(40), 41, 40]))
    assert problem.verify(f"<answer>{problem.reference_answer}</answer>").correct
    assert 0.99 < problem.verify(f"<answer>{swapped}</answer>").reward < 1


def test_gold_agrees_with_all_orders(problem):
    assert problem.gold == max(int("".join(order)) for order in permutations(problem.array))
