import io
import os
from io import StringIO

import pytest

from rlve.reports import terminal
from rlve.reports.evaluation import score_headings
from rlve.reports.terminal import print_table, print_text
from rlve.text import quantity


class Terminal(StringIO):
    def isatty(self):
        return True


@pytest.fixture
def width(monkeypatch):
    """Makes terminals so wide."""

    def make(columns):
        size = os.terminal_size((columns, 24))
        monkeypatch.setattr(terminal.shutil, "get_terminal_size", lambda: size)

    return make


EVALUATION = (
    "Axis_KCenter",
    "1,000",
    "10,000",
    "33.3%",
    "30.1% to 36.2%",
    "34.0%",
    "0.123",
    "12.0%",
    "1.0%",
)
COMPARISON = ("step-000100", "16", "33.3%", "30.1% to 36.2%", "+12.1", "+9.9 to +13.1")


@pytest.mark.parametrize(
    ("columns", "row", "wide"),
    [
        (("environment", *score_headings("")), EVALUATION, 80),
        (
            ("evaluation", "samples", "Avg@16", "95% interval", "against nano", "95% interval"),
            COMPARISON,
            60,
        ),
    ],
)
def test_the_tables_of_commands_fit_and_lose_nothing(columns, row, wide, width):
    width(wide)
    file = Terminal()
    print_table(columns, [row, row], file=file)
    assert max(map(len, file.getvalue().splitlines())) <= wide
    for text in row:
        assert file.getvalue().count(text) >= 2, text
    for word in " ".join(columns).split():
        assert word in file.getvalue()


def test_what_a_row_is_about_stands_in_every_part(width):
    width(30)
    file = Terminal()
    print_table(("a", "b", "c", "d"), [("x", "y", "1" * 20, "2" * 20)], keys=2, file=file)
    assert file.getvalue().splitlines() == [
        "a  b                     c",
        "─  ─  ────────────────────",
        "x  y  11111111111111111111",
        "",
        "a  b                     d",
        "─  ─  ────────────────────",
        "x  y  22222222222222222222",
    ]


def test_text_is_folded_at_words_on_a_terminal_and_nowhere_else(width):
    width(30)
    text = "Go on with: rlve train --resume runs/" + "x" * 40 + "\nA second line."
    file, shown = StringIO(), Terminal()
    print_text(text, file=file)
    assert file.getvalue() == f"{text}\n"
    print_text(text, file=shown)
    assert shown.getvalue().split() == text.split()
    assert shown.getvalue().splitlines()[-1] == "A second line."


def test_one_is_not_many():
    assert quantity(1, "broken line") == "1 broken line"
    assert quantity(0, "broken line") == "0 broken lines"
    assert quantity(2_000, "draw was", "draws were") == "2,000 draws were"


def test_a_terminal_shows_what_its_encoding_has(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    terminal.show_plainly()
    print_table(("name", "n"), [("caf\u00e9", 1)])
    terminal.sys.stdout.flush()
    assert raw.getvalue().decode("ascii").splitlines() == ["name  n", "????  ?", "caf?  1"]


def test_a_terminal_folds_long_text(width):
    width(50)
    file = Terminal()
    print_table(("name", "n", "words"), [("a" * 12, 1234, "word " * 20)], file=file)
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= 50
    assert lines[2].startswith("a" * 12 + "  1,234  word word")
    assert file.getvalue().count("word") == 21


def test_numbers_stand_on_the_right_and_the_total_below_a_line():
    file = StringIO()
    print_table(("name", "n"), [("a", 5), ("b", 12_000)], total=("all", 12_005), file=file)
    assert file.getvalue().splitlines() == [
        "name       n",
        "────  ──────",
        "a          5",
        "b     12,000",
        "────  ──────",
        "all   12,005",
    ]
    empty = StringIO()
    print_table(("name", "n"), [], file=empty)
    assert empty.getvalue().splitlines()[0].split() == ["name", "n"]
