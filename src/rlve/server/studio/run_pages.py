"""The pages of runs: the table, one run, several in the same charts, and their rollouts."""

import csv
import io
import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any

from msgspec.structs import replace

from rlve.contract import check_difficulty, has_work
from rlve.errors import UserError
from rlve.foundation.metrics import read_metric
from rlve.pool import Request
from rlve.registry import dialogues, environment, environments
from rlve.reports.pictures import has_picture
from rlve.server.studio import failures, problems, rollouts, run_charts, runs
from rlve.server.studio.evaluations import EvaluationFolder
from rlve.server.studio.folders import RUNS
from rlve.server.studio.group_rows import LETTERS, OUTCOMES, SOME
from rlve.server.studio.pages import Page, place_in
from rlve.server.studio.rollouts import RolloutFilter
from rlve.server.studio.run_table import COLUMNS, PAGE, RunFilter, choices, groups, select
from rlve.server.studio.runs import RunFolder, RunRow
from rlve.server.studio.state import COLOURS
from rlve.train.history import GroupSample

COMPARED_RUNS = 8
NEWS = 3  # runs and evaluations that the first page shows
EXAMPLES = 12  # that the page of a run of teaching shows


class RunPages(Page):
    """Pages below /runs."""

    # The table.

    def runs(self, wanted: RunFilter) -> str:
        return self.render(
            "runs.html",
            part="runs",
            wanted=wanted,
            columns=COLUMNS,
            settings=choices(self._rows()[0]),
            rows=self.run_rows(wanted),
            most=COMPARED_RUNS,
            folders=self.studio.given,
        )

    def run_rows(self, wanted: RunFilter, offset: int = 0) -> str:
        """The table: a part of a page."""
        rows, broken = self._rows()
        chosen = select(rows, wanted)
        found = self.studio.folders.all(*RUNS)
        colours = {each.id: self.studio.folders.rank(each) % COLOURS for each in found}
        return self.render(
            "run_rows.html",
            wanted=wanted,
            result=runs.result,
            groups=groups(chosen, wanted),
            every=len(rows),
            colours=colours,
            broken=[*broken, *self.studio.folders.damaged()],
            folders=self.studio.given,
            **self.portion(chosen, offset, PAGE, "/runs", "/runs-rows", **wanted.query()),
        )

    def _rows(self) -> tuple[list[RunRow], list[str]]:
        """The runs, and what is wrong with those that cannot be read."""
        rows: list[RunRow] = []
        broken: list[str] = []
        for found in self.studio.folders.all(*RUNS):
            try:
                rows.append(self.studio.runs.row(found))
            except UserError as error:
                broken.append(f"{found.name}: {error}")
        return rows, broken

    def pulse(self, was: str = "") -> dict[str, Any]:
        """What live runs are doing, and those that were live a moment ago, between commas."""
        told: dict[str, Any] = {}
        for found in self.studio.folders.all(*RUNS):
            try:
                row = self.studio.runs.row(found)
                live = row.state in ("running", "stalled")
                if live or found.id in was.split(","):
                    told[found.id] = {
                        "name": row.name,
                        "state": row.state,
                        "step": row.steps,
                        "warnings": runs.warnings(self.studio.runs.open(found)) if live else [],
                    }
            except UserError:
                continue  # the table names it
        return told

    def news(self) -> str:
        """The latest runs, those at work first, and evaluations: a part of the first page."""
        every = self.studio.folders.all(*RUNS)
        every.sort(key=lambda found: not self.studio.runs.open(found).live())
        latest: list[RunRow] = []
        for found in every[:NEWS]:
            with suppress(UserError):  # the table names it
                latest.append(self.studio.runs.row(found))
        opened: list[EvaluationFolder] = []
        for found in self.studio.folders.all("eval")[:NEWS]:
            with suppress(UserError):
                opened.append(self.studio.evaluations.open(found))
        return self.render("news.html", runs=latest, evaluations=opened, result=runs.result)

    # A run, or several.

    def run(self, name: str) -> str:
        run = self.studio.run(name)
        return self._run(run, self.studio.runs.row(run.found))

    def saved_run(self, name: str, *, ended: bool) -> str:
        """A run that stands alone; `ended` says that whoever works in its folder has finished."""
        run = self.studio.run(name)
        if not run.steps.read():
            raise UserError(f"{run.found.folder} has no finished step to report yet")
        row = self.studio.runs.row(run.found)
        state = runs.state_of(row, live=False) if ended else row.state
        return self._run(run, replace(row, state=state))

    def _run(self, run: RunFolder, row: RunRow) -> str:
        name = run.found.id
        stamp = run.stamp()  # first: what is written from now on makes the page ask again
        return self.render(
            "run.html",
            part="runs",
            run=runs.summary(run, row),
            teaches=run.teaches,
            drawn=run_charts.draw_runs([run], {name: 0}),
            sections=run_charts.SECTIONS,
            tables=runs.tables(run),
            samples=[] if run.teaches else rollouts.choose_samples(run),
            talks_of=self._talks_of,
            examples=run.examples.read()[-EXAMPLES:],
            known={*environments()},
            config=json.dumps(run.config(), indent=2),
            live=None if self.links.saved else self.links.page("charts", run=name),
            csv="" if self.links.saved else self.links.page("metrics.csv", run=name),
            rollouts=self.links.page("runs", name, "rollouts"),
            stamp=f'"{stamp}"',
        )

    def _talks_of(self, sample: GroupSample) -> dict[int, problems.Conversation]:
        """The best and the worst output as conversations, by their places in the group."""
        texts = {output.place: output.text for output in (sample.best, sample.worst)}
        place = sample.environment, sample.difficulty, sample.seed
        with suppress(UserError):  # the problem cannot be made here: its texts are shown
            return problems.conversations(self.studio.pool, *place, texts)
        return {}

    def live_charts(self, chosen: Sequence[RunFolder], *, seeds: bool = False) -> dict[str, Any]:
        """What an open page requests while its runs are running."""
        texts: dict[str, str] = {}
        colours = dict.fromkeys([chosen[0].found.id], 0)
        if len(chosen) == 1:
            summary = runs.summary(chosen[0], self.studio.runs.row(chosen[0].found))
            texts = {
                "state": summary.row.state,
                "headline": summary.headline,
                "concerns": self.render(
                    "concerns.html", run=summary.row.id, concerns=summary.concerns
                ),
                "damage": "\n".join(summary.damage),
                **{f"number-{i}": value for i, value in enumerate(summary.numbers.values())},
            }
        else:
            colours = self.studio.colours([run.found for run in chosen])
        drawn = run_charts.draw_runs(chosen, colours, seeds=seeds)
        return {"drawn": drawn, "texts": texts}

    def compared_runs(self, run: Sequence[str] = (), seeds: bool = False) -> str:
        """Several runs in the same charts."""
        chosen = self.chosen_runs(run)
        colours = self.studio.colours([run.found for run in chosen])
        differing = runs.differences([run.config() for run in chosen])
        ids = [each.found.id for each in chosen]
        page = self.links.page
        return self.render(
            "compared_runs.html",
            part="runs",
            chosen=[self.studio.runs.row(run.found) for run in chosen],
            columns=COLUMNS,
            colours=colours,
            differing=differing,
            seeds=seeds,
            grouped=len({runs.alike(run.config()) for run in chosen}) < len(chosen),
            other=page("runs-compared", run=ids, seeds="" if seeds else "true"),
            drawn=run_charts.draw_runs(chosen, colours, seeds=seeds),
            sections=run_charts.SECTIONS,
            live=page("charts", run=ids, seeds="true" if seeds else ""),
            csv=page("metrics.csv", run=ids),
        )

    def chosen_runs(self, names: Sequence[str]) -> list[RunFolder]:
        """The runs to compare."""
        chosen = [self.studio.run(name) for name in dict.fromkeys(names)]
        if not 1 <= len(chosen) <= COMPARED_RUNS:
            raise UserError(f"choose 1 to {COMPARED_RUNS} runs to compare, not {len(chosen)}")
        if len({run.teaches for run in chosen}) > 1:
            raise UserError("runs of training and of teaching have no metrics in common to compare")
        return chosen

    def metrics_csv(self, chosen: Sequence[RunFolder]) -> str:
        """Every metric after every step, as it was recorded."""
        text = io.StringIO()
        table = chosen[0].table
        names = [name for name, row in table.items() if row.format and name != "step"]
        writer = csv.writer(text)
        writer.writerow(["run", "step", "tokens in all", "seconds in all", *names])
        for run in chosen:
            steps = run.steps.read()
            totals = accumulate(step.tokens for step in steps)
            for step, total in zip(steps, totals, strict=True):
                values = (read_metric(table, name, step) for name in names)
                row = [run.found.name, step.step, total, step.seconds.get("in all", "")]
                writer.writerow([*row, *("" if value is None else value for value in values)])
        return text.getvalue()

    # Rollouts.

    def rollouts(self, name: str, wanted: RolloutFilter) -> str:
        """The rollouts of a run."""
        run = self.studio.run(name)
        return self.render(
            "rollouts.html",
            part="runs",
            run=run.found,
            wanted=wanted,
            names=rollouts.names(run),
            choices=rollouts,
            outcomes=OUTCOMES,
            rows=self.rollout_rows(name, wanted),
            damage=run.damage(),
            trained_on=runs.trained_on(run.config()),
        )

    def rollout_rows(self, name: str, wanted: RolloutFilter, offset: int = 0) -> str:
        """Rows of the table: a part of a page."""
        run, query = self.studio.run(name), wanted.query()
        page = self.links.page("runs", run.found.id, "rollouts")
        matching = rollouts.find_groups(run, wanted)
        rows = self.portion(matching, offset, rollouts.PAGE, page, f"{page}/rows", **query)
        rows["shown"] = rollouts.with_texts(run, rows["shown"])
        shaped = None if run.shaped else rollouts.shaped_rewards(run, rows["shown"])
        return self.render("rollout_rows.html", run=run.found, query=query, shaped=shaped, **rows)

    def group(self, name: str, index: int, wanted: RolloutFilter) -> str:
        """One group: prompt, outputs and verdicts, and its neighbours in the table."""
        run = self.studio.run(name)
        row = rollouts.find_row(run, index)
        known = row.environment in {*environments(), *dialogues()}
        outputs = rollouts.rollouts(run, row)
        texts = {output.number: output.text for output in outputs if output.text is not None}
        problem = row.environment, row.difficulty, row.seed
        return self.render(
            "group.html",
            part="runs",
            run=run.found,
            row=row,
            query=wanted.query(),
            place=place_in([each.number for each in rollouts.find_groups(run, wanted)], index),
            sample=rollouts.sample_of(run, row),
            letters=LETTERS,
            outputs=outputs,
            talks=problems.conversations(self.studio.pool, *problem, texts),
            known=known,
            worked=known and has_work(environment(row.environment)),
            pictured=known and has_picture(environment(row.environment)),
        )

    def failures(self, name: str, wanted: RolloutFilter) -> str:
        """Why the outputs of a run fail."""
        run = self.studio.run(name)
        rows = [row for row in run.groups.read() if wanted.fits(row)]
        return self.render(
            "failures.html",
            part="runs",
            found=run.found,
            listing=("runs", run.found.id, "rollouts"),
            wanted=wanted,
            names=rollouts.names(run),
            places=failures.places(rows),
            letters=LETTERS,
            some=SOME,
            repeated=failures.repeated(failures.outputs_of_run(run, rows), rollouts.marker_of(run)),
            drawn=failures.draw(run, rows),
        )

    def failure_reasons(self, name: str, wanted: RolloutFilter) -> str:
        """The commonest reasons: a part of a page."""
        run = self.studio.run(name)
        rows = [row for row in run.groups.read() if wanted.fits(row)]
        outputs = failures.outputs_of_run(run, rows)
        failed = failures.some_failed(outputs, latest=True)
        total, found = failures.reasons(self.studio.pool, failed, rollouts.marker_of(run))
        listing = "runs", run.found.id, "rollouts"
        return self.render("reasons.html", listing=listing, total=total, reasons=found)

    def reason(self, name: str, index: int, output: int) -> str:
        """Why an output got its verdict: a part of a page."""
        run = self.studio.run(name)
        row = rollouts.find_row(run, index)
        texts = {each.number: each for each in rollouts.rollouts(run, row)}
        shown = texts.get(output)
        if shown is None or shown.text is None:
            raise UserError("the text of this output was not kept")
        cls = environment(row.environment)
        check_difficulty(cls, row.difficulty)
        problem = problems.make_problem(self.studio.pool, Request(cls, row.difficulty, row.seed))
        return self.render_reason(problem, shown.text, rollouts.marker_of(run), shown.reward)
