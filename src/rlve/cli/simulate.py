"""`rlve simulate`."""

import sys
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import arg

from rlve.cli._options import Selection, metavar
from rlve.curricula import CURRICULA, CurriculumSettings
from rlve.curricula.settings import SHARED
from rlve.levels import as_range
from rlve.pool import Pool
from rlve.reports import simulation as report
from rlve.reports.terminal import print_table, print_text, progress_bar
from rlve.run_folders import METRICS
from rlve.studies import simulation
from rlve.studies.simulated_policy import SimulatedPolicy
from rlve.studies.simulation import SimulatedReward, SimulatedStep, Simulation, SimulationPlan
from rlve.text import quantity


def _curricula(default: str) -> str:
    return f"({', '.join(CURRICULA)}; default: {default})"


def run(
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
    curriculum: Annotated[tuple[str, ...], metavar("NAME ...", hint=_curricula)] = ("adaptive",),
    tau_acc: Annotated[tuple[float, ...], arg(metavar="SHARE ...")] = (0.9,),
    tau_num: Annotated[tuple[int, ...], metavar("INT ...", hint="(default: 8 x rollouts)")] = (),
    window: Annotated[tuple[int, ...], arg(metavar="INT ...")] = (4,),
    target: Annotated[tuple[float, ...], arg(metavar="SHARE ...")] = (0.5,),
    rehearsal: Annotated[tuple[float, ...], arg(metavar="SHARE ...")] = (0.0,),
    rest: Annotated[tuple[float, ...], arg(metavar="SHARE ...")] = (1.0,),
    static: Annotated[tuple[str, ...], arg(metavar="RANGE ...")] = ("0..1", "0..20"),
    steps: int = 1000,
    problems: int = 128,
    rollouts: int = 16,
    reward: SimulatedReward = "correct",
    policy: SimulatedPolicy = SimulatedPolicy(),  # noqa: B008  frozen
    seed: Annotated[int, arg(aliases=["-s"])] = 0,
    workers: Annotated[int | None, metavar("INT", hint="(default: cores)")] = None,
    folder: Annotated[
        Path | None, metavar("FOLDER", hint="(default: runs/simulation-DATE-TIME)")
    ] = None,
) -> None:
    """Try curriculum settings on a simulated policy, before spending GPU hours.

    Problems, verdicts and curricula are real; the policy is simulated. In every environment it has
    a skill, the difficulty at which it solves half of the problems. Skill grows with practice,
    which only groups with non-identical rewards provide. Its answer is the reference, or a
    corrupted one. It can also forget what it no longer practises, and transfer what it learns from
    one environment to another.

    Every curriculum is run with every combination of the settings it uses, and so is every --static
    range. The same command gives the same numbers. Ctrl-C stops the run and shows the results so
    far.

    Args:
        selection: The environments to train on; C16 by default.
        curriculum: One or more of these; MODULE:CLASS is your own.
        tau_acc: adaptive: h rises once accuracy at h reaches this.
        tau_num: Rollouts at h before that is decided.
        window: adaptive, two-way: the most levels in the range of difficulties (d_delta in the
            paper).
        target: two-way: the accuracy to aim for at h; learnability, bandit: the accuracy at h that
            opens the next level.
        rehearsal: The share of draws that go back to levels already left behind.
        rest: How often to draw an environment without signal, relative to the others.
        static: Fixed ranges to compare with; none if nothing follows the flag.
        steps: Training steps.
        problems: Problems drawn per step.
        rollouts: Rollouts per problem.
        reward: What dynamic sampling compares: 0/1 correctness, or the environment's shaped
            reward, which is higher for corrupted references than for most models' wrong answers.
        policy: Assumptions about the policy.
        seed: Another seed gives other problems, another policy and other luck.
        workers: Processes that generate problems.
        folder: Where to write config.json, metrics.jsonl, the pictures and report.html.
    """
    if not selection:
        selection = Selection(collection=("C16",))
    plan = SimulationPlan(
        names=tuple(environment.__name__ for environment in selection.environments()),
        settings=(
            *combinations(
                curriculum,
                tau_acc=tau_acc,
                tau_num=tau_num or (8 * rollouts,),
                window=window,
                target=target,
                rehearsal=rehearsal,
                rest=rest,
            ),
            *(CurriculumSettings(static=as_range(levels)) for levels in static),
        ),
        steps=steps,
        problems=problems,
        rollouts=rollouts,
        reward=reward,
        policy=policy,
        seed=seed,
    )
    plan.check()
    folder = folder or Path("runs") / f"simulation-{datetime.now():%Y%m%d-%H%M%S}"
    interrupted = False
    with Pool(workers) as pool, _show_progress(plan) as watch:
        try:
            simulation.simulate_into(folder, plan, pool, watch)
        except KeyboardInterrupt:
            if not (folder / METRICS).exists():  # it had not started
                raise
            interrupted = True
    done = simulation.read_simulation(folder)
    if done.steps:
        _present(done, report.write_report(folder))
    if interrupted:
        print(f"Stopped after step {done.steps:,} of {plan.steps:,}.", file=sys.stderr)
        raise KeyboardInterrupt


def combinations(kinds: Sequence[str], **values: Sequence[Any]) -> list[CurriculumSettings]:
    """Each curriculum with all combinations of the settings it uses."""
    settings: list[CurriculumSettings] = []
    for kind in kinds:
        row = CURRICULA.get(kind)  # the user's own uses all settings
        uses = values if row is None else (*SHARED, *row.uses)
        used = {name: choices for name, choices in values.items() if name in uses}
        for chosen in product(*used.values()):
            options = dict(zip(used, chosen, strict=True))
            settings.append(CurriculumSettings(curriculum=kind, **options))
    return settings


@contextmanager
def _show_progress(plan: SimulationPlan) -> Generator[Callable[[SimulatedStep], None]]:
    """Show progress on stderr, and how the first setting, usually an adaptive one, is doing."""
    first, last = plan.labels()[0], plan.labels()[-1]
    recent: deque[SimulatedStep] = deque(maxlen=10)
    with progress_bar("steps  {task.description}") as bar:
        task = bar.add_task("", total=plan.steps)

        def watch(step: SimulatedStep) -> None:
            if step.setting == first:
                recent.append(step)
            if step.setting == last:
                now = simulation.summarise(list(recent))
                text = f"{first}: mean h {now.high_mean:.1f}, effective {now.effective:.0%}"
                bar.update(task, completed=step.step, description=text)

        yield watch


def _present(done: Simulation, page: Path) -> None:
    summaries = done.summaries()
    print_table(*report.table(done))
    redrawn = sum(summary.redrawn for summary in summaries)
    if redrawn:
        singular, plural = "draw gave no problem and was", "draws gave no problem and were"
        print_text(f"\n{quantity(redrawn, singular, plural)} repeated.")
    print_text(
        "\nAccuracy at h and effective prompts: over the last tenth of the run."
        "\nSkill: the difficulty at which the policy solves half, averaged over environments."
        f"\n\nWrote {page}, with the pictures and {METRICS} beside it."
    )
