"""Where the outputs of an evaluated model come from.

    in_process.InProcessBackend   transformers, in this process
    openai.OpenAIBackend          any server that speaks OpenAI's protocol: vLLM, SGLang, ...

A backend is given requests and yields outputs as they finish, in any order. Nothing is loaded and
nobody is called before the first output is asked for.
"""

from collections.abc import Callable, Generator, Sequence
from hashlib import blake2b
from typing import NamedTuple, Protocol, TypeAlias

import msgspec

from rlve.datasets.outputs import Finish, SampleKey
from rlve.errors import UserError
from rlve.formats import Prompt

Notify: TypeAlias = Callable[[str], None]
"""Tells the user something while the work goes on."""


class SampleRequest(NamedTuple):
    """An output that is wanted."""

    key: SampleKey
    prompt: Prompt
    seed: int


class ModelOutput(msgspec.Struct, frozen=True):
    """What a model answered."""

    text: str
    finish: Finish
    tokens: int | None = None  # sampled ones, where the backend says it
    seconds: float | None = None  # that it took, where the backend can tell


class BackendError(UserError):
    """The model does not answer, or not any more; what it has answered is kept."""


class Sampling(msgspec.Struct, frozen=True):
    """How outputs are sampled; the defaults are the paper's."""

    temperature: float = 0.6
    top_p: float = 0.95
    max_tokens: int = 32_768
    seed: int = 0

    def check(self) -> None:
        """Raise a UserError for what cannot be meant."""
        if not 0 <= self.temperature <= 10:
            raise UserError(f"the temperature is a number from 0 to 10, not {self.temperature:g}")
        if not 0 < self.top_p <= 1:
            raise UserError(f"top-p must be above 0 and at most 1, not {self.top_p:g}")
        if self.max_tokens < 1:
            raise UserError(f"an output has at least 1 token; max-tokens is {self.max_tokens}")


def response_limit(form: str) -> int:
    """The paper's limit for an output, in tokens: base models get half of what others do."""
    return 16_384 if form == "base" else Sampling().max_tokens


class Backend(Protocol):
    """Something that answers prompts."""

    def generate(
        self, requests: Sequence[SampleRequest], sampling: Sampling
    ) -> Generator[tuple[SampleKey, ModelOutput]]:
        """The output of every request, as it finishes.

        Requests with the same prompt are best given next to each other. Closing the iterator, or
        an exception in the thread that reads it, gives up what is under way.
        """
        ...


def seed_of(seed: int, key: SampleKey) -> int:
    """The seed of one sample: always the same, and unrelated to that of any other."""
    text = f"{seed}/{key.sample}/{key.id}"
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 33  # servers take 31 bits


DOES_NOT_FIT = ModelOutput(text="", finish="length", tokens=0, seconds=0.0)
"""Stands for the output to a prompt that is longer than the model's context."""

UNANSWERED = ModelOutput(text="", finish="none")
"""Stands for an output that never came, although it was asked for again and again."""
