"""What a model and a problem say to each other in an evaluation."""

from dataclasses import dataclass, field

from rlve.contract import Problem
from rlve.datasets.outputs import SampleKey
from rlve.dialogue import Dialogue, Reply, conversation, respond
from rlve.evaluate.backends import ModelOutput, SampleRequest, seed_of
from rlve.formats import Format, Prompt
from rlve.pool import Pool


@dataclass(eq=False)
class Conversation:
    """One sample: a single output or, if the problem answers back, all the model's messages."""

    problem: Problem
    format: Format
    key: SampleKey
    seed: int
    pool: Pool
    outputs: list[ModelOutput] = field(default_factory=list[ModelOutput])  # all but the last

    def request(self, prompt: Prompt) -> SampleRequest:
        """The request for the next output."""
        turn = len(self.outputs)
        key = self.key._replace(id=f"{self.key.id}, turn {turn + 1}") if turn else self.key
        seed = seed_of(self.seed, key)
        if not isinstance(self.problem, Dialogue):
            return SampleRequest(self.key, prompt, seed)

        def follow(output: ModelOutput) -> SampleRequest | None:
            if output.finish == "none":
                return None
            messages = [encodable(each.text) for each in (*self.outputs, output)]
            [reply] = self.pool.call_iter(respond, [(self.problem, messages)])
            if not isinstance(reply, Reply) or reply.verdict is not None:
                return None  # it is over, or judging it will say what is wrong
            self.outputs.append(output)
            return self.request(self.format.follow(prompt, messages[-1], reply.text))

        return SampleRequest(self.key, prompt, seed, follow)

    def output(self, last: ModelOutput) -> ModelOutput:
        """All outputs as one."""
        if not self.outputs:
            return last
        every = [*self.outputs, last]
        tokens = [each.tokens for each in every if each.tokens is not None]
        seconds = [each.seconds for each in every if each.seconds is not None]
        return ModelOutput(
            text=conversation(each.text for each in every),
            finish=last.finish,
            tokens=sum(tokens) if len(tokens) == len(every) else None,
            seconds=sum(seconds) if len(seconds) == len(every) else None,
        )


def encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which a model can write and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()
