"""How much load one `rlve serve` bears, and whether it loses anything.

    python benchmarks/serve.py                     on all cores, from 16 connections
    python benchmarks/serve.py --workers 2 --connections 32 --seconds 10

A server is started, and receives requests over several connections from this machine, which share
its cores. Every reply is compared with what the gym says in this process. In the last part, workers
are killed all the time. If a verdict is missing or wrong, the exit code is 1.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx
import msgspec
import psutil
import tyro

import rlve
from rlve.reports.terminal import print_table

NAMES = ("Sorting", "Multiplication", "SAT", "ShortestPath")
KILL_EVERY = 1.0  # seconds between killing workers, if they have judged
BETWEEN_KILLS = 500  # outputs: one whose worker is killed twice would have no verdict
PATIENCE = 10.0  # seconds that a request may take


@dataclass
class Load:
    """The measurements of one kind of request."""

    what: str
    items: int  # per request
    seconds: list[float] = field(default_factory=list[float])
    wrong: int = 0
    spent: float = 0.0

    def row(self) -> tuple[str, ...]:
        """A row of the table."""
        took = sorted(self.seconds)
        rate = len(took) / self.spent
        return (
            self.what,
            f"{self.items:,}",
            f"{len(took):,}",
            f"{rate:,.0f}",
            f"{rate * self.items:,.0f}",
            f"{1000 * took[len(took) // 2]:.1f} ms",
            f"{1000 * took[int(0.99 * (len(took) - 1))]:.1f} ms",
            f"{self.wrong:,}",
        )


def main(
    workers: int | None = None, connections: int = 16, seconds: float = 5.0, quick: bool = False
) -> int:
    """Measure.

    Args:
        workers: Workers of the server; by default one per core.
        connections: Connections that send requests at the same time.
        seconds: Time for each kind of request.
        quick: Take about a second in total, to see that it works.
    """
    seconds = 0.3 if quick else seconds
    words = [sys.executable, "-m", "rlve", "serve", "--port", "0"]
    words += [] if workers is None else ["--workers", str(workers)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = re.search(r"http://\S+:\d+", server.stdout.readline())
            assert address is not None, "the server did not start"
            loads = [measured(load, ask, address[0], connections, seconds) for load, ask in kinds()]
            print_table(
                ("request", "items", "requests", "per second", "items/s", "p50", "p99", "wrong"),
                [load.row() for load in loads],
            )
            lost = survived(address[0], server.pid, 20 if quick else 100)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)
    faulty = bool(lost or any(load.wrong for load in loads))
    print("Something was wrong." if faulty else "Nothing was lost or wrong.")
    return int(faulty)


Ask = Callable[[httpx.Client, int], bool]
"""Sends the n-th request, and says whether the reply is right."""


def kinds() -> list[tuple[Load, Ask]]:
    """The kinds of requests, from the smallest to the largest."""
    return [
        (Load("health", 1), lambda client, _: client.get("/health").status_code == 200),
        (Load("generate", 1), generating(1)),
        (Load("generate", 64), generating(64)),
        (Load("verify", 1), verifying(1)),
        (Load("verify", 16), verifying(16)),
        (Load("verify", 256), verifying(256)),
        (Load("verify by seed", 1), verifying(1, by_seed=True)),
        (Load("verify by seed", 256), verifying(256, by_seed=True)),
    ]


def generating(items: int) -> Ask:
    """Requests for problems of one environment."""
    cls = rlve.environment("Sorting")

    def ask(client: httpx.Client, n: int) -> bool:
        seed = n * items
        wanted = {"environment": "Sorting", "difficulty": 3, "seed": seed, "count": items}
        reply = client.post("/v1/generate", json={"requests": [wanted]})
        if reply.status_code != 200:
            return False
        problems = reply.json()["problems"]
        last = cls.generate(difficulty=3, seed=seed + items - 1).prompt()
        return len(problems) == items and problems[-1]["prompt"] == last

    return ask


def verifying(items: int, *, by_seed: bool = False) -> Ask:
    """Requests for verdicts on right and wrong outputs in turn."""
    problems = [rlve.environment(name).generate(difficulty=2, seed=1) for name in NAMES]
    outputs = [(p, output) for p in problems for output in (right(p), "<answer>0</answer>")]
    asked = [outputs[i % len(outputs)] for i in range(items)]
    body = {"items": [given(p, by_seed=by_seed) | {"output": output} for p, output in asked]}
    expected = [p.verify(output).reward for p, output in asked]

    def ask(client: httpx.Client, _: int) -> bool:
        reply = client.post("/v1/verify", json=body)
        if reply.status_code != 200:
            return False
        return [verdict["reward"] for verdict in reply.json()["verdicts"]] == expected

    return ask


def right(problem: rlve.Problem) -> str:
    return f"<answer>{problem.reference()}</answer>"


def given(problem: rlve.Problem, *, by_seed: bool = False) -> dict[str, Any]:
    """A problem of difficulty 2 and seed 1 as it is sent."""
    name = {"environment": type(problem).__name__}
    named = {"difficulty": 2, "seed": 1} if by_seed else {"parameters": problem.parameters()}
    return name | named


def measured(load: Load, ask: Ask, url: str, connections: int, seconds: float) -> Load:
    """Send requests for this many seconds, over all connections at once."""
    numbers = count()
    until = time.perf_counter() + seconds

    def work() -> None:
        with httpx.Client(base_url=url, timeout=PATIENCE) as client:
            while True:  # at least once, however long the start took
                begin = time.perf_counter()
                right = False
                with suppress(httpx.TransportError):
                    right = ask(client, next(numbers))
                load.wrong += not right
                end = time.perf_counter()
                load.seconds.append(end - begin)
                if end >= until:
                    return

    begin = time.perf_counter()
    threads = [threading.Thread(target=work) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load.spent = time.perf_counter() - begin
    return load


def survived(url: str, server: int, rounds: int) -> int:
    """Judge while workers are killed; return how many verdicts are missing or wrong."""
    problems = [
        rlve.environment(name).generate(difficulty=d, seed=d) for name in NAMES for d in range(5)
    ]
    pairs = [
        (problem, output)
        for problem in problems
        for output in (right(problem), "<answer>7</answer>", "nothing")
    ] * 10
    items = [given(problem) | {"output": output} for problem, output in pairs]
    expected = [msgspec.to_builtins(problem.verify(output)) for problem, output in pairs]
    expected = [each | {"failure": None} for each in expected]
    over = threading.Event()
    killed = judged = 0

    def kill() -> None:
        nonlocal killed
        before = 0
        while not over.wait(KILL_EVERY):
            victims = psutil.Process(server).children()
            if victims and judged >= before + BETWEEN_KILLS:
                before = judged
                os.kill(min(victims, key=psutil.Process.create_time).pid, signal.SIGKILL)
                killed += 1

    killer = threading.Thread(target=kill)
    killer.start()
    faults = 0
    begin = time.perf_counter()
    with httpx.Client(base_url=url, timeout=600) as gym:
        for _ in range(rounds):
            verdicts = gym.post("/v1/verify", json={"items": items}).json()["verdicts"]
            faults += sum(found != right for found, right in zip(verdicts, expected, strict=True))
            judged += len(items)
    spent = time.perf_counter() - begin
    over.set()
    killer.join()
    total = rounds * len(items)
    print(
        f"{total:,} verdicts in {spent:.1f} s, while {killed} workers were killed: {faults} "
        "missing or wrong."
    )
    return faults


if __name__ == "__main__":
    sys.exit(tyro.cli(main))
