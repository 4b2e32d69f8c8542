"""The pages as HTML. app.py serves them, export.py writes them to files."""

import json
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from rlve.catalogue import CATALOGUE
from rlve.datasets.outputs import SampleVerdict, StoredOutput
from rlve.errors import UserError
from rlve.files import pretty
from rlve.pool import Pool
from rlve.registry import environment
from rlve.reports.comparison import headline
from rlve.rules import check_all
from rlve.server.studio import evaluations, gallery, problems, rollouts, runs
from rlve.server.studio.charts import Chart, Curve, over_levels
from rlve.server.studio.evaluations import EvaluationBook, EvaluationFolder, QuestionFilter
from rlve.server.studio.folders import Folders
from rlve.server.studio.pages import Links, renderer
from rlve.server.studio.problems import ProblemCard
from rlve.server.studio.rollouts import GroupRow, RolloutFilter
from rlve.server.studio.runs import RunBook, RunFolder

DIFFERENCES = 20  # most questions that a comparison shows
COMPARED_RUNS = 8


class Check(NamedTuple):
    """What a check of an environment found."""

    when: float
    complaints: list[str]
    excused: list[str]


class Studio:
    """What the pages are made from: folders, and a pool of workers."""

    def __init__(self, folders: Folders, pool: Pool, given: Iterable[str] = ()) -> None:
        self.folders = folders
        self.pool = pool
        self.given = list(given)  # the folders as the user wrote them
        self.runs = RunBook()
        self.evaluations = EvaluationBook()
        self.checks: dict[str, Check] = {}  # the last ones, by environment
        self._lengths: dict[str, Chart] = {}

    def check(self, name: str) -> Check:
        """Check an environment by all rules."""
        environment(name)
        [report] = check_all([name])
        found = Check(time.time(), [], [])
        for rule, outcome in report.outcomes.items():
            for complaint in outcome.complaints:
                texts = found.excused if complaint.excused else found.complaints
                if (text := f"{rule}: {complaint.message}") not in texts:
                    texts.append(text)
        self.checks[name] = found
        return found

    def run(self, name: str) -> RunFolder:
        """The run with that id."""
        return self.runs.open(self.folders.find("train", name))

    def evaluation(self, name: str) -> EvaluationFolder:
        """The evaluation with that id."""
        return self.evaluations.open(self.folders.find("eval", name))

    def lengths(self, name: str) -> Chart:
        """How long the prompts and answers of an environment get; measured once."""
        if name not in self._lengths:
            self._lengths[name] = problems.lengths(self.pool, environment(name))
        return self._lengths[name]

    def accuracy(self, name: str) -> Chart | None:
        """Accuracy by difficulty in one environment, for all runs and evaluations."""
        curves: list[Curve] = []
        for found in self.folders.all("eval"):
            with suppress(UserError):  # a broken folder, which its own page reports
                if levels := self.evaluations.open(found).levels(name):
                    curves.append((found.name, levels))
        for found in self.folders.all("train"):
            with suppress(UserError):
                curves += runs.accuracy_by_level(self.runs.open(found), name)
        return over_levels("Accuracy", curves, scale="share") if curves else None


class Answered(NamedTuple):
    """A question with its prompt and the answers to it."""

    question: evaluations.QuestionLine
    asked: str
    answers: list[tuple[int, StoredOutput | None, SampleVerdict | None]]


class Pages:
    """All pages, with links to a server or to files."""

    def __init__(self, studio: Studio, links: Links) -> None:
        self.studio = studio
        self.links = links
        self._render = renderer(links)

    def message(self, title: str, text: str) -> str:
        """A page with a message."""
        return self._render("message.html", part="", title=title, text=text)

    # Environments.

    def gallery(self) -> str:
        """All environments."""
        return self._render(
            "gallery.html",
            part="gallery",
            cards=gallery.cards(),
            families=gallery.families(),
            collections=gallery.collections(),
        )

    def catalogue(self, family: str) -> str:
        """The environments of a family."""
        cards = [card for card in gallery.cards() if card.family == family]
        if not cards:
            raise UserError(f"there is no family {family!r}")
        return self._render("catalogue.html", part="gallery", family=family, cards=cards)

    def environment(self, name: str, difficulty: int, seed: int) -> str:
        """An environment with one of its problems."""
        wanted = problems.request(name, difficulty, seed)
        shown = problems.show(self.studio.pool, wanted)
        return self._environment(name, shown=shown, problems=[], lengths=None)

    def exported_environment(
        self, name: str, made: Sequence[tuple[ProblemCard, str | None]], lengths: Chart | None
    ) -> str:
        """An environment with some of its problems, without a form."""
        return self._environment(name, shown=None, problems=made, lengths=lengths)

    def _environment(self, name: str, **values: Any) -> str:
        cls = environment(name)
        keys, levels = problems.schedule(cls)
        return self._render(
            "environment.html",
            part="gallery",
            name=name,
            card=next(card for card in gallery.cards() if card.name == name),
            guessable=cls.guessable,
            highest=problems.highest(cls),
            keys=keys,
            levels=levels,
            file=problems.source(cls)[0],
            check=self.studio.checks.get(name),
            **values,
        )

    def source(self, name: str) -> str:
        """The file of an environment."""
        file, text = problems.source(environment(name))
        return self._render("source.html", part="gallery", name=name, file=file, text=text)

    def problem(self, name: str, difficulty: int, seed: int) -> str:
        """A problem with a form to answer it: a part of a page."""
        shown = problems.show(self.studio.pool, problems.request(name, difficulty, seed))
        return self._render("problem.html", shown=shown)

    def verdict(self, name: str, difficulty: int, seed: int, answer: str) -> str:
        """The verdict on an answer: a part of a page."""
        wanted = problems.request(name, difficulty, seed)
        return self._render("verdict.html", judged=problems.judge(self.studio.pool, wanted, answer))

    def reference(self, name: str, difficulty: int, seed: int) -> str:
        """A correct answer: a part of a page."""
        wanted = problems.request(name, difficulty, seed)
        answer = problems.reference(self.studio.pool, wanted)
        return self._render("reference.html", answer=answer)

    def check(self, name: str) -> str:
        """The result of a check made now: a part of a page."""
        return self._render("check.html", name=name, check=self.studio.check(name))

    def lengths(self, name: str) -> str:
        """The chart of lengths: a part of a page."""
        spec = self.studio.lengths(name)
        return self._render("chart_fragment.html", key="lengths", spec=spec, empty="")

    def accuracy(self, name: str) -> str:
        """The chart of accuracies: a part of a page."""
        environment(name)
        empty = "No run or evaluation in the folders has measured this environment."
        spec = self.studio.accuracy(name)
        return self._render("chart_fragment.html", key="accuracy", spec=spec, empty=empty)

    # Runs.

    def runs(self) -> str:
        """All runs."""
        summaries: list[runs.RunSummary] = []
        broken: list[str] = []
        for found in self.studio.folders.all("train"):
            try:
                summaries.append(runs.summary(self.studio.runs.open(found)))
            except UserError as error:
                broken.append(f"{found.name}: {error}")
        return self._render(
            "runs.html", part="runs", runs=summaries, broken=broken, folders=self.studio.given
        )

    def run(self, name: str) -> str:
        """A run."""
        run = self.studio.run(name)
        stamp = run.stamp()  # first: what is written from now on makes the page ask again
        return self._render(
            "run.html",
            part="runs",
            title=run.found.name,
            run=runs.summary(run),
            specs=runs.charts([run]),
            config=json.dumps(run.config(), indent=2),
            live=None if self.links.exported else self.links.page("runs", name, "charts"),
            stamp=f'"{stamp}"',
        )

    def compared_runs(self, names: Sequence[str]) -> str:
        """Several runs in the same charts."""
        chosen = [self.studio.run(name) for name in dict.fromkeys(names)]
        if not 1 <= len(chosen) <= COMPARED_RUNS:
            raise UserError(f"choose 1 to {COMPARED_RUNS} runs, not {len(chosen)}")
        query = "&".join(f"run={name}" for name in names)
        return self._render(
            "run.html",
            part="runs",
            title=" and ".join(run.found.name for run in chosen),
            run=None,
            compared=[runs.summary(run) for run in chosen],
            specs=runs.charts(chosen),
            config=None,
            live=f"{self.links.page('runs-compared', 'charts')}?{query}",
            stamp="",
        )

    def rollouts(self, name: str, wanted: RolloutFilter) -> str:
        """The rollouts of a run."""
        run = self.studio.run(name)
        names = sorted({row.environment for row in rollouts.rows(run)})
        return self._render(
            "rollouts.html",
            part="runs",
            run=run.found,
            wanted=wanted,
            names=names,
            outcomes=rollouts.OUTCOMES,
            **self._rollout_rows(run, wanted, 0),
        )

    def exported_rollouts(self, name: str, most: int) -> str:
        """At most `most` rollouts of a run, those whose texts were kept."""
        run = self.studio.run(name)
        kept = list(rollouts.matching(run, RolloutFilter(texts_only=True)))
        groups = [self._group(run, row) for row in kept[:most]]
        return self._render(
            "rollouts.html",
            part="runs",
            run=run.found,
            groups=groups,
            rows=kept[:most],
            offset=0,
            total=len(kept),
            more=None,
        )

    def rollout_rows(self, name: str, wanted: RolloutFilter, offset: int) -> str:
        """Rows of the table: a part of a page."""
        run = self.studio.run(name)
        values = self._rollout_rows(run, wanted, offset)
        return self._render("rollout_rows.html", run=run.found, **values)

    def _rollout_rows(self, run: RunFolder, wanted: RolloutFilter, offset: int) -> dict[str, Any]:
        matching = list(rollouts.matching(run, wanted))
        following = offset + rollouts.PAGE
        more = self.links.page(
            "runs", run.found.id, "rollouts", "rows", **wanted.query(), offset=following
        )
        return {
            "rows": matching[offset:following],
            "offset": offset,
            "total": len(matching),
            "more": more if following < len(matching) else None,
        }

    def group(self, name: str, index: int) -> str:
        """One group: prompt, outputs and verdicts."""
        run = self.studio.run(name)
        row = rollouts.find_row(run, index)
        return self._render("group_page.html", part="runs", run=run.found, **self._group(run, row))

    def _group(self, run: RunFolder, row: GroupRow) -> dict[str, Any]:
        return {
            "row": row,
            "sample": rollouts.sample_of(run, row),
            "outputs": rollouts.rollouts(run, row),
            "known": row.environment in CATALOGUE,
        }

    # Evaluations.

    def evals(self) -> str:
        """All evaluations."""
        opened: list[EvaluationFolder] = []
        broken: list[str] = []
        for found in self.studio.folders.all("eval"):
            try:
                opened.append(self.studio.evaluations.open(found))
            except UserError as error:
                broken.append(f"{found.name}: {error}")
        return self._render(
            "evals.html",
            part="evals",
            evaluations=opened,
            broken=broken,
            folders=self.studio.given,
        )

    def evaluation(self, name: str, wanted: QuestionFilter, most: int | None = None) -> str:
        """An evaluation; an exported one has at most `most` questions in its page."""
        evaluation = self.studio.evaluation(name)
        plan, results = evaluation.stored.plan, evaluation.results
        values = self._question_rows(evaluation, wanted, 0, most)
        questions = [self._question(evaluation, line) for line in values["rows"]] if most else []
        shown = {}
        if results:
            overall = results.overall
            shown = {
                "accuracy": f"{overall.accuracy:.1%}",
                "mean reward": f"{overall.mean_reward:.3f}",
                "unreadable": f"{overall.ill_formed:.1%}",
                "truncated": f"{overall.truncated:.1%}",
                "outputs": f"{overall.outputs:,}",
            }
        return self._render(
            "evaluation.html",
            part="evals",
            found=evaluation.found,
            plan=plan,
            plan_text=pretty(plan).decode(),
            results=results,
            shown=shown,
            progress=evaluation.progress,
            scores=evaluations.scores(evaluation),
            level_chart=evaluations.level_chart([("accuracy", evaluation)]),
            names=sorted({line.question.environment for line in evaluation.lines}),
            outcomes=evaluations.OUTCOMES,
            wanted=wanted,
            questions=questions,
            **values,
        )

    def question_rows(self, name: str, wanted: QuestionFilter, offset: int) -> str:
        """Rows of the table: a part of a page."""
        evaluation = self.studio.evaluation(name)
        values = self._question_rows(evaluation, wanted, offset, None)
        return self._render("question_rows.html", found=evaluation.found, **values)

    def _question_rows(
        self, evaluation: EvaluationFolder, wanted: QuestionFilter, offset: int, most: int | None
    ) -> dict[str, Any]:
        matching = evaluations.matching(self.studio.pool, evaluation, wanted)
        following = offset + (evaluations.PAGE if most is None else most)
        more = self.links.page(
            "evals", evaluation.found.id, "rows", **wanted.query(), offset=following
        )
        return {
            "rows": matching[offset:following],
            "offset": offset,
            "total": len(matching),
            "more": more if most is None and following < len(matching) else None,
        }

    def question(self, name: str, index: int) -> str:
        """A question with all its outputs."""
        evaluation = self.studio.evaluation(name)
        answered = self._question(evaluation, evaluations.question_at(evaluation, index))
        row = answered.question.question
        in_gym = row.environment in CATALOGUE and None not in (row.difficulty, row.seed)
        return self._render(
            "question_page.html",
            part="evals",
            found=evaluation.found,
            in_gym=in_gym,
            **answered._asdict(),
        )

    def _question(self, evaluation: EvaluationFolder, line: evaluations.QuestionLine) -> Answered:
        (asked,) = evaluations.prompts(self.studio.pool, evaluation, [line.question])
        return Answered(line, asked, evaluations.answers(evaluation, line.question))

    def compared_evals(self, first: str, second: str, ahead: str) -> str:
        """Two evaluations side by side."""
        one, two = self.studio.evaluation(first), self.studio.evaluation(second)
        if one.found.folder == two.found.folder:
            raise UserError("choose two different evaluations")
        comparison = self.studio.evaluations.compare(one, two)
        baseline, other = comparison.evaluations
        differences = {
            which: evaluations.differences(one, two, which) for which in ("first", "second")
        }
        which = "first" if ahead == "first" else "second"
        some = differences[which][:DIFFERENCES]
        asked = evaluations.prompts(self.studio.pool, one, [line.question for line in some])
        shown = [
            {
                "difference": difference,
                "asked": prompt,
                "first": evaluations.answers(one, one.lines[difference.number].question),
                "second": evaluations.answers(two, two.lines[difference.other].question),
            }
            for difference, prompt in zip(some, asked, strict=True)
        ]
        return self._render(
            "compared.html",
            part="evals",
            first=one,
            second=two,
            headline=headline(comparison),
            notes=comparison.notes,
            groups=[(name, baseline.groups[name], other.groups[name]) for name in baseline.groups],
            level_chart=evaluations.level_chart([(e.found.name, e) for e in (one, two)]),
            counts={name: len(those) for name, those in differences.items()},
            ahead=which,
            shown=shown,
            left_out=len(differences[which]) - len(shown),
        )


def live_charts(chosen: Sequence[RunFolder]) -> dict[str, Any]:
    """What an open page requests while its runs are running."""
    texts: dict[str, str] = {}
    if len(chosen) == 1:
        summary = runs.summary(chosen[0])
        texts = {
            "state": summary.state,
            "step": f"{summary.steps:,}",
            "headline": summary.headline,
            "concerns": summary.concerns,
            **{f"number-{i}": value for i, value in enumerate(summary.numbers.values())},
        }
    return {"charts": runs.charts(chosen), "texts": texts}
