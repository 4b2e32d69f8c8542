"""How a pool hands out its items, and what it does when one of them goes wrong.

Every worker has its own socket. One thread of the parent gives each worker a run of items, long
enough to make the hand-over cheap and short enough to keep all workers busy, and watches their
clocks. When a worker is lost, the page it shares with the parent names the item it was working on:
only that item is settled, and the rest of the run goes to another worker. A crash, or running out
of memory, may be the late effect of an earlier item, so the suspect gets one more chance as the
first item of a fresh worker.

Why not a library? In pebble all workers share one pipe and its locks, and a worker that dies
while holding a lock stops the whole pool. Its workers, like those of multiprocessing, also begin
by running the caller's script again, which in a trainer imports torch once per worker.
"""

import contextlib
import math
import os
import pickle  # noqa: TID251  both ends of the sockets are this program
import selectors
import socket
import sys
import weakref
from collections import deque
from collections.abc import Mapping
from time import monotonic
from typing import Any, Final, cast
from uuid import uuid4

from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.pool import worker
from rlve.pool.dispatcher import Dispatcher
from rlve.pool.pending import Pending, Task
from rlve.pool.process import Board, Worker, WorkerBatch, end_strays, start
from rlve.pool.worker import Failure, FailureKind
from rlve.registry import DATA, family
from rlve.rewards import WRONG

RUN_SECONDS: Final = 0.02  # how long a run should keep a worker busy
RUN_ITEMS: Final = 256  # most items in a run
STARTING_SECONDS: Final = 60.0  # for a worker to start
LOADING_SECONDS: Final = 60.0  # for a worker to import what a run needs
LONGEST_SLEEP: Final = 3600.0  # seconds; select() refuses years
LATE: Final = 1.0  # seconds beyond the time asked for that show that this process was suspended
STARTS: Final = 3  # how many workers in a row may fail to start
HINDERED_STARTS: Final = 20  # how many in a row the system may prevent, if memory runs short
LONGEST_PAUSE: Final = 1.0  # most seconds to wait after a start that the system has prevented
# Estimated seconds per item, before any is measured.
GUESS: Final = {
    "generate": 2e-3,
    "solve": 2e-3,
    "show": 2e-3,
    "pose": 2e-4,
    "judge": 2e-4,
    "explain": 2e-4,
    "call": 1.0,
}

# The verifier of an environment is fast for every answer; one that is late says nothing about the
# answer. The judge of a data set does as much work as the answer asks for: an answer that keeps it
# busy is wrong. Were it a Failure, from which nothing is learnt, hanging would beat being wrong.
TOO_SLOW: Final = Verdict(reward=WRONG, correct=False, well_formed=True)


class LocalDispatcher(Dispatcher):
    """The thread that hands out the items and watches the workers of one machine."""

    name = "rlve-pool"

    def __init__(
        self,
        limit: int,
        deadline: float,
        memory: int | None,
        variables: Mapping[str, str] | None = None,  # of the workers' environment
    ) -> None:
        super().__init__()
        self._limit = limit
        self._deadline = deadline
        self._memory = memory
        self._variables = variables or {}
        self._suspects: deque[WorkerBatch] = deque()  # runs of one item, each for a fresh worker
        # The average time of an item, by operation, for environments that are still known.
        self._seconds: weakref.WeakKeyDictionary[type, dict[str, float]] = (
            weakref.WeakKeyDictionary()
        )
        self._workers: dict[int, Worker] = {}  # by slot
        self._failed_starts = 0
        self._hindered_starts = 0
        self._pause_until = 0.0  # no worker is started before this
        self._due = math.inf  # when deadlines are to be enforced next
        self._was_late = False
        self._resumed = -math.inf  # when this process last went on after it had been suspended
        self._pool = uuid4().hex
        _dispatchers.add(self)

    # What other threads call.

    def forget(self) -> None:
        """Release the workers in a fork of the owner; they belong to the owner alone."""
        workers, self._workers = self._workers, {}  # a fork of the fork must not close them again
        for each in workers.values():
            each.close()

    def wake(self) -> None:
        with contextlib.suppress(OSError):  # the buffer is full, or the thread has ended
            self._alarm.send(b"!")

    def open(self) -> None:
        self._bell, self._alarm = socket.socketpair()
        self._bell.setblocking(False)
        self._alarm.setblocking(False)
        self._board = Board(self._limit)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._bell, selectors.EVENT_READ)
        super().open()

    # What the thread does.

    def dispatch(self) -> None:
        while self.over is None:
            self._assign()
            patience = self._patience()
            self._due = math.inf if patience is None else monotonic() + patience
            for key, _ in self._selector.select(patience):
                if key.data is None:
                    self._bell.recv(4096)
                else:
                    self._attend(key.data)
            self._enforce_deadlines()

    def close(self, over: Exception) -> None:
        runs = (each.run for each in self._workers.values() if each.run is not None)
        with self.lock:
            for run in (*self._suspects, *runs):
                run.pending.fail(over)
        for each in list(self._workers.values()):
            each.kill()
            self._remove(each)
        end_strays(self._pool)
        self._selector.close()
        self._bell.close()
        self._alarm.close()
        self._board.close()

    def _assign(self) -> None:
        """Give every idle worker a run, and start missing workers."""
        while self._suspects and not self._paused and (slot := self._free_slot()) is not None:
            if self._start(slot, self._suspects[0]):
                self._suspects.popleft()
        for each in [each for each in self._workers.values() if each.idle]:
            handed = False
            while not handed:
                with self.lock:
                    run = self.next_batch(self._cut)
                if run is None:
                    return
                handed = self._hand(each, run)
        with self.lock:
            wanted = sum(len(pending.waiting) for pending in self.queued)
        wanted -= sum(each.run is None for each in self._workers.values())  # these are starting
        for slot in range(self._limit):
            if slot not in self._workers and wanted > 0 and not self._paused:
                wanted -= self._start(slot, None)

    @property
    def _paused(self) -> bool:
        return monotonic() < self._pause_until

    def _free_slot(self) -> int | None:
        """A slot for a fresh worker, if necessary that of an idle one."""
        for slot in range(self._limit):
            if slot not in self._workers:
                return slot
        for each in self._workers.values():
            if each.idle:
                each.kill()
                self._remove(each)
                return each.slot
        return None

    def _cut(self, pending: Pending[Any]) -> WorkerBatch:
        """Enough items to keep a worker busy for a while, but not all of them."""

        def seconds(task: Task) -> float:
            known = self._seconds.get(task.subject, {})
            return task.transfer + known.get(pending.operation, GUESS[pending.operation])

        most = min(RUN_ITEMS, max(16, len(pending.waiting) // (2 * self._limit)))
        return WorkerBatch(pending, pending.cut(most, seconds, RUN_SECONDS))

    def _start(self, slot: int, run: WorkerBatch | None) -> bool:
        """Start a worker; it gets the run when it is ready. False if the system prevents it now."""
        try:
            each = start(self._pool, slot, self._board, self._memory, self._variables)
        except OSError as error:  # too many processes or files, or too little memory
            self._count_start(worker.describe(error), hindered=True)
            return False
        self._workers[slot] = each
        each.run = run
        self._selector.register(each.socket, selectors.EVENT_READ, each)
        return True

    def _hand(self, each: Worker, run: WorkerBatch) -> bool:
        """Send a run to a worker that is ready; False if it cannot be sent to any."""
        each.run = None
        try:
            each.outbox = memoryview(run.message())
        except Exception as error:  # noqa: BLE001  pickling runs other people's code
            refusal = UserError(f"a problem cannot be sent to a worker: {worker.describe(error)}")
            with self.lock:
                run.pending.fail(refusal)
            return False
        self._board.clear(each.slot)
        each.run = run
        each.since = monotonic()
        self._write(each)
        return True

    def _write(self, each: Worker) -> None:
        each.write()
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if each.outbox else 0)
        self._selector.modify(each.socket, events, each)

    def _attend(self, each: Worker) -> None:
        """Read from or write to a worker's socket that is ready for it."""
        if each.outbox:
            self._write(each)
        alive = each.read()
        self._listen(each)
        if not alive or each.exhausted:
            self._lose(each, "crash")

    def _listen(self, each: Worker) -> None:
        """Handle a worker's messages: that it is ready, outcomes, or that it cannot load."""
        for message in each.messages():
            run = each.run
            if not each.ready:
                each.ready = True
                self._failed_starts = self._hindered_starts = 0
                if run is not None:
                    self._hand(each, run)
            elif run is not None:
                outcomes = cast("list[tuple[Any, float]] | str", pickle.loads(message))  # noqa: S301
                with self.lock:
                    if isinstance(outcomes, str):
                        run.pending.fail(UserError(f"a worker cannot load a problem: {outcomes}"))
                        run.done = len(run.indices)
                    else:
                        self._credit(each, run, outcomes)
                if run.done == len(run.indices):
                    each.run = None

    def _credit(self, each: Worker, run: WorkerBatch, outcomes: list[tuple[Any, float]]) -> None:
        for data, seconds in outcomes:
            result = worker.attempt(pickle.loads, data) if isinstance(data, bytes) else data
            if isinstance(result, Failure) and result.kind == "memory":
                each.exhausted = True
                self._blame(each, run, run.done, "memory")
            else:
                self.settle(run, run.done, result)
            self._learn(run, run.done, seconds)
            run.done += 1

    def _learn(self, run: WorkerBatch, position: int, seconds: float) -> None:
        known = self._seconds.setdefault(run.tasks[position].subject, {})
        operation = run.pending.operation
        known[operation] = 0.8 * known.get(operation, seconds) + 0.2 * seconds

    def _enforce_deadlines(self) -> None:
        now = monotonic()
        late = now > self._due + LATE
        if late and not self._was_late:  # twice in a row, this process is only slow
            self._resumed = now  # the workers were suspended as well, or could not be heard
        self._was_late = late
        for each in [each for each in self._workers.values() if self._expiry(each) <= now]:
            self._lose(each, "deadline")

    def _patience(self) -> float | None:
        """Seconds until a deadline may pass; an item that starts now has the full deadline."""
        expiry = min(map(self._expiry, self._workers.values()), default=math.inf)
        if (now := monotonic()) < self._pause_until:
            expiry = min(expiry, self._pause_until)
        if expiry == math.inf:
            return None
        return min(max(0.0, expiry - now), self._deadline, LONGEST_SLEEP)

    def _expiry(self, each: Worker) -> float:
        if each.idle:
            return math.inf
        begun, began = self._board.read(each.slot)
        if not each.ready or not begun:
            patience = LOADING_SECONDS if each.ready else STARTING_SECONDS
            return max(each.since, self._resumed) + patience
        return max(began, self._resumed) + self._deadline

    def _lose(self, each: Worker, kind: FailureKind) -> None:
        """Kill a worker unless it is dead; blame its current item, and put the others back."""
        now, was_ready = monotonic(), each.ready
        if kind != "deadline":
            each.kill()
        each.read()
        self._listen(each)  # its last messages
        begun, began = self._board.read(each.slot)
        if kind == "deadline":
            if begun:
                each.ask_where()
            each.kill()
        self._remove(each)
        end_strays(each.name)
        run = each.run
        if not was_ready:
            if run is not None:
                self._suspects.appendleft(run)
            killed = kind == "crash" and each.process.returncode < 0
            late = f"it was not ready within {STARTING_SECONDS:g} s"
            self._count_start(late if kind == "deadline" else each.epitaph(), hindered=killed)
        elif run is not None:
            if kind == "deadline" and not begun:
                if run.alone:
                    slow = f"a worker needs over {LOADING_SECONDS:g} s to load a problem"
                    with self.lock:
                        run.pending.fail(UserError(slow))
                    return
                kind = "crash"  # it may have been a moment of the file system: one more chance
            moved_on = kind == "deadline" and (
                now - began < self._deadline or run.done >= begun > 0
            )
            with self.lock:
                rest = list(range(run.done, len(run.indices)))
                if not each.exhausted and not moved_on:
                    guilty = max(run.done, begun - 1)
                    rest.remove(guilty)
                    ran_out = each.process.returncode == worker.OUT_OF_MEMORY
                    self._blame(each, run, guilty, "memory" if ran_out else kind)
                wanted = [run.indices[i] for i in rest if run.indices[i] in run.pending.tasks]
                run.pending.waiting.extendleft(reversed(wanted))
                self.enqueue(run.pending)

    def _count_start(self, reason: str, *, hindered: bool) -> None:
        """Count a start that failed; give up if too many do.

        One that the system has prevented, or killed, says little about the next, so more of those
        are allowed, and any number while other workers work.
        """
        if hindered:
            self._hindered_starts += 1
            pause = 0.01 * 2 ** min(self._hindered_starts, HINDERED_STARTS)
            self._pause_until = monotonic() + min(LONGEST_PAUSE, pause)
        else:
            self._failed_starts += 1
        helpless = not any(each.ready for each in self._workers.values())
        hopeless = helpless and self._hindered_starts >= HINDERED_STARTS
        if hopeless or self._failed_starts == STARTS:
            raise RuntimeError(f"a worker of the pool cannot start: {reason}")

    def _blame(self, each: Worker, run: WorkerBatch, position: int, kind: FailureKind) -> None:
        """Settle an item that killed its worker, or give it one more chance."""
        if kind == "deadline":
            self._learn(run, position, self._deadline)
            name = run.tasks[position].subject.__name__
            if run.pending.operation == "judge" and family(name) == DATA:
                run.pending.settle(run.indices[position], TOO_SLOW)
                return
            message = f"it took longer than {self._deadline:g} s{each.where}"
        elif not run.alone:
            if (index := run.indices[position]) in run.pending.tasks:
                self._suspects.append(WorkerBatch(run.pending, [index], alone=True))
            return
        elif kind == "memory":
            limit = "there are" if self._memory is None else f"{self._memory:,}"
            message = f"it needs more bytes than {limit}"
        else:
            message = each.epitaph()
        self.settle(run, position, Failure(kind, message, each.step))

    def _remove(self, each: Worker) -> None:
        self._selector.unregister(each.socket)
        del self._workers[each.slot]  # first: a fork must not find it closed
        each.close()


# Classes from the main module come back from a worker under this name.
sys.modules.setdefault("__mp_main__", sys.modules["__main__"])

_dispatchers: "weakref.WeakSet[LocalDispatcher]" = weakref.WeakSet()


def _after_fork() -> None:
    for dispatcher in list(_dispatchers):
        dispatcher.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
