import sys
from dataclasses import replace
from types import SimpleNamespace

import msgspec
import pytest

import rlve
from rlve.train import loggers
from rlve.train.config import Config, RunConfig
from rlve.train.history import Accuracy, StepMetrics, ValidationRecord
from rlve.train.loggers import Loggers, flat, flat_validation

METRICS = StepMetrics(
    step=3,
    reward=None,
    accuracy=0.5,
    bounds={"Sorting": (1, 4)},
    raised={"Sorting": 4},
    accuracy_at_high_of={"Sorting": 0.25},
    failures={"Sorting": {"deadline": 2}},
    seconds={"rollouts": 1.5, "in all": 9.0},
)
RECORD = ValidationRecord(
    step=0,
    problems=16,
    held_out=["SAT"],
    measured=[
        Accuracy(
            temperature=temperature,
            by_level={"Sorting": {0: share, 2: 0.0}, "SAT": {0: 0.25}},
            ill_formed=0.0,
            truncated=0.0,
            tokens=9,
        )
        for temperature, share in ((1.0, 0.5), (0.6, 1.0))
    ],
    seconds=1.0,
)
VALIDATION = {
    "validation/T1": 0.25,
    "validation/T1/held out": 0.25,
    "validation/T1/Sorting/d0": 0.5,
    "validation/T1/Sorting/d2": 0.0,
    "validation/T1/SAT/d0": 0.25,
    "validation/T0.6": 0.5,
    "validation/T0.6/held out": 0.25,
    "validation/T0.6/Sorting/d0": 1.0,
    "validation/T0.6/Sorting/d2": 0.0,
    "validation/T0.6/SAT/d0": 0.25,
}


class FakeRun:
    def __init__(self, **settings):
        self.settings = settings
        self.logged = []
        self.finished = False

    def log(self, values, step):
        self.logged.append((step, values))

    def finish(self):
        self.finished = True


class FakeWandbRun(FakeRun):
    """It has steps of its own, which never return, so ours is a value like any other."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.axes = {}

    def define_metric(self, name, step_metric=None):
        self.axes[name] = step_metric

    def log(self, values):
        assert (self.axes["step"], self.axes["*"]) == (None, "step")
        self.logged.append((values["step"], values))


class FakeWriter:
    def __init__(self, **settings):
        self.settings = settings
        self.scalars = {}
        self.closed = False

    def add_text(self, name, text):
        self.text = text

    def add_scalar(self, name, value, step):
        self.scalars[name, step] = value

    def close(self):
        self.closed = True


@pytest.fixture
def fakes(monkeypatch):
    """Stand-ins for the packages; what was opened is kept."""
    opened = {}

    def opening(name, kind):
        def init(**settings):
            opened[name] = kind(**settings)
            return opened[name]

        return init

    modules = {
        "wandb": {
            "init": opening("wandb", FakeWandbRun),
            "errors": SimpleNamespace(Error=ConnectionError),
        },
        "torch.utils.tensorboard": {"SummaryWriter": opening("tensorboard", FakeWriter)},
    }
    for name, content in modules.items():
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(__file__="fake.py", **content))
    return opened


def logging_to(*names):
    return replace(Config(), run=RunConfig(log_to=names))


def test_metrics_become_flat_numbers():
    assert flat(METRICS) == {
        "step": 3,
        "accuracy": 0.5,
        "prompts": 0,
        "tokens": 0,
        "trained_groups": 0,
        "cached_groups": 0,
        "low/Sorting": 1,
        "high/Sorting": 4,
        "accuracy_at_high_of/Sorting": 0.25,
        "failures/Sorting/deadline": 2,
        "seconds/rollouts": 1.5,
        "seconds/in all": 9.0,
    }
    assert flat_validation(RECORD) == VALIDATION


def test_accuracy_on_test_problems_is_sent_with_its_step(fakes, tmp_path):
    with Loggers(logging_to("wandb", "tensorboard"), tmp_path) as loggers:
        loggers.validating(0, 1, 2)
        loggers.validated(RECORD)
        loggers.stepped(msgspec.structs.replace(METRICS, step=1))
        loggers.stepped(msgspec.structs.replace(METRICS, step=2))
        loggers.validated(msgspec.structs.replace(RECORD, step=2))
    measured, first, second, third = fakes["wandb"].logged
    assert measured == (0, VALIDATION | {"step": 0})
    assert [step for step, _ in (first, second)] == [1, 2]
    assert not (first[1] | second[1]).keys() & VALIDATION.keys()
    assert third == (2, VALIDATION | {"step": 2})
    scalars = fakes["tensorboard"].scalars
    assert {step for name, step in scalars if name == "validation/T0.6"} == {0, 2}
    assert fakes["tensorboard"].settings["purge_step"] == 1


def test_what_is_measured_in_a_session_without_steps_is_sent(fakes, tmp_path):
    with Loggers(logging_to("wandb", "tensorboard"), tmp_path) as loggers:
        assert not fakes
        loggers.validated(msgspec.structs.replace(RECORD, step=12))
    assert fakes["wandb"].logged == [(12, VALIDATION | {"step": 12})]
    board = fakes["tensorboard"]
    assert board.scalars["validation/T1", 12] == 0.25
    assert board.settings["purge_step"] == 13  # step 12 has been logged
    assert board.closed


def test_both_get_every_step(fakes, tmp_path):
    config = logging_to("wandb", "tensorboard", "wandb")
    with Loggers(config, tmp_path) as loggers:
        assert not fakes
        loggers.collecting(3, 1, 2)
        loggers.stepped(METRICS)
        loggers.stepped(msgspec.structs.replace(METRICS, step=4))
    run = fakes["wandb"]
    assert [step for step, _ in run.logged] == [3, 4]
    assert run.logged[0][1] == flat(METRICS)
    assert run.finished
    assert run.settings["resume"] == "allow"
    assert run.settings["config"]["rollout"]["group"] == 16
    board = fakes["tensorboard"]
    assert board.scalars["high/Sorting", 4] == 4
    assert board.settings["purge_step"] == 3
    assert board.closed


def test_a_resumed_run_goes_on_under_its_name(fakes, tmp_path):
    seen = []
    for _ in range(2):
        with Loggers(logging_to("wandb"), tmp_path) as loggers:
            loggers.stepped(METRICS)
        seen.append(fakes["wandb"].settings["id"])
    assert seen[0] == seen[1]
    (tmp_path / "other").mkdir()
    with Loggers(logging_to("wandb"), tmp_path / "other") as loggers:
        loggers.stepped(METRICS)
    assert fakes["wandb"].settings["id"] != seen[0]


def test_what_is_not_installed_is_named_at_once(monkeypatch, tmp_path):
    for absent in (None, SimpleNamespace(__file__=None)):  # not there, and a mere folder
        monkeypatch.setitem(sys.modules, "wandb", absent)
        with pytest.raises(rlve.UserError, match="needs wandb: pip install wandb"):
            Loggers(logging_to("wandb"), tmp_path)


def test_a_refusal_of_wandb_is_passed_on(fakes, monkeypatch, tmp_path):
    def refuse(**settings):
        raise ConnectionError("no key")

    sys.modules["wandb"].init = refuse
    with Loggers(logging_to("wandb"), tmp_path) as loggers, pytest.raises(rlve.UserError) as caught:
        loggers.stepped(METRICS)
    assert str(caught.value) == "wandb: no key"


def test_without_loggers_nothing_happens(tmp_path):
    with Loggers(logging_to(), tmp_path) as loggers:
        loggers.validated(RECORD)
        loggers.stepped(METRICS)
    assert not list(tmp_path.iterdir())


def test_the_id_of_a_strangers_run_is_bounded(tmp_path):
    with (tmp_path / "log_id").open("wb") as file:
        file.truncate(3 * 2**30)
    with pytest.raises(rlve.UserError, match="log_id cannot be read: it has more than 100 bytes"):
        loggers._identity(tmp_path)
