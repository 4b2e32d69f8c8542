import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.errors import UserError
from rlve.registry import environment
from rlve.rules import RULES, Complaint, Subject, check, check_all, untrusted
from rlve.rules.guesses import at_least
from rlve.rules.mutations import mutants
from rlve.rules.records import fingerprint
from rlve.targets import check_target, load, target_of

FILE = Path(__file__).parents[1] / "support" / "faulty_environments.py"
DEADLINE = 4.0  # seconds; long enough for a busy machine
LEVELS = (0, 1, 2, 3, 4, 7)


def faulty(name):
    return load(f"{FILE}:{name}")


def found(name, rule, **options):
    """What a rule finds wrong with a faulty environment."""
    options = {"levels": LEVELS, "seeds": 2} | options
    return [complaint for _, complaint in check(faulty(name), rules=[rule], **options)]


def messages(complaints):
    return {complaint.message for complaint in complaints}


def says(complaints, words):
    return any(words in str(complaint) for complaint in complaints)


@pytest.mark.parametrize("name", ["Adding", "Choosing", "Covering", "Deciding", "Listing"])
def test_nothing_is_wrong_with_a_good_environment(name):
    assert check(faulty(name), levels=LEVELS, seeds=2, rules=set(RULES) - {"quick"}) == []


def test_a_complaint_says_where_and_what():
    complaint = Complaint(message="It is wrong", difficulty=3, seed=5, evidence="seen")
    assert str(complaint) == "difficulty 3, seed 5: It is wrong (seen)"
    assert str(Complaint(message="It is wrong")) == "It is wrong"


def test_an_unknown_rule_is_refused():
    with pytest.raises(
        UserError, match="no rule is named 'hostle'; the rules are declared, levels"
    ):
        check(faulty("Adding"), rules=["hostle"])


def test_declared():
    complaints = found("Undeclared", "declared")
    for words in (
        "no docstring",
        *(f"does not define {name}" for name in ("template", "level", "sample", "parse", "score")),
        "the field anything is typed Any",
        "the field items is typed list",
        "the field more is typed object",
        "max_difficulty is -1",
        "unique_up_to is 'order': give a function of answers, or None",
        "guessable is ' '",
    ):
        assert says(complaints, words), words


def test_declared_wants_frozen_problems():
    adding = faulty("Adding")
    loose = sys.modules[adding.__module__].Loose
    changeable = loose("Changeable", (adding,), {"__doc__": "Can be changed."})
    [(_, complaint)] = check(changeable, rules=["declared"])
    assert complaint.message == "problems can be changed: declare the class frozen"


def test_levels():
    shrinking = found("Shrinking", "levels", levels=range(10))
    assert [complaint.difficulty for complaint in shrinking] == [3, 7]
    assert says(found("Stuck", "levels"), "the same at difficulties 0 and 7")
    complaints = found("Unlevelled", "levels")
    assert [complaint.difficulty for complaint in complaints] == [0, 1, 2, 3, 4, 7]
    for words in ("at least one dict, not []", "not {'limit': 3}", "one entry is 3", "KeyError"):
        assert says(complaints, words), words
    assert says(complaints, "does not accept the settings {'size': 4, 'limit': 4}")


def test_generates():
    complaints = found("Failing", "generates")
    assert [(c.difficulty, c.seed) for c in complaints] == [(2, 0), (2, 1), (4, 0), (4, 1)]
    assert says(complaints, "GenerationError: none of 1,000 draws was acceptable, at faulty_env")
    assert says(complaints, "it returned a NoneType")
    complaints = found("Undisciplined", "generates")
    assert len(messages(complaints)) == 1
    for difficulty in ("-1", "0.5", "8", "9", "10"):
        assert says(complaints, f"a difficulty that does not exist ({difficulty}, which should be")


def test_the_other_rules_go_on_where_a_problem_cannot_be_generated():
    complaints = check(faulty("Failing"), levels=LEVELS, seeds=2, rules=set(RULES) - {"generates"})
    assert all(complaint.message == "generate() makes no problem" for _, complaint in complaints)


def test_reproducible():
    import numpy  # noqa: F401  so that its state is looked at

    complaints = found("Remembering", "reproducible")
    assert says(complaints, "a different problem the second time")
    complaints = found("Hashing", "reproducible")
    assert messages(complaints) == {m for m in messages(complaints) if "another hash seed" in m}
    assert len(complaints) > 6
    complaints = found("Globally", "reproducible")
    assert says(complaints, "the global state of random changed")
    assert says(complaints, "the global state of numpy.random changed")
    assert [c.difficulty for c in found("Unseeded", "reproducible")] == list(LEVELS)


def test_reproducible_needs_a_class_that_another_process_can_load():
    class Local(faulty("Adding")):
        """Is defined in a function."""

    complaints = check(Local, rules=["reproducible"], levels=[0])
    assert says([complaint for _, complaint in complaints], "define it at the top of a file")


def test_round_trip():
    complaints = found("Lossy", "round_trip")
    for words in (
        "the rebuilt problem has different parameters",
        "the rebuilt problem has a different prompt",
        "the rebuilt problem has a different reference",
        "the rebuilt problem gives an answer a different verdict",
    ):
        assert says(complaints, words), words
    assert len(found("Infinite", "round_trip")) == 2 * len(LEVELS)


def test_prompt():
    complaints = found("Wordless", "prompt")
    assert messages(complaints) == {"the prompt has no line that starts with 'Output format:'"}
    assert len(complaints) == 2 * len(LEVELS)
    complaints = found("Careless", "prompt")
    for words in (
        "contains {a}, which was not filled in",
        "shows {reference_answer}",
        "<object object at 0x",
        "more than 32,000 characters",
        r"an unprintable character ('\x00')",
    ):
        assert says(complaints, words), words


def test_reference():
    complaints = found("Mistaken", "reference", levels=[0, 1], seeds=5)
    assert {complaint.difficulty for complaint in complaints} == {1}
    assert messages(complaints) == {
        "the reference is not correct",
        "the rebuilt reference is not correct",
    }
    assert says(found("Numeric", "reference"), "must be a str or None, not a int")
    assert all(complaint.excused for complaint in found("Clueless", "reference"))
    assert says(found("Endless", "reference"), "more than 4,000 digits: set max_difficulty")


@pytest.mark.parametrize("name", ["Generous", "Incomplete"])
def test_a_near_miss_is_wrong(name):
    complaints = found(name, "wrong_answers")
    assert says(complaints, "an answer other than the reference is correct: compare exactly")
    assert {complaint.difficulty for complaint in complaints} == set(LEVELS)


def test_the_best_value_is_compared_exactly():
    complaints = found("Tolerant", "wrong_answers")
    assert messages(complaints) == {
        "a stored answer that is off by one gives the same verdict: compare exactly"
    }


def test_wrong_answers():
    assert says(found("Indifferent", "wrong_answers"), "most near misses of the reference are")
    assert says(found("Surpassed", "wrong_answers"), "the reference is not the best answer")
    assert says(found("Overwriting", "wrong_answers"), "judging an answer changed the problem")


def test_parts():
    assert messages(found("Doubling", "parts")) == {
        "an answer with a repeated part is correct, which the prompt forbids"
    }
    assert says(found("Halving", "parts"), "a repeated part earns a partial reward")
    assert messages(found("Sequential", "parts")) == {
        "the reference in another order is wrong, but the prompt says 'in any order'"
    }


@pytest.mark.parametrize(
    "name",
    [
        "CampfireParty",
        "HamiltonianPathExistence",
        "HungryRabbit",
        "MixedGraphEulerianCircuit",
        "NewNimGame",
        "RoundTableAssignment",
    ],
)
def test_parts_that_must_differ_are_found_in_prompts(name, monkeypatch):
    monkeypatch.setattr(environment(name), "score", lambda *_: 1.0)
    complaints = check(environment(name), rules=["parts"], levels=(3, 4), seeds=4)
    assert says([c for _, c in complaints], "a repeated part is correct, which the prompt forbids")


def test_hostile():
    complaints = found("Trusting", "hostile")
    for words in (
        "ValueError: could not convert string to float",
        "OverflowError",
        "a reward must be between -1 and 1",
        "it is 7.0",
        "nonsense is correct",
        "digits up to the limit, 99,000 characters",
    ):
        assert says(complaints, words), words
    complaints = found("Confused", "hostile")
    for words in (
        "correct must mean a reward of at least passing",
        "an answer that is not well-formed must not get a reward above 0",
        "it got 0.25",
    ):
        assert says(complaints, words), words


def test_guesses():
    complaints = found("Trivial", "guesses", levels=range(5))
    assert {complaint.difficulty for complaint in complaints} == set(range(5))
    assert says(complaints, "the answer '0' is right for")
    complaints = found("Excused", "guesses")
    assert complaints
    assert all(complaint.excused for complaint in complaints)
    assert says(complaints, "Zero is a nice number.")
    assert says(found("Partial", "guesses"), "the answer 'Yes' is right for")
    ordered = found("Ordered", "guesses")
    assert says(ordered, "1, 2, 3, ... of the length number 1 is right for 84 of 84")


def test_quick(monkeypatch):
    monkeypatch.setattr(untrusted, "MAKING", -1.0)
    monkeypatch.setattr(untrusted, "JUDGING", -1.0)
    complaints = found("Adding", "quick")
    for words in ("generate() takes more", "reference() takes more", "verify() takes more"):
        assert says(complaints, words), words


@given(st.integers(0, 100), st.integers(1, 200))
def test_a_share_is_underestimated_less_with_more_problems(wins, tried):
    wins = min(wins, tried)
    assert 0 <= at_least(wins, tried) <= wins / tried + 1e-9
    assert at_least(wins, tried) <= at_least(10 * wins, 10 * tried) + 1e-9


@given(
    st.text(max_size=40) | st.lists(st.integers(), max_size=6).map(lambda x: " ".join(map(str, x)))
)
def test_mutants_differ_from_the_text_and_from_each_other(text):
    changed = mutants(text)
    assert len(set(changed)) == len(changed)
    assert all(mutant.strip() != text.strip() for mutant in changed)


def test_mutants_of_an_integer():
    assert {"43", "41", "-42", "420", "2", "4", "42 42", "24", ""} <= set(mutants("42"))
    assert {"1 2 3 3 4", "1 2 4", "1 3 2 4", "1 2", "1 2 3 5"} <= set(mutants("1 2 3 4"))
    assert {"1 2 3", "3 1 2", "2 1 3 0"} <= set(mutants("2 1 3"))
    assert {"3 4\n1 2", "1 2", "1 2 3 4", "2 1\n3 4"} <= set(mutants("1 2\n3 4"))


def test_a_subject_spreads_what_it_looks_at():
    subject = Subject(faulty("Adding"), levels=range(21))
    assert subject.spread(3) == [0, 10, 20]
    assert Subject(faulty("Undisciplined"), levels=range(21)).levels == tuple(range(8))
    assert all(low < high for low, high in pairwise(subject.spread(5)))


def test_targets():
    assert load("Sorting") is environment("Sorting")
    assert target_of(environment("Sorting")) == "Sorting"
    assert target_of(faulty("Adding")) == f"{FILE}:Adding"
    assert load("rlve.envs.arrays.sorting:Sorting") is environment("Sorting")
    for target, words in (
        ("Sortin", "did you mean 'Sorting'"),
        ("nowhere.py:Task", "no Python file nowhere.py"),
        ("nowhere.py", "no Python file nowhere.py"),
        (str(FILE), f"which class of .*Write .*{FILE.name}:\\w+ or "),
    ):
        with pytest.raises(UserError, match=words):
            check_target(target)
        with pytest.raises(UserError, match=words):
            load(target)
    for target, words in (
        (f"{FILE}:Addin", "defines no environment named 'Addin'; did you mean .*:Adding"),
        ("no_such_module:Task", "no_such_module cannot be imported: ModuleNotFoundError"),
        ("not a module:Task", "neither a module nor a Python file"),
    ):
        with pytest.raises(UserError, match=words):
            load(target)


def test_a_file_that_cannot_be_loaded(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("1 / 0")
    with pytest.raises(
        UserError, match=r"ZeroDivisionError: division by zero, at broken.py line 1"
    ):
        load(f"{file}:Task")


def test_a_fingerprint_is_of_the_parameters_and_the_prompt():
    problem = faulty("Adding")(a=1, b=2, reference_answer=3)
    assert fingerprint(problem) == fingerprint(faulty("Adding")(a=1, b=2, reference_answer=3))
    assert fingerprint(problem) != fingerprint(faulty("Adding")(a=1, b=2, reference_answer=4))
    assert fingerprint(problem) != fingerprint(faulty("Stuck")(a=2, b=1, reference_answer=3))


def report(target, **options):
    """What is said about an environment that must not be run in this process."""
    options = {"levels": [0, 1], "seeds": 3, "deadline": DEADLINE} | options
    [report] = check_all([target], **options)
    return report.outcomes


def test_isolated_checks_say_the_same():
    outcomes = report(f"{FILE}:Mistaken")
    assert list(outcomes) == list(RULES)
    found = check(faulty("Mistaken"), levels=[0, 1], seeds=3)
    assert found == [(rule, c) for rule in RULES for c in outcomes[rule].complaints]


@pytest.mark.slow
def test_a_problem_that_takes_forever_ends_the_check():
    outcomes = report(f"{FILE}:Looping")
    assert list(outcomes) == ["declared", "levels", "generates"]
    assert [len(outcome.faults) for outcome in outcomes.values()] == [0, 0, 2]
    complaint, stopped = outcomes["generates"].faults
    assert (complaint.difficulty, complaint.seed) == (1, 2)
    assert "generate(): it took longer than 4 s, at faulty_environments" in complaint.message
    assert "other rules were not run" in stopped.message
    assert outcomes["generates"].seconds >= DEADLINE  # which is part of the time


@pytest.mark.slow
def test_a_verdict_that_takes_forever_keeps_what_was_found_before():
    outcomes = report(f"{FILE}:Sleeping", rules=["reference", "hostile", "guesses"])
    assert list(outcomes) == ["reference", "hostile"]
    assert outcomes["reference"].faults == []
    assert says(outcomes["hostile"].faults, "verify(): it took longer than 4 s")
    assert says(outcomes["hostile"].faults, "(digits up to the limit, 99,000 characters)")


@pytest.mark.slow
def test_an_environment_that_ends_its_process_is_given_up():
    outcomes = report(f"{FILE}:Exiting")
    assert says(outcomes["generates"].faults, "generate(): its process ended with status 7")
    assert says(outcomes["generates"].faults, "other rules were not run")
    assert list(outcomes) == ["declared", "levels", "generates"]


def test_memory_is_bounded():
    outcomes = report(f"{FILE}:Hoarding", rules=["reference"])
    assert says(outcomes["reference"].faults, "MemoryError")


@pytest.mark.slow
def test_a_file_that_takes_forever_is_no_environment(tmp_path):
    lasting = tmp_path / "lasting.py"
    lasting.write_text("import time\ntime.sleep(1_000)")
    [outcome] = report(f"{lasting}:Task").values()
    assert says(outcome.faults, "it cannot be loaded: loading the class: it took longer than 4 s")


def test_modules_in_the_current_folder_are_left_alone(tmp_path, monkeypatch):
    for name in ("random", "token", "json"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('the wrong module')")
    monkeypatch.chdir(tmp_path)
    outcomes = report("Sorting", rules=["generates", "reproducible"])
    assert [outcome.faults for outcome in outcomes.values()] == [[], []]


def test_what_an_environment_prints_is_a_complaint(capfd):
    outcomes = report(f"{FILE}:Talking", rules=["declared", "reference"])
    [complaint] = [c for outcome in outcomes.values() for c in outcome.faults]
    assert outcomes["reference"].faults == [complaint]
    assert "the environment prints" in complaint.message
    assert complaint.evidence == "'the answer is near'"
    assert capfd.readouterr().out == ""


def test_no_process_is_left_behind():
    import psutil

    before = set(psutil.Process().children(recursive=True))
    checking = check_all([f"{FILE}:Adding"] * 3, levels=[0], workers=2)
    next(checking)
    checking.close()
    left = set(psutil.Process().children(recursive=True)) - before
    _, alive = psutil.wait_procs(left, timeout=20)
    assert not alive
