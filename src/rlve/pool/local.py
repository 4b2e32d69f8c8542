"""The pool of one machine.

Workers are fresh interpreters. They import the modules of the environments they are given. They
run the caller's script again, under another name, only if it defines an environment.
"""

import contextlib
import os
import sys
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, Self, TypeAlias, TypeVar, cast

from rlve.answers import Marker, Reading, check_marker, check_reading
from rlve.contract import Explanation, Problem, Verdict, check_output
from rlve.errors import UserError
from rlve.foundation.limits import AtLeastOne, Positive, WorkerMemory, check_limit
from rlve.pool import worker
from rlve.pool.dispatcher import Dispatcher
from rlve.pool.local_dispatcher import LocalDispatcher
from rlve.pool.pending import Pending, Task
from rlve.pool.worker import Failure, Request, Shown

LOOK_AHEAD: Final = 128  # items per worker that the *_iter methods read in advance
MEMORY: Final = 4 * 2**30  # bytes a worker may use by default
PER_CHARACTER: Final = 1e-8  # seconds to send one character of an output to a worker

T = TypeVar("T")
R = TypeVar("R")

Outputs: TypeAlias = Iterable[tuple[Problem | Request, str]]
"""Outputs to judge, each with its problem. Workers also read those that anybody may have written
(records), and generate those that are only named (requests)."""


class Pool:
    """Workers for generating and judging; they start when they are first needed.

    workers   how many; by default one per usable core
    deadline  seconds allowed for an item
    memory    bytes a worker may use, or None for no limit

    By default they are processes of this machine; a dispatcher may have others.

    Several threads may use one pool.
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        deadline: float = 10.0,
        memory: int | None = MEMORY,
        dispatcher: Dispatcher | None = None,
    ) -> None:
        check_settings(workers, deadline, memory)
        self.workers = workers or usable_cores()
        self.deadline = deadline
        self.memory = memory
        self._dispatcher = dispatcher or LocalDispatcher(self.workers, deadline, memory)
        self.failures = self._dispatcher.failures
        # Also runs when the program ends or the pool is garbage-collected.
        self._finalizer = weakref.finalize(self, self._dispatcher.stop)

    def generate(self, requests: Iterable[Request]) -> list[Problem | Failure]:
        """The requested problems, in order."""
        return self._all(self._begin("generate", _to_generate(requests)))

    def generate_iter(self, requests: Iterable[Request]) -> Iterator[Problem | Failure]:
        """Like generate(), one by one, for a long or endless iterable; it is read a bit ahead."""
        return self._each(self._begin("generate", ()), _to_generate(requests))

    def solve_iter(
        self, requests: Iterable[Request], *, background: bool = False
    ) -> Generator[tuple[Problem, str | None] | Failure]:
        """Like generate_iter(), but each problem comes with its reference, which may take long.

        With `background`, problems are solved when no worker has anything else to do.
        """
        pending = self._begin("solve", (), background=background)
        return self._each(pending, _to_generate(requests))

    def show(self, request: Request) -> Shown | Failure:
        """A problem, with everything a person wants to see of it."""
        return self._all(self._begin("show", _to_generate([request])))[0]

    def show_iter(
        self, requests: Iterable[Request], *, background: bool = False
    ) -> Generator[Shown | Failure]:
        """Like show(), one by one, for a long or endless iterable; it is read a bit ahead."""
        pending = self._begin("show", (), background=background)
        return self._each(pending, _to_generate(requests))

    def pose_iter(self, requests: Iterable[Request]) -> Iterator[tuple[Problem, str] | Failure]:
        """Like generate_iter(), but each problem comes with its prompt, which may take long."""
        return self._each(self._begin("pose", ()), _to_generate(requests))

    def prepare(self, requests: Iterable[Request]) -> Pending[Problem | Failure]:
        """Generate in the background, when no worker has anything else to do."""
        return self._begin("generate", _to_generate(requests), background=True)

    def judge(
        self, items: Outputs, *, marker: Marker = "any", reading: Reading = "exact"
    ) -> list[Verdict | Failure]:
        """The verdict on each (problem, output), in order, or why there is none."""
        return self._all(self.start_judging(items, marker=marker, reading=reading))

    def judge_iter(
        self, items: Outputs, *, marker: Marker = "any", reading: Reading = "exact"
    ) -> Iterator[Verdict | Failure]:
        """Like judge(), one by one, for a long or endless iterable; it is read a bit ahead."""
        pending = self.start_judging((), marker=marker, reading=reading)
        return self._each(pending, _to_judge(items))

    def start_judging(
        self, items: Outputs, *, marker: Marker = "any", reading: Reading = "exact"
    ) -> Pending[Verdict | Failure]:
        """Start judging and return at once; take the verdicts as they come."""
        check_marker(marker)
        check_reading(reading)
        return self._begin("judge", _to_judge(items), marker, reading)

    def explain(
        self, items: Outputs, *, marker: Marker = "any", reading: Reading = "exact"
    ) -> list[Explanation | Failure]:
        """Like judge(), with what was read in each output and why it gets its verdict."""
        check_marker(marker)
        check_reading(reading)
        return self._all(self._begin("explain", _to_judge(items), marker, reading))

    def call_iter(self, function: Callable[[T], R], items: Iterable[T]) -> Generator[R | Failure]:
        """What a function of a module returns for each item, one by one.

        An item that takes several steps says so by rlve.pool.worker.begin_step.
        """
        tasks = (Task(item, type(item)) for item in items)
        return self._each(self._begin("call", (), function), tasks)

    def start_calls(self, function: Callable[[T], R], items: Iterable[T]) -> Pending[R | Failure]:
        """Like call_iter(), without waiting: take the results as they come."""
        return self._begin("call", (Task(item, type(item)) for item in items), function)

    def close(self) -> None:
        """Kill the workers and abandon what is under way."""
        self._finalizer()

    @property
    def closed(self) -> bool:
        """Whether it accepts no more work."""
        return not self._finalizer.alive or self._dispatcher.over is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _begin(
        self, operation: str, items: Iterable[Task], *options: Any, background: bool = False
    ) -> Pending[Any]:
        self._dispatcher.check()
        pending = Pending[Any](self._dispatcher, operation, options, background)
        pending.add(items)
        return pending

    def _all(self, pending: Pending[Any]) -> list[Any]:
        try:
            return pending.take_all()
        finally:
            pending.cancel()

    def _each(self, pending: Pending[Any], items: Iterator[Task]) -> Generator[Any]:
        window, index, more = LOOK_AHEAD * self.workers, 0, True
        try:
            while True:
                ahead = len(pending) - index
                if more and ahead <= window // 2:
                    more = pending.add(islice(items, window - ahead)) > 0
                if index == len(pending):
                    return
                yield pending.take(index)
                index += 1
        finally:
            pending.abandon()


def check_settings(
    workers: int | None = None, deadline: float = 10.0, memory: int | None = None
) -> None:
    """Refuse what no pool can do."""
    if os.name != "posix":
        raise UserError("a pool needs Linux or macOS")
    if worker.inside:
        raise UserError(
            "a pool's worker tried to create a pool; a script that defines environments and "
            'runs them in a pool must create the pool under `if __name__ == "__main__":`'
        )
    check_limit("workers", workers, AtLeastOne)
    check_limit("deadline", deadline, Positive)
    check_limit("memory", memory, WorkerMemory)


_shared: dict[tuple[int, int | None, float], Pool] = {}


def shared_pool(workers: int | None = None, deadline: float = 10.0) -> Pool:
    """This process's pool with these settings, shared by all callers until it is closed.

    A fork gets its own.
    """
    key = os.getpid(), workers, deadline
    if key not in _shared or _shared[key].closed:
        _shared[key] = Pool(workers, deadline=deadline)
    return _shared[key]


def usable_cores() -> int:
    """The cores this process may use, within the quota of its container if it has one."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    with contextlib.suppress(OSError, ValueError):  # no such file, or "max": no quota
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        cores = min(cores, round(int(quota) / int(period)))
    return max(1, cores)


def _to_generate(requests: Iterable[Request]) -> Iterator[Task]:
    for request in requests:
        environment = cast(object, request.environment)
        if not isinstance(environment, type):
            raise UserError(f"{environment!r} is not an environment class")
        yield Task(request, environment)


def _to_judge(items: Outputs) -> Iterator[Task]:
    for problem, output in items:
        check_output(output)
        given = isinstance(problem, Request)
        environment = problem.environment if given else type(problem)
        yield Task((problem, output), environment, len(output) * PER_CHARACTER)
