"""What OpenAI's protocol sends and answers, as servers speak it.

Answers are checked field by field. Outputs end with the first stop string, and contain it, as in
training. Servers tend to cut it off.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from rlve.evaluate.backends import BackendError, ModelOutput, SampleRequest, Sampling

# Servers take missing settings from the model's own, and every server has its own defaults. With
# these values, only temperature and top-p shape the distribution.
NEUTRAL: Final[dict[str, float]] = {
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
KEEP_STOP: Final = "include_stop_str_in_output"  # vLLM's setting


def write_request(
    model: str, request: SampleRequest, sampling: Sampling
) -> tuple[str, dict[str, Any]]:
    """Where to send a request, and what."""
    body: dict[str, Any] = {
        "model": model,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "seed": request.seed,
        **NEUTRAL,
    }
    if sampling.stop_strings:
        body |= {"stop": list(sampling.stop_strings), KEEP_STOP: True}
    if isinstance(request.prompt, str):
        return "/completions", body | {"prompt": request.prompt}
    if sampling.template_arguments:
        body["chat_template_kwargs"] = sampling.template()
    return "/chat/completions", body | {"messages": request.prompt}


Tokens: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**40)]


class Usage(msgspec.Struct):
    """The tokens that a server has counted."""

    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None


class _Message(msgspec.Struct):
    content: str | None = None  # null if the model was still reasoning


class _Choice(msgspec.Struct):
    """An output. One that was aborted, for example by a server shutting down, does not count."""

    finish_reason: Literal["stop", "length", "content_filter"]
    message: _Message | None = None
    text: str | None = None
    # The string that ended it: vLLM's name and SGLang's. Null or a token if the model did.
    stop_reason: Any = msgspec.UNSET
    matched_stop: Any = msgspec.UNSET

    def __post_init__(self) -> None:
        if self.message is None and self.text is None:
            raise ValueError("an output without text")


class Answer(msgspec.Struct):
    """A server's answer to a request."""

    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1)]
    usage: Usage | None = None

    def output(self, stop_strings: Sequence[str], seconds: float) -> ModelOutput:
        """The output, up to its first stop string, as in training."""
        choice = self.choices[0]
        text = (choice.message.content if choice.message else choice.text) or ""
        finish = "length" if choice.finish_reason == "length" else "stop"
        ends = [at + len(each) for each in stop_strings if (at := text.find(each)) >= 0]
        if ends:
            text, finish = text[: min(ends)], "stop"
        elif stop_strings and finish == "stop":
            text += _cut_off(choice, stop_strings)
        tokens = self.usage and self.usage.completion_tokens
        return ModelOutput(text=text, finish=finish, tokens=tokens, seconds=round(seconds, 3))


def _cut_off(choice: _Choice, stop_strings: Sequence[str]) -> str:
    """The stop string that a server has cut off, or nothing if the model itself ended the output.

    Which of these it was decides whether an answer counts.
    """
    reasons = (choice.stop_reason, choice.matched_stop)
    if all(reason is msgspec.UNSET for reason in reasons):
        raise BackendError(
            "the server cuts off stop strings without saying so; use another server, such as vLLM "
            "or SGLang, or no --stop-strings"
        )
    return next((each for each in stop_strings if each in reasons), "")


class Model(msgspec.Struct):
    """A model that a server lists."""

    id: str
    max_model_len: Tokens | None = None
    parent: str | None = None  # of an adapter, which has no length of its own


class Models(msgspec.Struct):
    """The models that a server lists."""

    data: list[Model] | None = None
