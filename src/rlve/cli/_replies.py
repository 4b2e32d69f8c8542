"""A model that replies to prompts by name, for the commands about drafts."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import msgspec

from rlve.cli.eval import EngineOptions, ServerOptions, make_backend
from rlve.datasets.outputs import SampleKey
from rlve.errors import UserError
from rlve.evaluate.backends import ModelOutput, SampleRequest, Sampling, response_limit, seed_of
from rlve.formats import Prompt

Replies: TypeAlias = Callable[[Mapping[str, Prompt]], Iterator[tuple[str, ModelOutput]]]


def asking(
    model: str | None, server: ServerOptions, sampling: EngineOptions, *, again: bool = False
) -> Replies | None:
    """What asks this model, on a server or here; None if there is none.

    With `again`, a prompt whose reply is empty or cut off is asked a second time. What is yielded
    then is the second reply, with the cost of both.
    """
    if model is None:
        if server.url is not None:
            raise UserError("--url needs --model, the name of the model there")
        return None
    limit = sampling.max_tokens or response_limit("chat")
    settings = Sampling(sampling.temperature, sampling.top_p, limit)
    settings.check()
    backend = make_backend(model, server, sampling)

    def ask(prompts: Mapping[str, Prompt]) -> Iterator[tuple[str, ModelOutput]]:
        poor: dict[str, ModelOutput] = {}
        for number in range(1 + again):
            keys = {SampleKey(name, number): prompts[name] for name in poor or prompts}
            requests = [SampleRequest(key, prompt, seed_of(0, key)) for key, prompt in keys.items()]
            for key, output in backend.generate(requests, settings):
                if again and not number and (output.finish == "length" or not output.text.strip()):
                    poor[key[0]] = output
                else:
                    yield key[0], _with_cost(output, poor.get(key[0]))
            if not poor:
                break

    return ask


def _with_cost(output: ModelOutput, before: ModelOutput | None) -> ModelOutput:
    if before is None:
        return output
    tokens, seconds = (
        None if one is None and other is None else (one or 0) + (other or 0)
        for one, other in ((output.tokens, before.tokens), (output.seconds, before.seconds))
    )
    return msgspec.structs.replace(output, tokens=tokens, seconds=seconds)
