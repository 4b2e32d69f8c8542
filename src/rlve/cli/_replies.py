"""A model that replies to prompts by name, for the commands about drafts."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from rlve.cli.eval import EngineOptions, ServerOptions, make_backend
from rlve.datasets.outputs import SampleKey
from rlve.errors import UserError
from rlve.evaluate.backends import ModelOutput, SampleRequest, Sampling, response_limit, seed_of
from rlve.formats import Prompt

Replies: TypeAlias = Callable[[Mapping[str, Prompt]], Iterator[tuple[str, ModelOutput]]]


def asking(model: str | None, server: ServerOptions, sampling: EngineOptions) -> Replies | None:
    """What asks this model, on a server or here; None if there is none."""
    if model is None:
        if server.url is not None:
            raise UserError("--url needs --model, the name of the model there")
        return None
    limit = sampling.max_tokens or response_limit("chat")
    settings = Sampling(sampling.temperature, sampling.top_p, limit)
    settings.check()
    backend = make_backend(model, server, sampling)

    def ask(prompts: Mapping[str, Prompt]) -> Iterator[tuple[str, ModelOutput]]:
        keys = {SampleKey(name, 0): prompt for name, prompt in prompts.items()}
        requests = [SampleRequest(key, prompt, seed_of(0, key)) for key, prompt in keys.items()]
        for key, output in backend.generate(requests, settings):
            yield key[0], output

    return ask
