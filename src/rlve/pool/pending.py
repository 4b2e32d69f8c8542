"""Items on their way through a pool, as seen by the thread that waits for the results."""

import math
import threading
from collections import deque
from collections.abc import Callable, Iterable
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from rlve.pool.dispatcher import Dispatcher

LONGEST_WAIT: Final = 0.1  # seconds; most of what a suspension can take from a timeout
ANY: Final = -1  # awaited by a thread that takes results as they come

T = TypeVar("T")


class Task(NamedTuple):
    """An item for a worker."""

    content: Any  # the operation's argument
    subject: type  # the environment it is about
    transfer: float = 0.0  # estimated seconds to send it


class Pending(Generic[T]):
    """Items on their way through a pool, for one thread that waits for them.

    A result is taken once: by the index of its item, or with all others that have come.

        pending = pool.start_judging(items)
        while pending.wait():               False once all have been taken
            for index, verdict in pending.finished():
                ...
    """

    def __init__(
        self, dispatcher: "Dispatcher", operation: str, options: tuple[Any, ...], background: bool
    ) -> None:
        self._dispatcher = dispatcher
        self._changed = threading.Condition(dispatcher.lock)
        self._length = 0
        self._awaited: int | None = None  # an index, or ANY
        self._results: dict[int, T] = {}  # in the order of arrival
        # The rest belongs to the dispatcher, under its lock.
        self.operation = operation
        self.options = options
        self.background = background
        self.tasks: dict[int, Task] = {}  # those without a result
        self.waiting: deque[int] = deque()  # those that no worker has yet
        self.error: Exception | None = None
        self.abandoned = False  # written without the lock

    def __len__(self) -> int:
        return self._length

    def add(self, tasks: Iterable[Task]) -> int:
        """Add items; return how many."""
        new = dict(enumerate(tasks, self._length))
        if new:
            self._length += len(new)
            self._dispatcher.serve(self, new)
        return len(new)

    def take(self, index: int) -> T:
        """Wait for the result of an item."""
        with self._dispatcher.lock:
            while index not in self._results:
                if self.error is not None:
                    raise self.error
                if index not in self.tasks:
                    raise LookupError(f"item {index} has been taken or discarded")
                self._awaited = index
                self._changed.wait()
            return self._results.pop(index)

    def take_all(self) -> list[T]:
        """Wait for the results of all items."""
        # Backwards: a thread that waits for the last item first is seldom woken for nothing.
        return [self.take(index) for index in reversed(range(len(self)))][::-1]

    def finished(self) -> list[tuple[int, T]]:
        """Take the results that have come, with the indices of their items; never waits."""
        with self._dispatcher.lock:
            found = list(self._results.items())
            self._results.clear()
            if not found and self.error is not None:
                raise self.error
            return found

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until finished() has results, for at most `timeout` seconds.

        False if it has none: time has run out, or all results have been taken or discarded. While
        this process is suspended, so are the workers, and time does not run.
        """
        left = math.inf if timeout is None else timeout
        with self._dispatcher.lock:
            while not self._results:
                if self.error is not None:
                    raise self.error
                if not self.tasks or left <= 0:
                    return False
                self._awaited = ANY
                asked, since = min(left, LONGEST_WAIT), monotonic()
                self._changed.wait(None if timeout is None else asked)
                left -= min(asked, monotonic() - since)
            return True

    @property
    def unfinished(self) -> int:
        """How many results are still to come or to be taken."""
        with self._dispatcher.lock:
            return len(self.tasks) + len(self._results)

    def discard(self, index: int) -> None:
        """Discard an item, or its result."""
        with self._dispatcher.lock:
            self.tasks.pop(index, None)
            self._results.pop(index, None)
            self._changed.notify_all()

    def cancel(self) -> None:
        """Discard all items without a result."""
        with self._dispatcher.lock:
            self.tasks.clear()
            self.waiting.clear()
            self._changed.notify_all()

    def abandon(self) -> None:
        """Have items that no worker has yet discarded soon; takes no lock.

        For generators: the garbage collector closes them in whatever thread it happens to run in,
        even one that holds the lock.
        """
        self.abandoned = True

    def cut(
        self,
        most: int,
        cost: Callable[[Task], float] = lambda task: 0.0,
        budget: float = math.inf,
    ) -> list[int]:
        """Take items that no worker has yet: `most`, or as many as use up the budget.

        The dispatcher calls this.
        """
        if self.abandoned:
            self.tasks.clear()
            self.waiting.clear()
        indices: list[int] = []
        spent = 0.0
        while self.waiting and len(indices) < most and spent < budget:
            index = self.waiting.popleft()
            if task := self.tasks.get(index):  # it has not been discarded
                spent += cost(task)
                indices.append(index)
        return indices

    def settle(self, index: int, result: Any) -> None:
        """Store the result of an item; the dispatcher calls this."""
        if index in self.tasks:
            del self.tasks[index]
            self._results[index] = result
            if self._awaited in (index, ANY):
                self._changed.notify_all()

    def fail(self, error: Exception) -> None:
        """Fail all items; the dispatcher calls this if it can do no more for them."""
        self.error = error
        self.tasks.clear()
        self.waiting.clear()
        self._changed.notify_all()


class Batch:
    """Items that are worked on together."""

    def __init__(self, pending: Pending[Any], indices: list[int]) -> None:
        self.pending = pending
        self.indices = indices
        self.tasks = [pending.tasks[index] for index in indices]
