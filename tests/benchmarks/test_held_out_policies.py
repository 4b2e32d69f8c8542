"""What can be scored on the held-out test set without a model."""

from rlve.collections import HELD_OUT
from rlve.datasets.rows import write_rows
from rlve.evaluate.suite import load_suite
from support.programs import load

policies = load("benchmarks/held_out_policies.py")


def test_a_perfect_policy_has_all_and_a_constant_one_little():
    rows = list(policies.rows(load_suite("held-out")))
    assert [row.environment for row in rows] == sorted(HELD_OUT)
    assert all(row.perfect == row.problems == 50 for row in rows)
    assert all(1 <= row.constant <= 25 for row in rows)
    assert sum(row.constant for row in rows) < 0.15 * 2_500


def test_the_table(tmp_path, capsys):
    file = tmp_path / "suite.jsonl"
    write_rows(file, load_suite("in-distribution:Sorting").questions[:3])
    policies.main(str(file))
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.split() == ["all", "3", "100.00%", "33.33%"]
