"""Where the outputs of an evaluated model come from.

    in_process.InProcessBackend   transformers, in this process
    openai.OpenAIBackend          any server that speaks OpenAI's protocol: vLLM, SGLang, ...

A backend takes requests and yields outputs as they finish, in any order. Nothing is loaded or
contacted before the first output is requested.
"""

from collections.abc import Callable, Generator, Sequence
from hashlib import blake2b
from typing import NamedTuple, Protocol, TypeAlias

import msgspec

from rlve.datasets.outputs import Finish, SampleKey
from rlve.errors import UserError
from rlve.formats import Prompt
from rlve.foundation.limits import AtLeastOne, Temperature, UpToOne, check_limits
from rlve.models.config import PolicyConfig

Notify: TypeAlias = Callable[[str], None]
"""Tells the user something during the work."""


class SampleRequest(NamedTuple):
    """A request for an output and, in a dialogue, for those that follow it."""

    key: SampleKey
    prompt: Prompt
    seed: int
    follow: "Callable[[ModelOutput], SampleRequest | None]" = lambda output: None
    """What to ask next, after this output; None if the output is the last. A backend calls it once
    for each output, in any thread, and yields only the last."""


class ModelOutput(msgspec.Struct, frozen=True):
    """The output of a model."""

    text: str
    finish: Finish
    tokens: int | None = None  # sampled tokens, if the backend reports them
    seconds: float | None = None  # the time it took, if the backend knows


class BackendError(UserError):
    """The model does not answer, or no longer does; its answers so far are kept."""


class Sampling(msgspec.Struct, frozen=True):
    """How outputs are sampled; the defaults are the paper's."""

    temperature: Temperature = 0.6
    top_p: UpToOne = 0.95
    max_tokens: AtLeastOne = 32_768
    seed: int = 0
    stop_strings: tuple[str, ...] = ()  # an output ends with the first of these
    template_arguments: tuple[str, ...] = ()  # for the chat template: NAME=VALUE

    def template(self) -> dict[str, object]:
        """The arguments for the chat template, by name."""
        return PolicyConfig(template_arguments=self.template_arguments).template_options()

    def check(self) -> None:
        """Raise a UserError for settings that make no sense."""
        check_limits("", self)
        if not all(self.stop_strings):
            raise UserError("a stop string must not be empty")
        self.template()  # raises an error for what is not NAME=VALUE


def response_limit(format: str) -> int:
    """The paper's response limit in tokens; base models get half as many."""
    return 16_384 if format == "base" else Sampling().max_tokens


class Backend(Protocol):
    """Something that answers prompts."""

    def generate(
        self, requests: Sequence[SampleRequest], sampling: Sampling
    ) -> Generator[tuple[SampleKey, ModelOutput]]:
        """The output of every request, as it finishes.

        It is best to give requests with the same prompt next to each other. Closing the iterator,
        or an exception in the thread that reads it, abandons unfinished requests.
        """
        ...


def seed_of(seed: int, key: SampleKey) -> int:
    """The seed of one sample: always the same, and unrelated to any other sample's."""
    text = f"{seed}/{key.sample}/{key.id}"
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 33  # servers take 31 bits


DOES_NOT_FIT = ModelOutput(text="", finish="length", tokens=0, seconds=0.0)
"""The output for a prompt that is longer than the model's context."""

UNANSWERED = ModelOutput(text="", finish="none")
"""The output for a request that was never answered, even after all retries."""
