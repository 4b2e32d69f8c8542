"""The start of the experiments on other environments: a model that has learnt form, and no more.

    python -m experiments.start --model Qwen/Qwen2.5-Coder-1.5B-Instruct

Much of what rewards teach a small model first is form: to end in time, and to mark its answer. So
form is taken out beforehand. The model is taught its own correct, finished outputs (rejection
fine-tuning), on environments that are neither trained on nor tested with afterwards; both arms of a
comparison then start from it. Into --folder, with commands that anybody could type:

    model/          the start
    tests.jsonl     problems of environments that are in no collection of training: those that the
                    start solves at least once in 16 tries at d = 0
    form.txt        ill-formed and cut-off outputs and their lengths, before and after
"""

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rlve.collections import collection

OTHERS = sorted({*collection("ALL")} - {*collection("C256")} - {*collection("HELD_OUT")})
FORM = sorted(random.Random("form").sample(OTHERS, 24))
"""The environments whose outputs are taught."""
TESTED = sorted({*OTHERS, *collection("HELD_OUT")} - {*FORM})
SAMPLING = ("--temperature", "1", "--top-p", "1", "--max-tokens", "1024")


def call(made: Path, log: Path, *words: object) -> None:
    """Run a command of rlve on the way to this file or folder, unless it is there."""
    if not made.exists():
        print("rlve", *words, flush=True)
        with log.open("w") as file:
            command = [sys.executable, "-m", "rlve", *map(str, words)]
            done = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT)
        if done.returncode:
            sys.exit(f"that failed; {log} ends with:\n{log.read_text()[-2000:]}")


def draw(names: Sequence[str], count: int, levels: str, seed: int, file: Path) -> Path:
    """Problems of these environments, in a file."""
    log = file.with_suffix(".log")
    call(file, log, "dataset", *names, "-n", count, "-d", levels, "--seed", seed, "-o", file)
    return file


def evaluate(model: object, suite: Path, folder: Path, samples: int) -> Path:
    """Evaluate it at the temperature of training."""
    words = ("--model", model, "--suite", suite, "--folder", folder, "-n", samples, *SAMPLING)
    call(folder / "results.json", folder.with_suffix(".log"), "eval", *words)
    return folder


def solved(evaluation: Path) -> list[str]:
    """The environments of which a problem was solved."""
    scores = json.loads((evaluation / "results.json").read_text())["environments"]
    return [name for name, score in scores.items() if score["accuracy"] > 0]


def main(argv: Sequence[str] | None = None) -> None:
    """Make the start, or go on with it."""
    parser = argparse.ArgumentParser(description="Make the start of experiments.")
    add = parser.add_argument
    add("--model", required=True, help="a hub name or a folder")
    add("--folder", type=Path, default=Path("runs/start"))
    add("--problems", type=int, default=1200, help="whose outputs are sampled, eight for each")
    add("--per-environment", type=int, default=10, help="test problems of each level")
    add("teach", nargs="*", default=[], help="after --: more flags of rlve teach")
    given = parser.parse_args(argv)
    folder: Path = given.folder
    folder.mkdir(parents=True, exist_ok=True)

    problems = draw(FORM, given.problems, "0..2", 70, folder / "problems.jsonl")
    sampled = evaluate(given.model, problems, folder / "sampled", 8)
    examples = folder / "examples.jsonl"
    call(examples, folder / "examples.log", "rollouts", sampled, "-o", examples)

    taught, model = folder / "taught", folder / "model"
    with examples.open() as lines:
        steps = max(1, sum(1 for _ in lines) // 64)  # one epoch
    settings = (
        *("--policy.model", given.model, "--run.folder", taught, "--data.file", examples),
        *("--data.examples", 64, "--run.steps", steps, "--update.learning-rate", 1e-5),
        *("--data.max-prompt-tokens", 1024, "--data.max-answer-tokens", 1024),
        *("--validation.every", 0, *given.teach),
    )
    begun = ("--resume", taught) if (taught / "config.json").exists() else settings
    call(model, folder / "taught.log", "teach", *begun)
    call(model, folder / "model.log", "export", taught, model)

    check = draw(FORM, given.problems // 5, "0..2", 71, folder / "check.jsonl")
    before = evaluate(given.model, check, folder / "before", 4)
    after = evaluate(model, check, folder / "after", 4)
    form = folder / "form.json"
    call(form, folder / "form.txt", "compare", before, after, "--record", form)

    screen = draw(TESTED, 4 * len(TESTED), "0", 72, folder / "screen.jsonl")
    names = solved(evaluate(model, screen, folder / "screened", 4))
    draw(names, 3 * given.per_environment * len(names), "0..2", 73, folder / "tests.jsonl")
    print((folder / "form.txt").read_text())
    print(f"{len(names)} of {len(TESTED)} environments are tested; the start is {model}")


if __name__ == "__main__":
    main()
