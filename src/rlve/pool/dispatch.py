"""How a pool hands out its items, and what it does when one of them goes wrong.

Every worker has a socket of its own. One thread of the parent gives each worker a run of items,
long enough that the hand-over costs little, short enough that all workers stay busy, and watches
their clocks. When a worker is lost, the page it shares with the parent names the item it was at:
that item alone is settled, the rest of the run goes to another worker. A crash, or memory that is
used up, may be the late fault of an earlier item, so the suspect gets one more chance as the
first item of a fresh worker.

Why not a library. In pebble all workers share one pipe and its locks, and a worker that dies
while it holds a lock stops the whole pool. Its workers, like those of multiprocessing, also begin
by running the caller's script again, which in a trainer imports torch, once for each worker.
"""

import contextlib
import json
import logging
import math
import mmap
import os
import pickle  # noqa: TID251  both ends of the sockets are this program
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from rlve.errors import UserError
from rlve.pool import worker
from rlve.pool.worker import Failure, FailureKind

RUN_SECONDS: Final = 0.02  # how long a run should keep a worker busy
RUN_ITEMS: Final = 256  # and how many items it has at most
LOADING_SECONDS: Final = 60.0  # for a worker to start, and to import what a run needs
STARTS: Final = 3  # workers that may die one after another before they are ready
# Seconds an item takes, before any is measured.
GUESS: Final = {"generate": 2e-3, "solve": 2e-3, "verify": 2e-4}

ANY: Final = -1  # what is awaited by whoever takes results as they come

T = TypeVar("T")

_log = logging.getLogger("rlve.pool")


class Item(NamedTuple):
    """Something for a worker to do."""

    content: Any  # what the operation takes
    environment: type
    transfer: float  # seconds it spends on its way, roughly


class Pending(Generic[T]):
    """Items on their way through a pool, for one thread that waits for them.

    A result is taken once: by the index of its item, or with whatever else has come.

        pending = pool.start_judging(items)
        while pending.wait():               False when all have been taken
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
        self.waiting: deque[int] = deque()  # those of them that no worker has
        self.error: Exception | None = None

    def __len__(self) -> int:
        return self._length

    def add(self, items: Iterable[Item]) -> int:
        """Let more items follow; says how many."""
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
                    raise LookupError(f"item {index} has been taken or given up")
                self._awaited = index
                self._changed.wait()
            return self._results.pop(index)

    def finished(self) -> list[tuple[int, T]]:
        """Take the results that have come, each with the index of its item; never waits."""
        with self._dispatcher.lock:
            found = list(self._results.items())
            self._results.clear()
            if not found and self.error is not None:
                raise self.error
            return found

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until finished() has something to give, for so many seconds at most.

        False if it has not: the time is over, or all results have been taken or given up.
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
        """How many items have no result yet."""
        with self._dispatcher.lock:
            return len(self.items)

    def discard(self, index: int) -> None:
        """Give up an item, or its result."""
        with self._dispatcher.lock:
            self.items.pop(index, None)
            self._results.pop(index, None)
            self._changed.notify_all()

    def cancel(self) -> None:
        """Give up what has no result yet."""
        with self._dispatcher.lock:
            self.items.clear()
            self.waiting.clear()
            self._changed.notify_all()

    def settle(self, index: int, result: Any) -> None:
        """The dispatcher has the result of an item."""
        if index in self.items:
            del self.items[index]
            self._results[index] = result
            if self._awaited in (index, ANY):
                self._changed.notify_all()

    def fail(self, error: Exception) -> None:
        """The dispatcher can do nothing more for these items."""
        self.error = error
        self.items.clear()
        self.waiting.clear()
        self._changed.notify_all()


class _Run:
    """Items that one worker is given together."""

    def __init__(self, pending: Pending[Any], indices: list[int], *, alone: bool = False) -> None:
        self.pending = pending
        self.indices = indices
        self.alone = alone  # a suspect, in a worker that has done nothing else
        self.items = [pending.items[index] for index in indices]
        self.done = 0  # how many of them have come back

    def message(self) -> bytes:
        """One pickle for all, so that a problem shared by several outputs travels once."""
        contents = [item.content for item in self.items]
        message = self.pending.operation, self.pending.options, contents
        return worker.framed(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


class _Worker:
    """A worker process, as the dispatcher sees it."""

    def __init__(
        self, slot: int, process: "subprocess.Popen[bytes]", end: socket.socket, lifeline: int
    ) -> None:
        self.slot = slot
        self.process = process
        self.socket = end
        self.lifeline = lifeline
        self.ready = False
        self.exhausted = False  # it has run out of memory
        self.run: _Run | None = None
        self.since = monotonic()  # when it was started, or last given a run
        self.inbox = bytearray()
        self.outbox = memoryview(b"")

    @property
    def idle(self) -> bool:
        return self.ready and self.run is None and not self.exhausted

    def read(self) -> bool:
        """Take in what has arrived; False if the worker will say nothing more."""
        try:
            while part := self.socket.recv(1 << 20):
                self.inbox += part
        except BlockingIOError:
            return True
        except ConnectionError:
            pass
        return False

    def messages(self) -> Iterator[bytes]:
        """Those that have arrived as a whole."""
        while len(self.inbox) >= worker.HEADER:
            end = worker.HEADER + int.from_bytes(self.inbox[: worker.HEADER], "big")
            if len(self.inbox) < end:
                return
            message = bytes(self.inbox[worker.HEADER : end])
            del self.inbox[:end]
            yield message

    def write(self) -> None:
        """Send what the socket takes of the outbox."""
        try:
            while self.outbox:
                self.outbox = self.outbox[self.socket.send(self.outbox) :]
        except BlockingIOError:
            pass
        except ConnectionError:  # whoever reads from the socket notices that, too
            self.outbox = memoryview(b"")

    def kill(self) -> None:
        """End the worker, and whatever it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it is dead already
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        self.socket.close()
        os.close(self.lifeline)

    def epitaph(self) -> str:
        status = self.process.returncode
        if status < 0:
            return f"its process was ended by signal {-status} ({signal.strsignal(-status)})"
        return f"its process ended with status {status}"


class Dispatcher:
    """The thread that hands out the items and watches the workers."""

    def __init__(
        self, limit: int, deadline: float, memory: int | None, failures: Counter[FailureKind]
    ) -> None:
        self.lock = threading.Lock()  # over all that is pending, and the queues
        self._limit = limit
        self._deadline = deadline
        self._memory = memory
        self._failures = failures
        self._reported: set[tuple[type, FailureKind]] = set()
        self._queue: deque[Pending[Any]] = deque()
        self._background: deque[Pending[Any]] = deque()  # for when the queue is empty
        self._suspects: deque[_Run] = deque()  # each of them alone, for a fresh worker
        self._seconds: dict[tuple[str, type], float] = {}  # that an item takes
        self._workers: dict[int, _Worker] = {}  # by slot
        self._failed_starts = 0
        self._owner = os.getpid()
        self._thread: threading.Thread | None = None
        self._over: Exception | None = None  # why no more work is taken
        _dispatchers.add(self)

    # What other threads call.

    def check(self) -> None:
        """Raise the reason why the pool takes no more work, if there is one."""
        if os.getpid() != self._owner:
            raise UserError("the pool belongs to another process; make one in this process")
        if self._over is not None:
            raise self._over

    def serve(self, pending: Pending[Any], items: dict[int, Item]) -> None:
        """See to new items."""
        with self.lock:
            self.check()
            pending.items |= items
            pending.waiting.extend(items)
            self._enqueue(pending)
            if self._thread is None:
                self._open()
        self._wake()

    def stop(self) -> None:
        """End the thread and the workers. Takes no lock: a finalizer may run at any point."""
        if os.getpid() != self._owner:
            return
        self._over = self._over or UserError("the pool is closed")
        if self._thread is not None:
            self._wake()
            if self._thread is not threading.current_thread():
                self._thread.join()

    def forget(self) -> None:
        """In a fork of the owner: let go of the workers, which live and die with the owner."""
        for each in self._workers.values():
            each.close()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # it has been called often enough, or is over
            self._alarm.send(b"!")

    def _enqueue(self, pending: Pending[Any]) -> None:
        queue = self._background if pending.background else self._queue
        if pending not in queue:
            queue.append(pending)

    def _open(self) -> None:
        self._bell, self._alarm = socket.socketpair()
        self._bell.setblocking(False)
        self._alarm.setblocking(False)
        self._board_file = _shared_page(2 * 8 * self._limit)
        self._board = memoryview(mmap.mmap(self._board_file, 0)).cast("d")
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._dispatch, name="rlve-pool", daemon=True)
        self._thread.start()

    # What the thread does.

    def _dispatch(self) -> None:
        try:
            while self._over is None:
                self._assign()
                for key, _ in self._selector.select(self._patience()):
                    if key.data is None:
                        self._bell.recv(4096)
                    else:
                        self._attend(key.data)
                self._enforce_deadlines()
        except Exception as error:  # noqa: BLE001  whoever waits must learn of it
            self._over = error
        finally:
            self._close()

    def _close(self) -> None:
        with self.lock:
            over = self._over = self._over or UserError("the pool is closed")
            runs = (each.run for each in self._workers.values() if each.run is not None)
            for run in (*self._suspects, *runs):
                run.pending.fail(over)
            for pending in (*self._queue, *self._background):
                pending.fail(over)
        for each in list(self._workers.values()):
            each.kill()
            self._remove(each)
        self._selector.close()
        self._bell.close()
        self._alarm.close()
        os.close(self._board_file)

    def _assign(self) -> None:
        """Give every idle worker a run, and start the workers that are missing."""
        while self._suspects and (slot := self._free_slot()) is not None:
            self._start(slot, self._suspects.popleft())
        for each in [each for each in self._workers.values() if each.idle]:
            with self.lock:
                run = self._next_run()
            if run is None:
                return
            self._hand(each, run)
        with self.lock:
            wanted = sum(len(pending.waiting) for pending in (*self._queue, *self._background))
        wanted -= sum(each.run is None for each in self._workers.values())  # those that come
        for slot in range(self._limit):
            if slot not in self._workers and wanted > 0:
                self._start(slot, None)
                wanted -= 1

    def _free_slot(self) -> int | None:
        """A slot for a fresh worker, if need be that of an idle one."""
        for slot in range(self._limit):
            if slot not in self._workers:
                return slot
        for each in self._workers.values():
            if each.idle:
                each.kill()
                self._remove(each)
                return each.slot
        return None

    def _next_run(self) -> _Run | None:
        for queue in (self._queue, self._background):
            while queue:
                run = self._cut(queue[0])
                if run.indices:
                    if queue is self._queue:
                        queue.rotate(-1)  # so that nobody waits for a long batch of another thread
                    return run
                queue.popleft()
        return None

    def _cut(self, pending: Pending[Any]) -> _Run:
        """As many items as keep a worker busy for a while, and leave some for the others."""
        most = min(RUN_ITEMS, max(16, len(pending.waiting) // (2 * self._limit)))
        indices: list[int] = []
        seconds = 0.0
        while pending.waiting and len(indices) < most and seconds < RUN_SECONDS:
            index = pending.waiting.popleft()
            if item := pending.items.get(index):  # it has not been given up
                kind = pending.operation, item.environment
                seconds += item.transfer + self._seconds.get(kind, GUESS[pending.operation])
                indices.append(index)
        return _Run(pending, indices)

    def _start(self, slot: int, run: _Run | None) -> None:
        """Start a worker; it gets the run when it is ready."""
        ours, theirs = socket.socketpair()
        listening, lifeline = os.pipe()
        try:
            settings = {
                "socket": theirs.fileno(),
                "lifeline": listening,
                "board": self._board_file,
                "slot": slot,
                "memory": self._memory,
                "script": _script(),
                "argv": sys.argv,
                "path": [os.path.abspath(place) for place in sys.path],
            }
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, json.dumps(settings)],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno(), listening, self._board_file],
                env=_ONE_THREAD | os.environ,
                start_new_session=True,  # Ctrl-C is for the parent; and one signal ends all of it
            )
        except BaseException:
            ours.close()
            os.close(lifeline)
            raise
        finally:
            theirs.close()
            os.close(listening)
        ours.setblocking(False)
        each = self._workers[slot] = _Worker(slot, process, ours, lifeline)
        each.run = run
        self._selector.register(ours, selectors.EVENT_READ, each)

    def _hand(self, each: _Worker, run: _Run) -> None:
        """Send a run to a worker that is ready."""
        each.run = None
        try:
            each.outbox = memoryview(run.message())
        except Exception as error:  # noqa: BLE001  pickling runs other people's code
            refusal = UserError(f"a problem cannot be sent to a worker: {worker.describe(error)}")
            with self.lock:
                run.pending.fail(refusal)
            return
        self._board[2 * each.slot] = 0  # nothing begun
        each.run = run
        each.since = monotonic()
        self._write(each)

    def _write(self, each: _Worker) -> None:
        each.write()
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if each.outbox else 0)
        self._selector.modify(each.socket, events, each)

    def _attend(self, each: _Worker) -> None:
        """A worker's socket can be read or written."""
        if each.outbox:
            self._write(each)
        alive = each.read()
        self._listen(each)
        if not alive or each.exhausted:
            self._lose(each, "crash")

    def _listen(self, each: _Worker) -> None:
        """Act on the messages of a worker: that it is ready, outcomes, or that it cannot load."""
        for message in each.messages():
            run = each.run
            if not each.ready:
                each.ready = True
                self._failed_starts = 0
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

    def _credit(self, each: _Worker, run: _Run, outcomes: list[tuple[Any, float]]) -> None:
        for data, seconds in outcomes:
            index, item = run.indices[run.done], run.items[run.done]
            result = worker.attempt(pickle.loads, data) if isinstance(data, bytes) else data
            if not isinstance(result, Failure):
                run.pending.settle(index, result)
            elif result.kind == "memory":
                each.exhausted = True
                self._blame(each, run, run.done, "memory")
            else:
                self._give_up(run, run.done, result.message, result.kind)
            self._learn(run.pending.operation, item.environment, seconds)
            run.done += 1

    def _learn(self, operation: str, environment: type, seconds: float) -> None:
        before = self._seconds.get((operation, environment), seconds)
        self._seconds[operation, environment] = 0.8 * before + 0.2 * seconds

    def _enforce_deadlines(self) -> None:
        now = monotonic()
        for each in [each for each in self._workers.values() if self._expiry(each) <= now]:
            self._lose(each, "deadline")

    def _patience(self) -> float | None:
        """Seconds until a deadline may pass: at the earliest that of an item begun now."""
        expiry = min(map(self._expiry, self._workers.values()), default=math.inf)
        return None if expiry == math.inf else min(max(0.0, expiry - monotonic()), self._deadline)

    def _expiry(self, each: _Worker) -> float:
        if each.idle:
            return math.inf
        begun, began = self._board[2 * each.slot : 2 * each.slot + 2]
        if not each.ready or not begun:
            return each.since + LOADING_SECONDS
        return began + self._deadline

    def _lose(self, each: _Worker, kind: FailureKind) -> None:
        """Kill a worker if it is not dead; blame the item it was at, and put the others back."""
        now, was_ready = monotonic(), each.ready
        each.kill()
        each.read()
        self._listen(each)  # its last words
        self._remove(each)
        run = each.run
        if not was_ready:
            self._failed_starts += 1
            if run is not None:
                self._suspects.appendleft(run)
            if self._failed_starts == STARTS:
                raise RuntimeError(f"a worker of the pool cannot start: {each.epitaph()}")
        elif run is not None:
            begun, began = self._board[2 * each.slot : 2 * each.slot + 2]
            moved_on = kind == "deadline" and begun > 0 and now - began < self._deadline
            with self.lock:
                rest = list(range(run.done, len(run.indices)))
                if not each.exhausted and not moved_on:
                    guilty = max(run.done, int(begun) - 1)
                    rest.remove(guilty)
                    ran_out = each.process.returncode == worker.OUT_OF_MEMORY
                    self._blame(each, run, guilty, "memory" if ran_out else kind)
                wanted = [run.indices[i] for i in rest if run.indices[i] in run.pending.items]
                run.pending.waiting.extendleft(reversed(wanted))
                self._enqueue(run.pending)

    def _blame(self, each: _Worker, run: _Run, position: int, kind: FailureKind) -> None:
        """An item has cost the worker its life."""
        index = run.indices[position]
        if kind == "deadline":
            environment = run.items[position].environment
            self._learn(run.pending.operation, environment, self._deadline)
            self._give_up(run, position, f"it took longer than {self._deadline:g} s", kind)
        elif not run.alone:
            if index in run.pending.items:
                self._suspects.append(_Run(run.pending, [index], alone=True))
        elif kind == "memory":
            limit = "there are" if self._memory is None else f"{self._memory:,}"
            self._give_up(run, position, f"it needs more bytes than {limit}", kind)
        else:
            self._give_up(run, position, each.epitaph(), kind)

    def _give_up(self, run: _Run, position: int, message: str, kind: FailureKind) -> None:
        """An item has failed for good."""
        pending, index, item = run.pending, run.indices[position], run.items[position]
        if index not in pending.items:
            return
        self._failures[kind] += 1
        pending.settle(index, Failure(kind, message))
        # Who generates gets the message; who verifies gets a verdict, so it is logged, once.
        if pending.operation == "verify" and (item.environment, kind) not in self._reported:
            self._reported.add((item.environment, kind))
            name = item.environment.__name__
            _log.warning("verifying an output for %s failed (%s): %s", name, kind, message)

    def _remove(self, each: _Worker) -> None:
        self._selector.unregister(each.socket)
        each.close()
        del self._workers[each.slot]


def _script() -> list[str] | None:
    """What the main module was started from, for workers that need a class of it."""
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    if spec is not None:
        return ["module", spec.name]
    file = getattr(main, "__file__", None)
    return None if file is None else ["path", os.path.abspath(file)]


def _shared_page(size: int) -> int:
    """A file that is only memory, shared with the processes that inherit it."""
    if sys.platform == "linux":
        file = os.memfd_create("rlve-pool")
    else:
        with tempfile.TemporaryFile() as temporary:
            file = os.dup(temporary.fileno())
    os.ftruncate(file, size)
    return file


# -P keeps the current directory out of the worker's path until the parent's path is set.
_PROGRAM: Final = """
import json, sys
settings = json.loads(sys.argv[1])
sys.path[:] = settings.pop("path")
from rlve.pool.worker import main
main(**settings)
"""

# Threads inside the workers would compete for the cores that the workers share.
_ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}

# Classes of the main module come back from a worker under this name.
sys.modules.setdefault("__mp_main__", sys.modules["__main__"])

_dispatchers: "weakref.WeakSet[Dispatcher]" = weakref.WeakSet()


def _after_fork() -> None:
    for dispatcher in list(_dispatchers):
        dispatcher.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
