import re

import pytest


def right(prompt: str) -> str:
    """The answer to a Sorting problem, read off its statement."""
    array = re.search(r"ascending order:\n\n([0-9 ]+)\n", prompt)
    assert array
    return " ".join(map(str, sorted(map(int, array[1].split()))))


def problems(out: str) -> list[tuple[int, str]]:
    """The difficulties and statements that were printed."""
    parts = re.split(r"── Sorting, difficulty (\d+) ─+\n", out)[1:]
    return [(int(d), text) for d, text in zip(parts[::2], parts[1::2], strict=True)]


@pytest.fixture
def play(rlve):
    """Plays the same problems with each of the answers given so far, and then once more.

    An answer is a function of the statement, or what is typed.
    """

    def run(*answers, flags=()):
        typed = ""
        for answer in answers:
            shown = problems(rlve("play", "Sorting", "-s", 1, *flags, stdin=typed).out)
            text = answer(shown[-1][1]) if callable(answer) else answer
            typed += text + ("\n" if text.startswith("/") else "\n\n")
        return rlve("play", "Sorting", "-s", 1, *flags, stdin=typed)

    return run


def test_the_difficulty_rises_after_enough_right_answers(play):
    result = play(right, right, right)
    assert result.code == 0
    assert result.out.count("Correct.") == 3
    assert "Sorting: the difficulty rises to 1." in result.out
    assert [d for d, _ in problems(result.out)][:3] == [0, 0, 0]
    assert "3 of 3 problems solved.\nSorting: difficulty 1\n" in result.out


def test_a_right_answer_in_another_form_is_told_apart(play):
    result = play(lambda prompt: "[" + ", ".join(right(prompt).split()) + "]")
    assert "The answer is right, but not in the output format: " in result.out


def test_the_numbers_of_the_curriculum_are_options(play):
    result = play(right, right, right, flags=["--tau-num", 1, "--window", 1])
    assert [d for d, _ in problems(result.out)] == [0, 1, 2, 3]


def test_a_difficulty_can_be_kept(play):
    result = play(right, right, right, flags=["-d", 2, "--tau-num", 1])
    assert [d for d, _ in problems(result.out)] == [2] * 4


def test_only_the_first_answer_counts(play):
    result = play("1 2 3", right, right, right, flags=["--tau-num", 3])
    assert "The answer has 0 of 3 values right, and value 1 wrong. The reward is 0." in result.out
    assert result.out.count("Correct.") == 3
    assert "2 of 3 problems solved.\nSorting: difficulty 0\n" in result.out


def test_an_answer_in_another_form_is_told_why(play):
    result = play("one two three")
    assert "The answer is not in the output format: not an integer" in result.out
    assert "0 of 1 problems solved." in result.out


def test_a_right_answer_in_another_form_is_told_so(play):
    result = play(lambda text: ", ".join(right(text).split()))
    assert "The answer is right, but not in the output format: " in result.out
    assert "0 of 1 problems solved." in result.out


def test_ctrl_c_ends_with_the_summary(play, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("rlve.cli.play._read", interrupted)
    result = play()
    assert result.code == 130
    assert result.out.endswith("0 of 0 problems solved.\nSorting: difficulty 0\n")


def test_an_answer_can_have_several_lines(play):
    assert "1 of 1 problems solved." in play(lambda text: right(text).replace(" ", "\n")).out


def test_an_answer_ends_with_the_input(rlve):
    text = right(rlve("play", "Sorting", "-s", 1).out)
    assert "1 of 1 problems solved." in rlve("play", "Sorting", "-s", 1, stdin=text).out


def test_the_reference_counts_as_wrong_and_a_skipped_problem_does_not_count(play):
    result = play("/skip", "/reference", right, "/quit")
    (_, first), (_, second), *_ = problems(result.out)
    assert f"A correct answer:\n{right(second)}\n" in second
    assert "A correct answer" not in first
    assert "1 of 2 problems solved." in result.out


def test_the_problem_and_the_help_are_shown_again(play):
    result = play("/again", "/help", "/what")
    ((_, text),) = problems(result.out)
    assert text.count("in ascending order:") == 2
    assert result.out.count("/reference ") == 2
    assert "There is no /what; /help lists the commands." in text


def test_the_empty_answer_has_a_name(play):
    told = r"has 0 values, \d+ expected\."
    assert re.search(rf"The answer {told} The reward is -0\.5\.", play("/empty").out)


def test_it_stops_after_a_number_of_problems(play):
    result = play("/skip", "/skip", flags=["-n", 2])
    assert len(problems(result.out)) == 2
    assert "0 of 0 problems solved." in result.out


def test_problems_that_cannot_be_generated_are_drawn_again(rlve, own_tasks):
    result = rlve("play", "own_tasks:Moody", "-s", 1, "-n", 20, stdin="/skip\n" * 20)
    assert result.out.count("── Moody, difficulty 0 ") == 20
    assert "a number that brings bad luck" in result.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no environment was given"),
        (["Sortin"], "did you mean 'Sorting'"),
        (["Sorting", "-d", "1.5"], "a difficulty must be an integer 0, 1, 2, ..., not 1.5"),
        (["Sudoku", "-d", "1000"], "the highest difficulty of Sudoku is"),
        (["Sorting", "--tau-num", "0"], "tau_num must be at least 1"),
    ],
)
def test_bad_input_is_one_clear_line(rlve, words, message):
    result = rlve("play", *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1
