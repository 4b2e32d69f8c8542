"""Whether training over HTTP survives kill -9 of `rlve serve`.

    python benchmarks/restarts.py                  ten times, in a run of 40 steps of nano
    python benchmarks/restarts.py --kills 2 --steps 8

Problems, verdicts and the curriculum come from a server. One run has a server that nobody disturbs;
during the other it is killed, at any moment, and started again. If the metrics of the two differ,
or the verdicts on any output, the exit code is 1.
"""

# ruff: noqa: E402  torch's threads must be told to share the cores before torch is imported

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from rlve.models.threads import share_cores

share_cores()

import tyro

from rlve import Gym
from rlve.files import find_differences
from rlve.models.policy import Policy
from rlve.pool import Pool
from rlve.run_folders import GROUPS, METRICS
from rlve.server.client import RemotePool, RemoteStream
from rlve.train import trainer
from rlve.train.config import Config
from rlve.train.history import StepMetrics
from rlve.train.presets import preset
from rlve.train.watchers import Watcher


class KilledServer(Watcher[StepMetrics]):
    """`rlve serve`, killed and started again after some steps of a run."""

    def __init__(self, kills: int, steps: int) -> None:
        self._process, self.url = _started(0)
        self._port = int(self.url.rpartition(":")[2])
        self._rng = Random(0)
        self._due = {1 + steps * number // max(kills, 1) for number in range(kills)}
        self.killed: list[float] = []
        self._killer: threading.Thread | None = None

    def stepped(self, metrics: StepMetrics) -> None:
        if metrics.step in self._due:
            self._killer = threading.Thread(target=self._kill)
            self._killer.start()

    def _kill(self) -> None:
        time.sleep(self._rng.uniform(0, 2))  # any moment of the step
        self._process.kill()
        self._process.wait()
        self.killed.append(time.monotonic())
        self._process, _ = _started(self._port)

    def close(self) -> None:
        """Stop the server for good."""
        if self._killer is not None:
            self._killer.join()
        self._process.send_signal(signal.SIGINT)
        self._process.wait()


def _started(port: int) -> tuple[subprocess.Popen[str], str]:
    words = [sys.executable, "-m", "rlve", "serve", "--port", str(port), "--workers", "1"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = re.search(r"http://\S+:\d+", server.stdout.readline())
    assert address is not None, "the server did not start"
    return server, address[0]


@contextmanager
def over_http(url: str) -> Generator[None]:
    """While the block runs, runs take problems and verdicts from a server."""

    def pool(*_: object, **__: object) -> Pool:
        return RemotePool(url)

    def gym(config: Config, policy: Policy, pool: Pool) -> Gym:
        data, rollout = config.data, config.rollout
        return Gym(
            group=rollout.group,
            format=policy.form,
            signal=rollout.signal,
            reading=rollout.reading,
            pool=pool,
            source=RemoteStream(
                url,
                data.environments,
                group=rollout.group,
                seed=config.run.seed,
                curriculum=data,
                max_prompt_length=2 * data.max_prompt_tokens,  # characters
            ),
        )

    with patch.object(trainer, "Pool", pool), patch.object(trainer, "make_gym", gym):
        yield


def trained(folder: Path, steps: int, kills: int) -> tuple[list[Any], float]:
    """What a run writes down, and the seconds from the first kill to the last."""
    config = preset("nano")
    config = replace(
        config,
        rollout=replace(config.rollout, problems=8, oversample=12, group=8),
        validation=replace(config.validation, every=0),
        run=replace(config.run, folder=folder, steps=steps, checkpoint_every=steps),
    )
    server = KilledServer(kills, steps)
    try:
        with over_http(server.url):
            trainer.train(config, [server], show=False)
    finally:
        server.close()
    lines = [
        json.loads(line) | {"seconds": None}
        for name in (METRICS, GROUPS)
        for line in (folder / name).read_bytes().splitlines()
    ]
    assert len(server.killed) == kills, f"{len(server.killed)} kills, not {kills}"
    return lines, server.killed[-1] - server.killed[0] if kills else 0.0


def main(steps: int = 40, kills: int = 10) -> int:
    """Compare two runs.

    Args:
        steps: Training steps of each.
        kills: How often the server of the second is killed.
    """
    os.environ.pop("RLVE_TOKEN", None)
    with tempfile.TemporaryDirectory() as place:
        calm, _ = trained(Path(place) / "calm", steps, 0)
        begin = time.monotonic()
        disturbed, between = trained(Path(place) / "disturbed", steps, kills)
        spent = time.monotonic() - begin
    same = calm == disturbed
    print(
        f"{steps} steps in {spent:.0f} s, while the server was killed {kills} times within "
        f"{between:.0f} s: {len(disturbed):,} lines of metrics and verdicts are "
        + ("the same as in the run that nobody disturbed." if same else "not the same!")
    )
    for number, (left, right) in enumerate(zip(calm, disturbed, strict=False), 1):
        if fields := find_differences(left, right):
            print(f"line {number}, step {left['step']}, differs first, in {', '.join(fields)}")
            break
    return int(not same)


if __name__ == "__main__":
    sys.exit(tyro.cli(main))
