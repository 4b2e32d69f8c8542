"""The pages of runs: the table, one run, several in the same charts, and their rollouts."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Annotated, Any

from fastapi import Header

from rlve.contract import check_difficulty, has_work
from rlve.errors import UserError
from rlve.metrics import read_metric
from rlve.pool import Request
from rlve.registry import environment, environments
from rlve.server.studio import diffs, problems, rollouts, run_charts, runs
from rlve.server.studio.folders import RUNS
from rlve.server.studio.pages import Page, from_address, place_in, stamp_of
from rlve.server.studio.rollouts import GroupRow, RolloutFilter
from rlve.server.studio.run_table import COLUMNS, PAGE, RunFilter, select
from rlve.server.studio.runs import RunFolder, RunRow
from rlve.server.studio.state import COLOURS
from rlve.train.presets import PRESETS

Token = Annotated[str, Header(alias="x-rlve-token")]
WantedRuns = Annotated[RunFilter, from_address(RunFilter)]
WantedGroups = Annotated[RolloutFilter, from_address(RolloutFilter)]

COMPARED_RUNS = 8
EXAMPLES = 50  # that the page of a run of teaching shows


class RunPages(Page):
    """Pages below /runs."""

    # The table.

    def runs(self, wanted: WantedRuns) -> str:
        rows = self.run_rows(wanted)
        return self.render(
            "runs.html",
            part="runs",
            wanted=wanted,
            columns=COLUMNS,
            rows=rows,
            stamp=stamp_of(rows),
            most=COMPARED_RUNS,
            folders=self.studio.given,
            presets=list(PRESETS),
            jobs=self.studio.jobs.all() if self.studio.jobs else [],
        )

    def run_rows(self, wanted: RunFilter, offset: int = 0) -> str:
        """The table: a part of a page."""
        found, broken = self._rows()
        chosen = select(list(found.values()), wanted)
        size = len(chosen) if self.links.exported else PAGE
        found_runs = self.studio.folders.all(*RUNS)
        colours = {each.id: self.studio.folders.rank(each) % COLOURS for each in found_runs}
        return self.render(
            "run_rows.html",
            wanted=wanted,
            columns=COLUMNS,
            every=len(found),
            colours=colours,
            broken=[*broken, *self.studio.folders.damaged()],
            folders=self.studio.given,
            **self.portion(chosen, offset, size, "runs-rows", **wanted.query()),
        )

    def _rows(self) -> tuple[dict[str, RunRow], list[str]]:
        rows: dict[str, RunRow] = {}
        broken: list[str] = []
        for found in self.studio.folders.all(*RUNS):
            try:
                rows[found.id] = self.studio.runs.row(found)
            except UserError as error:
                broken.append(f"{found.name}: {error}")
        return rows, broken

    def pulse(self, was: Sequence[str]) -> dict[str, Any]:
        """What live runs are doing, and those that were live a moment ago."""
        told: dict[str, Any] = {}
        for found in self.studio.folders.all(*RUNS):
            try:
                row = self.studio.runs.row(found)
                live = row.state in ("running", "stalled")
                if live or found.id in was:
                    told[found.id] = {
                        "name": row.name,
                        "state": row.state,
                        "step": row.steps,
                        "warnings": runs.warnings(self.studio.runs.open(found)) if live else [],
                    }
            except UserError:
                continue  # the table names it
        return told

    # A run, or several.

    def run(self, name: str) -> str:
        run = self.studio.run(name)
        stamp = run.stamp()  # first: what is written from now on makes the page ask again
        colours = dict.fromkeys([run.found.id], 0)
        return self.render(
            "run.html",
            part="runs",
            run=runs.summary(run, self.studio.runs.row(run.found)),
            teaches=run.teaches,
            drawn=run_charts.draw_runs([run], colours),
            sections=run_charts.SECTIONS,
            config=json.dumps(run.config(), indent=2),
            live=None if self.links.exported else self.links.page("runs", name, "charts"),
            csv="" if self.links.exported else self.links.page("runs", name, "metrics.csv"),
            rollouts=self.links.page("runs", name, "rollouts"),
            stamp=f'"{stamp}"',
        )

    def live_charts(self, chosen: Sequence[RunFolder], *, seeds: bool = False) -> dict[str, Any]:
        """What an open page requests while its runs are running."""
        texts: dict[str, str] = {}
        colours = dict.fromkeys([chosen[0].found.id], 0)
        if len(chosen) == 1:
            summary = runs.summary(chosen[0], self.studio.runs.row(chosen[0].found))
            texts = {
                "state": summary.row.state,
                "step": f"{summary.row.steps:,}",
                "headline": summary.headline,
                "concerns": "\n".join(summary.concerns),
                "damage": "\n".join(summary.damage),
                **{f"number-{i}": value for i, value in enumerate(summary.numbers.values())},
            }
        else:
            colours = self.studio.colours([run.found for run in chosen])
        drawn = run_charts.draw_runs(chosen, colours, seeds=seeds)
        return {"drawn": drawn, "texts": texts}

    def compared_runs(self, names: Sequence[str], *, seeds: bool = False) -> str:
        """Several runs in the same charts."""
        chosen = self.chosen_runs(names)
        colours = self.studio.colours([run.found for run in chosen])
        differing = runs.differences([run.config() for run in chosen])
        query = "&".join(f"run={run.found.id}" for run in chosen) + ("&seeds=true" if seeds else "")
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
            alone=page("runs-compared") + "?" + "&".join(f"run={run.found.id}" for run in chosen),
            drawn=run_charts.draw_runs(chosen, colours, seeds=seeds),
            sections=run_charts.SECTIONS,
            live=f"{page('runs-compared', 'charts')}?{query}",
            csv=f"{page('runs-compared', 'metrics.csv')}?{query}",
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

    def rollouts(self, name: str, wanted: WantedGroups) -> str:
        """The rollouts of a run."""
        run = self.studio.run(name)
        if run.teaches:
            return self._examples(run)
        rows = self.rollout_rows(name, wanted, 0)
        return self.render(
            "rollouts.html",
            part="runs",
            run=run.found,
            wanted=wanted,
            names=rollouts.names(run),
            choices=rollouts,
            rows=rows,
            stamp=stamp_of(rows),
            damage=run.damage(),
            groups=[],
        )

    def _examples(self, run: RunFolder) -> str:
        taught = run.examples.read()
        known = set(environments())
        return self.render(
            "examples.html",
            part="runs",
            run=run.found,
            total=len(taught),
            examples=taught[::-1][:EXAMPLES],
            known=known,
        )

    def exported_rollouts(self, name: str, most: int) -> str:
        """At most `most` rollouts of a run, those whose texts were kept."""
        run = self.studio.run(name)
        if run.teaches:
            return self._examples(run)
        rows = self.portion(rollouts.find_groups(run, RolloutFilter(texts_only=True)), 0, most)
        rows["shown"] = rollouts.with_texts(run, rows["shown"])
        return self.render(
            "rollouts.html",
            part="runs",
            run=run.found,
            rows=self.render("rollout_rows.html", run=run.found, query={}, **rows),
            stamp="",
            damage=run.damage(),
            groups=[self._group(run, row) for row in rows["shown"]],
        )

    def rollout_rows(self, name: str, wanted: RolloutFilter, offset: int) -> str:
        """Rows of the table: a part of a page."""
        run, query = self.studio.run(name), wanted.query()
        place = "runs", run.found.id, "rollouts", "rows"
        matching = rollouts.find_groups(run, wanted)
        rows = self.portion(matching, offset, rollouts.PAGE, *place, **query)
        rows["shown"] = rollouts.with_texts(run, rows["shown"])
        return self.render("rollout_rows.html", run=run.found, query=query, **rows)

    def group(
        self,
        name: str,
        index: int,
        wanted: WantedGroups,
        left: int | None = None,
        right: int | None = None,
    ) -> str:
        """One group: prompt, outputs and verdicts, and its neighbours in the table.

        Two of the outputs, counted from 1, can stand side by side.
        """
        pair = None if left is None or right is None else (left - 1, right - 1)
        run = self.studio.run(name)
        row = rollouts.find_row(run, index)
        values = self._group(run, row)
        return self.render(
            "group_page.html",
            part="runs",
            run=run.found,
            query=wanted.query(),
            place=place_in([each.number for each in rollouts.find_groups(run, wanted)], index),
            pair=pair,
            diff=_diff(values["outputs"], pair) if pair else None,
            **values,
        )

    def _group(self, run: RunFolder, row: GroupRow) -> dict[str, Any]:
        known = row.environment in environments()
        return {
            "row": row,
            "sample": rollouts.sample_of(run, row),
            "outputs": rollouts.rollouts(run, row),
            "known": known,
            "worked": known and has_work(environment(row.environment)),
        }

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

    # Runs of this machine.

    def start(self, form: Mapping[str, str], token: str) -> str:
        """Start a run, and say so: a part of a page."""
        jobs = self._jobs(token)
        job = jobs.start(form)
        self.studio.folders.look_again()
        return self.render("jobs.html", jobs=jobs.all(), told=f"Started: {job.command}")

    def stop(self, name: str, token: Token = "") -> str:
        """Stop a run, and say so: a part of a page."""
        jobs = self._jobs(token)
        found = self.studio.run(name).found
        jobs.stop(found)
        told = f"{found.name} was asked to stop: it finishes its step and saves a checkpoint."
        return self.render("jobs.html", jobs=[], told=told)

    def resume(self, name: str, token: Token = "") -> str:
        """Resume a run, and say so: a part of a page."""
        jobs = self._jobs(token)
        job = jobs.resume(self.studio.run(name).found)
        return self.render("jobs.html", jobs=[], told=f"Started: {job.command}")

    def jobs(self, token: Token = "") -> str:
        """What the processes that were started here have written: a part of a page."""
        return self.render("jobs.html", jobs=self._jobs(token).all(), told="")

    def _jobs(self, token: Token = "") -> Any:
        if self.studio.jobs is None:
            raise UserError("this studio only shows; start it with --control to start runs here")
        self.studio.jobs.check(token)
        return self.studio.jobs


def _diff(
    outputs: Sequence[rollouts.ShownRollout], pair: tuple[int, int]
) -> tuple[list[diffs.Piece], list[diffs.Piece]] | None:
    texts = {output.number: output.text for output in outputs}
    one, two = (texts.get(number) for number in pair)
    return None if one is None or two is None else diffs.compare(one, two)
