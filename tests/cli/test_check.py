import json
from pathlib import Path

import pytest

from rlve.rules import check_all

FILE = Path(__file__).parents[1] / "support" / "faulty_environments.py"
FEW = ("--difficulties", "0,2", "--seeds", 2, "--workers", 1)


def test_an_environment_that_keeps_all_rules(rlve):
    result = rlve("check", "Sorting", "EuclidGame", *FEW)
    assert result.code == 0
    head, _, row, *_ = result.out.splitlines()
    assert head.split() == ["environment", "in", "all", "time"]
    assert row.split()[:2] == ["Sorting", "ok"]
    assert "2 environments checked in" in result.out
    assert result.out.endswith("no complaints\n")


def test_complaints_are_printed_and_the_exit_code_is_1(rlve):
    result = rlve(
        "check", f"{FILE}:Wordless", f"{FILE}:Adding", *FEW, "--rules", "prompt, reference"
    )
    assert result.code == 1
    head, _, wordless, adding, *rest = result.out.splitlines()
    assert head.split() == ["environment", "prompt", "in", "all", "time"]
    assert wordless.split()[:3] == [f"{FILE}:Wordless", "1", "1"]
    assert adding.split()[:3] == [f"{FILE}:Adding", "ok", "ok"]
    assert rest[:6] == [
        "",
        f"{FILE}:Wordless: prompt",
        "  the prompt has no line that starts with 'Output format:'",
        "    difficulty 0, seed 0",
        "    difficulty 0, seed 1",
        "    difficulty 2, seed 0",
    ]
    assert rest[-1].endswith("1 with complaints")


def test_many_cases_of_one_complaint_are_cut_but_for_json(rlve):
    words = ("check", f"{FILE}:Wordless", "-d", "0..3", "--seeds", 5, "--rules", "prompt")
    result = rlve(*words)
    assert "    and 17 more like it; --json prints all\n" in result.out
    whole = rlve(*words, "--json")
    assert whole.code == 1
    [report] = json.loads(whole.out)
    assert (report["environment"], report["complaints"]) == (f"{FILE}:Wordless", 1)
    complaints = report["rules"]["prompt"]["complaints"]
    assert len(complaints) == 20
    assert complaints[0]["message"].startswith("the prompt has no line")


@pytest.mark.parametrize("json_flag", [[], ["--json"]])
def test_ctrl_c_shows_what_was_found_so_far(rlve, monkeypatch, json_flag):
    def interrupted(targets, **options):
        yield from check_all(targets[:1], **options)
        raise KeyboardInterrupt

    monkeypatch.setattr("rlve.cli.check.check_all", interrupted)
    words = ("check", f"{FILE}:Wordless", f"{FILE}:Adding", *FEW, "--rules", "prompt")
    result = rlve(*words, *json_flag)
    assert result.code == 130
    assert "Wordless" in result.out
    assert "Adding" not in result.out
    assert result.err == "rlve: interrupted; 1 of 2 not checked\n"


def test_an_excused_complaint_is_shown_and_is_no_failure(rlve):
    result = rlve("check", f"{FILE}:Excused", "--difficulties", 0, "--rules", "guesses")
    assert result.code == 0
    assert ": guesses (excused)" in result.out
    assert "guessable: Zero is a nice number." in result.out


def test_a_class_of_a_module_in_the_current_folder(rlve, own_tasks):
    result = rlve("check", "own_tasks:Echo", *FEW, "--rules", "declared,reference,reproducible")
    assert result.code == 0, result.out
    missing = rlve("check", "own_tasks:Ech", "--difficulties", 0)
    assert missing.code == 1
    assert "own_tasks defines no environment named 'Ech'; did you mean" in missing.out


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], "no environment was given; give names, --collection or --family"),
        (["Sortin"], "no environment is named 'Sortin'; did you mean 'Sorting'?"),
        (["nowhere.py:Task"], "there is no Python file nowhere.py"),
        (["Sorting", "-c", "ALL"], "give either names of environments, or --collection"),
        (["--family", "fruit"], "no family is named 'fruit'"),
        (["Sorting", "--rules", "speed"], "no rule is named 'speed'; the rules are declared,"),
        (["Sorting", "--difficulties", "3..1"], "the range of difficulties 3..1 is empty"),
        (["Sorting", "--seeds", "0"], "seeds must be at least 1, not 0"),
    ],
)
def test_misuse(rlve, words, error):
    result = rlve("check", *words)
    assert result.code == 2
    assert error in result.err
    assert result.out == ""
