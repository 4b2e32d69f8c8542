r"""BIG-Bench Extra Hard: 23 tasks whose answers are short texts, judged by its published rules.

An answer is compared as text in lower case. These differences are ignored:

    an introduction         The answer is: 7           7
    LaTeX around it         $\text{yes}$, **yes**      yes
    a full stop after it    yes.                       yes
    more lines              7 <new line> because ...   7
    spaces after commas     yes, no, yes               yes,no,yes
    brackets of a choice    (a)                        a
    the same number         3                          3.0
    apostrophes             'dog'                      dog
    brackets of a list      [thursday]                 thursday
    a question mark         unknown?                   unknown
"""

import re

from rlve.answers import decimal
from rlve.contract import Environment
from rlve.errors import Unparseable
from rlve.registry import DATA, register
from rlve.rewards import exact

MAX_CHARS = 10_000  # in an answer; the benchmark's longest has 400


class BBEHQuestion(Environment[str]):
    """Answer a question of BIG-Bench Extra Hard; the answer is compared as text."""

    question: str
    ground_truth: str

    template = "{question}"

    def parse(self, text: str) -> str:
        if not text.strip() or len(text) > MAX_CHARS:
            raise Unparseable(f"an answer must have 1 to {MAX_CHARS:,} characters")
        return text

    def score(self, answer: str) -> float:
        return exact(matches(bare_answer(answer), bare_truth(self.ground_truth)))

    def reference(self) -> str:
        return self.ground_truth


register(BBEHQuestion, family=DATA)


def bare_truth(truth: str) -> str:
    """The truth as it is compared.

    The published rules strip the full stop from every answer but not from the truth, so the few
    truths that are sentences could never be matched. We depart from them here and in
    _without_latex.
    """
    return truth.strip().lower().replace(", ", ",").removesuffix(".")


def bare_answer(answer: str) -> str:
    """The answer as it is compared: without introduction, wrapping and full stop."""
    for phrase in _INTRODUCTIONS:
        answer = answer.rpartition(phrase)[2].strip()
    answer = _without_latex(answer.strip().removesuffix("."))
    answer = answer.lower().replace(", ", ",").replace("**", "")
    return answer.strip().partition("\n")[0].strip().removesuffix(".")


_INTRODUCTIONS = ("The answer is:", "The final answer is:", "The final answer is", "The answer is")
_WRAPPER = re.compile(r"\\(?:boxed|text|texttt|textbf|textit|mathrm|mathbf)\{([^{}]*)\}")


def _without_latex(text: str) -> str:
    """The text without dollar signs around it and without commands around words.

    The published rules only look for a command that wraps the whole answer.
    """
    if len(text) > 1 and text.startswith("$") and text.endswith("$"):
        text = text.strip("$")
    for _ in range(3):  # one wrapper can be in another
        text = _WRAPPER.sub(r"\1", text)
    return text.strip()


def matches(answer: str, truth: str) -> bool:
    """Whether a bare answer counts as the bare truth."""
    return (
        answer == truth
        or _letter(answer) == truth
        or _letter(truth) == answer
        or _same_number(answer, truth)
        or answer.replace("'", "") == truth.replace("'", "")
        or answer == f"[{truth}]"
        or truth == f"[{answer}]"
        or answer == f"{truth}?"
    )


def _letter(text: str) -> str | None:
    return text[1] if len(text) == 3 and text[0] == "(" and text[2] == ")" else None


def _same_number(answer: str, truth: str) -> bool:
    try:
        return decimal(answer) == decimal(truth)
    except Unparseable:
        return False
