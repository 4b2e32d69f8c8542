import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
from importlib import import_module

import pytest
import yaml

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.cli import main
from rlve.reports import live
from rlve.reports.accuracy import sentence
from rlve.reports.training import headline
from rlve.train import update
from rlve.train.config import Config
from rlve.train.history import read_history, read_validations
from rlve.train.presets import preset

FILES = {
    ".lock",
    "checkpoints",
    "config.json",
    "curriculum.json",
    "groups.jsonl",
    "metrics.jsonl",
    "report.html",
    "rollouts.jsonl",
    "validation.jsonl",
}


@pytest.fixture(scope="module")
def tiny_policy(tmp_path_factory):
    from support.tiny import save_tiny_policy

    return save_tiny_policy(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def trained(tiny_policy, own_tasks, monkeypatch, rlve):
    """Trains the tiny policy by the command, on one thread, with small pictures."""
    import torch

    monkeypatch.setattr(live, "SECONDS_BETWEEN_LINES", 0.0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)

    def train(folder, *flags):
        settings = f"""
            --policy.model {tiny_policy} --policy.format plain --policy.device cpu
            --data.environments own_tasks:Echo --data.tau-acc 0.5
            --data.max-prompt-tokens 64 --rollout.problems 4 --rollout.oversample 6
            --rollout.group 4 --rollout.max-tokens 4 --rollout.rounds 2 --rollout.slots 40
            --update.learning-rate 1e-2 --run.steps 3 --run.workers 1 --run.folder {folder}
        """
        return rlve("train", *settings.split(), *flags)

    yield train
    torch.set_num_threads(threads)


def steps(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_it_trains_into_a_folder_and_is_resumed(trained, rlve, tmp_path):
    folder = tmp_path / "run"
    result = trained(folder)
    assert result.code == 0
    assert result.out.startswith("Training ")  # whoever decided on the folder
    assert f" into {folder}, " in result.out.splitlines()[0]
    assert {path.name for path in folder.iterdir()} == FILES
    assert re.findall(r"^step (\d+)/3  reward ", result.out, re.MULTILINE) == ["1", "2", "3"]
    assert "h: Echo " in result.out
    assert f"The report is {folder / 'report.html'}" in result.out
    assert "In 3 steps and " in result.out
    assert [record.step for record in read_validations(folder)] == [0, 3]
    assert re.findall(r"^test problems \(step (\d)\)", result.out, re.MULTILINE) == ["0", "3"]
    assert f"\n{headline(read_history(folder))}\n" in result.out
    assert sentence(read_validations(folder)) in result.out  # which says what was learnt
    assert json.loads((folder / "curriculum.json").read_text())["adaptive"].keys() == {"Echo"}

    moved = folder.rename(tmp_path / "moved")
    again = rlve("train", "--resume", moved)
    assert again.code == 0
    assert "All 3 steps are done" in again.out
    assert "Resuming after step 3 of 3\n" in again.out
    longer = rlve("train", f"--resume={moved}", "--run.steps", "5")
    assert longer.code == 0
    assert [step["step"] for step in steps(moved)] == [1, 2, 3, 4, 5]
    assert "In 5 steps and " in longer.out
    assert "Resuming after step 3 of 5\n" in longer.out
    assert longer.out.count("step 4/5  reward ") == 1
    last = moved / "checkpoints/step-000005"
    assert longer.out.endswith(
        f"Next: rlve rollouts {moved}, or rlve frontier {last} own_tasks:Echo --max-tokens 4\n"
    )
    measured = read_validations(moved)
    assert [record.step for record in measured] == [0, 3, 5]
    assert len({record.problems for record in measured}) == 1

    other = rlve("train", "--resume", moved, "--update.learning-rate", "1")
    assert other.code == 2
    assert "belongs to a run with other settings: update.learning_rate" in other.err
    other = rlve("train", "--resume", moved, "--validation.temperatures", "0.3")
    assert "belongs to a run with other settings: validation.temperatures" in other.err
    drawn = (moved / "report.html").read_text()
    (moved / "report.html").unlink()
    assert rlve("report", moved).code == 0
    assert (moved / "report.html").read_text() == drawn


OWN_CURRICULUM = """
import rlve


class Mine(rlve.StaticCurriculum):
    def __init__(self, names, settings):
        super().__init__(names, 0, settings.window)
"""


def test_another_curriculum_is_a_flag(trained, rlve, tmp_path):
    folder = tmp_path / "run"
    result = trained(folder, "--data.curriculum", "two-way", "--data.rehearsal", "0.2")
    assert result.code == 0
    assert "two-way + 20% rehearsal" in result.out
    assert "two-way" in json.loads((folder / "curriculum.json").read_text())["rehearsal"]
    page = (folder / "report.html").read_text()
    assert "h rises or falls by one" in page
    assert "20% of draws go back" in page
    assert "Difficulties drawn" in page
    wrong = trained(tmp_path / "other", "--data.curriculum", "three-way")
    assert wrong.code == 2
    assert "the curricula are adaptive, two-way, and MODULE:CLASS" in wrong.err
    assert not (tmp_path / "other").exists()


def test_a_curriculum_of_ones_own_is_loaded_again_to_resume(trained, rlve, tmp_path):
    (tmp_path / "mine.py").write_text(OWN_CURRICULUM)
    folder, own = tmp_path / "run", f"{tmp_path / 'mine.py'}:Mine"
    assert trained(folder, "--data.curriculum", own).code == 0
    assert steps(folder)[-1]["bounds"] == {"Echo": [0, 4]}
    del sys.modules[f"mine of {tmp_path}"]  # as in another process
    refused = rlve("train", "--resume", folder, "--run.steps", "4")
    assert refused.code == 2
    load = ("--load", str(tmp_path / "mine.py"))
    assert f"asks for {own}, which is code: if you trust it, add {' '.join(load)}" in refused.err
    again = rlve("train", "--resume", folder, "--run.steps", "4", *load)
    assert again.code == 0
    assert len(steps(folder)) == 4


@pytest.mark.parametrize("presses", [1, 2])
def test_interrupted_it_says_how_to_go_on(trained, rlve, tmp_path, monkeypatch, presses):
    folder = tmp_path / "run"
    stepped = live.Lines.stepped

    def interrupted(self, metrics):
        stepped(self, metrics)
        if metrics.step == 2:
            for _ in range(presses):
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(live.Lines, "stepped", interrupted)
    result = trained(folder)
    assert result.code == 130
    when = "after step 2 of 3" if presses == 1 else "at once"
    hint = f"rlve: stopped {when}; resume with: rlve train --resume {folder} --load own_tasks\n"
    assert result.err.endswith(hint)
    assert live.STOPPING in result.out
    assert (folder / "report.html").exists()
    assert len(steps(folder)) == 2
    if presses == 1:
        monkeypatch.setattr(live.Lines, "stepped", stepped)
        assert rlve("train", "--resume", folder).code == 0
        assert [step["step"] for step in steps(folder)] == [1, 2, 3]


def test_a_run_that_breaks_off_has_a_report(trained, tmp_path, monkeypatch):
    right = update.Updater.update

    def broken(self, rows):
        if (tmp_path / "run" / "metrics.jsonl").exists():
            raise update.DivergedError("the loss is nan")
        return right(self, rows)

    monkeypatch.setattr(update.Updater, "update", broken)
    result = trained(tmp_path / "run")
    assert result.code == 2
    assert "step 2: the loss is nan" in result.err
    assert (tmp_path / "run" / "report.html").exists()


def test_bad_input_is_one_clear_line_and_leaves_nothing_behind(trained, tmp_path):
    for flags, message in (
        (["--preset", "nan"], "no preset is named 'nan'; did you mean 'nano'?"),
        (
            ["--preset", "bogus"],
            "the presets are nano, model, small, smollm2-135m, qwen2.5-7b-base",
        ),
        (["--data.environments", "Sortin"], "did you mean 'Sorting'"),
        (["--rollout.oversample", "2"], "rollout.oversample (2) must be at least"),
        (["--preset", "small", "--policy.model", "nano"], "give it as --policy.model"),
        (["--resume", "nowhere"], "nowhere is not the folder of a training run"),
        (["--resume", "nowhere", "--preset", "nano"], "leave out --preset or --resume"),
        (["--resume", "nowhere", "--config", "a.yaml"], "leave out --config or --resume"),
        (["--config", "none.yaml"], "cannot read none.yaml: No such file"),
    ):
        result = trained(tmp_path / "run", *flags)
        assert result.code == 2
        assert result.err.startswith("rlve: ")
        assert result.err.count("\n") == 1
        assert message in result.err
    assert not (tmp_path / "run").exists()
    assert not (tmp_path / "runs").exists()


def test_damaged_settings_are_named(rlve, tmp_path):
    (tmp_path / "config.json").write_text('{"kind": "train", "run": {"steps": "many"}}')
    result = rlve("train", "--resume", tmp_path)
    assert result.code == 2
    assert f"{tmp_path / 'config.json'} is damaged" in result.err


def test_every_setting_is_a_flag_with_the_default_of_the_preset(rlve, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")  # where panels are not side by side
    shown = rlve("train", "--preset", "Qwen2.5-7B-Base", "--help-all").out
    text = " ".join(shown.replace("│", " ").split())
    for part in dataclasses.fields(Config):
        for field in dataclasses.fields(part.default_factory):
            assert f"--{part.name}.{field.name.replace('_', '-')}" in text
    for default in ("Qwen/Qwen2.5-7B", "C256", "8192", "1e-06", "base"):
        assert f"(default: {default})" in text
    assert "--rollout.no-partial" in text


def test_the_usual_settings_fill_two_screens(rlve, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = rlve("train", "--help").out
    assert shown.count("\n") <= 140
    flags = set(re.findall(r"^\W*(--[a-z]+\.[a-z-]+)", shown, re.MULTILINE))
    assert len(flags) == 21
    assert {"--policy.model", "--data.environments", "--run.steps"} <= flags
    assert "--help-all" in shown
    flowing = re.sub(r"\W*\n\W*", " ", shown)
    assert re.search(r"Names of environments and of collections: C1, C4,? C16, C256, ALL", flowing)
    every = rlve("train", "--help-all").out
    assert flags < set(re.findall(r"^\W*(--[a-z]+\.[a-z-]+)", every, re.MULTILINE))
    # It is help, not a selection: what it leaves out can be set.
    assert rlve("train", "--policy.revision", "x", "--print-config").code == 0


@pytest.fixture
def asked(monkeypatch):
    """The settings and the folder that a run would have on a GPU; it is not begun."""
    seen = []

    def refuse(config, *, resume):
        seen.append((config, config.run.folder))
        raise KeyboardInterrupt

    train = import_module("rlve.cli.train")
    monkeypatch.setattr(train, "preflight", refuse)
    monkeypatch.setattr(train, "on_cpu", lambda policy, device: False)

    def ask(*words):
        assert main(["train", *words]) == 130
        return seen.pop()

    return ask


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([], "nano"),
        (["--policy.model", "nano"], "nano"),
        (["--policy.model", "some/model"], "model"),
        (["--policy.model=model.gguf"], "model"),
        (["--preset", "Nano", "--policy.model", "some/model"], "nano"),
        (["--preset=nano", "--preset", "qwen2.5-7b-base"], "qwen2.5-7b-base"),
    ],
)
def test_the_settings_are_those_of_the_preset_and_name_the_folder(words, name, asked):
    config, folder = asked(*words)
    assert re.fullmatch(rf"runs/{re.escape(name)}-\d{{8}}-\d{{6}}", str(folder))
    expected = preset(name)
    model = config.policy.model
    assert config.policy == dataclasses.replace(expected.policy, model=model)
    for part in ("data", "rollout", "update", "validation"):
        assert getattr(config, part) == getattr(expected, part)
    assert model == next((w for w in ("some/model", "model.gguf") if w in " ".join(words)), model)


@pytest.mark.parametrize(("parameters", "name"), [(135e6, "smollm2-135m"), (494e6, "small")])
def test_on_a_cpu_a_model_gets_the_settings_that_fit_it(
    parameters, name, rlve, tiny_policy, monkeypatch
):
    monkeypatch.setattr("rlve.models.folders.parameters_of", lambda model: parameters)
    words = "train", "--policy.model", tiny_policy, "--policy.device", "cpu", "--print-config"
    fitted = rlve(*words, "--rollout.group", "4")
    settings, expected = yaml.safe_load(fitted.out), preset(name)
    assert settings["rollout"]["max_tokens"] == expected.rollout.max_tokens
    assert settings["rollout"]["group"] == 4
    assert settings["policy"]["format"] == "auto"
    paper = rlve(*words, "--preset", "model")
    assert yaml.safe_load(paper.out)["rollout"]["max_tokens"] == preset("model").rollout.max_tokens
    assert not paper.err


def test_flags_win_over_the_file_and_the_file_over_the_preset(asked, tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text(
        "policy: {model: some/model}\n"
        "data: {environments: Sorting}\n"
        "update:\n  learning-rate: 3e-6\n  clip_high: 0.3\n"
        "run: {steps: 7}\n"
    )
    config, _ = asked("--config", str(file), "--run.steps", "9", "--update.clip-high", "0.4")
    expected = preset("model")
    assert config.policy == dataclasses.replace(expected.policy, model="some/model")
    assert config.rollout == expected.rollout
    assert config.data.environments == ("Sorting",)
    assert (config.update.learning_rate, config.update.clip_high) == (3e-6, 0.4)
    assert config.run.steps == 9
    other, _ = asked(f"--config={file}", "--preset", "nano")
    assert other.rollout == preset("nano").rollout
    assert other.update.learning_rate == 3e-6


def test_a_preset_is_printed_as_a_file_that_gives_it_again(rlve, asked, tmp_path):
    printed = rlve("train", "--preset", "qwen2.5-7b-base", "--print-config", "--run.steps", "3")
    assert printed.code == 0
    (tmp_path / "run.yaml").write_text(printed.out)
    config, _ = asked("--config", str(tmp_path / "run.yaml"))
    expected = preset("qwen2.5-7b-base")
    expected = dataclasses.replace(expected, run=dataclasses.replace(expected.run, steps=3))
    assert dataclasses.replace(config, run=expected.run) == expected
    assert config.run.steps == 3


def test_the_settings_of_a_run_give_the_same_run_again(trained, rlve, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = tmp_path / "first"
    assert trained(first).code == 0
    assert rlve("train", "--config", first / "config.json").code == 0
    [again] = (tmp_path / "runs").iterdir()
    without_time = [
        [{**step, "seconds": None} for step in steps(folder)] for folder in (first, again)
    ]
    assert without_time[0] == without_time[1]


def test_what_is_wrong_is_said_before_torch_is_imported(tmp_path):
    code = """
import sys
from rlve.cli import main
for words in (
    ["--data.environments", "Sortin"],
    ["--data.dataset", "none.jsonl"],
    ["--policy.model", "./none"],
    ["--rollout.oversample", "2"],
    ["--rollout.engine", "vllm"],
    ["--run.log-to", "wandb"],
    ["--resume", "none"],
):
    sys.modules.setdefault("wandb", None)
    assert main(["train", *words]) == 2, words
assert not {"torch", "transformers"} & {*sys.modules}
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 7
    assert not list(tmp_path.iterdir())
