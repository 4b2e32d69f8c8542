"""A disk that is full at any moment of a command.

The disk is a small file system in memory, which only the command's process can see. A large file in
it leaves the command as many bytes as the moment needs.
"""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from faults.scenes import Child, Scene

DISK = 8 * 2**20  # bytes
MOST = {"train": 600_000, "teach": 500_000, "eval": 60_000, "export": 120_000}
"""Bytes that a command needs, or nearly."""
TAUGHT = """
    --policy.format plain --policy.device cpu
    --data.environments Successor --data.examples 16
    --data.max-prompt-tokens 64 --data.max-answer-tokens 4
    --update.learning-rate 1e-2 --update.warmup-steps 2 --update.micro-batch-tokens 64
    --validation.levels 0 3 --validation.problems 6 --validation.every 2
    --run.steps 4 --run.checkpoint-every 2 --run.workers 1
"""


def before(place: Path) -> list[str]:
    """The beginning of a command line whose command has a small disk at a place."""
    mount = f'mount -t tmpfs -o size={DISK} tmpfs "$0" && exec "$@"'
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, str(place)]


@cache
def trouble() -> str | None:
    """Why there can be no small disk here, if so."""
    try:
        done = subprocess.run(
            [*before(Path("/mnt")), "true"], check=False, capture_output=True, text=True
        )
    except OSError as error:
        return str(error)
    return done.stderr.strip() if done.returncode else None


class Subject(NamedTuple):
    """What commands work on: a policy, and runs of it that met no fault."""

    policy: Path
    train: Path
    teach: Path
    suite: Path


def make_subject(place: Path) -> Subject:
    """A small policy that reads its own answers, two short runs of it, and a few questions."""
    from tokenizers import AddedToken
    from transformers import AutoTokenizer

    from rlve.datasets.rows import ProblemRow, write_rows
    from rlve.registry import registered
    from rlve.train.trainer import train
    from support.run_tiny import MEASURED, tiny_config
    from support.successor import Successor
    from support.tiny import save_tiny_policy

    place.mkdir()
    policy = save_tiny_policy(place / "policy")
    tokenizer = AutoTokenizer.from_pretrained(policy)
    answers = [f"<answer>{digit}</answer>" for digit in range(10)]
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in answers])
    tokenizer.save_pretrained(policy)
    subject = Subject(policy, place / "train", place / "teach", place / "suite.jsonl")
    with registered(Successor):
        train(tiny_config(policy, subject.train, steps=4, validation=MEASURED))
        assert called(line("teach", place, subject)) == (0, "")
        problems = [Successor.generate(difficulty=0, seed=seed) for seed in range(6)]
    rows = [
        ProblemRow(id=f"q{n}", environment="Successor", parameters=p.parameters(), difficulty=0)
        for n, p in enumerate(problems)
    ]
    write_rows(subject.suite, rows)
    return subject


def full_disk(scene: Scene, subject: Subject) -> None:
    """Commands end in a sentence and leave no draft; resumed, they end as if nothing had been."""
    command = scene.rng.choice(list(MOST))
    suffer(scene, subject, [(command, scene.rng.randrange(MOST[command])) for _ in range(2)])


def suffer(scene: Scene, subject: Subject, moments: Sequence[tuple[str, int]]) -> None:
    """Each moment is a command, and how many bytes it finds."""
    disk = scene.place / "disk"
    disk.mkdir()
    words = json.dumps(
        {
            "disk": str(disk),
            "moments": moments,
            "subject": list(map(str, subject)),
        }
    )
    child = Child("faults.filling", words, log=scene.place / "log", before=before(disk))
    assert child.wait() == 0, child.said()
    for command in re.findall(r"^full: (\w+)$", child.log.read_text(), re.MULTILINE):
        scene.tried[f"{command}: full disk"] += 1


# In the process that has the small disk:


def main() -> int:
    settings = json.loads(sys.argv[1])
    disk = Path(settings["disk"])
    subject = Subject(*map(Path, settings["subject"]))
    import torch

    import rlve
    from support.successor import Successor

    torch.set_num_threads(1)
    rlve.register(Successor)
    for command, moment in settings["moments"]:
        if go_through(command, disk, subject, moment):
            print(f"full: {command}")
        for left in disk.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    return 0


def go_through(command: str, disk: Path, subject: Subject, moment: int) -> bool:
    """Run a command with so many bytes left, and again with enough; whether it was too few."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    os.truncate(ballast, max(0, ballast.stat().st_size - moment))
    status, said = called(line(command, disk, subject))
    full = status != 0
    if full:
        check_words(command, disk, status, said)
    check_drafts(disk)
    ballast.unlink()
    status, said = called(line(command, disk, subject)) if full else (0, "")
    assert status == 0, said
    check_drafts(disk)
    compare(command, disk, subject)
    return full


def line(command: str, disk: Path, subject: Subject) -> list[str]:
    """The command line; the second time it resumes."""
    folder = disk / command
    if command == "export":
        return ["export", str(subject.train), str(folder)]
    if command == "eval":
        words = f"eval --model {subject.policy} --suite {subject.suite} --folder {folder} -n 2"
        return [*words.split(), "--format", "plain", "--max-tokens", "8", "--workers", "1"]
    if (folder / "config.json").exists():
        return [command, "--resume", str(folder)]
    if folder.exists():
        shutil.rmtree(folder)
    if command == "teach":
        words = f"{TAUGHT} --policy.model {subject.policy} --run.folder {folder}"
        return ["teach", *words.split()]
    return ["train", "--config", str(subject.train / "config.json"), "--run.folder", str(folder)]


def called(words: list[str]) -> tuple[int, str]:
    from rlve.cli import main as rlve

    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        status = rlve(words)
    return status, said.getvalue()


def check_words(command: str, disk: Path, status: int, said: str) -> None:
    from rlve.foundation.run_folders import latest_checkpoint
    from rlve.train.checkpoint import damage

    assert status == 2, said
    assert "Traceback" not in said, said
    assert said.count("rlve: ") == 1, said
    sentence = " ".join(said[said.index("rlve: ") :].split())
    assert "No space left on device" in sentence, said
    if command in ("train", "teach") and (disk / command).exists():
        good = latest_checkpoint(disk / command)
        assert f"the last good checkpoint is {good or 'none'}" in sentence, said
        assert good is None or damage(good) is None, said


def check_drafts(disk: Path) -> None:
    left = [path for path in disk.rglob(".*") if path.name != ".lock"]
    assert not left, left


def compare(command: str, disk: Path, subject: Subject) -> None:
    """The result is that of a disk with room."""
    from faults.training import timeless
    from rlve.evaluate.results import read_results
    from rlve.foundation.run_folders import latest_checkpoint
    from rlve.train.history import read_steps
    from rlve.train.teaching.history import read_teaching_steps

    folder = disk / command
    if command == "eval":
        assert read_results(folder).overall.unanswered == 0
    elif command == "export":
        assert (folder / "README.md").exists()
        assert (folder / "tokenizer.json").exists()
        assert weights(folder) == weights(model_of(subject.train))
    else:
        whole = getattr(subject, command)
        read = read_steps if command == "train" else read_teaching_steps
        assert timeless(read(folder)) == timeless(read(whole))
        assert latest_checkpoint(folder) is not None
        assert weights(model_of(folder)) == weights(model_of(whole))


def model_of(run: Path) -> Path:
    from rlve.foundation.run_folders import latest_checkpoint

    place = latest_checkpoint(run)
    assert place is not None
    return place / "model"


def room_for(*files: Path) -> int:
    """Bytes that files take in whole pages."""
    return sum(-(-path.stat().st_size // 4096) * 4096 for path in files)


def weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


if __name__ == "__main__":
    sys.exit(main())
