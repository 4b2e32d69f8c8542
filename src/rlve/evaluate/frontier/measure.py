"""Measuring a frontier: rounds of outputs at the difficulties that say most about it.

    plan = make_plan(HELD_OUT, model="nano", backend="in process", format="plain")
    profile = measure(plan, InProcessBackend("nano"), Path("frontiers/nano"))

Each round asks about all environments whose frontiers are not known well enough yet, at once, so
that an engine is kept busy. A round is on disk before the model is asked; then its outputs are, as
they arrive. An interrupted measurement resumes: called again with the same plan, it asks only for
the missing outputs. With a larger budget it goes on.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Unpack

from rlve.collections import resolve
from rlve.datasets.draws import DistinctRows, DrawnCell
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.backends import Backend, Notify
from rlve.evaluate.frontier import Tallies
from rlve.evaluate.frontier.curves import posteriors
from rlve.evaluate.frontier.profile import (
    KIND,
    Answers,
    FrontierPlan,
    FrontierProfile,
    answers,
    summarise,
)
from rlve.evaluate.judge import check_verifiers, load_problems
from rlve.evaluate.results import ModelSettings, model_columns
from rlve.evaluate.runner import ProgressTeller, Watch, complete, open_evaluation
from rlve.foundation.files import pretty, write_lines, write_whole
from rlve.foundation.run_folders import RESULTS, SUITE, check_own, write_settings
from rlve.pool import Pool
from rlve.registry import environment, family

OUTPUTS_EACH = 100  # per environment, at most, unless the plan says otherwise
ROUND = 8  # outputs per environment in a round, on average
MOST = 32  # outputs of one environment in a round
WIDE = 1.0  # an interval of at most this many levels is narrow enough
TRIES = 5  # at generating a problem, before a difficulty is given up


def seed_by_date() -> int:
    """Today's, such as 20261117, so that problems are fresh."""
    return int(datetime.now(UTC).strftime("%Y%m%d"))


def make_plan(
    targets: Sequence[str],
    *,
    outputs: int | None = None,
    deadline: float = 10.0,
    **settings: Unpack[ModelSettings],
) -> FrontierPlan:
    """The plan for environments and collections; the seed of the sampling is that of problems."""
    names = resolve(targets)
    budget = OUTPUTS_EACH * len(names) if outputs is None else outputs
    if budget < ROUND * len(names):
        raise UserError(
            f"{len(names)} environments need at least {ROUND * len(names):,} outputs, not "
            f"{budget:,}; give a larger budget or fewer environments"
        )
    plan = FrontierPlan(
        suite="+".join(targets) if len(targets) <= 3 else f"{len(names)} environments",
        sha="",  # the questions depend on the answers
        metric="avg",
        k=1,
        samples=1,
        deadline=deadline,
        environments=names,
        outputs=budget,
        **model_columns(settings),
    )
    plan.check()
    return plan


def measure(
    plan: FrontierPlan,
    backend: Backend,
    folder: Path,
    *,
    workers: int | None = None,
    watch: Watch = lambda progress: None,
    notify: Notify = lambda text: None,
) -> FrontierProfile:
    """Carry out a plan, or the rest of it, and write the profile to its folder."""
    if folder.is_dir():
        check_own(folder)
    with (
        Pool(workers, deadline=plan.deadline) as pool,
        open_evaluation(folder, plan, [], KIND) as evaluation,
    ):
        write_settings(folder, KIND, plan)  # the budget may have changed
        progress = ProgressTeller(evaluation, watch, plan.outputs)
        questions = _Questions(pool, plan)
        checked = False
        asked = evaluation.questions
        while True:
            missing = [row for row in asked if (row.id, 0) not in evaluation.verdicts]
            if not missing:
                missing = questions.next(answers(evaluation, plan.environments), asked)
                if not missing:
                    break
                asked += missing
                write_lines(folder / SUITE, asked)
            problems = load_problems(pool, missing, plan.prompt_format())
            if not checked:
                check_verifiers(pool, problems)
                checked = True
            complete(evaluation, problems, backend, pool, progress)
        if not checked:
            notify(f"all outputs were already in {folder}; nothing was sampled")
        profile = summarise(evaluation, plan)
        write_whole(folder / RESULTS, pretty(profile))
        return profile


class _Questions:
    """Chooses the questions of each round."""

    def __init__(self, pool: Pool, plan: FrontierPlan) -> None:
        self._plan = plan
        # A difficulty has as many problems as it has: the same one may be asked twice.
        self._rows = DistinctRows(pool, duplicates=True)
        self._given_up: dict[str, int] = {}  # the lowest difficulty that makes no problems

    def next(self, found: Mapping[str, Answers], before: Sequence[ProblemRow]) -> list[ProblemRow]:
        """The questions of the next round; none if all is known, or the budget is spent."""
        drawn = [(row.environment, row.difficulty) for row in before]
        number = {cell: drawn.count(cell) for cell in set(drawn)}
        made: list[ProblemRow] = []
        while not made and (cells := list(self._cells(found, len(before), number))):
            for _ in range(TRIES):
                failed: list[DrawnCell] = []
                for cell, row in self._rows.draw(cells):
                    made += [row] if row is not None else []
                    failed += [cell] if row is None else []
                cells = failed
            for cell in cells:
                lowest = self._given_up.get(cell.name, cell.difficulty)
                self._given_up[cell.name] = min(lowest, cell.difficulty)
        return made

    def _cells(
        self,
        found: Mapping[str, Answers],
        asked: int,
        number: dict[tuple[str, int | None], int],
    ) -> Iterator[DrawnCell]:
        tops = {
            name: min(each.top, self._given_up.get(name, each.top + 1) - 1)
            for name, each in found.items()
        }
        known = {name: each.exact for name, each in found.items()}
        families = {name: family(name) for name in found}
        for name, level in next_levels(known, families, tops, self._plan.outputs - asked):
            index = number[name, level] = number.get((name, level), 0) + 1
            seeds = Random(f"rlve frontier/{self._plan.sampling.seed}/{name}/{level}/{index}")
            yield DrawnCell(environment(name), level, seeds)


def next_levels(
    known: Mapping[str, Tallies],
    families: Mapping[str, str],
    tops: Mapping[str, int],
    budget: int,
) -> list[tuple[str, int]]:
    """The environments and difficulties to ask about in the next round.

    None if all frontiers are known well enough, or the budget is spent. Where the top is below 0,
    there is nothing to ask about.
    """
    held = {name: tallies for name, tallies in known.items() if tops[name] >= 0}
    if budget < 1 or not held:
        return []
    expected = posteriors(held, families)
    intervals = {name: expected[name].interval(tops[name]) for name in held}
    widths = {name: each.high - each.low for name, each in intervals.items()}
    wide = sorted((name for name in held if widths[name] > WIDE), key=lambda name: -widths[name])
    if not wide:
        return []
    share, rest = divmod(min(budget, ROUND * len(known)), len(wide))
    return [
        (name, level)
        for place, name in enumerate(wide)
        for level in expected[name].levels(min(share + (place < rest), MOST), tops[name])
    ]
