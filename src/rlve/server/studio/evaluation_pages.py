"""The pages of evaluations: all of them, one, its questions, and two side by side."""

from typing import Annotated, Any

from rlve.contract import has_work
from rlve.errors import UserError
from rlve.files import pretty
from rlve.registry import environment, environments
from rlve.reports.comparison import headline
from rlve.server.studio import evaluations
from rlve.server.studio.charts import Drawings, alone
from rlve.server.studio.evaluations import EvaluationFolder, QuestionFilter
from rlve.server.studio.pages import Page, from_address, place_in, stamp_of

DIFFERENCES = 20  # most questions that a comparison shows
WantedQuestions = Annotated[QuestionFilter, from_address(QuestionFilter)]


class EvaluationPages(Page):
    """Pages below /evals."""

    def evals(self) -> str:
        rows = self.eval_rows()
        return self.render("evals.html", part="evals", rows=rows, stamp=stamp_of(rows))

    def eval_rows(self) -> str:
        """The table of evaluations: a part of a page."""
        opened: list[EvaluationFolder] = []
        broken: list[str] = []
        for found in self.studio.folders.all("eval"):
            try:
                opened.append(self.studio.evaluations.open(found))
            except UserError as error:
                broken.append(f"{found.name}: {error}")
        folders = self.studio.given
        return self.render("eval_rows.html", evaluations=opened, broken=broken, folders=folders)

    def evaluation(self, name: str, wanted: WantedQuestions) -> str:
        return self._evaluation(name, wanted)

    def exported_evaluation(self, name: str, most: int) -> str:
        """An evaluation with at most `most` questions in its page."""
        return self._evaluation(name, QuestionFilter(), most)

    def _evaluation(self, name: str, wanted: QuestionFilter, most: int | None = None) -> str:
        evaluation = self.studio.evaluation(name)
        plan, results = evaluation.stored.plan, evaluation.results
        values = self._question_rows(evaluation, wanted, 0, most)
        questions = [self._question(evaluation, line) for line in values["shown"]] if most else []
        numbers = {}
        if results:
            overall = results.overall
            numbers = {
                "accuracy": f"{overall.accuracy:.1%}",
                "mean reward": f"{overall.mean_reward:.3f}",
                "unreadable": f"{overall.ill_formed:.1%}",
                "truncated": f"{overall.truncated:.1%}",
                "outputs": f"{overall.outputs:,}",
            }
        rows = self.render("question_rows.html", found=evaluation.found, **values)
        return self.render(
            "evaluation.html",
            part="evals",
            found=evaluation.found,
            plan=plan,
            plan_text=pretty(plan).decode(),
            results=results,
            numbers=numbers,
            progress=evaluation.progress,
            scores=evaluations.scores(evaluation),
            drawn=self._levels("levels-of-eval", [("accuracy", evaluation)]),
            names=sorted({line.question.environment for line in evaluation.lines}),
            outcomes=evaluations.OUTCOMES,
            wanted=wanted,
            questions=questions,
            rows=rows,
            stamp=stamp_of(rows),
        )

    def _levels(self, name: str, shown: list[tuple[str, EvaluationFolder]]) -> Drawings | None:
        chart = evaluations.level_chart(shown)
        return alone(name, chart) if chart else None

    def question_rows(self, name: str, wanted: QuestionFilter, offset: int) -> str:
        """Rows of the table: a part of a page."""
        evaluation = self.studio.evaluation(name)
        values = self._question_rows(evaluation, wanted, offset, None)
        return self.render("question_rows.html", found=evaluation.found, **values)

    def _question_rows(
        self, evaluation: EvaluationFolder, wanted: QuestionFilter, offset: int, most: int | None
    ) -> dict[str, Any]:
        matching = evaluations.find_questions(self.studio.pool, evaluation, wanted)
        place, query = ("evals", evaluation.found.id, "rows"), wanted.query()
        rows = self.portion(matching, offset, most or evaluations.PAGE, *place, **query)
        return {**rows, "samples": evaluation.stored.plan.samples, "query": query}

    def question(self, name: str, index: int, wanted: WantedQuestions) -> str:
        """A question with all its outputs, and its neighbours in the table."""
        evaluation = self.studio.evaluation(name)
        line = evaluations.question_at(evaluation, index)
        row = line.question
        known = row.environment in environments()
        matching = evaluations.find_questions(self.studio.pool, evaluation, wanted)
        return self.render(
            "question_page.html",
            part="evals",
            found=evaluation.found,
            in_gym=known and None not in (row.difficulty, row.seed),
            worked=known and has_work(environment(row.environment)),
            query=wanted.query(),
            place=place_in([each.number for each in matching], index),
            **self._question(evaluation, line),
        )

    def answer_reason(self, name: str, index: int, sample: int) -> str:
        """Why an output got its verdict: a part of a page."""
        evaluation = self.studio.evaluation(name)
        question = evaluations.question_at(evaluation, index).question
        texts = {each: output for each, output, _ in evaluations.answers(evaluation, question)}
        output = texts.get(sample)
        if output is None:
            raise UserError("there is no such output")
        form = evaluation.stored.plan.known_form()
        marker = form.marker if form else "any"
        return self.render_reason(question.record(), output.output, marker)

    def _question(
        self, evaluation: EvaluationFolder, line: evaluations.QuestionLine
    ) -> dict[str, Any]:
        """A question with its prompt and the answers to it."""
        (asked,) = evaluations.prompts(self.studio.pool, evaluation, [line.question])
        answers = evaluations.answers(evaluation, line.question)
        return {"question": line, "asked": asked, "answers": answers}

    def compared_evals(self, first: str = "", second: str = "", ahead: str = "second") -> str:
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
        return self.render(
            "compared.html",
            part="evals",
            first=one,
            second=two,
            headline=headline(comparison),
            notes=comparison.notes,
            groups=[(name, baseline.groups[name], other.groups[name]) for name in baseline.groups],
            drawn=self._levels("levels-of-evals", [(e.found.name, e) for e in (one, two)]),
            counts={name: len(those) for name, those in differences.items()},
            ahead=which,
            shown=shown,
            left_out=len(differences[which]) - len(shown),
        )
