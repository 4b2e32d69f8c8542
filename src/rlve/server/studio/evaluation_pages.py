"""The pages of evaluations: all of them, one, its questions, and two side by side."""

from collections.abc import Sequence
from typing import Any

from rlve.contract import has_work
from rlve.errors import UserError
from rlve.evaluate.results import check_finished
from rlve.foundation.files import pretty
from rlve.registry import dialogues, environment, environments
from rlve.reports.comparison import headline
from rlve.reports.evaluation import numbers
from rlve.reports.pictures import has_picture
from rlve.server.studio import evaluations, failures, problems
from rlve.server.studio.charts import alone
from rlve.server.studio.evaluations import EvaluationFolder, QuestionFilter
from rlve.server.studio.group_rows import LETTERS, OUTCOMES, SOME
from rlve.server.studio.pages import Page, place_in

DIFFERENCES = 20  # most questions that a comparison shows


class EvaluationPages(Page):
    """Pages below /evals."""

    def evals(self) -> str:
        return self.render("evals.html", part="evals", rows=self.eval_rows())

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

    def evaluation(self, name: str, wanted: QuestionFilter) -> str:
        evaluation = self.studio.evaluation(name)
        return self._evaluation(
            evaluation,
            names=evaluation.names,
            outcomes=OUTCOMES,
            wanted=wanted,
            rows=self.question_rows(name, wanted),
        )

    def saved_evaluation(self, name: str) -> str:
        """A finished evaluation that stands alone, with a few of its outputs."""
        evaluation = self.studio.evaluation(name)
        check_finished(evaluation.stored)  # its results may be those of files that are gone
        chosen = evaluations.choose_outputs(evaluation)
        questions = [self._question(evaluation, *each) for each in chosen]
        return self._evaluation(evaluation, questions=questions)

    def _evaluation(self, evaluation: EvaluationFolder, **values: Any) -> str:
        plan, results = evaluation.stored.plan, evaluation.results
        return self.render(
            "evaluation.html",
            part="evals",
            found=evaluation.found,
            written=evaluation.found.written(),
            plan=plan,
            plan_text=pretty(plan).decode(),
            results=results,
            numbers=numbers(results) if results else {},
            by_k=evaluation.by_k,
            progress=evaluation.progress,
            partial=evaluation.partial,
            drawn=evaluations.charts(evaluation),
            **values,
        )

    def question_rows(self, name: str, wanted: QuestionFilter, offset: int = 0) -> str:
        """Rows of the table: a part of a page."""
        evaluation = self.studio.evaluation(name)
        found, query = evaluation.found, wanted.query()
        matching = evaluations.find_questions(self.studio.pool, evaluation, wanted)
        page = self.links.page("evals", found.id)
        return self.render(
            "question_rows.html",
            found=found,
            samples=evaluation.stored.plan.samples,
            query=query,
            **self.portion(matching, offset, evaluations.PAGE, page, f"{page}/rows", **query),
        )

    def question(self, name: str, index: int, wanted: QuestionFilter) -> str:
        """A question with all its outputs, and its neighbours in the table."""
        evaluation = self.studio.evaluation(name)
        line = evaluations.question_at(evaluation, index)
        row = line.question
        known = row.environment in {*environments(), *dialogues()}
        matching = evaluations.find_questions(self.studio.pool, evaluation, wanted)
        return self.render(
            "question_page.html",
            part="evals",
            found=evaluation.found,
            in_gym=known and None not in (row.difficulty, row.seed),
            worked=known and has_work(environment(row.environment)),
            pictured=known and has_picture(environment(row.environment)),
            query=wanted.query(),
            place=place_in([each.number for each in matching], index),
            **self._question(evaluation, line),
        )

    def eval_failures(self, name: str, wanted: QuestionFilter) -> str:
        """Why the outputs of an evaluation fail."""
        evaluation = self.studio.evaluation(name)
        lines = evaluations.find_questions(self.studio.pool, evaluation, wanted)
        outputs = list(failures.outputs_of_evaluation(evaluation, lines))
        rewards = evaluations.rewards([each.reward for each in outputs]) if outputs else None
        return self.render(
            "failures.html",
            part="evals",
            found=evaluation.found,
            listing=("evals", evaluation.found.id),
            wanted=wanted,
            names=evaluation.names,
            places=failures.places(lines),
            letters=LETTERS,
            some=SOME,
            repeated=failures.repeated(outputs, evaluation.marker),
            drawn=alone("rewards", rewards),
        )

    def eval_failure_reasons(self, name: str, wanted: QuestionFilter) -> str:
        """The commonest reasons: a part of a page."""
        evaluation = self.studio.evaluation(name)
        lines = evaluations.find_questions(self.studio.pool, evaluation, wanted)
        outputs = failures.outputs_of_evaluation(evaluation, lines)
        failed = failures.some_failed(outputs, latest=False)
        total, found = failures.reasons(self.studio.pool, failed, evaluation.marker)
        listing = "evals", evaluation.found.id
        return self.render("reasons.html", listing=listing, total=total, reasons=found)

    def answer_reason(self, name: str, index: int, sample: int) -> str:
        """Why an output got its verdict: a part of a page."""
        evaluation = self.studio.evaluation(name)
        question = evaluations.question_at(evaluation, index).question
        texts = {each: output for each, output, _ in evaluations.answers(evaluation, question)}
        output = texts.get(sample)
        if output is None:
            raise UserError("there is no such output")
        return self.render_reason(question.request(), output.output, evaluation.marker)

    def _question(
        self,
        evaluation: EvaluationFolder,
        line: evaluations.QuestionLine,
        answers: Sequence[evaluations.Answer] | None = None,
    ) -> dict[str, Any]:
        """A question with its prompt and the answers to it, or some of them."""
        (asked,) = evaluations.prompts(self.studio.pool, evaluation, [line.question])
        if answers is None:
            answers = evaluations.answers(evaluation, line.question)
        row = line.question
        texts = {sample: output.output for sample, output, _ in answers if output is not None}
        place = row.environment, row.difficulty, row.seed
        talks = problems.conversations(self.studio.pool, *place, texts)
        return {"question": line, "asked": asked, "answers": answers, "talks": talks}

    def compared_evals(self, first: str = "", second: str = "", ahead: str = "second") -> str:
        """Two evaluations side by side."""
        one, two = self.studio.evaluation(first), self.studio.evaluation(second)
        if one.found.folder == two.found.folder:
            raise UserError("choose two different evaluations")
        comparison = evaluations.compare_two(one, two)
        baseline, other = comparison.evaluations
        differences = {
            which: evaluations.differences(one, two, which) for which in ("first", "second")
        }
        which = "first" if ahead == "first" else "second"
        some = differences[which][:DIFFERENCES]
        asked = evaluations.prompts(self.studio.pool, one, [line.question for line, _ in some])
        shown = [
            {
                "lines": lines,
                "asked": prompt,
                "first": evaluations.answers(one, lines[0].question),
                "second": evaluations.answers(two, lines[1].question),
            }
            for lines, prompt in zip(some, asked, strict=True)
        ]
        return self.render(
            "compared.html",
            part="evals",
            first=one,
            second=two,
            headline=headline(comparison),
            notes=comparison.notes,
            groups=[(name, baseline.groups[name], other.groups[name]) for name in baseline.groups],
            drawn=alone(
                "levels-of-evals",
                evaluations.level_chart([(each.found.name, each) for each in (one, two)]),
            ),
            counts={name: len(those) for name, those in differences.items()},
            ahead=which,
            shown=shown,
            left_out=len(differences[which]) - len(shown),
        )
