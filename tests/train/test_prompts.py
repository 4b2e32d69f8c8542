import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")

from rlve.formats import PLAIN
from rlve.models.policy import Policy
from rlve.registry import environment
from rlve.train.prompts import PromptTokens


class Letters:
    """Counts how many texts it was given."""

    asked = 0

    def __call__(self, text):
        self.asked += 1
        return {"input_ids": [ord(letter) for letter in text]}


def test_a_prompt_is_tokenised_once():
    tokenizer = Letters()
    prompts = PromptTokens(Policy(None, tokenizer, PLAIN, (1,)), most=2)
    first, *others = [environment("Sorting").generate(difficulty=2, seed=s) for s in range(4)]
    length = prompts.length(first.prompt())
    tokens = prompts.take(first)
    assert (len(tokens), tokenizer.asked) == (length, 1)
    assert prompts.take(first) == tokens  # it was handed over, so this is tokenised anew
    assert tokenizer.asked == 2
    for problem in others:
        prompts.length(problem.prompt())
    assert tokenizer.asked == 5
    for problem in others:
        assert prompts.take(problem) == [ord(letter) for letter in PLAIN.render(problem)]
    assert tokenizer.asked == 6  # only two of them could wait
