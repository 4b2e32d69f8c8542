"""A mathematical question from a data set."""

from rlve.contract import Environment
from rlve.errors import Unparseable
from rlve.judges.math.equality import MAX_CHARS, equal
from rlve.registry import DATA, register
from rlve.rewards import exact


class MathQuestion(Environment[str]):
    """Answer a question from a data set; the answer is compared as mathematics, not as text."""

    question: str
    ground_truth: str

    template = "{question}"

    def parse(self, text: str) -> str:
        if not text or len(text) > MAX_CHARS:
            raise Unparseable(f"an answer must have 1 to {MAX_CHARS:,} characters")
        return text

    def score(self, answer: str) -> float:
        # If the question asks for a percentage, 8 means 8%.
        asked = "percent" in self.question.lower()
        return exact(equal(self.ground_truth, answer, percent=asked))

    def reference(self) -> str:
        return self.ground_truth


register(MathQuestion, family=DATA)
