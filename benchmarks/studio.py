"""How long the studio's pages take, and how large they are, with many runs and rollouts.

    python benchmarks/studio.py                       200 runs, 500,000 rollouts
    python benchmarks/studio.py --runs 50 --rollouts 100000

Folders of runs, evaluations and frontiers are made up, `rlve studio` is started on them, and every
page is asked for twice, in the order in which a person would open them: the first time files are
read, the second time they have been. Meanwhile one run grows by a step every second. A page counts
with the parts that it asks for at once. If one takes more than 1.5 s or has more than 1 MB, the
exit code is 1.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

import httpx
import psutil
import tyro

sys.path.append(str(Path(__file__).parents[1] / "tests"))

import rlve
from rlve.collections import resolve
from rlve.contract import Verdict
from rlve.datasets.rows import ProblemRow
from rlve.foundation.files import append_line, append_lines, write_lines
from rlve.foundation.run_folders import (
    CONFIG,
    GROUPS,
    METRICS,
    ROLLOUTS,
    VALIDATION,
    locked,
    with_kind,
)
from rlve.reports.terminal import print_table
from rlve.train.history import (
    Accuracy,
    GroupRecord,
    GroupSample,
    SampledOutput,
    StepMetrics,
    ValidationRecord,
)
from rlve.train.presets import preset
from support.studio_folders import make_evaluation, make_frontiers

SLOWEST = 1.5  # seconds
LARGEST = 1_000_000  # bytes
GROUP = 8  # rollouts of a problem
PROBLEMS = 64  # groups of a step
STEPS = 300  # of the other runs
TEXTS = 8  # groups of a step whose texts are kept,
OUTPUTS = 4  # with so many outputs
NAMES = resolve(["C16"])
EVALUATIONS = 5
LEVELS = (0, 2, 4)
QUESTIONS = 16  # of a level of an environment


class Page(NamedTuple):
    """A page, and the parts that it asks for when it is opened."""

    name: str
    parts: tuple[str, ...]


EIGHT = "&".join(f"run=run-{n:03}" for n in range(8))
PAGES = (
    Page("environments", ("/", "/news")),
    Page("an environment", ("/env/Sorting?d=3&seed=1", "/env/Sorting/accuracy")),
    Page("lengths of its problems", ("/env/Sorting/lengths",)),
    Page("a solution", ("/env/Sorting/solution?d=3&seed=1",)),
    Page("a source", ("/env/Sorting/source",)),
    Page("runs", ("/runs",)),
    Page("runs, searched and sorted", ("/runs?q=run-1&sort=-result",)),
    Page("the table of runs, as it is updated", ("/runs-rows",)),
    Page("the live run", ("/runs/live",)),
    Page("its charts, as they are updated", ("/charts?run=live",)),
    Page("a finished run", ("/runs/run-007",)),
    Page("eight runs compared", (f"/runs-compared?{EIGHT}",)),
    Page("rollouts of the live run", ("/runs/live/rollouts",)),
    Page("rollouts, filtered", ("/runs/live/rollouts/rows?outcome=mixed&order=lowest&signal=yes",)),
    Page("rollouts, searched for a text", ("/runs/live/rollouts/rows?text=nowhere",)),
    Page("a group", ("/runs/live/rollouts/1000",)),
    Page("why an output is wrong", ("/runs/live/rollouts/64/reason/0",)),
    Page("why outputs fail", ("/runs/live/failures",)),
    Page("in one environment", ("/runs/live/failures?environment=Sorting&difficulty=1",)),
    Page("the reasons", ("/runs/live/failures/reasons",)),
    Page("evaluations", ("/evals",)),
    Page("an evaluation", ("/evals/eval-0",)),
    Page("the tables of evaluations, as they are updated", ("/evals-rows", "/evals/eval-0/rows")),
    Page("a question", ("/evals/eval-0/questions/5",)),
    Page("why an answer is wrong", ("/evals/eval-0/questions/5/reason/0",)),
    Page("why answers fail", ("/evals/eval-0/failures",)),
    Page("their reasons", ("/evals/eval-0/failures/reasons",)),
    Page("two evaluations compared", ("/evals-compared?first=eval-0&second=eval-1",)),
    Page("frontiers", ("/frontiers",)),
    Page("a frontier", ("/frontiers/nano.json",)),
    Page("a picture", ("/env/ShortestPath/picture?d=5&seed=1",)),
    Page("the pulse", ("/pulse?was=live",)),
)  # fmt: skip


def main(runs: int = 200, rollouts: int = 500_000) -> int:
    """Measure.

    Args:
        runs: Runs in the folder.
        rollouts: Rollouts of the live run.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "runs"
        make_runs(folder, runs - 1)
        live = make_live(folder / "live", rollouts)
        make_evaluations(folder)
        make_frontiers(folder)
        size = sum(path.stat().st_size for path in folder.rglob("*"))
        print(f"{runs:,} runs, {rollouts:,} rollouts, {size / 2**20:,.0f} MiB")
        over = threading.Event()
        grower = threading.Thread(target=grow, args=(folder / "live", live, over))
        grower.start()
        try:
            rows = measure(folder)
        finally:
            over.set()
            grower.join()
    print_table(("page", "first time", "its CPU", "again", "bytes"), [row for row, _ in rows])
    slow = [row[0] for row, fits in rows if not fits]
    print(f"Too slow or too large: {', '.join(slow)}." if slow else "All are within the limits.")
    return int(bool(slow))


def measure(folder: Path) -> list[tuple[tuple[str, ...], bool]]:
    """Start the studio, and open every page twice."""
    words = [sys.executable, "-m", "rlve", "studio", "--port", "0", "--no-browser", str(folder)]
    rows: list[tuple[tuple[str, ...], bool]] = []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = re.search(r"http://\S+:\d+", server.stdout.readline())
            assert address is not None, "the studio did not start"
            with httpx.Client(base_url=address[0], timeout=60) as client:
                client.get("/static/studio.css")
                for page in PAGES:
                    before = busy(server.pid)
                    first, size = ask(client, page)
                    worked = busy(server.pid) - before
                    again, _ = ask(client, page)
                    times = (f"{seconds:.2f} s" for seconds in (first, worked, again))
                    row = page.name, *times, f"{size:,}"
                    rows.append((row, max(first, again) <= SLOWEST and size <= LARGEST))
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)
    return rows


def busy(server: int) -> float:
    """The seconds that the studio and its workers have computed; others may share the machine."""
    process = psutil.Process(server)
    spent = [each.cpu_times() for each in (process, *process.children())]
    return sum(each.user + each.system for each in spent)


def ask(client: httpx.Client, page: Page) -> tuple[float, int]:
    """How long a page took, and its size."""
    begin = time.perf_counter()
    replies = [client.get(part) for part in page.parts]
    spent = time.perf_counter() - begin
    for reply in replies:
        assert reply.status_code == 200, f"{reply.url}: {reply.text[:300]}"
    return spent, sum(len(reply.content) for reply in replies)


# Folders that nobody made.


def make_runs(folder: Path, number: int) -> None:
    """Finished runs, which differ in their seeds."""
    template = folder / "run-000"
    template.mkdir(parents=True)
    rng = Random("template")
    write_lines(template / METRICS, (metrics(step, rng) for step in range(1, STEPS + 1)))
    write_lines(template / VALIDATION, (validation(step, rng) for step in range(0, STEPS + 1, 30)))
    files = {name: (template / name).read_bytes() for name in (METRICS, VALIDATION)}
    for n in range(number):
        run = folder / f"run-{n:03}"
        run.mkdir(exist_ok=True)
        for name, content in files.items():
            (run / name).write_bytes(content)
        write_config(run, seed=n)


def make_evaluations(folder: Path) -> None:
    """Evaluations of the same questions."""
    asked = [(name, d, seed) for name in NAMES for d in LEVELS for seed in range(QUESTIONS)]
    rows = [
        ProblemRow(
            id=f"{name}-{d}-{seed}",
            environment=name,
            parameters=rlve.environment(name).generate(difficulty=d, seed=seed).parameters(),
            difficulty=d,
        )
        for name, d, seed in asked
    ]
    for n in range(EVALUATIONS):
        make_evaluation(folder / f"eval-{n}", 0.3 + n / 10, seed=n, questions=rows, samples=GROUP)


def make_live(folder: Path, rollouts: int) -> int:
    """A run with so many rollouts; returns its last step."""
    folder.mkdir(parents=True)
    write_config(folder, seed=0)
    rng = Random("live")
    steps = max(1, rollouts // (GROUP * PROBLEMS))
    with (folder / METRICS).open("wb"), (folder / GROUPS).open("wb"):
        pass
    for step in range(1, steps + 1):
        add_step(folder, step, rng)
    measured = range(0, steps + 1, max(1, steps // 10))
    append_lines(folder / VALIDATION, (validation(step, rng) for step in measured))
    return steps


def grow(folder: Path, last: int, over: threading.Event) -> None:
    """Take a step every second."""
    rng = Random("grow")
    with locked(folder):
        while not over.wait(1.0):
            last += 1
            add_step(folder, last, rng)


def write_config(folder: Path, seed: int) -> None:
    config = json.loads(with_kind("train", preset("nano")))
    config["run"] |= {"seed": seed, "steps": STEPS}
    (folder / CONFIG).write_text(json.dumps(config))


def add_step(folder: Path, step: int, rng: Random) -> None:
    append_line(folder / METRICS, metrics(step, rng))
    groups = [group(step, rng) for _ in range(PROBLEMS)]
    append_lines(folder / GROUPS, groups)
    append_lines(folder / ROLLOUTS, (sample(each) for each in groups[:TEXTS]))


def metrics(step: int, rng: Random) -> StepMetrics:
    share = rng.random
    return StepMetrics(
        step=step, prompts=PROBLEMS, effective_prompt_ratio=share(), reward=share(),
        accuracy=share(), accuracy_at_high=share(), ill_formed=share() / 10,
        bounds=dict.fromkeys(NAMES, (0, step // 40)),
        accuracy_at_high_of={name: share() for name in NAMES},
        drawn={name: {0: 2, 1: 2} for name in NAMES},
        tokens=60_000, response_tokens=100 + 20 * share(), truncated=share() / 20,
        response_quantiles={"p50": 90, "p90": 150, "p99": 190, "max": 192},
        trained_groups=32, staleness=share(), learning_rate=1e-4, loss=share() - 0.5,
        grad_norm=share(), entropy=share(), clipped=0.0, truncated_weights=share() / 100,
        sampler_gap=share() / 100,
        seconds={"rollouts": 1.0, "update": 0.5, "in all": 2.0 * step},
    )  # fmt: skip


def validation(step: int, rng: Random) -> ValidationRecord:
    solved = {
        name: {d: "".join(rng.choice("01") for _ in range(8)) for d in (0, 2, 4)} for name in NAMES
    }
    shares = {
        name: {d: marks.count("1") / 8 for d, marks in levels.items()}
        for name, levels in solved.items()
    }
    measured = [
        Accuracy(
            temperature=temperature, by_level=shares, solved=solved, ill_formed=0.0,
            truncated=0.0, tokens=1000,
        )
        for temperature in (1.0, 0.6)
    ]  # fmt: skip
    return ValidationRecord(step=step, problems=24 * len(NAMES), measured=measured, seconds=1.0)


def group(step: int, rng: Random) -> GroupRecord:
    verdicts = "".join(rng.choice("ccwwi") for _ in range(GROUP))
    rewards = [{"c": 1.0, "w": round(rng.random(), 3), "i": -1.0}[letter] for letter in verdicts]
    return GroupRecord(
        step=step,
        environment=rng.choice(NAMES),
        difficulty=rng.randrange(5),
        seed=rng.randrange(2**32),
        verdicts=verdicts,
        rewards=rewards,
        tokens=[rng.randrange(20, 192) for _ in verdicts],
        truncated=[GROUP - 1] if rng.random() < 0.1 else [],
        signal=True,
        advantages=[round(rng.gauss(0, 1), 3) for _ in verdicts],
    )


def sample(record: GroupRecord) -> GroupSample:
    outputs = [
        SampledOutput(
            f"Let me see: {reward}. " * 20, Verdict(reward, reward == 1, reward > -1), n, reward
        )
        for n, reward in enumerate(record.rewards[:OUTPUTS])
    ]
    return GroupSample(
        step=record.step,
        environment=record.environment,
        difficulty=record.difficulty,
        seed=record.seed,
        prompt="A problem with a prompt of a few lines.\n" * 8,
        reference="1 2 3",
        rewards=record.rewards,
        signal=record.signal,
        best=outputs[0],
        worst=outputs[-1],
        others=outputs[1:-1],
    )


if __name__ == "__main__":
    sys.exit(tyro.cli(main))
