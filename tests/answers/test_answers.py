import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve import answers
from rlve.errors import Unparseable, UserError


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ("<answer>1</answer>", "1"),
        ("<answer> 1 \n</answer> so be it", "1"),
        ("<answer>1</answer> no: <answer>2</answer>", "2"),
        ("<answer>1<answer>2</answer>", "2"),
        ("<answer>1</answer></answer>", "1"),
        ("<answer>1</answer> <answer>2", "1"),
        ("<answer></answer>", ""),
        (r"\boxed{1} \boxed{2}", "2"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{\boxed{5}}", "5"),
        (r"} { \boxed{3}", "3"),
        (r"\boxed{1} and \boxed{2", "1"),
        (r"\boxed{1 \boxed{2}", "2"),
        (r"<answer>\boxed{1}</answer>", r"\boxed{1}"),
        (r"<answer>1</answer> \boxed{2}", "1"),
    ],
)
def test_extract(output, answer):
    assert answers.extract(output) == answer


@pytest.mark.parametrize(
    ("output", "marker", "answer"),
    [
        (r"<answer>1</answer> \boxed{2}", "answer", "1"),
        (r"<answer>1</answer> \boxed{2}", "boxed", "2"),
        (r"\boxed{2}", "answer", None),
        ("<answer>1</answer>", "boxed", None),
    ],
)
def test_the_marker_can_be_chosen(output, marker, answer):
    if answer is None:
        with pytest.raises(Unparseable, match="no answer is marked"):
            answers.extract(output, marker)
    else:
        assert answers.extract(output, marker) == answer


@pytest.mark.parametrize("marker", ["box", "Boxed", "", None, ["boxed"]])
@pytest.mark.parametrize("output", ["", r"\boxed{2}", "<answer>1</answer>"])
def test_there_are_no_other_markers(output, marker):
    with pytest.raises(UserError, match="must be 'answer', 'boxed' or 'any', not "):
        answers.extract(output, marker)


@pytest.mark.parametrize(
    "output",
    [
        "",
        "5",
        "<answer>5",
        "5</answer>",
        "</answer>5<answer>",
        r"\boxed{5",
        r"\boxed 5}",
        "}" * 10,
        "<answer>" * 10_000,
        "\\boxed{" * 100_000,
        "<answer>" + "1" * (answers.MAX_CHARS + 1) + "</answer>",
    ],
)
def test_no_answer(output):
    with pytest.raises(Unparseable):
        answers.extract(output)


PIECES = st.sampled_from([*"ab{}<>/ ", "<answer>", "</answer>", "\\boxed{"])


@given(st.lists(PIECES, max_size=30).map("".join))
def test_extract_agrees_with_trying_every_start(output):
    try:
        answer = answers.extract(output)
    except Unparseable:
        answer = None
    assert answer == slow_extract(output)


def slow_extract(output):
    for start in range(len(output), -1, -1):
        inside, closing, _ = output[start:].partition("</answer>")
        if output[:start].endswith("<answer>") and closing:
            return inside.strip()
    for start in range(len(output), -1, -1):
        if output[:start].endswith("\\boxed{"):
            for end in range(start, len(output)):
                inside = output[start:end]
                if output[end] == "}" and inside.count("{") == inside.count("}"):
                    return inside.strip()
    return None


@given(st.text("{}x\u4e00\ud800", max_size=40))
def test_closing_brace_agrees_with_counting(text):
    ends = (i for i, c in enumerate(text) if c == "}" and is_closed(text[: i + 1]))
    assert answers.closing_brace(text) == next(ends, None)


def is_closed(text):
    return text.count("}") > text.count("{")


def test_so_many_open_boxes_are_passed_over():
    opened = "\\boxed{" * (answers.MAX_BOXES - 1)
    assert answers.extract("\\boxed{5}" + opened) == "5"
    with pytest.raises(Unparseable, match="no answer is marked"):
        answers.extract("\\boxed{5}" + opened + "\\boxed{")


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("-0", 0), ("+7", 7), ("007", 7), ("-12", -12), ("9" * 1000, 10**1000 - 1)],
)
def test_integer(text, value):
    assert answers.integer(text) == value


BAD_INTEGERS = [
    "",
    " 1",
    "1 ",
    "1\n",
    "1_000",
    "1,000",
    "1.0",
    "1e3",
    "0x10",
    "--1",
    "+",
    "\uff11",  # a full-width digit one
    "\u0661",  # an Arabic-Indic digit one
    "\u2212" + "1",  # a minus sign that is no ASCII hyphen
    "9" * 1001 + "9",
    "nan",
    "1" * 200_000,
]


@pytest.mark.parametrize("text", BAD_INTEGERS, ids=lambda text: repr(text[:12]))
def test_not_an_integer(text):
    with pytest.raises(Unparseable):
        answers.integer(text)


def test_integer_limits():
    assert answers.integer("3", low=3) == 3
    with pytest.raises(Unparseable, match="below 3"):
        answers.integer("2", low=3)
    assert answers.integer("1" * 4000, max_digits=4000) % 10 == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1.0), ("-1.5", -1.5), (".5", 0.5), ("5.", 5.0), ("1e3", 1e3), ("2.5E-3", 2.5e-3)],
)
def test_decimal(text, value):
    assert answers.decimal(text) == value


@pytest.mark.parametrize(
    "text", ["nan", "inf", "-Infinity", "1e999", "1e99999", ".", "e5", "1/2", "1_0.0", "0x1p3", ""]
)
def test_not_a_decimal(text):
    with pytest.raises(Unparseable):
        answers.decimal(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_float_is_read_back(value):
    read = answers.decimal(repr(value))
    assert read == value
    assert math.isfinite(read)


@given(st.lists(st.integers()))
def test_lists_are_read_back(values):
    text = " ".join(map(str, values))
    assert answers.integers(text) == values
    assert answers.decimals(text) == [float(value) for value in values]


def test_lists_have_the_length_that_is_asked_for():
    assert answers.integers("1 2", count=2) == [1, 2]
    assert answers.integers("", count=0) == []
    assert answers.integers("1 2", at_least=2) == [1, 2]
    with pytest.raises(Unparseable, match="3 integers, not 2"):
        answers.integers("1 2 3", count=2)
    with pytest.raises(Unparseable, match="0 integers, not 1 or more"):
        answers.integers(" ", at_least=1)


def test_fraction():
    assert answers.fraction("6/4") == (6, 4)
    assert answers.fraction("-1 / +2") == (-1, 2)
    for text in ("", "3", "1/2/3", "1/", "/2", "1.5/2"):
        with pytest.raises(Unparseable):
            answers.fraction(text)


def test_lines_and_rows():
    assert answers.text_lines(" a b \n\n\tc\r\n") == ["a b", "c"]
    assert answers.integer_rows("1 2\n\n 3 4 \n") == [[1, 2], [3, 4]]
    assert answers.integer_rows("") == []


def test_grids_have_the_shape_that_is_asked_for():
    assert answers.integer_rows("1 2\n3 4", rows=2, columns=2) == [[1, 2], [3, 4]]
    assert answers.integer_rows("1 2\n3 4\n5 6", columns=2) == [[1, 2], [3, 4], [5, 6]]
    assert answers.character_rows("ab\n\n ba ", rows=2, columns=2, characters="ab") == ["ab", "ba"]
    assert answers.character_rows("x", rows=1, columns=1) == ["x"]
    for text in ("1 2", "1 2\n3", "1 2\n3 4\n5 6", "1 2\n3 x"):
        with pytest.raises(Unparseable):
            answers.integer_rows(text, rows=2, columns=2)
    for text in ("ab", "ab\nb", "ab\nba\nab", "ab\nbc", "ab\nb a"):
        with pytest.raises(Unparseable):
            answers.character_rows(text, rows=2, columns=2, characters="ab")


def test_pairs():
    assert answers.pairs([1, 2, 3, 4]) == [(1, 2), (3, 4)]
    assert answers.pairs([]) == []
    with pytest.raises(Unparseable, match="odd number of values, 3"):
        answers.pairs([1, 2, 3])
