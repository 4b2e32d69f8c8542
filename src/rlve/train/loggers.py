"""Sending a run's metrics to wandb or tensorboard, in addition to metrics.jsonl.

Nothing is opened before there is something to send, when the settings have been shown to work.
"""

import importlib
import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from rlve.errors import UserError
from rlve.foundation.files import read_whole, write_whole
from rlve.foundation.metrics import TEACHING, read_metric, step_table
from rlve.foundation.run_folders import LOG_ID, TENSORBOARD
from rlve.train.history import StepMetrics, ValidationRecord
from rlve.train.teaching.config import AnyConfig
from rlve.train.teaching.history import TeachingMetrics
from rlve.train.watchers import Watcher

PROJECT = "rlve"
LONGEST_ID = 100  # bytes
PACKAGES = {"wandb": "wandb", "tensorboard": "torch.utils.tensorboard"}


class Loggers(Watcher[StepMetrics | TeachingMetrics]):
    """A watcher that passes on a run's metrics; close() it, or use it in a `with` block."""

    def __init__(self, config: AnyConfig, folder: Path) -> None:
        check_loggers(config.run.log_to)
        self.config = config
        self.folder = folder
        self._open: list[Any] | None = None

    def validated(self, record: ValidationRecord) -> None:
        # The metrics of that step have been sent already.
        self._log(record.step, flat_validation(record), first=record.step + 1)

    def stepped(self, metrics: StepMetrics | TeachingMetrics) -> None:
        self._log(metrics.step, flat(metrics), first=metrics.step)

    def _log(self, step: int, values: dict[str, float], *, first: int) -> None:
        """Send some numbers; `first` is the first step of which nothing has been sent before."""
        if self._open is None:
            names = dict.fromkeys(self.config.run.log_to)
            self._open = [LOGGERS[name](self.config, self.folder, first) for name in names]
        for logger in self._open:
            logger.log(step, values)

    def close(self) -> None:
        """Wait until everything is sent."""
        for logger in self._open or ():
            logger.close()
        self._open = []

    def __enter__(self) -> "Loggers":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Wandb:
    def __init__(self, config: AnyConfig, folder: Path, step: int) -> None:
        wandb = _module("wandb")
        try:
            self.run = wandb.init(
                project=PROJECT,
                name=folder.name,
                id=_identity(folder),
                resume="allow",
                dir=str(folder),
                config=_settings(config),
            )
        except wandb.errors.Error as error:
            raise UserError(f"wandb: {error}") from error
        # It ignores what is logged under one of its own steps that is past, as a resumed run does.
        self.run.define_metric("step")
        self.run.define_metric("*", step_metric="step")

    def log(self, step: int, values: dict[str, float]) -> None:
        self.run.log({**values, "step": step})

    def close(self) -> None:
        self.run.finish()


class _Tensorboard:
    def __init__(self, config: AnyConfig, folder: Path, step: int) -> None:
        # A resumed run may repeat steps; their earlier values are no longer shown.
        self.writer = _module("tensorboard").SummaryWriter(
            log_dir=str(folder / TENSORBOARD), purge_step=step
        )
        self.writer.add_text("config", f"```json\n{json.dumps(_settings(config), indent=2)}\n```")

    def log(self, step: int, values: dict[str, float]) -> None:
        for name, value in values.items():
            self.writer.add_scalar(name, value, step)

    def close(self) -> None:
        self.writer.close()


def check_loggers(names: Sequence[str]) -> None:
    """Raise a UserError for a missing package, before any long work starts."""
    for name in names:
        _module(name)


LOGGERS = {"wandb": _Wandb, "tensorboard": _Tensorboard}


def flat(metrics: StepMetrics | TeachingMetrics) -> dict[str, float]:
    """The numbers among the metrics, under names such as seconds/update, without None."""
    stored: dict[str, Any] = msgspec.to_builtins(metrics)
    renamed = {key: value for key, value in stored.items() if key not in ("bounds", "raised")}
    bounds = stored.get("bounds", {})
    renamed["low"] = {name: low for name, (low, _) in bounds.items()}
    renamed["high"] = {name: high for name, (_, high) in bounds.items()}
    table = step_table() if isinstance(metrics, StepMetrics) else TEACHING
    computed = [name for name, row in table.items() if row.value and name not in stored]
    renamed |= {name: read_metric(table, name, metrics) for name in computed}
    return dict(_numbers((), renamed))


def flat_validation(record: ValidationRecord) -> dict[str, float]:
    """Accuracy on the test problems, under names such as validation/T0.6/Sorting/d2."""
    values: dict[str, float] = {}
    for accuracy in record.measured:
        prefix = f"validation/T{accuracy.temperature:g}"
        values[prefix] = accuracy.mean(record.trained)
        if record.held_out:
            values[f"{prefix}/held out"] = accuracy.mean(record.held_out)
        for name, levels in accuracy.by_level.items():
            values |= {f"{prefix}/{name}/d{level}": share for level, share in levels.items()}
    return values


def _numbers(path: Sequence[str], value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, part in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _numbers((*path, str(key)), part)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, int | float):
        yield "/".join(path), value


def _module(name: str) -> Any:
    try:
        module = importlib.import_module(PACKAGES[name])
    except ImportError:
        module = None
    if getattr(module, "__file__", None) is None:  # a folder of that name is not the package
        raise UserError(f"run.log-to {name} needs {name}: pip install {name}")
    return module


def _settings(config: AnyConfig) -> dict[str, Any]:
    return json.loads(json.dumps(asdict(config), default=str))


def _identity(folder: Path) -> str:
    """An id that a run keeps when it is resumed, and that no other run of its name shares."""
    path = folder / LOG_ID
    if not path.exists():
        write_whole(path, f"{uuid.uuid4().hex[:8]}\n".encode())
    return read_whole(path, LONGEST_ID).decode(errors="replace").strip()
