"""Curricula on a simulated policy: problems, verdicts and curricula are real, the policy is not.

    python -m experiments.simulate Sorting --steps 300 --rehearsal 0 0.2 --policy.forgetting 0.01
    python -m experiments.simulate --show runs/simulation

Every curriculum of `rlve.curricula.CURRICULA` is run, a new one too, with each share of rehearsal,
and every static range. All start with the same policy and the same luck, so that only the curricula
differ; the same command gives the same numbers. simulated_policy.py has all that is assumed. The
folder gets config.json, and metrics.jsonl with a line for each step of each arm.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Annotated, Literal

import msgspec
import tyro
from tyro.conf import Positional

from experiments.simulated_policy import Learner, SimulatedPolicy, sample_group
from rlve.collections import resolve
from rlve.curricula import CURRICULA, CurriculumSettings
from rlve.foundation.limits import check_limits
from rlve.pool import Pool
from rlve.stream import Stream

HEADINGS = (
    *("arm", "h at the end", "range of h", "accuracy at h", "effective prompts"),
    *("over the whole run", "skill", "mastered levels"),
)


class SimulatedStep(msgspec.Struct, frozen=True):
    """The results of one step of one arm; `high` and `skill` are in the order of the names."""

    arm: str = msgspec.field(name="setting")  # as published records have it
    step: int
    effective_prompt_ratio: float  # share of prompts whose group has non-identical rewards
    accuracy: float  # of all rollouts
    accuracy_at_high: float | None  # of the rollouts at the highest level; None if there were none
    high: list[int]  # h after the step
    skill: list[float]  # after the step
    redrawn: int = 0  # draws so far that gave no problem and were repeated
    kept: float | None = None  # accuracy at all levels ever mastered; None if there are none


def simulate(
    names: Sequence[str],
    arm: CurriculumSettings,
    policy: SimulatedPolicy,
    *,
    steps: int,
    problems: int,
    rollouts: int,
    reward: Literal["correct", "shaped"] = "correct",
    seed: int = 0,
    pool: Pool | None = None,
) -> Iterator[SimulatedStep]:
    """Simulate training under one curriculum, step by step."""
    curriculum = arm.build(names, group=rollouts)
    stream = Stream(curriculum, seed=seed, pool=pool, ahead=problems)
    learner, luck = Learner(names, policy, seed), Random(f"luck/{seed}")
    for step in range(1, steps + 1):
        effective = 0
        all_right: list[bool] = []
        right_at_high: list[bool] = []
        for item in stream.take(problems):
            name, d = item.name, item.difficulty
            chance = learner.chance(name, d, luck.random())
            verdicts = sample_group(item.problem, chance, rollouts, luck)
            right = [verdict.correct for verdict in verdicts]
            shaped = [verdict.reward for verdict in verdicts]
            rewards = [float(correct) for correct in right] if reward == "correct" else shaped
            curriculum.observe_group(name, d, right, rewards)
            learner.practise(name, d, rewards, right)
            effective += min(rewards) != max(rewards)
            all_right += right
            right_at_high += right if d == curriculum.bounds(name)[1] else []
        curriculum.step()
        learner.step()
        stream.look_ahead()
        yield SimulatedStep(
            arm=arm.label(),
            step=step,
            effective_prompt_ratio=effective / problems,
            accuracy=fmean(all_right),
            accuracy_at_high=fmean(right_at_high) if right_at_high else None,
            high=[curriculum.bounds(name)[1] for name in names],
            skill=[round(learner.skill[name], 4) for name in names],
            redrawn=sum(sum(kinds.values()) for kinds in stream.redrawn.values()),
            kept=learner.kept(),
        )


def row(steps: Sequence[SimulatedStep]) -> list[str]:
    """The results of an arm, under HEADINGS: at the end is in the last tenth of its steps."""
    last, end = steps[-1], steps[-max(1, len(steps) // 10) :]
    return [
        last.arm,
        f"{fmean(last.high):.2f}",
        f"{min(last.high)} to {max(last.high)}",
        _share([step.accuracy_at_high for step in end]),
        _share([step.effective_prompt_ratio for step in end]),
        _share([step.effective_prompt_ratio for step in steps]),
        f"{fmean(last.skill):.2f}",
        _share([step.kept for step in end]),
    ]


def _share(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{fmean(known):.1%}" if known else "-"


def table(folder: Path) -> str:
    """The arms of a simulation side by side."""
    history: dict[str, list[SimulatedStep]] = {}
    for line in (folder / "metrics.jsonl").read_bytes().splitlines():
        step = msgspec.json.decode(line, type=SimulatedStep)
        history.setdefault(step.arm, []).append(step)
    rows = [HEADINGS, ["---", *["---:"] * (len(HEADINGS) - 1)], *map(row, history.values())]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def main(
    names: Positional[tuple[str, ...]] = ("C16",),
    *,
    curricula: tuple[str, ...] = (),
    rehearsal: tuple[float, ...] = (0.0,),
    static: tuple[tuple[int, int], ...] = ((0, 1), (0, 20)),
    steps: int = 1000,
    problems: int = 128,
    rollouts: int = 16,
    reward: Literal["correct", "shaped"] = "correct",
    seed: int = 0,
    policy: SimulatedPolicy = SimulatedPolicy(),  # noqa: B008  frozen
    folder: Path = Path("runs/simulation"),
    show: Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")] = None,
) -> None:
    """Simulate curricula on these environments and collections, or show what was simulated."""
    if show is not None:
        print(table(show))
        return
    check_limits("policy.", policy)
    chosen = [
        *(
            CurriculumSettings(curriculum=name, rehearsal=share)
            for name in curricula or tuple(CURRICULA)
            for share in rehearsal
        ),
        *(CurriculumSettings(static=levels) for levels in static),
    ]
    environments = resolve(names)
    shared = {"steps": steps, "problems": problems, "rollouts": rollouts, "seed": seed}
    plan = {"names": environments, "arms": [asdict(each) for each in chosen], **shared}
    if folder.exists():
        sys.exit(f"{folder} already exists; choose another with --folder")
    folder.mkdir(parents=True)
    plan |= {"reward": reward, "policy": asdict(policy)}
    (folder / "config.json").write_bytes(msgspec.json.format(msgspec.json.encode(plan)))
    with Pool() as pool, (folder / "metrics.jsonl").open("ab") as file:
        for arm in chosen:
            print(arm.label(), file=sys.stderr)
            for step in simulate(environments, arm, policy, reward=reward, pool=pool, **shared):
                file.write(msgspec.json.encode(step) + b"\n")
    print(table(folder))


if __name__ == "__main__":
    tyro.cli(main)
