"""The start of the experiments on other environments: a model that has learnt form, and no more.

    python -m experiments.start --model Qwen/Qwen2.5-Coder-1.5B-Instruct

Much of what rewards teach a small model first is form: to end in time, and to mark its answer. So
form is taken out beforehand. The model is taught its own correct, finished outputs (rejection
fine-tuning), on environments that are neither trained on nor tested with afterwards; both arms of a
comparison then start from it. It is taught epoch after epoch until under 5% of its outputs are
ill-formed and they are longer than 250 tokens on average, and refused if that is not reached. Into
--folder, with commands that anybody could type:

    taught/         the run of `rlve teach`; adapters (--lora-rank) can be carried to the next
                    sitting, where the same command merges them again
    model/          the start
    tests.jsonl     problems of environments that are in no collection of training: those that the
                    start solves at least once in 16 tries at d = 0
    form.txt        ill-formed and cut-off outputs and their lengths, before and after each epoch
"""

import argparse
import json
import random
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.commands import Commands, safely
from experiments.comparisons import is_finished
from experiments.folders import checkpoints
from rlve.collections import collection

OTHERS = sorted({*collection("ALL")} - {*collection("C256")} - {*collection("HELD_OUT")})
FORM = sorted(random.Random("form").sample(OTHERS, 24))
"""The environments whose outputs are taught."""
TESTED = sorted({*OTHERS, *collection("HELD_OUT")} - {*FORM})
SAMPLING = ("--temperature", "1", "--top-p", "1", "--max-tokens", "1024")


class Start:
    """A folder, and what is made in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.commands = folder, Commands(folder / "logs")

    def make(self, name: str, *words: object) -> Path:
        """Run a command of rlve on the way to this file or folder, unless it is there."""
        if not (self.folder / name).exists():
            self.commands.call([*map(str, words)], name)
        return self.folder / name

    def draw(self, names: Sequence[str], count: int, levels: str, seed: int, name: str) -> Path:
        """Problems of these environments, in a file."""
        shared = ("-n", count, "-d", levels, "--seed", seed, "-o", self.folder / name)
        return self.make(name, "dataset", *names, *shared)

    def evaluate(self, model: object, suite: Path, name: str, samples: int) -> Path:
        """Evaluate it at the temperature of training."""
        folder = self.folder / name
        words = ("--model", model, "--suite", suite, "--folder", folder, "-n", samples, *SAMPLING)
        self.make(f"{name}/results.json", "eval", *words)
        return folder

    def teach(self, model: str, examples: Path, steps: int, rank: int, more: Sequence[str]) -> None:
        """Teach the model so many steps, or go on with that."""
        taught = self.folder / "taught"
        if max(checkpoints(taught), default=0) >= steps:
            return
        settings = {
            "policy.model": model,
            "policy.lora-rank": rank,
            "data.file": examples,
            "data.examples": 64,
            "data.max-prompt-tokens": 1024,
            "data.max-answer-tokens": 1024,
            "update.learning-rate": 1e-4 if rank else 1e-5,
            "update.schedule": "constant",  # so that another epoch goes on with it
            "update.warmup-steps": 5,
            "validation.every": 0,
            "run.folder": taught,
        }
        flags = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
        begun = (taught / "config.json").exists()
        words = ["--resume", str(taught)] if begun else [*flags, *more]
        self.commands.call(["teach", *words, "--run.steps", str(steps)], "taught")

    def export(self) -> Path:
        """The model that was taught, with adapters merged into it."""
        return self.make("model", "export", self.folder / "taught", self.folder / "model")


def results(evaluation: Path) -> dict[str, Any]:
    return json.loads((evaluation / "results.json").read_text())


def make_start(given: argparse.Namespace) -> None:
    """Make the start, or go on with it."""
    given.folder.mkdir(parents=True, exist_ok=True)
    start = Start(given.folder)
    start.commands.heed_signals()
    problems = start.draw(FORM, given.problems, "0..2", 70, "problems.jsonl")
    sampled = start.evaluate(given.model, problems, "sampled", 8)
    file = given.folder / "examples.jsonl"
    examples = start.make(file.name, "rollouts", sampled, "-o", file).read_text().splitlines()
    check = start.draw(FORM, given.problems // 5, "0..2", 71, "check.jsonl")
    told = [start.evaluate(given.model, check, "before", 4)]
    refused = "nothing was taught"
    for epoch in range(1, given.epochs + 1):
        steps = epoch * max(1, len(examples) // 64)
        start.teach(given.model, file, steps, given.lora_rank, given.teach)
        told.append(given.folder / f"after-{epoch}")
        if not is_finished(told[-1]):
            start.evaluate(start.export(), check, told[-1].name, 4)
        found = results(told[-1])["overall"]
        ill_formed, tokens = found["ill_formed"], found["mean_tokens"] or 0.0
        if ill_formed < given.ill_formed and tokens > given.tokens:
            break
        shutil.rmtree(given.folder / "model", ignore_errors=True)
        refused = (
            f"after epoch {epoch}, {ill_formed:.1%} of outputs are ill-formed and they have "
            f"{tokens:.0f} tokens; wanted are under {given.ill_formed:.0%} and above "
            f"{given.tokens:.0f}"
        )
        print(refused, flush=True)
    else:
        sys.exit(f"{given.folder} holds no start: {refused}")
    record = given.folder / "form.json"
    said = start.commands.call(["compare", *map(str, told), "--record", str(record)], "form")
    (given.folder / "form.txt").write_text(said)

    screen = start.draw(TESTED, 4 * len(TESTED), "0", 72, "screen.jsonl")
    screened = start.evaluate(start.export(), screen, "screened", 4)
    scores = results(screened)["environments"]
    names = [name for name, score in scores.items() if score["accuracy"] > 0]
    count = 3 * given.per_environment * len(names)
    start.draw(names, count, "0..2", 73, "tests.jsonl")
    print(said)
    print(f"{len(names)} of {len(TESTED)} environments are tested; the start is {start.export()}")


def main(argv: Sequence[str] | None = None) -> int:
    """Make the start from the command line."""
    parser = argparse.ArgumentParser(description="Make the start of experiments.")
    add = parser.add_argument
    add("--model", required=True, help="a hub name or a folder")
    add("--folder", type=Path, default=Path("runs/start"))
    add("--lora-rank", type=int, default=0, help="teach adapters, which can be carried away")
    add("--epochs", type=int, default=4, help="at most")
    add("--ill-formed", type=float, default=0.05, help="refuse a start with this share or more")
    add("--tokens", type=float, default=250, help="refuse one with outputs of this mean or less")
    add("--problems", type=int, default=1200, help="whose outputs are sampled, eight for each")
    add("--per-environment", type=int, default=10, help="test problems of each level")
    add("teach", nargs="*", default=[], help="after --: more flags of rlve teach")
    given = parser.parse_args(argv)
    code = safely(lambda: make_start(given))
    if code == 130:
        print("stopped; the same command goes on")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
