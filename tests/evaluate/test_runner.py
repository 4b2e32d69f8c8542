import json
import os
import sys
import threading
from collections import Counter

import msgspec
import pytest

import rlve
from rlve.answers import integer
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.backends import UNANSWERED, ModelOutput, Sampling
from rlve.evaluate.questions import AS_GIVEN, Suite
from rlve.evaluate.results import EvaluationPlan, read_evaluation, read_results
from rlve.evaluate.runner import evaluate, make_plan, rejudge
from rlve.formats import BASE, CHAT
from rlve.foundation.run_folders import locked
from rlve.registry import registered
from support.evaluation_folders import question

FILES = {"plan.json", "suite.jsonl", "outputs.jsonl", "verdicts.jsonl", "results.json"}


@pytest.fixture(scope="module")
def suite():
    names = ("Sorting", "Division", "EuclidGame")
    return Suite("few", [question(n, d, s) for n in names for d in range(2) for s in range(3)])


class Fake:
    """A model that answers by a function of the request; it can stop in the middle."""

    def __init__(self, answer, stops_after=None, error=KeyboardInterrupt):
        self.answer = answer
        self.stops_after = stops_after
        self.error = error
        self.asked = []
        self.closed = False

    def generate(self, requests, sampling):
        self.asked += [request.key for request in requests]
        try:
            for done, request in enumerate(reversed(requests)):
                if done == self.stops_after:
                    raise self.error
                yield request.key, ModelOutput(self.answer(request), "stop", 3, 0.5)
        finally:
            self.closed = True


def knowing(suite, wrong=()):
    """Answers with the reference, except to the questions named."""
    answers = {q.id: q.answer for q in suite.questions}

    def answer(request):
        return (
            "no idea" if request.key.id in wrong else f"<answer>{answers[request.key.id]}</answer>"
        )

    return answer


def plan_for(suite, **changes):
    settings = {"model": "m", "backend": "fake", "format": "plain", "samples": 3}
    return make_plan(suite, **(settings | changes))


def run(suite, folder, backend, **changes):
    return evaluate(suite, plan_for(suite, **changes), backend, folder, workers=1)


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_perfect_policy_scores_100_percent(suite, tmp_path):
    backend = Fake(knowing(suite))
    results = run(suite, tmp_path / "eval", backend)
    assert results.overall.accuracy == 1
    low, high = results.overall.accuracy_interval
    assert 0 < low < high == 1  # some questions are no proof of 100%
    assert results.overall.outputs == 54
    assert {path.name for path in (tmp_path / "eval").iterdir()} == FILES | {".lock"}
    assert read_results(tmp_path / "eval") == results
    assert backend.closed


def test_a_constant_policy_scores_what_it_deserves(suite, tmp_path):
    results = run(suite, tmp_path, Fake(lambda request: "<answer>1</answer>"))
    expected = [q.problem().verify("<answer>1</answer>") for q in suite.questions]
    assert results.overall.accuracy == sum(v.correct for v in expected) / len(expected)
    assert results.overall.mean_reward == pytest.approx(
        sum(v.reward for v in expected) / len(expected)
    )
    assert results.overall.ill_formed == sum(not v.well_formed for v in expected) / len(expected)


def test_right_answers_in_another_form_are_told_apart(suite, tmp_path):
    answers = {q.id: q.answer for q in suite.questions}
    in_code = Fake(lambda request: f"<answer>```\n{answers[request.key.id]}\n```</answer>")
    results = run(suite, tmp_path, in_code)
    assert results.overall.accuracy == 0
    assert results.overall.ill_formed == results.overall.lost_to_form == 1
    assert results.overall.forgiving_accuracy == 1
    assert rejudge(tmp_path, workers=1) == read_results(tmp_path) == results


def test_prompts_and_markers_are_those_of_the_format(suite, tmp_path):
    def answer(request):
        assert request.prompt[0]["role"] == "user"
        assert r"\boxed{}" in request.prompt[0]["content"]
        box = request.key.sample < 2
        text = knowing(suite)(request)
        return text.replace("<answer>", r"\boxed{").replace("</answer>", "}") if box else text

    results = run(suite, tmp_path, Fake(answer), format="chat")
    assert results.overall.accuracy == pytest.approx(2 / 3)  # <answer> is not what was asked for


def test_prompts_of_a_file_give_way_to_the_format(tmp_path):
    problem = rlve.environment("Sorting").generate(difficulty=1, seed=1)
    chat = ProblemRow.of(problem, difficulty=1, seed=1, format=CHAT, answer=problem.reference())
    messages = ProblemRow.of(problem, difficulty=1, seed=1, format=CHAT, worked="so")
    asked = []

    def answer(request):
        asked.append(request.prompt)
        return rf"<answer>{problem.reference()}</answer>"

    for name, row in {"prompt": chat, "messages": messages}.items():
        suite = Suite("one", [row])
        assert suite.formats == ["chat"]
        results = run(suite, tmp_path / name, Fake(answer), format="base", samples=1)
        assert results.overall.accuracy == 1
        assert asked.pop() == BASE.render(problem)
        assert rejudge(tmp_path / name, workers=1).overall.accuracy == 1
        assert read_evaluation(tmp_path / name).questions[0].prompt is None
    fixed = Suite("one", [msgspec.structs.replace(chat, prompt="Sort!", format=None)])
    assert fixed.formats == [AS_GIVEN]
    results = run(fixed, tmp_path / "fixed", Fake(answer), format=AS_GIVEN, samples=1)
    assert asked == ["Sort!"]
    assert results.overall.accuracy == 0  # the answer is not in a box
    with pytest.raises(UserError, match="for a system prompt, choose a format"):
        plan_for(fixed, format=AS_GIVEN, system_prompt="Be brief.")
    with pytest.raises(UserError, match="not all questions of one come with a prompt"):
        run(Suite("one", [chat.unprompted()]), tmp_path / "none", Fake(answer), format=AS_GIVEN)


def test_an_interrupted_evaluation_goes_on_where_it_stopped(suite, tmp_path):
    wrong = {q.id for q in suite.questions[::4]}
    whole = run(suite, tmp_path / "whole", Fake(knowing(suite, wrong)))
    folder = tmp_path / "eval"
    asked = Counter()
    for stops_after in (10, 0, 25, None):
        backend = Fake(knowing(suite, wrong), stops_after)
        if stops_after is None:
            results = run(suite, folder, backend)
        else:
            with pytest.raises(KeyboardInterrupt):
                run(suite, folder, backend)
            assert backend.closed
        asked.update([len(backend.asked)])
    assert asked == Counter([54, 44, 44, 19])
    assert results == whole
    for file in ("outputs.jsonl", "verdicts.jsonl"):
        keys = Counter((line["id"], line["sample"]) for line in lines(folder / file))
        assert len(keys) == 54
        assert set(keys.values()) == {1}


def test_torn_and_missing_lines_are_made_up_for(suite, tmp_path):
    whole = run(suite, tmp_path, Fake(knowing(suite)))
    outputs, verdicts = tmp_path / "outputs.jsonl", tmp_path / "verdicts.jsonl"
    assert whole.overall.accuracy == 1
    outputs.write_bytes(outputs.read_bytes()[:-20])
    kept = verdicts.read_bytes().splitlines(keepends=True)
    verdicts.write_bytes(b"".join(kept[:30]) + kept[30][:15])
    backend = Fake(knowing(suite))
    assert run(suite, tmp_path, backend) == whole
    assert len(backend.asked) == 1
    for file in (outputs, verdicts):
        keys = [(line["id"], line["sample"]) for line in lines(file)]
        assert len(keys) == len(set(keys)) == 54


def test_a_verdict_does_not_outlive_its_output(suite, tmp_path):
    run(suite, tmp_path, Fake(knowing(suite)))
    outputs = tmp_path / "outputs.jsonl"
    outputs.write_bytes(b"".join(outputs.read_bytes().splitlines(keepends=True)[:-2]))
    results = run(suite, tmp_path, Fake(lambda request: "something else"))
    assert results.overall.accuracy == 52 / 54
    assert len(lines(tmp_path / "verdicts.jsonl")) == 54


def test_a_line_that_is_broken_elsewhere_is_named(suite, tmp_path):
    run(suite, tmp_path, Fake(knowing(suite)))
    path = tmp_path / "outputs.jsonl"
    all_lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*all_lines[:6], b"{oops\n", *all_lines[7:]]))
    with pytest.raises(UserError, match=r"outputs\.jsonl:7 is damaged: "):
        run(suite, tmp_path, Fake(knowing(suite)))
    path.write_bytes(b"".join([*all_lines, all_lines[3]]))
    with pytest.raises(UserError, match=r"outputs\.jsonl:55 repeats sample . of '.*'"):
        run(suite, tmp_path, Fake(knowing(suite)))


def test_a_folder_of_another_plan_is_refused(suite, tmp_path):
    run(suite, tmp_path, Fake(knowing(suite)))
    changes = {
        "samples": (4, "samples is 3 there and 4 here"),
        "model": ("n", "model is 'm' there and 'n' here"),
        "format": ("base", "format is 'plain' there and 'base' here"),
        "sampling": (
            Sampling(temperature=1.5, max_tokens=9),
            "max_tokens is 32768 there and 9 here; temperature is 0.6 there and 1.5 here",
        ),
    }
    for key, (value, message) in changes.items():
        with pytest.raises(UserError, match=f"holds another evaluation: {message}"):
            run(suite, tmp_path, Fake(knowing(suite)), **{key: value})
    other = Suite("few", suite.questions[1:])
    with pytest.raises(UserError, match=r"sha is '.*' there and '.*' here"):
        run(other, tmp_path, Fake(knowing(suite)))
    # A server may have moved.
    assert (
        run(suite, tmp_path, Fake(knowing(suite)), url="http://elsewhere/v1").overall.accuracy == 1
    )


def test_outputs_of_other_weights_are_refused(suite, tmp_path, monkeypatch):
    model, folder = tmp_path / "m", tmp_path / "eval"
    model.mkdir()
    (model / "model.safetensors").write_bytes(b"before")
    first = run(suite, folder, Fake(knowing(suite)), model=str(model))
    assert run(suite, folder, Fake(knowing(suite)), model=str(model)) == first
    monkeypatch.chdir(tmp_path)
    assert run(suite, folder, Fake(knowing(suite)), model="m") == first  # the same folder
    (model / "model.safetensors").write_bytes(b"after!")
    backend = Fake(knowing(suite))
    with pytest.raises(UserError, match=r"holds outputs of .*/m with other weights: they have"):
        run(suite, folder, backend, model=str(model))
    other = tmp_path / "other"
    other.mkdir()
    (other / "model.safetensors").write_bytes(b"others")
    with pytest.raises(UserError, match=r"model is '.*/m' there and '.*/other' here"):
        run(suite, folder, backend, model=str(other))
    assert backend.asked == []
    # A server's weights are unknown; so are those of a plan that an earlier version wrote.
    plan = json.loads((folder / "plan.json").read_text())
    (folder / "plan.json").write_text(json.dumps(plan | {"weights": None}))
    assert run(suite, folder, backend, model=str(model)) == first


def test_a_system_prompt_comes_before_the_question(suite, tmp_path):
    seen = []

    def answer(request):
        seen.append(request.prompt)
        return "hm"

    system = {"format": "chat", "system_prompt": "Be brief."}
    run(suite, tmp_path, Fake(answer), **system)
    for prompt in seen:
        assert [message["role"] for message in prompt] == ["system", "user"]
        assert prompt[0]["content"] == "Be brief."
    with pytest.raises(UserError, match=r"system_prompt is 'Be brief\.' there and None here"):
        run(suite, tmp_path, Fake(answer), format="chat")
    stops = Sampling(stop_strings=("</answer>",))
    with pytest.raises(UserError, match=r"stop_strings is .* there and .*</answer>.* here"):
        run(suite, tmp_path, Fake(answer), sampling=stops, **system)


def test_a_folder_of_something_else_is_left_alone(suite, tmp_path):
    (tmp_path / "thesis.tex").write_text("...")
    with pytest.raises(UserError, match="is not empty, and not an evaluation"):
        run(suite, tmp_path, Fake(knowing(suite)))
    with pytest.raises(UserError, match=r"it has no plan\.json"):
        read_evaluation(tmp_path)


def test_two_processes_do_not_share_a_folder(suite, tmp_path):
    with locked(tmp_path), pytest.raises(UserError, match="another process is working in"):
        run(suite, tmp_path, Fake(knowing(suite)))
    assert run(suite, tmp_path, Fake(knowing(suite))).overall.accuracy == 1


def test_progress_is_told(suite, tmp_path):
    seen = []
    evaluate(suite, plan_for(suite), Fake(knowing(suite)), tmp_path, workers=1, watch=seen.append)
    assert seen[0] == (54, 0, 0, 0)
    assert seen[0].accuracy is None
    assert seen[-1] == (54, 54, 54, 54)
    assert seen[-1].accuracy == 1
    assert len(seen) == 1 + 54 + 54


@pytest.fixture
def importable(monkeypatch):
    """Workers import classes by the name of this module."""
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    for kind in (Needy, Broken, Moody):
        monkeypatch.setattr(kind, "__module__", "test_runner")
    monkeypatch.setitem(sys.modules, "test_runner", sys.modules[__name__])


class Needy(rlve.Environment[int]):
    """Say 1; judging it needs a library that nobody has."""

    n: int

    template = "Say {n}."

    def parse(self, text):
        return integer(text)

    def score(self, answer):
        raise UserError("judging this needs moon dust: pip install moon-dust")


class Broken(Needy):
    """Say 1; its verifier is wrong."""

    def score(self, answer):
        return 1 / 0


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Needy, "judging this needs moon dust: pip install moon-dust"),
        (Broken, "outputs for Broken cannot be judged: ZeroDivisionError: division by zero"),
    ],
)
def test_outputs_that_cannot_be_judged_are_not_asked_for(kind, message, tmp_path, importable):
    needy = Suite("one", [ProblemRow(id="a", environment=kind.__name__, parameters={"n": 1})])
    backend = Fake(lambda request: "<answer>1</answer>")
    with registered(kind), pytest.raises(UserError, match=message):
        run(needy, tmp_path, backend)
    assert backend.asked == []


class Moody(Needy):
    """Say 1; its verifier cannot bear a 2."""

    def score(self, answer):
        return 1 / (2 - answer)


def test_an_output_that_cannot_be_judged_counts_as_wrong_and_as_failed(tmp_path, importable):
    texts = {"a": "1", "b": "2", "c": "nothing"}
    questions = [ProblemRow(id=each, environment="Moody", parameters={"n": 1}) for each in texts]
    backend = Fake(lambda request: f"<answer>{texts[request.key.id]}</answer>")
    with registered(Moody):
        results = run(Suite("three", questions), tmp_path, backend)
    assert results.overall.failed == 3
    assert results.overall.accuracy == pytest.approx(1 / 3)
    written = {line["id"]: line for line in lines(tmp_path / "verdicts.jsonl")}
    assert [written[each].get("failed", False) for each in "abc"] == [False, True, False]
    assert written["b"]["correct"] is written["b"]["well_formed"] is False


def test_an_output_that_no_utf_8_can_hold_is_stored(suite, tmp_path):
    results = run(suite, tmp_path, Fake(lambda request: "\ud800 \x00 \u2028 </script>\n"))
    assert results.overall.ill_formed == 1
    assert lines(tmp_path / "outputs.jsonl")[0]["output"] == "? \x00 \u2028 </script>\n"


def test_outputs_that_never_came_are_counted_and_stay_readable(suite, tmp_path):
    class Silent(Fake):
        def generate(self, requests, sampling):
            for key, output in super().generate(requests, sampling):
                yield key, UNANSWERED if key.sample == 0 else output

    results = run(suite, tmp_path, Silent(knowing(suite)))
    assert results.overall.unanswered == 18
    assert results.overall.accuracy == pytest.approx(2 / 3)
    assert results.overall.truncated == 0
    assert rejudge(tmp_path, workers=1) == results


def test_stored_outputs_are_judged_again_without_a_model(suite, tmp_path):
    whole = run(suite, tmp_path, Fake(knowing(suite)))
    verdicts = tmp_path / "verdicts.jsonl"
    before = lines(verdicts)
    verdicts.write_text("".join(json.dumps(v | {"correct": False}) + "\n" for v in before))
    (tmp_path / "results.json").unlink()
    seen = []
    assert rejudge(tmp_path, workers=1, watch=seen.append) == whole
    assert read_results(tmp_path) == whole
    assert sorted(map(str, lines(verdicts))) == sorted(map(str, before))
    assert seen[-1] == (54, 54, 54, 54)
    boxed = rejudge(tmp_path, workers=1, marker="boxed")
    assert boxed.overall.ill_formed == 1


def test_what_is_not_finished_is_not_summed_up(suite, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(suite, tmp_path, Fake(knowing(suite), 10))
    assert not [thread for thread in threading.enumerate() if thread.name == "judge"]
    with pytest.raises(
        UserError, match=r"44 of 54 outputs are missing in .*; finish it with the same rlve eval"
    ):
        rejudge(tmp_path, workers=1)
    assert len(lines(tmp_path / "verdicts.jsonl")) == 10


def test_a_plan_that_cannot_be_meant(suite):
    with pytest.raises(UserError, match="samples must be at least 1, not 0"):
        plan_for(suite, samples=0)
    with pytest.raises(UserError, match="top-p"):
        plan_for(suite, sampling=Sampling(top_p=2))
    with pytest.raises(UserError, match="no prompt format is named 'chatt'; did you mean 'chat'"):
        plan_for(suite, format="chatt")
    template = Sampling(template_arguments=("tall=true",))
    for setting in ({"system_prompt": "Be brief."}, {"sampling": template}):
        with pytest.raises(UserError, match="are for chats, but the format base is text"):
            plan_for(suite, format="base", **setting)
    assert isinstance(plan_for(suite), EvaluationPlan)
