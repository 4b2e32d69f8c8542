"""A curriculum, a loss and a metric are each a row of a table, and found wherever there are any."""

import sys
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from rlve import metrics
from rlve.cli import main
from rlve.curricula import CURRICULA, AdaptiveCurriculum, CurriculumSettings
from rlve.curricula.settings import CurriculumKind
from rlve.metrics import Metric
from rlve.reports.figures.training import overview
from rlve.reports.live import TrainingProgress
from rlve.reports.model_card import model_card
from rlve.train.config import Config, UpdateConfig
from rlve.train.export import find_trained
from rlve.train.history import read_history, read_steps
from rlve.train.loggers import flat
from rlve.train.loss import LOSSES, PolicyLoss
from rlve.train.trainer import train
from support.run_folders import run_folder
from support.run_tiny import tiny_config

ROOT = Path(__file__).parents[2]


def help_of(command, capsys):
    main([command, "--help-all" if command == "train" else "--help"])
    return " ".join(capsys.readouterr().out.split())


def test_a_curriculum(monkeypatch, capsys, tmp_path):
    wire = pytest.importorskip("rlve.server.wire", reason="the service needs rlve[studio]")
    row = CurriculumKind(
        lambda names, _: AdaptiveCurriculum(names, tau_num=8),
        "steady as she goes", "h rises steadily.", uses=(), goal="tau_acc",
    )  # fmt: skip
    monkeypatch.setitem(CURRICULA, "steady", row)
    settings = CurriculumSettings(curriculum="steady")
    assert settings.build(["Sorting"], group=8).bounds("Sorting") == (0, 0)
    assert settings.explained().startswith("h rises steadily.")
    Config(data=replace(Config().data, curriculum="steady")).check()
    assert "steady: steady as she goes" in help_of("train", capsys)
    assert "bandit, steady" in help_of("simulate", capsys)
    request = wire.NewSession(environments=["Sorting"], group=8, curriculum="steady")
    assert request.curriculum == "steady"
    assert "steady" in str(wire.NewSession.model_json_schema())
    folder = tmp_path / "simulated"
    small = "--static --steps 2 --problems 2 --rollouts 2 --workers 1".split()
    main(["simulate", "Sorting", "--curriculum", "steady", *small, "--folder", str(folder)])
    assert "steady" in capsys.readouterr().out


def test_a_loss(monkeypatch, capsys, tiny_policy, tmp_path):
    plain = PolicyLoss(
        "Plain REINFORCE",
        "without clipping",
        lambda tokens, config: (tokens.ratio * tokens.advantage, tokens.ratio > tokens.ratio + 1),
    )
    monkeypatch.setitem(LOSSES, "plain", plain)
    assert "plain: without clipping" in help_of("train", capsys)
    config = tiny_config(tiny_policy, tmp_path / "run", steps=1)
    train(replace(config, update=UpdateConfig(loss="plain")), show=False)
    assert read_steps(tmp_path / "run")[0].loss is not None  # updated
    card = model_card(find_trained(tmp_path / "run"), "it")
    assert "Plain REINFORCE" in card
    assert "- plain\n" in card  # a tag of the export


def test_a_metric(monkeypatch, tmp_path):
    pages = pytest.importorskip("rlve.server.studio.runs", reason="the studio needs rlve[studio]")
    from rlve.server.studio import run_charts as drawings
    from rlve.server.studio.folders import Folders

    row = Metric(
        meaning="tokens for each prompt",
        format=".1f", better="lower", title="Cost", unit="tokens", live="cost", logged="cost",
        value=lambda step: getattr(step, "tokens", 0) / step.prompts if step.prompts else None,
    )  # fmt: skip
    monkeypatch.setitem(metrics.CURRICULUM, "cost", row)
    folder = run_folder(tmp_path / "run", steps=3)
    history = read_history(folder)
    progress = TrainingProgress(Config(), history.steps)
    assert progress.numbers()["cost"] == "41.7"
    drawn = {axes.get_title(loc="left"): axes for axes in overview(history).axes}
    assert drawn["Cost"].get_ylabel() == "tokens"
    (found,) = Folders([folder]).all("train")
    chart = drawings.draw_runs([pages.RunBook().open(found)], {found.id: 0}).charts["cost"]
    assert (chart.title, chart.note) == ("Cost", "Tokens for each prompt. Lower is better.")
    assert flat(history.steps[0])["cost"] == history.steps[0].flat()["rlve/cost"] == 1000 / 24
    assert "| `cost` | tokens for each prompt | | |\n" in filled("docs/metrics.md")


def test_the_pages_have_the_tables_of_the_package():
    for page in ("docs/metrics.md", "docs/teaching.md"):
        assert filled(page) == (ROOT / page).read_text(), f"{page} is out of date: make metrics"


def filled(page):
    spec = spec_from_file_location("metric_tables", ROOT / "tools/metric_tables.py")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.fill((ROOT / page).read_text())
