"""What a pool gives its items to, wherever they are worked on.

A `Dispatcher` queues the items and settles them, in a thread of its own;
rlve.pool.local_dispatcher has that of one machine, rlve.pool.ray that of a cluster.
"""

import logging
import os
import threading
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from rlve.errors import UserError
from rlve.pool.pending import Batch, Pending, Task
from rlve.pool.worker import Failure, FailureKind

HELD: Final = 1.0  # seconds after which the lock, held for microseconds, must be our own

_log = logging.getLogger("rlve.pool")

B = TypeVar("B", bound=Batch)


class Dispatcher(ABC):
    """Queues the items of a pool and has them settled.

    A subclass defines `wake`, `dispatch`, which takes batches from the queues with `next_batch` and
    returns when it finds that it is `over`, and `close`, which comes last.
    """

    name: str  # of the thread

    def __init__(self) -> None:
        self.lock = threading.Lock()  # guards everything pending, and the queues
        self.failures: Counter[FailureKind] = Counter()
        self.over: Exception | None = None  # why no more work is accepted
        self._reported: WeakKeyDictionary[type, set[FailureKind]] = WeakKeyDictionary()
        self._queue: deque[Pending[Any]] = deque()
        self._background: deque[Pending[Any]] = deque()  # for when the queue is empty
        self._owner = os.getpid()
        self._thread: threading.Thread | None = None

    @abstractmethod
    def wake(self) -> None:
        """Say that there is new work, or that it is over; takes no lock."""

    @abstractmethod
    def dispatch(self) -> None:
        """Work until it is over."""

    @abstractmethod
    def close(self, over: Exception) -> None:
        """Fail what is still under way, and release everything."""

    def open(self) -> None:
        """Start to work; called once, before the first items, with the lock held."""
        thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        thread.start()
        self._thread = thread

    # What other threads call.

    @property
    def owned(self) -> bool:
        """Whether this process made it; a fork of that process did not."""
        return os.getpid() == self._owner

    def check(self) -> None:
        """Raise the reason why no more work is accepted, if there is one."""
        if not self.owned:
            raise UserError("the pool belongs to another process; make one in this process")
        if self.over is not None:
            raise self.over

    def serve(self, pending: Pending[Any], tasks: dict[int, Task]) -> None:
        """Queue new items."""
        with self.lock:
            self.check()
            pending.tasks |= tasks
            pending.waiting.extend(tasks)
            self.enqueue(pending)
            if self._thread is None:
                self.open()
        self.wake()

    def stop(self) -> None:
        """End the work; a finalizer may call it at any point, even where the lock is held.

        The thread needs the lock to end, so there it ends later.
        """
        if not self.owned:
            return
        self.over = self.over or UserError("the pool is closed")
        if self._thread is not None:
            self.wake()
            if self._thread is not threading.current_thread() and self.lock.acquire(timeout=HELD):
                self.lock.release()
                self._thread.join()

    # What the threads that work call, with the lock held.

    def enqueue(self, pending: Pending[Any]) -> None:
        """Queue what has items that nobody has yet."""
        queue = self._background if pending.background else self._queue
        if pending not in queue:
            queue.append(pending)

    @property
    def queued(self) -> list[Pending[Any]]:
        """Whatever may have items that nobody has yet."""
        return [*self._queue, *self._background]

    def next_batch(self, cut: Callable[[Pending[Any]], B]) -> B | None:
        """The next items to work on, as `cut` takes them from those of one caller."""
        for queue in (self._queue, self._background):
            while queue:
                batch = cut(queue[0])
                if batch.indices:
                    if queue is self._queue:
                        queue.rotate(-1)  # so that no thread waits for another's long batch
                    return batch
                queue.popleft()
        return None

    def settle(self, batch: Batch, position: int, result: Any) -> None:
        """Store the result of an item; a failure is counted.

        Callers that judge many outputs only count failures, so the first of each kind is logged
        here; callers that draw problems report failures themselves.
        """
        pending, index = batch.pending, batch.indices[position]
        if isinstance(result, Failure) and index in pending.tasks:
            self.failures[result.kind] += 1
            subject = batch.tasks[position].subject
            name, kind, reported = subject.__name__, result.kind, self._reported
            if pending.operation == "judge" and kind not in reported.setdefault(subject, set()):
                reported[subject].add(kind)
                _log.warning("judging an output for %s failed (%s): %s", name, kind, result.message)
        pending.settle(index, result)

    def _run(self) -> None:
        # First: a stop() that still finds no thread has set `over`, so no worker will be started.
        self._thread = threading.current_thread()
        try:
            self.dispatch()
        except Exception as error:  # noqa: BLE001  it is raised in the threads that wait
            self.over = error
        finally:
            with self.lock:
                over = self.over = self.over or UserError("the pool is closed")
                for pending in self.queued:
                    pending.fail(over)
            self.close(over)
