"""How two policies without a model score on the held-out test set: the two ends of the scale.

perfect   answers every problem with its reference: 100%, or a reference or a verifier is wrong
constant  answers all problems of an environment with the same text, the best of their references:
          the score to be had without reading the problem

    python benchmarks/held_out_policies.py [SUITE]
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rlve.contract import Verdict
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.questions import Suite
from rlve.evaluate.suite import load_suite
from rlve.pool import Failure, Pool
from rlve.reports.terminal import print_table


class Row(NamedTuple):
    """How many problems of an environment the policies solve."""

    environment: str
    problems: int
    perfect: int
    constant: int
    text: str  # the constant


def rows(suite: Suite) -> Iterator[Row]:
    groups: defaultdict[str, list[ProblemRow]] = defaultdict(list)
    for question in suite.questions:
        groups[question.environment].append(question)
    with Pool(deadline=suite.deadline) as pool:
        for name, questions in sorted(groups.items()):
            problems = [question.problem() for question in questions]
            answers = [
                str(problem.reference()) if question.answer is None else question.answer
                for question, problem in zip(questions, problems, strict=True)
            ]
            n, texts = len(problems), list(dict.fromkeys(answers))
            tries = [(problem, tagged(text)) for text in texts for problem in problems]
            right = correct(pool.judge(tries))
            scores = [sum(right[start : start + n]) for start in range(0, len(right), n)]
            best = max(range(len(scores)), key=scores.__getitem__)
            perfect = correct(pool.judge(zip(problems, map(tagged, answers), strict=True)))
            yield Row(name, n, sum(perfect), scores[best], texts[best])


def correct(judged: Iterable[Verdict | Failure]) -> list[bool]:
    """Whether each output is right. An output that cannot be judged would falsify the table."""
    right: list[bool] = []
    for result in judged:
        if isinstance(result, Failure):
            raise UserError(f"an output cannot be judged: {result.kind}: {result.message}")
        right.append(result.correct)
    return right


def tagged(answer: str) -> str:
    return f"<answer>{answer}</answer>"


def shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:37] + "..."


def main(target: str = "held-out") -> None:
    table = sorted(rows(load_suite(target)), key=lambda row: -row.constant / row.problems)
    total = sum(row.problems for row in table)
    perfect, constant = sum(row.perfect for row in table), sum(row.constant for row in table)
    print_table(
        ("environment", "problems", "perfect", "constant", "the constant"),
        [
            (name, n, f"{perfect / n:.1%}", f"{constant / n:.1%}", shortened(text))
            for name, n, perfect, constant, text in table
        ],
        total=("all", total, f"{perfect / total:.2%}", f"{constant / total:.2%}", ""),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
