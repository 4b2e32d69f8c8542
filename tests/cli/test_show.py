import json

import pytest

from rlve import environment, environments
from rlve.formats import CHAT
from rlve.reports.pictures import draw

PROBLEM = environment("Sorting").generate(difficulty=3, seed=7)


def test_it_prints_the_prompt_the_level_and_the_reference(rlve):
    result = rlve("show", "Sorting", "-d", 3, "--seed", 7)
    assert result.code == 0
    assert "Sorting, difficulty 3, seed 7" in result.out
    assert "level: N = 6\n" in result.out
    assert PROBLEM.prompt() in result.out
    assert result.out.rstrip().endswith(PROBLEM.reference())
    assert "gold_answer" not in result.out


def test_the_way_to_the_answer_is_shown_on_request(rlve, own_tasks):
    result = rlve("show", "Sorting", "-d", 3, "-s", 7, "--worked")
    assert result.out.rstrip().endswith("\n".join(PROBLEM.worked()))
    assert "worked" not in rlve("show", "Sorting").out
    no_way = rlve("show", "own_tasks:Echo", "--worked").out
    assert "(there is none: Echo does not say how its problems are solved)" in no_way


def test_a_picture_has_the_answer_only_if_it_is_asked_for(rlve, tmp_path):
    plain, answered = tmp_path / "plain.svg", tmp_path / "answered.svg"
    flags = ("show", "Sorting", "-d", 3, "-s", 7, "--picture")
    assert rlve(*flags, plain).code == rlve(*flags, answered, "--answer").code == 0
    assert plain.read_text() == draw(PROBLEM, alone=True)
    assert answered.read_text() == draw(PROBLEM, PROBLEM.reference(), alone=True)
    alone = rlve("show", "Sorting", "--answer")
    assert (alone.code, alone.out) == (2, "")
    assert "--answer needs --picture" in alone.err
    assert "Canon has no picture" in rlve("show", "Canon", "--picture", plain).err


def test_json_holds_everything(rlve):
    found = json.loads(rlve("show", "Sorting", "-d", 3, "-s", 7, "--json").out)
    assert found == {
        "environment": "Sorting",
        "family": "arrays",
        "difficulty": 3,
        "seed": 7,
        "level": {"N": 6},
        "prompt": PROBLEM.prompt(),
        "reference": PROBLEM.reference(),
        "worked": PROBLEM.worked(),
        "parameters": PROBLEM.parameters(),
    }


def test_a_format_shows_what_a_model_is_given(rlve, own_tasks):
    (message,) = CHAT.render(PROBLEM)
    flags = ("show", "Sorting", "-d", 3, "-s", 7, "--format")
    assert f"[user]\n{message['content']}\n" in rlve(*flags, "chat").out
    assert "step by step.\n<think>\n" in rlve(*flags, "base").out
    assert "SORT THESE 6 INTEGERS" in rlve(*flags, "own_tasks:shout").out


def test_an_environment_of_ones_own(rlve, own_tasks):
    assert "Say " in rlve("show", "own_tasks:Echo").out
    results = [rlve("show", "own_tasks:Moody", "-s", seed) for seed in range(20)]
    failed = [result for result in results if result.code]
    assert 0 < len(failed) < 20
    for result in failed:
        assert result.code == 2
        assert "a number that brings bad luck" in result.err
        assert result.err.endswith("; another seed may work\n")


def test_a_problem_that_takes_too_long_is_given_up(rlve, own_tasks, monkeypatch):
    monkeypatch.setattr("rlve.cli._problems.DEADLINE", 1.0)
    (own_tasks / "endless.py").write_text(
        "from own_tasks import Echo\n\n\nclass Endless(Echo):\n"
        "    @classmethod\n    def sample(cls, rng, size):\n        while True:\n            pass\n"
    )
    result = rlve("show", "endless.py:Endless", "-d", 7)
    assert result.code == 2
    assert "Endless could not make a problem of difficulty 7 from seed 0" in result.err
    assert result.err.endswith("; a lower difficulty may work\n")


def test_the_level_is_the_one_that_was_drawn(rlve):
    cls = environment("ShortestPath")
    assert len(cls.level(4)) > 1
    for seed in range(4):
        shown = json.loads(rlve("show", "ShortestPath", "-d", 4, "-s", seed, "--json").out)
        assert shown["level"] in cls.level(4)
        kept = {key: shown["parameters"][key] for key in shown["level"]}
        assert kept == shown["level"]


def test_a_template_that_cannot_be_filled_is_named(rlve, own_tasks):
    (own_tasks / "typo.py").write_text(
        "from own_tasks import Echo\n\n\nclass Typo(Echo):\n    template = 'Say {m}.'\n"
    )
    told = (
        "the template of Typo cannot be filled: {m} is neither a field nor a text given to fill()"
    )
    assert told in rlve("show", "typo.py:Typo").err


def test_the_level_of_every_environment_can_be_shown():
    for name in environments():
        level = environment(name).level(0)
        assert json.loads(json.dumps(level)) == level, name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Sortin"], "no environment is named 'Sortin'; did you mean 'Sorting'?"),
        (["Sorting", "-d", "-1"], "a difficulty must be an integer 0, 1, 2, ..., not -1"),
        (["Sorting", "-d", "200"], "the highest difficulty of Sorting is"),
        (["Sorting", "--format", "chatt"], "no prompt format is named 'chatt'; did you mean"),
        (["no_such_module:Task"], "no_such_module"),
        (["own_tasks:shout"], "own_tasks"),
    ],
)
def test_bad_input_is_one_clear_line(rlve, own_tasks, words, message):
    result = rlve("show", *words)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("rlve: ")
    assert message in result.err
    assert result.err.count("\n") == 1
