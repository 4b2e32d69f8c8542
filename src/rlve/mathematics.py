"""Mathematical questions with one known answer, judged with math-verify.

Such questions come from data sets, not from a generator. math-verify reads LaTeX with SymPy, which
can take for ever on a hostile answer: judge outputs in a `rlve.pool.Pool`, whose deadline ends it.
"""

# math-verify and SymPy leave their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingImports=false

import logging

from rlve.environment import Environment
from rlve.errors import Unparseable, UserError
from rlve.registry import register
from rlve.rewards import exact

MAX_CHARS = 1_000  # of an answer; what is longer is no closed form


class MathQuestion(Environment[str]):
    """Answer a question of a data set; the answer is compared as mathematics, not as text."""

    question: str
    ground_truth: str

    template = "{question}"

    def parse(self, text: str) -> str:
        if not text or len(text) > MAX_CHARS:
            raise Unparseable(f"an answer of 1 to {MAX_CHARS:,} characters is expected")
        return text

    def score(self, answer: str) -> float:
        return exact(equal(self.ground_truth, answer))

    def reference(self) -> str:
        return self.ground_truth


register(MathQuestion, family="data")


def equal(gold: str, answer: str) -> bool:
    """Whether two answers in LaTeX or plain notation mean the same."""
    try:
        from math_verify import parse, verify
    except ImportError:
        raise UserError("judging mathematics needs math-verify: pip install 'rlve[math]'") from None
    if gold.strip() == answer.strip():
        return True
    # Its own time-outs are signals, which only work in a main thread; the pool's always do.
    logging.getLogger("math_verify").setLevel(logging.ERROR)
    right, given = (
        parse(f"\\boxed{{{text}}}", parsing_timeout=None)  # pyright: ignore[reportArgumentType]
        for text in (gold, answer)
    )
    return bool(right and given and verify(right, given, timeout_seconds=None))
