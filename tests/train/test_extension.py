"""Curricula, losses, metrics, engines: each is a row of a table, and found wherever one is used."""

from dataclasses import replace
from pathlib import Path

import pytest

from rlve.cli import main
from rlve.curricula import CURRICULA, AdaptiveCurriculum, CurriculumSettings
from rlve.curricula.settings import CurriculumKind
from rlve.errors import UserError
from rlve.foundation import metrics
from rlve.foundation.metrics import Metric
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.engines.table import ENGINES, EngineKind
from rlve.models.memory import Sampler, plan_memory
from rlve.reports.live import TrainingProgress
from rlve.reports.model_card import model_card
from rlve.train.config import Config, UpdateConfig
from rlve.train.history import Accuracy, StepMetrics, ValidationRecord, read_history, read_steps
from rlve.train.loggers import flat
from rlve.train.loss import LOSSES, PolicyLoss, find_loss
from rlve.train.teaching.history import TeachingMetrics
from rlve.train.trained_models import find_trained
from rlve.train.trainer import Run, train
from support.programs import load
from support.run_folders import run_folder
from support.run_tiny import tiny_config

ROOT = Path(__file__).parents[2]


def help_of(command, capsys):
    main([command, "--help-all"])
    return " ".join(capsys.readouterr().out.split())


def test_a_curriculum(monkeypatch, capsys):
    row = CurriculumKind(
        lambda names, _: AdaptiveCurriculum(names, tau_num=8),
        "steady as she goes", "h rises steadily.", goal="tau_acc",
    )  # fmt: skip
    monkeypatch.setitem(CURRICULA, "steady", row)
    settings = CurriculumSettings(curriculum="steady")
    assert settings.build(["Sorting"], group=8).bounds("Sorting") == (0, 0)
    assert settings.explained().startswith("h rises steadily.")
    Config(data=replace(Config().data, curriculum="steady")).check()
    assert "steady: steady as she goes" in help_of("train", capsys)


def test_a_loss(monkeypatch, capsys, tiny_policy, tmp_path):
    plain = PolicyLoss(
        "Plain REINFORCE",
        "without clipping",
        lambda tokens, config: (tokens.ratio * tokens.advantage, tokens.ratio > tokens.ratio + 1),
    )
    monkeypatch.setitem(LOSSES, "plain", plain)
    assert "plain: without clipping" in help_of("train", capsys)
    config = tiny_config(tiny_policy, tmp_path / "run", steps=1)
    train(replace(config, update=UpdateConfig(loss="plain")))
    assert read_steps(tmp_path / "run")[0].loss is not None  # updated
    card = model_card(find_trained(tmp_path / "run"), "it")
    assert "Plain REINFORCE" in card
    assert "- plain\n" in card  # a tag of the export


OWN_LOSS = """
from rlve.train.loss import PolicyLoss

PLAIN = PolicyLoss("Plain REINFORCE", "without clipping", lambda tokens, config: (
    tokens.ratio * tokens.advantage, tokens.ratio < 0
), normalisation="mean")
OTHER = 3
"""


def test_a_loss_of_ones_own(tiny_policy, tmp_path):
    """MODULE:NAME is enough; a resumed run asks for the code again."""
    place = tmp_path / "losses.py"
    place.write_text(OWN_LOSS)
    config = tiny_config(tiny_policy, tmp_path / "run", steps=1)
    config = replace(config, update=UpdateConfig(loss=f"{place}:PLAIN"))
    assert config.code == [f"{place}:PLAIN"]
    with pytest.raises(UserError, match=r"update\.normalisation mean is for rewards of 0 and 1"):
        train(config)  # the row says so
    config = replace(config, rollout=replace(config.rollout, signal="correct"))
    train(replace(config, run=replace(config.run, folder=tmp_path / "other")))
    assert read_steps(tmp_path / "other")[0].loss is not None
    card = model_card(find_trained(tmp_path / "other"), "it")
    assert "losses.py:PLAIN" in card
    assert str(tmp_path) not in card
    for name, complaint in (("OTHER", "is not a rlve"), ("NOTHING", "defines no NOTHING")):
        with pytest.raises(UserError, match=complaint):
            find_loss(f"{place}:{name}")
    with pytest.raises(
        UserError, match=r"update\.loss must be dapo, .* or MODULE:NAME for your own"
    ):
        replace(config, update=UpdateConfig(loss="dappo")).check()


@pytest.mark.parametrize("change", [{"signal": "reward"}, {"overlong": "penalise"}])
def test_a_normalisation_for_rewards_of_0_and_1_refuses_others(change):
    config = Config(update=UpdateConfig(normalisation="mean"))
    config = replace(config, rollout=replace(config.rollout, signal="correct"))
    config.check()
    with pytest.raises(UserError, match="mean is for rewards of 0 and 1"):
        replace(config, rollout=replace(config.rollout, **change)).check()
    with pytest.raises(UserError, match="must be deviation, nothing or mean, not 'median'"):
        replace(config, update=UpdateConfig(normalisation="median")).check()


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
    (found,) = Folders([folder]).all("train")
    chart = drawings.draw_runs([pages.RunBook().open(found)], {found.id: 0}).charts["cost"]
    assert (chart.title, chart.note) == ("Cost", "Tokens for each prompt. Lower is better.")
    assert flat(history.steps[0])["cost"] == history.steps[0].flat()["rlve/cost"] == 1000 / 24
    assert "| `cost` | tokens for each prompt | | |\n" in filled("docs/metrics.md")


def test_a_metric_without_a_field_is_refused(tmp_path):
    steps = read_steps(run_folder(tmp_path / "run", steps=1))
    with pytest.raises(ValueError, match="the metric acuracy is no field of StepMetrics"):
        metrics.read_metric({"acuracy": Metric(meaning="misspelt")}, "acuracy", steps[0])


RECORDS = {
    "curriculum": StepMetrics,
    "sampling": StepMetrics,
    "update": StepMetrics,
    "teaching": TeachingMetrics,
    "validation": ValidationRecord,
    "accuracy": Accuracy,
}


@pytest.mark.parametrize("name", metrics.TABLES)
def test_every_row_is_a_field_or_computed(name):
    table, fields = metrics.TABLES[name], RECORDS[name].__struct_fields__
    assert [row for row in table if table[row].value is None and row not in fields] == []


class Reversed(InProcessEngine):
    """An engine of one's own."""


def test_an_engine(monkeypatch, capsys, tiny_policy, tmp_path):
    row = EngineKind(
        meaning="from the last to the first", target=f"{__name__}:Reversed",
        library="Reversal", module="no_such_module", extra="reversal", copy=100,
    )  # fmt: skip
    monkeypatch.setitem(ENGINES, "reversed", row)
    for command in ("train", "teach"):
        assert "reversed: from the last to the first" in help_of(command, capsys)
    config = tiny_config(tiny_policy, tmp_path / "run", steps=1)
    config = replace(config, rollout=replace(config.rollout, engine="reversed"))
    with pytest.raises(UserError, match=r"rollout.engine reversed needs Reversal: .*\[reversal\]"):
        train(config)
    plans = [
        plan_memory(config.policy, Sampler(name), tokens=0, anchored=False, gpu=0)
        for name in ("reversed", "in-process")
    ]
    assert plans[0].peak - plans[1].peak == 100 * plans[1].model / 4  # bytes of single precision

    monkeypatch.setitem(ENGINES, "reversed", replace(row, module=""))
    with Run(config) as run:
        assert type(run.engine).__name__ == "Reversed"
        assert run.finish().step == 1


def test_the_pages_have_the_tables_of_the_package():
    for page in ("docs/metrics.md", "docs/teaching.md"):
        assert filled(page) == (ROOT / page).read_text(), f"{page} is out of date: make metrics"


def filled(page):
    return load("tools/metric_tables.py").fill((ROOT / page).read_text())
