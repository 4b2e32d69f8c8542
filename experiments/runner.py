"""Runs an experiment: each arm with each seed, evaluations of what came of it, and comparisons.

A plan says what is run and what is compared first. It is written before the first run, and a folder
with another plan is refused. Everything else is done by commands that anybody could type: `rlve
train`, `rlve eval` and `rlve compare`. They write into one folder:

    plan.json                   the plan
    files/                      test sets, and sets to train on
    runs/ARM/SEED/              a run of `rlve train`
    evals/AT/TEST/ARM/SEED/     an evaluation by `rlve eval`, of the last step or at equal tokens
    records/AT-TEST.json        a record of `rlve compare`, with a mark for each output
    results.txt                 what is printed in the end
    logs/                       what the commands printed

Ctrl-C and SIGTERM let every run finish its step and save a checkpoint; the same command goes on
from there, in the next sitting or on another machine with the same folder.
"""

import argparse
import json
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from experiments.folders import checkpoints, step_at, training_table
from experiments.plans import Plan, as_flags, makes, override, tiny

END, TOKENS = "end", "tokens"  # where runs are evaluated: at the last step, and at equal tokens
START = "start"


class Stopped(Exception):
    """Somebody wants us to stop; nothing is lost."""


class Experiment:
    """A plan, its folder, and the commands that are running for it."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.folder = plan, folder
        self.pairs = [(arm, seed) for seed in plan.seeds for arm in plan.arms]
        self.places = [END, TOKENS] if plan.tokens else [END]
        self._live: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.RLock()
        self._stopping = False

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
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.stop)
        names = {pair: {pair[0], "{}/{}".format(*pair)} for pair in self.pairs}
        if unknown := {*only}.difference(*names.values()):
            sys.exit(
                f"no run is named {unknown.pop()}; a name is like {'{}/{}'.format(*self.pairs[0])}"
            )
        chosen = [pair for pair in self.pairs if not only or names[pair].intersection(only)]
        with ThreadPoolExecutor(at_once) as pool:
            code = pool.submit(self.safely, self.prepare).result()
            jobs = [partial(self.run_pair, *pair, discard=discard) for pair in chosen]
            return code or max(pool.map(self.safely, jobs), default=0)

    def stop(self, *_: object) -> None:
        """Ask all commands to save what they have, and end; asked twice, they end at once."""
        with self._lock:
            self._stopping = True
            for process in [*self._live]:
                process.send_signal(signal.SIGINT)

    def safely(self, job: Callable[[], None]) -> int:
        """Do it; the exit code."""
        try:
            job()
        except Stopped:
            return 130
        except subprocess.CalledProcessError as error:
            print(error.stderr, file=sys.stderr, flush=True)
            return 1
        return 0

    def call(self, words: Sequence[str], name: str, tidy: Callable[[], None] = lambda: None) -> str:
        """Run a command of rlve; what it printed, which is also in a log."""
        log = self.folder / "logs" / f"{name.replace('/', '-')}.txt"
        log.parent.mkdir(parents=True, exist_ok=True)
        print(f"{name}: rlve {words[0]}", flush=True)
        with log.open("w+b") as file:
            with self._lock:  # a signal comes before, or finds the process
                if self._stopping:
                    raise Stopped(name)
                command = [sys.executable, "-m", "rlve", *words]
                process = subprocess.Popen(  # in its own session: Ctrl-C comes from us, once
                    command, stdout=file, stderr=file, start_new_session=True
                )
                self._live.add(process)
            while (code := process.poll()) is None:
                tidy()
                time.sleep(0.2)
            self._live.discard(process)
        said = log.read_text(errors="replace")
        if code == 130 or (code and self._stopping):
            raise Stopped(name)
        if code:
            text = f"{name} failed: rlve {shlex.join(words)}\n{said[-2000:]}"
            raise subprocess.CalledProcessError(code, words, stderr=text)
        return said

    def prepare(self) -> None:
        """Make the files, and evaluate the start."""
        made = {f"{test}.jsonl": words for test, words in self.plan.tests.items() if makes(words)}
        for name, words in (made | self.plan.files).items():
            file = self.folder / "files" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                self.call([*shlex.split(words), "-o", str(file)], f"files/{name}")
        model = self.plan.settings.get("policy.model") or self.plan.settings["preset"]
        for test in self.plan.tests:
            self.evaluate(model, START, test, START)

    def run_pair(self, arm: str, seed: int, *, discard: bool) -> None:
        """Train an arm with a seed, and evaluate it."""
        run = self.run_folder(arm, seed)
        name = f"{arm}/{seed}"
        wanted = [(at, test) for at in self.places for test in self.plan.tests]
        if wanted and all(self.results(*each, name) for each in wanted):
            return
        if self.plan.settings["run.steps"] not in checkpoints(run):
            begun = (run / "config.json").exists()
            words = self.again(arm, run) if begun else self.flags(arm, seed)
            self.call(["train", *words], name, lambda: self.tidy(run))
        self.tidy(run)
        for at, test in wanted:
            step = max(checkpoints(run)) if at == END else step_at(run, self.plan.tokens or 0)
            self.evaluate(self.model(run, step), at, test, name)
        shutil.rmtree(run / "exported", ignore_errors=True)
        if discard:
            shutil.rmtree(run / "checkpoints")

    def run_folder(self, arm: str, seed: int) -> Path:
        return self.folder / "runs" / arm / str(seed)

    def flags(self, arm: str, seed: int) -> list[str]:
        """The flags of a new run."""
        own: dict[str, Any] = {"run.folder": str(self.run_folder(arm, seed)), "run.seed": seed}
        if self.plan.tokens:
            own["run.keep-checkpoints"] = 1_000_000  # tidy() keeps those that are needed
        words = as_flags(self.plan.settings | self.plan.arms[arm] | own)
        return [word.replace("{files}", str(self.folder / "files")) for word in words]

    def again(self, arm: str, run: Path) -> list[str]:
        """The flags of a run that goes on; a loss of one's own must be loaded again."""
        file, _, _ = self.plan.arms[arm].get("update.loss", "").rpartition(":")
        return ["--resume", str(run), *(["--load", file] if file else [])]

    def model(self, run: Path, step: int) -> str:
        """The model of a checkpoint as a folder; adapters are merged into one."""
        if not self.plan.settings.get("policy.lora-rank"):
            return str(run / "checkpoints" / f"step-{step:06d}" / "model")
        folder = run / "exported" / str(step)
        words = ["export", str(run), str(folder), "--checkpoint", str(step)]
        if not folder.exists():
            self.call(words, f"export/{run.parent.name}/{run.name}")
        return str(folder)

    def evaluate(self, model: str, at: str, test: str, name: str) -> None:
        """Evaluate a model on a test, unless that is done."""
        made = str(self.folder / "files" / f"{test}.jsonl")
        suite = made if makes(self.plan.tests[test]) else self.plan.tests[test]
        if not self.results(at, test, name):
            place = str(self.folder / "evals" / at / test / name)
            words = ["eval", "--model", model, "--suite", suite, "--folder", place]
            form = self.plan.settings.get("policy.format")
            words += as_flags(self.plan.evaluation | ({"format": form} if form else {}))
            self.call(words, f"evals/{at}/{test}/{name}")

    def results(self, at: str, test: str, name: str) -> list[str]:
        """The folder of an evaluation, if it is finished."""
        place = self.folder / "evals" / at / test / name
        return [str(place)] if (place / "results.json").exists() else []

    def tidy(self, run: Path) -> None:
        """Remove checkpoints that are neither evaluated nor resumed from: they are large."""
        there = sorted(checkpoints(run))
        if self.plan.tokens and len(there) > 2:
            for step in {*there[:-2]} - {step_at(run, self.plan.tokens or 0)}:
                shutil.rmtree(run / "checkpoints" / f"step-{step:06d}")

    def compare(self) -> None:
        """Compare what is finished, print it, and keep it."""
        runs = [(*pair, self.run_folder(*pair)) for pair in self.pairs]
        parts = [f"{self.plan.question}\nCompared first: {self.plan.first}", training_table(runs)]
        for at in reversed(self.places):
            for test in self.plan.tests:
                words = [f"{START}={place}" for place in self.results(START, test, START)]
                for arm, seed in self.pairs:
                    places = self.results(at, test, f"{arm}/{seed}")
                    words += [f"{arm}={place}" for place in places]
                if any(word.startswith(f"{self.plan.baseline}=") for word in words):
                    words += ["--baseline", self.plan.baseline]
                record = self.folder / "records" / f"{at}-{test}.json"
                record.parent.mkdir(exist_ok=True)
                words += ["--record", str(record)]
                said = self.call(["compare", *words], f"records/{at}-{test}")
                where = "at the last step" if at == END else f"at {self.plan.tokens:,} tokens"
                parts.append(f"## {test}, {where}\n\n{said.rstrip()}")
        text = "\n\n".join(parts) + "\n"
        (self.folder / "results.txt").write_text(text)
        print(f"\n{text}")


def main(plans: Mapping[str, Plan], argv: Sequence[str] | None = None) -> int:
    """Run one of these plans from the command line."""
    parser = argparse.ArgumentParser(description="Run an experiment, or go on with it.")
    add = parser.add_argument
    add("plan", choices=plans, nargs=None if len(plans) > 1 else "?", default=next(iter(plans)))
    add("--folder", type=Path, help="where to write (default: runs/PLAN)")
    add("--at-once", type=int, default=1, metavar="N", help="runs at the same time")
    add("--only", nargs="+", default=[], metavar="ARM[/SEED]", help="only these runs")
    add("--set", nargs="+", default=[], metavar="KEY=VALUE", help="another setting, from the start")
    add("--tiny", action="store_true", help="only try it: nano, two steps, few problems")
    add("--compare", action="store_true", help="only compare what is finished")
    add("--discard", action="store_true", help="remove checkpoints once they are evaluated")
    given = parser.parse_args(argv)
    plan = tiny(plans[given.plan]) if given.tiny else plans[given.plan]
    experiment = Experiment(override(plan, given.set), given.folder or Path("runs") / given.plan)
    experiment.claim()
    code = 0 if given.compare else experiment.run(given.only, given.at_once, given.discard)
    code = code or experiment.safely(experiment.compare)
    if code == 130:
        print("stopped; the same command goes on")
    return code
