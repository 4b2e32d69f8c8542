from typing import ClassVar

from rlve.envs.arrays.sorting import Sorting
from rlve.foundation.files import read_lines
from support.programs import load

limits = load("benchmarks/limits.py")


class Growing(Sorting):
    """Has a prompt that is too long from difficulty 300 on, and raises from 500 on."""

    max_difficulty: ClassVar[int | None] = None

    @classmethod
    def level(cls, d):
        if d >= 500:
            raise OverflowError("too large")
        return [{"N": 10_000 if d >= 300 else 3}]


class Small(Sorting):
    max_difficulty: ClassVar[int | None] = 5


def test_the_limit_is_where_a_promise_is_broken():
    found = limits.measure(Growing)
    assert 250 <= found.highest < 300
    assert "the prompt has" in found.broken
    assert found.suggested == 250


def test_what_is_declared_is_not_exceeded():
    found = limits.measure(Small)
    assert (found.highest, found.broken, found.suggested) == (5, "", 5)


def test_what_is_known_is_not_measured_again(tmp_path, monkeypatch):
    file = tmp_path / "limits.jsonl"
    monkeypatch.setattr(limits, "CAP", 20)
    limits.main(("Division",), output=file)
    limits.main(("Division", "Multiplication"), output=file)
    assert [found.name for found in read_lines(file, limits.Limit)] == [
        "Division",
        "Multiplication",
    ]
