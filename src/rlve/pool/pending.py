"""Items on their way through a pool, as seen by the thread that waits for the results."""

import math
import threading
from collections import deque
from collections.abc import Iterable
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from rlve.pool.dispatch import Dispatcher

ANY: Final = -1  # awaited by a thread that takes results as they come

T = TypeVar("T")


class Item(NamedTuple):
    """Something for a worker to do."""

    content: Any  # the operation's argument
    environment: type
    transfer: float  # estimated seconds to send it


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
        self.items: dict[int, Item] = {}  # those without a result
        self.waiting: deque[int] = deque()  # those that no worker has yet
        self.error: Exception | None = None
        self.abandoned = False  # written without the lock

    def __len__(self) -> int:
        return self._length

    def add(self, items: Iterable[Item]) -> int:
        """Add items; return how many."""
        new = dict(enumerate(items, self._length))
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
                if index not in self.items:
                    raise LookupError(f"item {index} has been taken or discarded")
                self._awaited = index
                self._changed.wait()
            return self._results.pop(index)

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

        False if it has none: time has run out, or all results have been taken or discarded.
        """
        until = math.inf if timeout is None else monotonic() + timeout
        with self._dispatcher.lock:
            while not self._results:
                if self.error is not None:
                    raise self.error
                left = until - monotonic()
                if not self.items or left <= 0:
                    return False
                self._awaited = ANY
                self._changed.wait(None if timeout is None else left)
            return True

    @property
    def unfinished(self) -> int:
        """How many results are still to come or to be taken."""
        with self._dispatcher.lock:
            return len(self.items) + len(self._results)

    def discard(self, index: int) -> None:
        """Discard an item, or its result."""
        with self._dispatcher.lock:
            self.items.pop(index, None)
            self._results.pop(index, None)
            self._changed.notify_all()

    def cancel(self) -> None:
        """Discard all items without a result."""
        with self._dispatcher.lock:
            self.items.clear()
            self.waiting.clear()
            self._changed.notify_all()

    def abandon(self) -> None:
        """Have items that no worker has yet discarded soon; takes no lock.

        For generators: the garbage collector closes them in whatever thread it happens to run in,
        even one that holds the lock.
        """
        self.abandoned = True

    def drop_abandoned(self) -> None:
        """Discard the items if they were abandoned; the dispatcher calls this."""
        if self.abandoned:
            self.items.clear()
            self.waiting.clear()

    def settle(self, index: int, result: Any) -> None:
        """Store the result of an item; the dispatcher calls this."""
        if index in self.items:
            del self.items[index]
            self._results[index] = result
            if self._awaited in (index, ANY):
                self._changed.notify_all()

    def fail(self, error: Exception) -> None:
        """Fail all items; the dispatcher calls this if it can do no more for them."""
        self.error = error
        self.items.clear()
        self.waiting.clear()
        self._changed.notify_all()
