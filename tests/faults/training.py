"""A training run that is killed, stopped or damaged ends as if nothing had been."""

import json
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import torch
from safetensors.torch import load_file

from faults.scenes import Child, Scene, wait_until
from faults.trainee import STOPPED
from rlve.foundation.run_folders import checkpoints
from rlve.registry import registered
from rlve.train.history import read_steps, read_validations
from rlve.train.trainer import train
from support.run_tiny import MEASURED, tiny_config
from support.successor import Successor
from support.tiny import save_tiny_policy

STEPS = 12
SIGNALS = {
    "trainer: SIGKILL": signal.SIGKILL,
    "trainer: SIGTERM": signal.SIGTERM,
    "trainer: SIGINT": signal.SIGINT,
    "trainer: SIGHUP": signal.SIGHUP,
}
CLOCK = "trainer: clock jumps"
CUT, FLIPPED = "checkpoint: file cut short", "checkpoint: a bit flipped"
METRICS = "metrics.jsonl cut short"
DRAFT = "drafts of a killed run"


class Training:
    """Runs of one policy, each with other faults; the first, to compare with, has none."""

    def __init__(self, place: Path) -> None:
        self.policy = save_tiny_policy(place / "policy")
        self.whole = place / "whole"
        self.finish(self.whole)

    def scenario(self, scene: Scene) -> None:
        folder = scene.place / "run"
        faults = [CUT, FLIPPED, METRICS, DRAFT, *SIGNALS, *SIGNALS, *SIGNALS]
        for fault in scene.rng.choices(faults, k=scene.rng.randint(1, 4)):
            self.suffer(scene, folder, fault)
        child = self.begin(scene, folder)
        assert child.wait() == 0, child.said()
        self.check(folder)

    def finish(self, folder: Path) -> None:
        """Train in this process, to the last step."""
        config = tiny_config(self.policy, folder, validation=MEASURED)
        with registered(Successor):
            train(config, resume=folder.exists())

    def suffer(self, scene: Scene, folder: Path, fault: str) -> None:
        """Let one fault happen to a run, wherever it stands."""
        if fault in SIGNALS:
            self.interrupt(scene, folder, fault)
        elif fault == METRICS:
            cut(scene, folder / "metrics.jsonl", fault)
        elif fault == DRAFT:
            if (folder / "checkpoints").is_dir():
                (folder / "checkpoints" / ".step-000004.999999").mkdir(exist_ok=True)
                (folder / ".config.json.999999.part").write_text("{")
                scene.tried[fault] += 1
        else:
            damage(scene, folder, fault)

    def begin(self, scene: Scene, folder: Path) -> Child:
        clock = scene.rng.randrange(1000) if scene.rng.random() < 0.3 else None
        scene.tried[CLOCK] += clock is not None
        settings = {"policy": str(self.policy), "folder": str(folder), "clock": clock}
        return Child("faults.trainee", json.dumps(settings), log=scene.place / "log")

    def interrupt(self, scene: Scene, folder: Path, fault: str) -> None:
        child = self.begin(scene, folder)
        target = scene.rng.randint(0, STEPS - 1)
        wait_until(lambda: not child.running or lines(folder) >= target, child.said())
        time.sleep(scene.rng.uniform(0, 0.3))  # any moment of the step
        child.send(SIGNALS[fault])
        status = child.wait()
        if status == -SIGNALS[fault]:  # also a signal that came before anybody could listen
            scene.tried[fault] += 1
        elif status == STOPPED:
            scene.tried[fault] += 1
            steps = [step.step for step in read_steps(folder)]
            [*_, last] = checkpoints(folder)
            assert last.name == f"step-{steps[-1]:06d}", "the last step was lost"
        else:
            assert status == 0 or "KeyboardInterrupt" in child.said(), child.said()

    def check(self, folder: Path) -> None:
        """It is as the run without faults is, but for metrics that were cut off."""
        expected = {step["step"]: step for step in timeless(read_steps(self.whole))}
        found = timeless(read_steps(folder))
        numbers = [step["step"] for step in found]
        assert numbers == sorted(set(numbers)), "steps are doubled"
        assert found == [expected[number] for number in numbers]
        assert timeless(read_validations(folder)) == timeless(read_validations(self.whole))
        mine, theirs = weights(folder), weights(self.whole)
        assert mine.keys() == theirs.keys()
        assert all(torch.equal(mine[name], theirs[name]) for name in mine)
        left = [path.name for path in (*folder.iterdir(), *(folder / "checkpoints").iterdir())]
        assert [name for name in left if name.startswith(".")] == [".lock"], left


def lines(folder: Path) -> int:
    place = folder / "metrics.jsonl"
    return place.read_bytes().count(b"\n") if place.exists() else 0


def damage(scene: Scene, folder: Path, fault: str) -> None:
    """Spoil the newest checkpoint, if there is one before it."""
    found = checkpoints(folder)
    if len(found) < 2:
        return
    files = sorted(path for path in found[-1].rglob("*") if path.is_file())
    victim = scene.rng.choice(files)
    if fault == CUT:
        cut(scene, victim, fault)
    elif content := bytearray(victim.read_bytes()):
        content[scene.rng.randrange(len(content))] ^= 1 << scene.rng.randrange(8)
        victim.write_bytes(content)
        scene.tried[fault] += 1


def cut(scene: Scene, victim: Path, fault: str) -> None:
    size = victim.stat().st_size if victim.exists() else 0
    if size:
        with victim.open("r+b") as file:
            file.truncate(scene.rng.randrange(size))
        scene.tried[fault] += 1


def timeless(records: Sequence[msgspec.Struct]) -> list[dict[str, object]]:
    """Without what differs from one time to the next."""
    return [msgspec.to_builtins(record) | {"seconds": None} for record in records]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    [*_, last] = checkpoints(folder)
    assert last.name == f"step-{STEPS:06d}"
    return load_file(last / "model" / "model.safetensors")
