from rlve.envs.arithmetic.multiplication import Multiplication

PROBLEM = Multiplication(digit_num=2, a=74, b=24, reference_answer=1776, prompt_template=0)
SCHEDULE = {0: {"digit_num": 2}, 1: {"digit_num": 3}, 20: {"digit_num": 22}}
REWARDS = {
    1.0: ["1776", "+01776"],
    0.0: ["1777", "-1776"],
    -1.0: ["1,776", "1 776", "1776.0", "74 * 24", ""],
}
SAMPLES = {200: {"difficulty": range(21)}}


def test_answer_is_the_schoolbook_product(problem):
    assert max(problem.a, problem.b) < 10**problem.digit_num
    assert all(str(x) in problem.prompt() for x in (problem.a, problem.b))
    assert str(problem.reference_answer) == schoolbook_product(str(problem.a), str(problem.b))


def schoolbook_product(a, b):
    digits = [0] * (len(a) + len(b))  # lowest first
    for i, x in enumerate(reversed(a)):
        carry = 0
        for j, y in enumerate(reversed(b)):
            carry, digits[i + j] = divmod(digits[i + j] + int(x) * int(y) + carry, 10)
        digits[i + len(b)] = carry
    return "".join(map(str, reversed(digits))).lstrip("0") or "0"
