import os
from io import StringIO

from rlve.reports import terminal
from rlve.reports.terminal import print_table


class Terminal(StringIO):
    def isatty(self):
        return True


def test_a_terminal_folds_the_last_column_and_shortens_nothing(monkeypatch):
    monkeypatch.setattr(terminal.shutil, "get_terminal_size", lambda: os.terminal_size((50, 10)))
    file = Terminal()
    print_table(("name", "n", "words"), [("a" * 12, 1234, "word " * 20)], file=file)
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= 50
    assert lines[2].startswith("a" * 12 + "  1,234  word word")
    assert sum(line.count("word ") + line.endswith("word") for line in lines[2:]) == 20


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


def test_a_table_can_be_empty():
    file = StringIO()
    print_table(("name", "n"), [], file=file)
    assert file.getvalue().splitlines()[0].split() == ["name", "n"]
