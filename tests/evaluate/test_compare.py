import json
from pathlib import Path
from statistics import fmean

import pytest

from rlve.errors import UserError
from rlve.evaluate.compare import compare
from rlve.evaluate.metrics import pass_at_k
from rlve.evaluate.sources import find_evaluations, write_record
from rlve.foundation.intervals import over_runs
from rlve.foundation.run_folders import VERDICTS
from support.evaluation_folders import NAMES, QUESTIONS, write


def correct(folder: Path) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for line in (folder / VERDICTS).read_text().splitlines():
        verdict = json.loads(line)
        found.setdefault(verdict["id"], []).append(verdict["correct"])
    return found


def run(*folders: object, **options: object):
    return compare(find_evaluations(map(str, folders)), **options)


def test_differences_are_paired(tmp_path):
    a, b = write(tmp_path / "a", 0.4, model="A"), write(tmp_path / "b", 0.7, model="B", samples=8)
    found = run(a, b)
    assert [each.name for each in found.evaluations] == ["A", "B"]
    assert found.baseline == "A"
    first, second = (each.overall for each in found.evaluations)
    means = [{q: fmean(c) for q, c in correct(folder).items()} for folder in (a, b)]
    assert first.value == pytest.approx(fmean(means[0].values()))
    assert second.value == pytest.approx(fmean(means[1].values()))
    assert (first.difference, first.difference_interval) == (None, None)
    assert second.difference == pytest.approx(second.value - first.value)
    before, after = ([each[q.id] for q in QUESTIONS] for each in means)
    environments = [q.environment for q in QUESTIONS]
    assert second.difference_interval == over_runs([after], [before], environments).ends
    low, high = second.difference_interval
    assert low < second.difference < high
    width = sum(high - low for low, high in (first.interval, second.interval))
    assert high - low < width  # what makes a question hard cancels out
    for name in NAMES:
        mine = [means[1][q.id] for q in QUESTIONS if q.environment == name]
        assert found.evaluations[1].groups[name].value == pytest.approx(fmean(mine))
        assert found.evaluations[1].groups[name].questions == len(mine)
    assert "the evaluations differ in samples: 4, 8" in found.notes


def test_runs_of_one_name_are_one_way_of_training(tmp_path):
    for name, share in (("a", 0.4), ("b", 0.7)):
        for seed in (0, 1, 2):
            write(tmp_path / f"{name}{seed}", share, model=f"{name}{seed}", seed=seed)
    words = [f"{name}={tmp_path}/{name}{seed}" for name in "ab" for seed in (0, 1, 2)]
    one, three = run(*words[::3]), run(*words)
    assert [(each.name, each.runs) for each in three.evaluations] == [("a", 3), ("b", 3)]
    shares = [compare(find_evaluations([word])).evaluations[0].overall.value for word in words[:3]]
    assert three.evaluations[0].overall.value == pytest.approx(fmean(shares))
    low, high = three.evaluations[1].overall.difference_interval
    assert low < three.evaluations[1].overall.difference < high
    assert [each.runs for each in one.evaluations] == [1, 1]


def test_runs_of_one_name_may_have_come_to_different_steps(tmp_path):
    words = [
        f"a={write(tmp_path / str(step), 0.5, model=f'run{step}/step-{step:06d}', seed=step)}"
        for step in (60, 80)
    ]
    assert [(each.name, each.runs) for each in run(*words).evaluations] == [("a", 2)]
    # The checkpoints of one run are a sequence all the same.
    alone = run(f"a={tmp_path}").evaluations
    assert [(each.name, each.runs) for each in alone] == [("a, step 60", 1), ("a, step 80", 1)]


def test_an_evaluation_equals_itself(tmp_path):
    a, b = (write(tmp_path / name, 0.5, model=name) for name in "ab")
    value = run(a, b).evaluations[1].overall
    assert value.difference == 0
    low, high = value.difference_interval  # a few questions do not show that two are the same
    assert -high == low < 0
    assert run(a, b).notes == []
    assert run(a).evaluations[0].overall.difference is None


def test_pass_at_k(tmp_path):
    a = write(tmp_path / "a", 0.2, model="A", metric="pass", k=8, samples=8)
    b = write(tmp_path / "b", 0.3, model="B", metric="pass", k=8, samples=4)
    found = run(a, b)
    assert (found.number, found.k) == ("Pass@4", 4)  # as many as both have
    for folder, each in zip((a, b), found.evaluations, strict=True):
        expected = pass_at_k(list(correct(folder).values()), 4)
        assert each.overall.value == pytest.approx(expected)


def test_pass_at_k_of_any_suite(tmp_path):
    a = write(tmp_path / "a", 0.2, model="A")
    found = run(a, pass_at=2)
    assert (found.number, found.metric) == ("Pass@2", "pass")
    expected = pass_at_k(list(correct(a).values()), 2)
    assert found.evaluations[0].overall.value == pytest.approx(expected)
    for k in (0, 5):
        with pytest.raises(UserError, match=f"Pass@{k} cannot be told from 4 samples"):
            run(a, pass_at=k)


def test_a_record_is_compared_like_the_folders(tmp_path):
    for name, share in (("a0", 0.4), ("a1", 0.5), ("b", 0.7)):
        write(tmp_path / name, share, model=name)
    words = [f"a={tmp_path}/a0", f"a={tmp_path}/a1", f"b={tmp_path}/b"]
    kept = tmp_path / "record.json"
    write_record(kept, find_evaluations(words))
    for options in ({}, {"by": "difficulty"}, {"baseline": "b"}, {"pass_at": 2}):
        assert run(kept, **options) == run(*words, **options)
    assert list(run(kept, by="difficulty").evaluations[0].groups) == ["0", "1"]
    assert json.loads(kept.read_text())["questions"][0][1:] == ["Sorting", QUESTIONS[0].difficulty]
    with pytest.raises(UserError, match=r"record\.json is a record .*, and is compared alone"):
        run(kept, tmp_path / "b")
    with pytest.raises(UserError, match="none of the evaluations is on the suite other"):
        find_evaluations([str(kept)], "other")


def test_a_damaged_record(tmp_path):
    kept = tmp_path / "record.json"
    write_record(kept, find_evaluations([str(write(tmp_path / "a", 0.4, model="A"))]))
    whole = json.loads(kept.read_text())
    marks, count = whole["evaluations"][0]["marks"], len(whole["questions"])
    for wrong in (marks[1:], ["0"] * count, ["01x0"] * count):
        whole["evaluations"][0]["marks"] = wrong
        kept.write_text(json.dumps(whole))
        with pytest.raises(UserError, match="A has not 4 marks of 0 or 1 for each question"):
            run(kept)


def test_checkpoints_are_a_sequence(tmp_path):
    for step in (100, 20, 3):
        model = f"runs/adaptive/checkpoints/step-{step:06d}"
        write(tmp_path / "evals" / f"adaptive-{step}" / "few", 0.3 + step / 200, model=model)
    other = write(tmp_path / "other" / "checkpoint-20", 0.4, model="served")
    plain = write(tmp_path / "base", 0.2, model="Qwen/Qwen2.5-7B")
    found = run(tmp_path / "evals", other, plain)
    assert [(each.run, each.step) for each in found.evaluations] == [
        ("adaptive", 3),
        ("adaptive", 20),
        ("adaptive", 100),
        ("served", 20),
        ("Qwen/Qwen2.5-7B", None),
    ]
    assert found.evaluations[0].name == found.baseline == "adaptive, step 3"


@pytest.mark.parametrize(
    ("model", "run_name", "step"),
    [
        ("runs/a/checkpoints/step-000100", "a", 100),
        ("runs/a/step-000100/", "a", 100),
        ("a-step-7", "a", 7),
        ("out/checkpoint-500", "out", 500),
        ("out/global_step_500/actor/huggingface", "out", 500),
        ("iter_0000042", "iter_0000042", 42),
        ("one-step", "one-step", None),
        ("footstep7", "footstep7", None),
        ("Qwen2.5-7B", "Qwen2.5-7B", None),
    ],
)
def test_steps_are_read_from_names(tmp_path, model, run_name, step):
    (source,) = find_evaluations([str(write(tmp_path / "x" / "y", 0.5, model=model))])
    assert (source.run, source.step) == (run_name, step)


def test_runs_of_the_same_name_are_told_apart(tmp_path):
    models = [
        f"{place}/checkpoints/step-{step:06d}/model"
        for place in ("big/adaptive", "./small/adaptive", "big/static")
        for step in (10, 20)
    ]
    folders = [write(tmp_path / str(i), 0.5, model=model, seed=i) for i, model in enumerate(models)]
    assert [(each.run, each.step) for each in find_evaluations(map(str, folders))] == [
        ("big/adaptive", 10),
        ("big/adaptive", 20),
        ("small/adaptive", 10),
        ("small/adaptive", 20),
        ("static", 10),
        ("static", 20),
    ]
    # Their names can be in the folders, too.
    served = [
        str(write(tmp_path / run / f"checkpoint-{step}", 0.5, model="served", seed=step))
        for run in ("a", "b")
        for step in (10, 20)
    ]
    assert [each.run for each in find_evaluations(served)] == ["a/served"] * 2 + ["b/served"] * 2
    named = find_evaluations([f"one={tmp_path / 'a'}", f"one={tmp_path / 'b'}"])
    assert {each.run for each in named} == {"one"}


def test_names_of_ones_own(tmp_path):
    a = write(tmp_path / "a" / "few", 0.4, model="m")
    b = write(tmp_path / "b" / "few", 0.6, model="m", seed=1)
    assert [e.name for e in run(f"before={a}", f"after={tmp_path / 'b'}").evaluations] == [
        "before",
        "after",
    ]
    # Without them, what is called the same is told apart by its folder.
    assert [e.name for e in run(a, b).evaluations] == [f"m ({a})", f"m ({b})"]
    assert len(run(a, a, tmp_path / "a").evaluations) == 1
    strange = write(tmp_path / "x=y", 0.5, model="strange")
    assert [e.name for e in run(strange).evaluations] == ["strange"]


def test_the_baseline(tmp_path):
    folders = {
        name: write(tmp_path / name, 0.5, model=name, seed=i) for i, name in enumerate("abc")
    }
    for wanted in ("b", str(folders["b"])):
        found = run(*folders.values(), baseline=wanted)
        assert found.baseline == "b"
        assert [e.overall.difference is None for e in found.evaluations] == [False, True, False]
    with pytest.raises(UserError, match=r"no evaluation is named 'd'.*the evaluations are a; b; c"):
        run(*folders.values(), baseline="d")


def test_different_questions_are_refused(tmp_path):
    a = write(tmp_path / "a", 0.4, suite="few")
    b = write(tmp_path / "b", 0.4, suite="many")
    c = write(tmp_path / "c", 0.4, suite="few", questions=QUESTIONS[1:])
    with pytest.raises(UserError, match=r"different suites.*a is on few.*b on many.*--suite"):
        run(a, b)
    with pytest.raises(UserError, match="asked different questions, although both"):
        run(a, c)
    assert len(find_evaluations([str(tmp_path)], "many")) == 1
    with pytest.raises(UserError, match="none of the evaluations is on the suite none"):
        find_evaluations([str(tmp_path)], "none")
    d = write(tmp_path / "d", 0.4, metric="pass", k=2)
    with pytest.raises(UserError, match=r"reports avg@k and .* pass@k"):
        run(a, d)


def test_what_is_no_finished_evaluation(tmp_path):
    with pytest.raises(UserError, match="there is no folder"):
        run(tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"no evaluation in .*no plan\.json"):
        run(tmp_path)
    a = write(tmp_path / "a", 0.4)
    lines = (a / VERDICTS).read_bytes().splitlines(keepends=True)
    (a / VERDICTS).write_bytes(b"".join(lines[:-3]))
    with pytest.raises(
        UserError, match=r"3 of 80 verdicts are missing in .*a; finish it with rlve score"
    ):
        run(a)
