import random

import pytest
from tests.support.faulty_environments import Adding

from rlve.rules import check
from rlve.rules.worked import HIGHEST, line_faults


def faults(prompt, *lines):
    return [message for message, _ in line_faults(prompt, lines)]


@pytest.mark.parametrize(
    "lines",
    [
        ["347 + 58 = 405", "Answer: 405"],
        ["300 + 50 = 350, 47 + 8 = 55, 350 + 55 = 405", "Answer: 405"],  # parts of numbers
        [
            "7 + 8 = 15, 4 + 5 + 1 = 10, 3 + 1 = 4",
            "Written: 5 0 4",
            "So the sum is 405",
            "Answer: 405",
        ],
        ["Row 9: 3 4", "Row 10: 3 4", "Row 11: 5 8", "Row 12: 3", "Answer: 12"],  # counters
        ["Row 10: 3, row 11: 5, row 12: 3", "Answer: 12"],
        ["Digits 1 2 3", "123 is made of them", "Answer: 123"],
        ["58 > 347? no", "347 > 58? yes", "Answer: 347"],
        ["11 12 13 14", "Answer: 14"],  # counting on from 11, a number up to 10 plus 1
        ["7 * 8 = 56", "So 56 is it", "Answer: 56"],
        ["34 * 1000 = 34000", "Answer: 34000"],
        ["1/2 + 1/3 = 5/6", "Answer: 5/6"],
        ["Letters: a b c", "Answer: abc"],
    ],
)
def test_lines_that_follow(lines):
    assert faults("What is 347 + 58? The eleventh is 11.", *lines) == []


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["347 + 58 = 415", "Answer: 415"], "it is not true that 347 + 58 = 415"),
        (["The sum is 405", "Answer: 405"], "405 is neither given nor derived"),
        (["x = 405", "Answer: 405"], "405 is neither given nor derived"),
        (["x = 10, y = 10, x = 12", "Answer: 12"], "12 is neither given nor derived"),
        (["So 347 + 58 = 405", "Answer: 405"], "405 is neither given nor derived"),
        (["347 + 58 = 405, 405 + 12 = 417", "Answer: 417"], "12 is neither given nor derived"),
        (["417 - 12 = 405", "Answer: 405"], "417 is neither given nor derived"),
        (["Add them", "Answer: 405"], "the answer is not in the lines above it"),
        (["Add them", "Answer: Yes"], "the answer is not in the lines above it"),
        (["58 > 347? yes", "Answer: 58"], "the question 58 > 347? has the wrong reply"),
        (["58 > 347? perhaps", "Answer: 58"], "is not followed by yes or no"),
        (["347 * 58 = 20126", "Answer: 20126"], "a step is not one for the head"),
        (["347\n58", "Answer: 58"], "must be one line"),
        (["9^9^9 = 405", "Answer: 405"], "too large to check"),
    ],
)
def test_lines_that_do_not_follow(lines, message):
    assert any(message in fault for fault in faults("What is 347 + 58?", *lines)), faults(
        "What is 347 + 58?", *lines
    )


def sabotaged(work):
    return type("Sabotaged", (Adding,), {"__doc__": "Add.", "work": work})


def complaints(work, levels=(0, 1, 2)):
    found = check(sabotaged(work), rules=["worked"], levels=levels, seeds=2)
    return {complaint.message for _, complaint in found}


def honest(self):
    total = self.a + self.b
    yield f"{self.a} + {self.b} = {total}"
    return str(total)


def test_nothing_is_wrong_with_an_honest_solution():
    assert complaints(honest) == set()
    assert check(Adding, rules=["worked"]) == []  # it has none


def test_wrong_arithmetic():
    def work(self):
        yield f"{self.a} + {self.b} = {self.a + self.b + 1}"
        return (yield from honest(self))

    assert any("it is not true that" in message for message in complaints(work))


def test_a_wrong_answer():
    def work(self):
        yield f"{self.a} + {self.b + 1} = {self.a + self.b + 1}"
        return str(self.a + self.b + 1)

    assert "the answer of a worked solution is not correct" in complaints(work)


def test_above_the_levels_that_are_read_answers_must_be_correct():
    def wrong(self):
        yield "It is what it is"
        return str(self.a + self.b + 1)

    def untrue(self):
        yield f"{self.a} + {self.b} = {self.a + self.b + 1}"
        return str(self.a + self.b)

    assert "the answer of a worked solution is not correct" in complaints(wrong, [HIGHEST + 4])
    assert complaints(untrue, [HIGHEST]) != complaints(untrue, [HIGHEST + 4]) == set()


def test_lines_that_depend_on_what_is_not_in_the_record():
    made = []

    def work(self):
        made.append(self)
        yield "New" if made[0] is self else "Old"
        return (yield from honest(self))

    assert "the same problem, rebuilt, has a different worked solution" in complaints(work)


def test_lines_that_are_too_long():
    def work(self):
        for _ in range(40):
            yield "Thinking it over for a long time, one notices that"
        return (yield from honest(self))

    assert "half of the worked solutions exceed 1,500 characters" in complaints(work)


def test_a_solution_that_is_never_short_enough():
    def work(self):
        while True:
            yield "Thinking it over"

    assert complaints(work) == {"no problem has a worked solution: leave out work()"}


def test_an_exception_is_a_complaint():
    def work(self):
        yield "Now what?"
        raise KeyError(random.__name__)

    assert complaints(work) == {
        "the environment raised an exception",
        "no problem has a worked solution: leave out work()",
    }
