"""Folders of runs and evaluations that nobody made, for the studio; also hostile ones."""

import json
from pathlib import Path
from random import Random

from rlve.contract import Verdict
from rlve.evaluate.results import read_evaluation, summarise, write_results
from rlve.foundation.files import append_line, append_lines
from rlve.foundation.run_folders import EXAMPLES, GROUPS, METRICS, ROLLOUTS, VALIDATION
from rlve.train.history import (
    Accuracy,
    GroupRecord,
    GroupSample,
    SampledOutput,
    StepMetrics,
    ValidationRecord,
)
from rlve.train.teaching.history import TaughtSample, TeachingMetrics
from support.evaluation_folders import write

SCRIPT = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"
ANSI = "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link\x1b]8;;\x07 \x9b2J\x07"
TURNED = "abc \u202egnp.exe\u202c"
LONG = "y" * 1_000_000
HOSTILE = f"{SCRIPT}\n{ANSI}\n{TURNED}\n</pre></main>{{{{ 7 * 7 }}}}"

# Pages of a studio in which make_run made hostile and long, make_teaching_run taught,
# make_evaluation first and second, and make_frontiers its profiles.
PAGES = (
    "/",
    "/env/Sorting?d=3&seed=4",
    "/env/Sorting/source",
    "/env/GuessNumber?d=3&seed=4&message=%3Cscript%3E&message={{ 7 * 7 }}",
    "/runs",
    "/runs?q=hostile&sort=-result&columns=model,change,time",
    "/runs/hostile",
    "/runs/taught",
    "/runs-compared?run=hostile&run=long",
    "/runs/hostile/failures",
    "/runs/hostile/failures?environment=Sorting&difficulty=0",
    "/runs/hostile/rollouts",
    "/runs/hostile/rollouts?text=script",
    "/runs/hostile/rollouts/15",
    "/runs/hostile/rollouts/15?outcome=mixed",
    "/runs/long/rollouts/0",
    "/frontiers",
    "/frontiers/nano.json",
    "/evals",
    "/evals/first",
    "/evals/first/failures",
    "/evals/first/questions/3",
    "/evals-compared?first=first&second=second",
)
PARTS = (  # of them, which they ask for
    "/env/Sorting/solution?d=2&seed=9",
    "/env/GridBFS/picture?d=1&seed=3",
    "/env/Sorting/lengths",
    "/env/Sorting/accuracy",
    "/news",
    "/pulse?was=hostile",
    "/runs-rows?q=hostile",
    "/runs/hostile/rollouts/rows?offset=5",
    "/evals-rows",
    "/evals/first/rows",
    "/runs/hostile/failures/reasons",
    "/runs/hostile/rollouts/15/reason/0",
    "/evals/first/failures/reasons",
    "/evals/first/questions/3/reason/0",
)

CONFIG = {
    "kind": "train",
    "policy": {"model": "some/where/nano"},
    "data": {"static": None, "dataset": None, "tau_acc": 0.9},
    "rollout": {"group": 4},
    "run": {"steps": 400},
}


def make_run(
    folder: Path, names=("Sorting", "SAT"), *, steps=20, text=HOSTILE, seed=0, planned=400
) -> Path:
    """A run with all its files."""
    folder.mkdir(parents=True)
    config = CONFIG | {
        "data": CONFIG["data"] | {"environments": list(names)},
        "run": {"steps": planned, "seed": seed, "folder": str(folder)},
    }
    (folder / "config.json").write_text(json.dumps(config))
    for step in range(1, steps + 1):
        add_step(folder, names, step, text=text)
    for step in (0, steps):
        marks = {0: "11110000" if step == 0 else "11111110", 2: "11000000"}
        solved = dict.fromkeys(names, marks)
        accuracy = {name: {0: 0.5 + 0.375 * (step > 0), 2: 0.25} for name in names}
        record = ValidationRecord(
            step=step,
            problems=16 * len(names),
            measured=[
                Accuracy(
                    temperature=temperature,
                    by_level=accuracy,
                    solved=solved,
                    ill_formed=0,
                    truncated=0,
                    tokens=9,
                )
                for temperature in (1.0, 0.6)
            ],
            seconds=1.0,
        )
        append_line(folder / VALIDATION, record)
    return folder


def add_step(folder: Path, names, step: int, *, text=HOSTILE, groups: int = 3) -> None:
    """What a step of a run leaves behind."""
    rng = Random(step)
    append_line(folder / METRICS, metrics(names, step))
    records = []
    for place in range(groups):
        name = names[place % len(names)]
        verdicts = ("cwif", "cccc", "wwww")[place % 3]
        records.append(
            GroupRecord(
                step=step,
                environment=name,
                difficulty=place % 2,
                seed=rng.randrange(2**32),
                verdicts=verdicts,
                rewards=[{"c": 1.0, "w": 0.25, "i": -1.0, "f": 0.0}[letter] for letter in verdicts],
                tokens=[10, 20, 30, 40],
                truncated=[3],
                signal=len(set(verdicts)) > 1,
                advantages=[1.5, 0.5, -2.0, 0.0] if len(set(verdicts)) > 1 else [],
            )
        )
    append_lines(folder / GROUPS, records)
    if step % 5 in (0, 1):
        group = records[0]
        best = SampledOutput(f"<answer>right {step}</answer>", Verdict(1.0, True, True), 0, 1.0)
        worst = SampledOutput(text, Verdict(-1.0, False, False), 2, -1.0)
        sample = GroupSample(
            step=step,
            environment=group.environment,
            difficulty=group.difficulty,
            seed=group.seed,
            prompt=f"Sort step {step}. {SCRIPT}",
            reference=None,
            rewards=group.rewards,
            signal=group.signal,
            best=best,
            worst=worst,
        )
        append_line(folder / ROLLOUTS, sample)


def metrics(names, step: int) -> StepMetrics:
    """The metrics of a step in which environments climb one after another."""
    return StepMetrics(
        step=step,
        prompts=24,
        effective_prompt_ratio=0.5,
        reward=step / 400,
        accuracy=0.5,
        accuracy_at_high=0.6,
        bounds={name: (0, (step + 3 * i) // 40) for i, name in enumerate(names)},
        accuracy_at_high_of=dict.fromkeys(names, 0.5),
        response_tokens=100.0 + step,
        response_quantiles={"p50": 90, "p90": 150, "p99": 190, "max": 192},
        tokens=1000,
        entropy=1.0,
        seconds={"rollouts": 1.0, "update": 0.5, "in all": 2.0 * step},
    )


def make_evaluation(folder: Path, skill: float, *, output: str | None = None, **settings) -> Path:
    """A finished evaluation; `output` is what the model wrote, whatever the verdict."""
    write(folder, skill, **settings)
    if output is not None:
        place = folder / "outputs.jsonl"
        lines = [json.loads(line) | {"output": output} for line in place.open()]
        place.write_text("".join(json.dumps(line) + "\n" for line in lines))
    write_results(folder, summarise(read_evaluation(folder)))
    return folder


def make_frontiers(folder: Path) -> None:
    """The published profile of nano, that of a better model, and a measurement without one."""
    published = Path(__file__).parents[2] / "docs" / "results" / "frontier" / "before-taught-1.json"
    profile = json.loads(published.read_text())
    folder.mkdir(exist_ok=True)
    (folder / "nano.json").write_text(json.dumps(profile))
    plan = {"kind": "frontier"} | profile["plan"]
    for name in ("strong", "unfinished"):
        (folder / name).mkdir()
        (folder / name / "plan.json").write_text(json.dumps(plan))
    better = profile | {"model": "strong <b>", "frontier": {"value": 9.5, "interval": [9.0, 10.0]}}
    (folder / "strong" / "results.json").write_text(json.dumps(better))


def make_teaching_run(folder: Path, names=("Sorting",), steps: int = 4) -> Path:
    """A run of teaching."""
    folder.mkdir(parents=True)
    settings = {"kind": "teach", "policy": {"model": "nano"}, "data": {"environments": [*names]}}
    (folder / "config.json").write_text(json.dumps(settings | {"run": {"steps": steps}}))
    for step in range(1, steps + 1):
        append_line(
            folder / METRICS,
            TeachingMetrics(
                step=step,
                examples=8,
                prompt_tokens=100,
                answer_tokens=50,
                padding=0.1,
                loss=1.0 / step,
                entropy=0.5,
                grad_norm=1.0,
                learning_rate=1e-3,
                left_out={},
                seconds={"update": 1.0, "in all": float(step)},
            ),
        )
        example = TaughtSample(
            step=step, environment=names[0], difficulty=0, seed=step, prompt="Sort.", answer=SCRIPT
        )
        append_line(folder / EXAMPLES, example)
    return folder
