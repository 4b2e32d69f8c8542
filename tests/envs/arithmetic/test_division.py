from rlve.envs.arithmetic.division import Division

PROBLEM = Division(
    divisor_digit_num=1, answer_digit_num=1, b=4, a=35, reference_answer=8, prompt_template=0
)
SCHEDULE = {
    0: {"divisor_digit_num": 1, "answer_digit_num": 1},
    3: {"divisor_digit_num": 4, "answer_digit_num": 4},
    20: {"divisor_digit_num": 21, "answer_digit_num": 21},
}
REWARDS = {
    1.0: ["8", "08"],
    0.0: [
        "9",  # rounded up
        "0",  # b divided by a
        "-8",
    ],
    -1.0: ["8.75", "8 R 3", "35/4", ""],
}
SAMPLES = {200: {"difficulty": range(21)}}


def test_answer_is_the_quotient_of_long_division(problem):
    assert 1 <= problem.b < 10**problem.divisor_digit_num
    assert problem.reference_answer < 10**problem.answer_digit_num
    assert all(str(x) in problem.prompt() for x in (problem.a, problem.b))
    assert str(problem.reference_answer) == long_division(str(problem.a), problem.b)


def long_division(a, b):
    quotient, rest = "", 0
    for digit in a:
        rest = 10 * rest + int(digit)
        times = 0
        while rest >= b:
            rest -= b
            times += 1
        quotient += str(times)
    return quotient.lstrip("0") or "0"
