"""How far up every environment keeps its promises: what its max_difficulty can be.

    python benchmarks/limits.py -o limits.jsonl             all; resumes where it stopped
    python benchmarks/limits.py Sorting SAT -o limits.jsonl

Difficulties double until a problem breaks a promise, and then the interval is halved a few times.
Each level is tried in its own process, with limits on memory and on CPU time, which a busy machine
does not distort. The last column is what a class may declare: a round number below what was
measured, so that a slower machine keeps the promises as well.
"""

import multiprocessing
import re
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated

import msgspec
import tyro
from tyro.conf import Positional, arg

from rlve.collections import resolve
from rlve.contract import AnyEnvironment
from rlve.errors import UserError, raised
from rlve.foundation.files import append_line, read_lines
from rlve.registry import environment, environments

# Limits for a problem: seconds of CPU time, bytes, characters, digits.
GENERATE, REFERENCE, VERIFY = 0.25, 0.5, 0.05
DEADLINE = 1.0  # for all three together; then the process is killed
MEMORY = 512 * 2**20
PROMPT = 32_000
DIGITS = 4_000

SEEDS = 3
START, CAP = 20, 1_000  # the first difficulty tried, and the last
HALVINGS = 4
PLAIN = (
    1,
    1.2,
    1.5,
    2,
    2.5,
    3,
    3.5,
    4,
    4.5,
    5,
    6,
    7,
    8,
    9,
)  # times powers of ten: numbers people can remember
MARGIN = 0.9  # the share of what was measured

_LONG_NUMBER = re.compile(rf"[0-9]{{{DIGITS + 1},}}")


class Limit(msgspec.Struct, frozen=True):
    """The measured limit of an environment."""

    name: str
    highest: int  # the highest difficulty tried at which all promises are kept; -1: none
    broken: str  # what happened at the lowest difficulty tried that breaks one; "": none does
    seconds: float  # how long measuring took

    @property
    def suggested(self) -> int:
        """A round number, with a margin."""
        if not self.broken:
            return self.highest
        steps = (int(step * 10**power) for power in range(4) for step in PLAIN)
        return max((d for d in steps if d <= MARGIN * self.highest), default=0)


def main(
    names: Annotated[Positional[tuple[str, ...]], arg(metavar="[NAME ...]")] = (),
    /,
    *,
    output: Annotated[Path, arg(aliases=["-o"], metavar="FILE")],
) -> int:
    """Measure how high the difficulty of environments can rise.

    Args:
        names: Environments and collections to measure; all by default.
        output: A JSON-lines file to add results to; environments already in it are skipped.
    """
    known = {limit.name for limit in read_lines(output, Limit)}
    for name in resolve(names or environments()):
        if name not in known:
            limit = measure(environment(name))
            append_line(output, limit)
            print(f"{name:50} {limit.highest:6} {limit.suggested:6}  {limit.broken}", flush=True)
    return 0


def measure(env: AnyEnvironment) -> Limit:
    """The highest difficulty at which an environment keeps its promises."""
    start = time.perf_counter()
    cap = CAP if env.max_difficulty is None else min(CAP, env.max_difficulty)
    good, bad, why = -1, cap + 1, ""
    for d in _doubling(min(START, cap), cap):
        if complaint := trial(env, d):
            bad, why = d, complaint
            break
        good = d
    for _ in range(HALVINGS if why else 0):
        middle = (max(good, 0) + bad) // 2
        if middle in (good, bad):
            break
        if complaint := trial(env, middle):
            bad, why = middle, complaint
        else:
            good = middle
    broken = f"d = {bad}: {why}" if why else ""
    return Limit(env.__name__, good, broken, round(time.perf_counter() - start, 2))


def _doubling(first: int, cap: int) -> Iterator[int]:
    d = first
    while d < cap:
        yield d
        d = max(1, 2 * d)
    yield cap


def trial(env: AnyEnvironment, d: int) -> str:
    """Which promise the problems of a level break, tried in another process; empty: none."""
    fork = multiprocessing.get_context("fork")  # the class is already loaded
    receiver, sender = fork.Pipe(duplex=False)
    process = fork.Process(target=_child, args=(sender, env, d))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        process.join()
        if process.exitcode == -signal.SIGPROF:
            return f"takes more than {DEADLINE:g} s"
        return f"ends its process with {process.exitcode}"
    finally:
        receiver.close()
        process.join()


def _child(answers: Connection, env: AnyEnvironment, d: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    try:
        complaint = next(iter(_complaints(env, d, range(SEEDS))), "")
    except MemoryError:
        complaint = f"takes more than {MEMORY / 2**20:g} MiB"
    except Exception as error:  # noqa: BLE001  whatever an environment raises is its limit
        complaint = raised(error)
    answers.send(complaint)


def _complaints(env: AnyEnvironment, d: int, seeds: Iterable[int]) -> Iterator[str]:
    for seed in seeds:
        signal.setitimer(signal.ITIMER_PROF, DEADLINE)  # its signal ends the process
        start = time.process_time()
        problem = env.generate(difficulty=d, seed=seed)
        prompt = problem.prompt()
        made = time.process_time()
        answer = problem.reference()
        solved = time.process_time()
        verdict = problem.verify(f"<answer>{answer}</answer>")
        judged = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, 0)
        if made - start > GENERATE:
            yield f"generating takes {made - start:.2f} s"
        if solved - made > REFERENCE:
            yield f"the reference takes {solved - made:.2f} s"
        if judged - solved > VERIFY:
            yield f"a verdict takes {judged - solved:.2f} s"
        if len(prompt) > PROMPT:
            yield f"the prompt has {len(prompt):,} characters"
        if answer is not None and _LONG_NUMBER.search(answer):
            yield f"the reference has a number with more than {DIGITS:,} digits"
        if answer is not None and not verdict.correct:
            yield "the reference is not correct"


if __name__ == "__main__":
    try:
        sys.exit(tyro.cli(main, config=(tyro.conf.OmitArgPrefixes,)))
    except UserError as error:
        print(f"limits.py: {error}", file=sys.stderr)
        sys.exit(2)
