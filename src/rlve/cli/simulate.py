"""`rlve simulate`."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Annotated

import msgspec
from tyro.conf import arg

from rlve.cli._options import Selection, as_difficulties
from rlve.cli._tables import print_table, progress_bar
from rlve.errors import GenerationError, UserError
from rlve.files import replacing
from rlve.pool import Pool
from rlve.reports import figures
from rlve.reports import simulation as report
from rlve.reports import simulation_figures as plots
from rlve.studies.simulation import (
    Adaptive,
    Plan,
    Policy,
    Record,
    Reward,
    Static,
    simulate,
    summarise,
)


def run(
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
    tau_acc: Annotated[tuple[float, ...], arg(metavar="SHARE ...")] = (0.9,),
    tau_num: Annotated[
        tuple[int, ...], arg(metavar="INT ...", help_behavior_hint="(default: 8 x rollouts)")
    ] = (),
    window: Annotated[tuple[int, ...], arg(metavar="INT ...")] = (4,),
    static: Annotated[tuple[str, ...], arg(metavar="RANGE ...")] = ("0..1", "0..20"),
    steps: int = 1000,
    problems: int = 128,
    rollouts: int = 16,
    reward: Reward = "correct",
    policy: Policy = Policy(),  # noqa: B008  frozen
    seed: Annotated[int, arg(aliases=["-s"])] = 0,
    workers: Annotated[
        int | None, arg(metavar="INT", help_behavior_hint="(default: cores)")
    ] = None,
    output: Annotated[
        Path | None,
        arg(
            aliases=["-o"],
            metavar="FOLDER",
            help_behavior_hint="(default: runs/simulation-DATE-TIME)",
        ),
    ] = None,
) -> None:
    """Try curriculum settings on a simulated policy, before spending GPU hours.

    Problems, verdicts and curricula are real. The policy is simulated: in every environment it
    has a skill, the difficulty of which it solves half, and the skill grows with practice, which
    only groups of non-identical rewards give. It answers with the reference or a corrupted one.

    Every combination of --tau-acc, --tau-num and --window is run, and every --static range. The
    same command gives the same numbers. Ctrl-C ends the run, and shows what there is.

    Args:
        selection: Which environments to train on; C16 if nothing is chosen.
        tau_acc: Accuracy at h from which on h rises.
        tau_num: Rollouts at h after which that is decided.
        window: Levels that the range of difficulties spans at most (d_delta in the paper).
        static: Ranges to compare with, that never move; nothing after the flag: none.
        steps: Training steps.
        problems: Problems drawn per step.
        rollouts: Rollouts per problem.
        reward: What dynamic sampling compares: 0/1 correctness, or the environment's shaped
            reward, of which corrupted references earn more than most models would.
        policy: What is assumed of the policy.
        seed: Another seed, other problems, another policy and other luck.
        workers: Processes that generate problems.
        output: Folder for config.json, metrics.jsonl, the pictures and report.html.
    """
    if not (selection.names or selection.collection or selection.family):
        selection = Selection(collection=("C16",))
    plan = Plan(
        names=tuple(environment.__name__ for environment in selection.environments()),
        settings=(
            *(Adaptive(*values) for values in product(tau_acc, tau_num or (8 * rollouts,), window)),
            *map(_static, static),
        ),
        steps=steps,
        problems=problems,
        rollouts=rollouts,
        reward=reward,
        policy=policy,
        seed=seed,
    )
    with Pool(workers) as pool:
        records = simulate(plan, pool)  # what is wrong with the environments is said here
        folder = _new_folder(output)
        with replacing(folder / "config.json") as file:
            file.write(msgspec.json.format(msgspec.json.encode(asdict(plan)), indent=2) + b"\n")
        history = _recorded(plan, records, folder / "metrics.jsonl")
    done = min(map(len, history.values()))  # steps that all settings have finished
    if done:
        _present(plan, {label: rows[:done] for label, rows in history.items()}, folder)
    if done < plan.steps:
        print(f"Stopped after step {done:,} of {plan.steps:,}.", file=sys.stderr)
        raise KeyboardInterrupt


def _recorded(plan: Plan, records: Iterator[Record], path: Path) -> dict[str, list[Record]]:
    """The records by setting, also written to a file as they come; fewer if Ctrl-C is pressed."""
    history: dict[str, list[Record]] = {label: [] for label in plan.labels()}
    with path.open("wb") as file, progress_bar("steps  {task.description}") as bar:
        task = bar.add_task("", total=plan.steps)
        try:
            for record in records:
                history[record.setting].append(record)
                file.write(msgspec.json.encode(record) + b"\n")
                if record.setting == plan.labels()[-1]:
                    bar.update(task, completed=record.step, description=_live(history))
        except KeyboardInterrupt:
            pass
        except GenerationError as error:
            raise UserError(str(error)) from error
    return history


def _static(text: str) -> Static:
    levels = as_difficulties(text)
    if levels != list(range(levels[0], levels[-1] + 1)):
        raise UserError(f"a static range is such as 0..20, not {text}")
    return Static(levels[0], levels[-1])


def _new_folder(output: Path | None) -> Path:
    folder = output or Path("runs") / f"simulation-{datetime.now():%Y%m%d-%H%M%S}"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is already there; choose another folder with --output")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the folder {folder}: {error.strerror}") from error
    return folder


def _live(history: dict[str, list[Record]]) -> str:
    """The state of the first setting, which is an adaptive one if there is any."""
    label, records = next(iter(history.items()))
    now = summarise(records[-10:])
    return f"{label}: mean h {now.high_mean:.1f}, effective {now.effective:.0%}"


def _present(plan: Plan, history: dict[str, list[Record]], folder: Path) -> None:
    """Draw the pictures, write the page, print the table."""
    summaries = [summarise(records) for records in history.values()]
    overview = figures.png(plots.overview(plan, history))
    by_environment = figures.png(plots.by_environment(plan, history))
    page = report.page(plan, history, summaries, overview, by_environment)
    for name, content in (
        ("overview.png", overview),
        ("environments.png", by_environment),
        ("report.html", page.encode()),
    ):
        with replacing(folder / name) as file:
            file.write(content)
    print_table(report.SUMMARY_HEADINGS, map(report.summary_row, summaries))
    redrawn = sum(summary.redrawn for summary in summaries)
    if redrawn:
        print(f"\n{redrawn:,} draws gave no problem, and were made again.")
    print(
        "\nAccuracy at h and effective prompts: the last tenth of the run."
        "\nSkill: the difficulty of which the policy solves half, mean over environments."
        f"\n\nWrote {folder / 'report.html'}, with the pictures and metrics.jsonl beside it."
    )
