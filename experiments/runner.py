"""Runs an experiment: each arm with each seed, evaluations of what came of it, and comparisons.

A plan says what is run and what is compared first. It is written before the first run, and a folder
with another plan is refused. Everything else is done by commands that anybody could type: `rlve
train`, `rlve eval` and `rlve compare`. They write into one folder:

    plan.json                   the plan
    benchmarks/                 the files of benchmarks
    files/                      test sets, and sets to train on
    runs/ARM/SEED/              a run of `rlve train`
    evals/AT/TEST/ARM/SEED/     an evaluation by `rlve eval`, of the last step or at equal tokens;
                                at the end of sittings, one in a folder for each step
    records/AT-TEST.json        a record of `rlve compare`, with a mark for each output
    results.txt                 what is printed in the end
    logs/                       what the commands printed

Ctrl-C and SIGTERM let every run finish its step and save a checkpoint, and so does the end of
--minutes, after which runs are also evaluated. The same command goes on from there, in the next
sitting or on another machine with the same folder (sitting.py).
"""

import argparse
import json
import shlex
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from experiments.commands import Commands, Paused, Stopped, safely
from experiments.comparisons import END, SITTINGS, START, TOKENS, compare, is_finished
from experiments.folders import checkpoints, comes_to, note_size, read_metrics, step_at
from experiments.plans import Plan, as_flags, makes, override, tiny
from experiments.suites import benchmark_file, check_suites, take_benchmarks, write_tiny_benchmarks


class Experiment:
    """A plan, its folder, and how long it may run."""

    def __init__(self, plan: Plan, folder: Path, minutes: float | None = None) -> None:
        self.plan, self.folder = plan, folder
        self.end = None if minutes is None else time.monotonic() + 60 * minutes
        self.places = [END, TOKENS] if plan.tokens else [END]
        self.commands = Commands(folder / "logs")

    def claim(self) -> None:
        """Write the plan, or check that it is the one of the folder."""
        path, given = self.folder / "plan.json", json.loads(json.dumps(asdict(self.plan)))
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(given, indent=2) + "\n")
        elif (kept := json.loads(path.read_text())) != given:
            others = [key for key in given if given[key] != kept.get(key)]
            sys.exit(f"{self.folder} has another plan: {', '.join(others)} differ")

    def run(self, only: Sequence[str], at_once: int, discard: bool) -> int:
        """Run what is not finished; the exit code."""
        names = {pair: {pair[0], "{}/{}".format(*pair)} for pair in self.plan.pairs}
        if unknown := {*only}.difference(*names.values()):
            like = "{}/{}".format(*self.plan.pairs[0])
            sys.exit(f"no run is named {unknown.pop()}; a name is like {like}")
        check_suites(
            self.suite(test) for test, words in self.plan.tests.items() if not makes(words)
        )
        self.commands.heed_signals()
        chosen = [pair for pair in self.plan.pairs if not only or names[pair].intersection(only)]
        with ThreadPoolExecutor(at_once) as pool:
            code = pool.submit(safely, self.prepare).result()
            jobs = [partial(self.run_pair, *pair, discard=discard) for pair in chosen]
            return code or max(pool.map(safely, jobs), default=0)

    def prepare(self) -> None:
        """Make the files, and evaluate the start."""
        made = {f"{test}.jsonl": words for test, words in self.plan.tests.items() if makes(words)}
        for name, words in (made | self.plan.files).items():
            file = self.folder / "files" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                self.commands.call([*shlex.split(words), "-o", str(file)], f"files/{name}")
        model = self.plan.settings.get("policy.model") or self.plan.settings["preset"]
        for test in self.plan.tests:
            self.evaluate(model, START, test, START)

    def run_pair(self, arm: str, seed: int, *, discard: bool) -> None:
        """Train an arm with a seed, and evaluate it."""
        run = self.run_folder(arm, seed)
        name = f"{arm}/{seed}"
        wanted = [(at, test) for at in self.places for test in self.plan.tests]
        steps = self.plan.settings["run.steps"]
        if all(self.has(*each, name) for each in wanted) and (wanted or steps in read_metrics(run)):
            return
        if steps not in checkpoints(run):
            self.train(arm, seed)
        self.tidy(run)
        note_size(run)
        for at, test in wanted:
            step = max(checkpoints(run)) if at == END else step_at(run, self.plan.tokens or 0)
            self.evaluate(self.model(run, step), at, test, name)
        shutil.rmtree(run / "exported", ignore_errors=True)
        if discard:
            shutil.rmtree(run / "checkpoints")

    def train(self, arm: str, seed: int) -> None:
        """Train to the last step; if the time is up before, evaluate what there is."""
        run, name = self.run_folder(arm, seed), f"{arm}/{seed}"
        self.end_sitting(run, name, broken_off=True)
        if self.is_over():
            raise Stopped(name)
        while True:
            begun = (run / "config.json").exists()
            words = self.again(arm, run) if begun else self.flags(arm, seed)
            try:
                self.commands.call(["train", *words], name, partial(self.watch, run))
                return
            except Stopped as stopped:
                if isinstance(stopped, Paused) and not self.is_over():
                    continue
                if not self.commands.stopping:
                    self.end_sitting(run, name)
                raise

    def is_over(self) -> bool:
        return self.end is not None and self.end <= time.monotonic()

    def watch(self, run: Path) -> bool:
        """Whether a run shall save a checkpoint and go on, since it is at equal tokens.

        To save one every few steps would take longer: those of full weights are large.
        """
        self.tidy(run)
        return self.plan.tokens is not None and comes_to(run, self.plan.tokens)

    def end_sitting(self, run: Path, name: str, *, broken_off: bool = False) -> None:
        """Evaluate the latest checkpoint, or go on with that where it was broken off."""
        step = max(checkpoints(run), default=0)
        at = f"{name}/step-{step:06d}"
        begun = any(
            (self.folder / "evals" / SITTINGS / test / at).exists() for test in self.plan.tests
        )
        left = [test for test in self.plan.tests if not self.has(SITTINGS, test, at)]
        if step and left and (begun or not broken_off):
            model = self.model(run, step)
            for test in left:
                self.evaluate(model, SITTINGS, test, at)
            shutil.rmtree(run / "exported", ignore_errors=True)

    def run_folder(self, arm: str, seed: int) -> Path:
        return self.folder / "runs" / arm / str(seed)

    def hours(self) -> str:
        """The time that is left to a run."""
        left = None if self.end is None else max(1.0, self.end - time.monotonic())
        return str(left and left / 3600)

    def flags(self, arm: str, seed: int) -> list[str]:
        """The flags of a new run."""
        own: dict[str, Any] = {"run.folder": str(self.run_folder(arm, seed)), "run.seed": seed}
        own["run.hours"] = self.hours()
        if self.plan.tokens:
            own["run.keep-checkpoints"] = 1_000_000  # tidy() keeps those that are needed
        words = as_flags(self.plan.settings | self.plan.arms[arm] | own)
        return [word.replace("{files}", str(self.folder / "files")) for word in words]

    def again(self, arm: str, run: Path) -> list[str]:
        """The flags of a run that goes on; a loss of one's own must be loaded again."""
        code, _, _ = self.plan.arms[arm].get("update.loss", "").rpartition(":")
        load = ["--load", code] if code else []
        return ["--resume", str(run), "--run.hours", self.hours(), *load]

    def model(self, run: Path, step: int) -> str:
        """The model of a checkpoint as a folder; adapters are merged into one."""
        settings = self.plan.settings | self.plan.arms[run.parent.name]
        if not settings.get("policy.lora-rank"):
            return str(run / "checkpoints" / f"step-{step:06d}" / "model")
        folder = run / "exported" / f"step-{step:06d}"
        words = ["export", str(run), str(folder), "--checkpoint", str(step)]
        if not folder.exists():
            self.commands.call(words, f"export/{run.parent.name}/{run.name}")
        return str(folder)

    def suite(self, test: str) -> str:
        """What is given to `rlve eval` as the suite of a test."""
        words = self.plan.tests[test]
        if makes(words):
            return str(self.folder / "files" / f"{test}.jsonl")
        file = benchmark_file(self.folder / "benchmarks", words)
        return f"{words}:{file}" if file else words

    def evaluate(self, model: str, at: str, test: str, name: str) -> None:
        """Evaluate a model on a test, unless that is done."""
        if not self.has(at, test, name):
            place = str(self.folder / "evals" / at / test / name)
            words = ["eval", "--model", model, "--suite", self.suite(test), "--folder", place]
            form = self.plan.settings.get("policy.format")
            words += as_flags(self.plan.evaluation | ({"format": form} if form else {}))
            self.commands.call(words, f"evals/{at}/{test}/{name}")

    def has(self, at: str, test: str, name: str) -> bool:
        """Whether an evaluation is finished."""
        return is_finished(self.folder / "evals" / at / test / name)

    def tidy(self, run: Path) -> None:
        """Remove checkpoints that are neither evaluated nor resumed from: they are large."""
        there = sorted(checkpoints(run))
        if self.plan.tokens and there:
            for step in {*there[:-1]} - {step_at(run, self.plan.tokens)}:
                shutil.rmtree(run / "checkpoints" / f"step-{step:06d}")


def main(plans: Mapping[str, Plan], argv: Sequence[str] | None = None) -> int:
    """Run one of these plans from the command line."""
    parser = argparse.ArgumentParser(description="Run an experiment, or go on with it.")
    add = parser.add_argument
    add("plan", choices=plans, nargs=None if len(plans) > 1 else "?", default=next(iter(plans)))
    add("--folder", type=Path, help="where to write (default: runs/PLAN)")
    add("--at-once", type=int, default=1, metavar="N", help="runs at the same time")
    add("--only", nargs="+", default=[], metavar="ARM[/SEED]", help="only these runs")
    add("--set", nargs="+", default=[], metavar="KEY=VALUE", help="another setting, from the start")
    add("--benchmarks", type=Path, metavar="FOLDER", help="with the files of benchmarks")
    add("--minutes", type=float, metavar="N", help="then end runs, and evaluate them")
    add("--tiny", action="store_true", help="only try it: nano, two steps, few problems")
    add("--compare", action="store_true", help="only compare what is finished")
    add("--discard", action="store_true", help="remove checkpoints once they are evaluated")
    given = parser.parse_args(argv)
    plan = override(tiny(plans[given.plan]) if given.tiny else plans[given.plan], given.set)
    folder: Path = given.folder or Path("runs") / given.plan
    experiment = Experiment(plan, folder, given.minutes)
    experiment.claim()
    print(plan, flush=True)
    tests = plan.tests.values()
    source = write_tiny_benchmarks(tests, folder / "tiny") if given.tiny else given.benchmarks
    if source:
        take_benchmarks(tests, source, folder / "benchmarks")
    code = 0 if given.compare else experiment.run(given.only, given.at_once, given.discard)
    code = code or safely(partial(compare, plan, folder, experiment.commands))
    if code == 130:
        print("stopped; the same command goes on")
    return code
