"""How a run reports its progress.

It knows nothing of how it is drawn: it reports to watchers, and whoever starts it passes in the
view that shows it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from rlve.train.history import ValidationRecord
    from rlve.train.runs import BaseRun

M = TypeVar("M")


class Watcher(Generic[M]):
    """Something a run reports to: a live view, a logger. Override what it should hear of."""

    def collecting(self, step: int, kept: int, finished: int) -> None:
        """The number of groups so far in this step."""

    def stepped(self, metrics: M) -> None:
        """A step has ended."""

    def validating(self, step: int, done: int, total: int) -> None:
        """The number of outputs so far in this measurement of accuracy."""

    def validated(self, record: "ValidationRecord") -> None:
        """Accuracy has been measured."""

    def stopping(self) -> None:
        """Ctrl-C was pressed, or another signal came; the run will finish its step."""


View: TypeAlias = Callable[["BaseRun[Any, Any]"], AbstractContextManager[Watcher[Any]]]
"""Opens a watcher that shows a run that has begun, such as rlve.reports.live.show."""
