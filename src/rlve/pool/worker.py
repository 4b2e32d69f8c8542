"""What a worker process of a pool runs; rlve.pool is the other side.

A worker takes runs of items from its socket and sends the outcomes back. Before each item it
notes, in a page of memory shared with the pool, which item it is and the time, so that the pool
knows which one to blame if it never comes back. A long item also notes, in a file shared with the
pool, which step it begins (`begin_step`). This module imports little, so that a killed worker is
replaced quickly.
"""

import faulthandler
import mmap
import os
import pickle  # noqa: TID251  both ends of the socket are this program
import select
import signal
import sys
from collections.abc import Callable
from functools import lru_cache
from io import BytesIO
from time import monotonic
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from rlve.answers import Marker, Reading
from rlve.contract import AnyEnvironment, Explanation, Level, Problem, Verdict
from rlve.errors import UserError

inside = False  # whether this process is a worker

HEADER = 8  # bytes that hold the length of a message
OUT_OF_MEMORY = 77  # the exit status of a worker that ran out of memory
FLUSH = 0.05  # seconds after which outcomes are sent before the end of the run

FailureKind: TypeAlias = Literal["deadline", "crash", "memory", "error"]


class Request(NamedTuple):
    """A problem that a worker makes.

    It is generated or, if there are parameters, which anybody may have written, loaded from these.
    """

    environment: AnyEnvironment
    difficulty: int = 0
    seed: int = 0
    parameters: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        return self.environment.__name__


class Shown(NamedTuple):
    """A problem, with everything a person wants to see of it."""

    problem: Problem
    level: Level  # what was drawn
    prompt: str
    reference: str | None
    worked: list[str]


class Failure(msgspec.Struct, frozen=True):
    """Why an item has no result."""

    kind: FailureKind
    message: str
    step: str = ""  # the step it was at, if the item said so


def generate(request: Request) -> Problem:
    if request.parameters is not None:
        return request.environment.from_parameters(request.parameters)
    return request.environment.generate(difficulty=request.difficulty, seed=request.seed)


def show(request: Request) -> Shown:
    problem = generate(request)
    _, level = request.environment.drawn_level(request.difficulty, request.seed)
    return Shown(problem, level, problem.prompt(), problem.reference(), problem.worked())


def pose(request: Request) -> tuple[Problem, str]:
    problem = generate(request)
    return problem, problem.prompt()


def solve(request: Request) -> tuple[Problem, str | None]:
    problem = generate(request)
    return problem, problem.reference()


def find_problem(given: Problem | Request) -> Problem:
    """A problem that is given as itself, or requested."""
    if not isinstance(given, Request):
        return given
    return _generate_once(given) if given.parameters is None else generate(given)


# The outputs for one problem come one after another, so the last problem is kept for the next.
_generate_once = lru_cache(maxsize=1)(generate)


def judge(
    item: tuple[Problem | Request, str], marker: Marker, reading: Reading = "exact"
) -> Verdict:
    given, output = item
    problem = find_problem(given)
    if reading == "exact":  # an environment's own verify() may not have the argument
        return problem.verify(output, marker=marker)
    return problem.verify(output, marker=marker, reading=reading)


def explain(
    item: tuple[Problem | Request, str], marker: Marker, reading: Reading = "exact"
) -> Explanation:
    given, output = item
    return find_problem(given).explain(output, marker=marker, reading=reading)


def call(item: Any, function: Callable[[Any], Any]) -> Any:
    try:
        return function(item)
    finally:
        os.ftruncate(_notes, 0)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "generate": generate,
    "solve": solve,
    "show": show,
    "pose": pose,
    "judge": judge,
    "explain": explain,
    "call": call,
}

_notes = -1  # file descriptor of the notes of this worker
_entry: "memoryview[float]" = memoryview(bytearray(16)).cast("d")  # this worker's, of the board


def begin_step(text: str) -> None:
    """Say what the current item does next: it gets the full deadline, and a Failure names it."""
    os.ftruncate(_notes, 0)
    os.write(_notes, text.encode() + b"\n")
    _entry[1] = monotonic()


def attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """The function's result, or a Failure if it raises."""
    try:
        return function(*arguments)
    except MemoryError:
        pass  # reported below, when the frames that hold the memory are gone
    except Exception as error:  # noqa: BLE001  environments are other people's code
        return Failure("error", describe(error))
    return Failure("memory", "it needs more memory than it may use")


def describe(error: BaseException) -> str:
    """The error's type, its message, and the line that raised it."""
    if isinstance(error, UserError):  # its message says it all
        return str(error)[:1000]
    import traceback

    what = "".join(traceback.format_exception_only(error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    return what[:1000] + where


def main(
    *,
    socket: int,  # file descriptor: runs come in and outcomes go out
    lifeline: int,  # the read end of a pipe that closes when the pool is gone
    board: int,  # file descriptor of the page shared by all workers; ours is entry `slot`
    slot: int,
    notes: int,  # file descriptor, for appending
    memory: int | None,
    script: list[str] | None,  # how the parent was started: "path" or "module", and its name
    argv: list[str],
) -> None:
    """Serve the pool until it closes the socket."""
    global inside, _notes, _entry
    inside = True
    _die_with_parent(lifeline)
    os.dup2(2, 1)  # an environment's prints must not mix with the parent's output
    _notes = notes
    # This signal has the worker note where it is, and ends it.
    faulthandler.register(signal.SIGUSR1, notes, all_threads=False, chain=True)
    _entry = memoryview(mmap.mmap(board, 0)).cast("d")[2 * slot : 2 * slot + 2]
    load = _loader(script, argv)
    if memory is not None:
        _limit_memory(memory)
    try:
        _send(socket, b"")  # ready
        while (message := _receive(socket)) is not None:
            _run(load, message, socket)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the pool is gone


def _run(load: Callable[[bytes], Any], message: bytes, socket: int) -> None:
    try:
        name, options, items = load(message)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  loading imports other people's modules
        _send(socket, pickle.dumps(describe(error)))
        return
    operation = OPERATIONS[name]
    outcomes: list[tuple[Any, float]] = []
    flushed = began = monotonic()
    for index, item in enumerate(items):
        _entry[1] = began  # before the index, so that a late reader never blames a new item
        _entry[0] = index + 1
        outcome = attempt(_portable, operation, item, *options)
        exhausted = isinstance(outcome, Failure) and outcome.kind == "memory"
        now = monotonic()
        outcomes.append((outcome, now - began))
        began = now
        if exhausted or now - flushed > FLUSH:
            _send(socket, pickle.dumps(outcomes))
            outcomes, flushed = [], now
        if exhausted:
            os._exit(OUT_OF_MEMORY)  # the remaining memory is too fragmented
    if outcomes:
        _send(socket, pickle.dumps(outcomes))


def _portable(operation: Callable[..., Any], *arguments: Any) -> Any:
    """The result in a form that can always be sent; making it counts as work on the item."""
    result = operation(*arguments)
    if isinstance(result, Verdict) and type(result.reward) in (float, int):
        return result
    return pickle.dumps(result, pickle.HIGHEST_PROTOCOL)


def framed(message: bytes) -> bytes:
    """The message as it is sent: its length, then itself."""
    return len(message).to_bytes(HEADER, "big") + message


def _send(socket: int, message: bytes) -> None:
    rest = memoryview(framed(message))
    while rest:
        rest = rest[os.write(socket, rest) :]


def _receive(socket: int) -> bytes | None:
    header = _read(socket, HEADER)
    return None if header is None else _read(socket, int.from_bytes(header, "big"))


def _read(socket: int, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = os.read(socket, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _limit_memory(memory: int) -> None:
    import resource

    # On Linux the data limit counts all memory a process can write to, however it got it, but not
    # mapped libraries. Elsewhere it covers less, so the address space is limited instead.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    hard = resource.getrlimit(kind)[1]
    limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(kind, (limit, limit))


def _die_with_parent(lifeline: int) -> None:
    """Have this process and all it has started killed when the pool's end of the pipe closes."""
    if sys.platform == "linux":
        import fcntl

        # The kernel does it, even while the interpreter is stuck in a call.
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC)
        if select.select([lifeline], [], [], 0)[0]:  # it closed before we started watching
            os._exit(1)
    else:
        from threading import Thread

        Thread(target=_watch, args=[lifeline], daemon=True).start()


def _watch(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.killpg(0, signal.SIGKILL)


def _loader(script: list[str] | None, argv: list[str]) -> Callable[[bytes], Any]:
    """A function that loads messages, and runs the parent's script only if it needs its classes."""

    loaded = False  # our own flag, since multiprocessing also makes a module __mp_main__

    class Unpickler(pickle.Unpickler):
        def find_class(self, module_name: str, global_name: str) -> Any:
            nonlocal loaded
            if module_name in ("__main__", "__mp_main__") and not loaded:
                _load_script(script, argv)
                loaded = True
            elif " " in module_name and module_name not in sys.modules:
                from rlve.targets import load_named

                load_named(module_name)
            return super().find_class(module_name, global_name)

    return lambda message: Unpickler(BytesIO(message)).load()


def _load_script(script: list[str] | None, argv: list[str]) -> None:
    """Run the parent's script under the name that multiprocessing also gives it in a child."""
    import runpy
    from types import ModuleType

    if script is None:
        raise UserError(
            "a worker cannot load a class typed into an interactive session: put it in a file"
        )
    sys.argv = argv
    kind, place = script
    run = runpy.run_path if kind == "path" else runpy.run_module
    module = ModuleType("__mp_main__")
    module.__dict__.update(run(place, run_name="__mp_main__"))
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
