"""What OpenAI's protocol sends and answers, as servers speak it.

Answers are checked field by field. Outputs end with the first stop string, and contain it, as in
training. Servers tend to cut it off.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal, cast

import msgspec

from rlve.datasets.outputs import Finish
from rlve.evaluate.backends import ModelOutput, SampleRequest, Sampling

MOST_TOKENS = 2**40  # the most tokens that an output can plausibly have

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
    model: str, request: SampleRequest, sampling: Sampling, *, stop: bool
) -> tuple[str, dict[str, Any]]:
    """Where to send a request, and what.

    stop   whether to tell the server of stop strings
    """
    body: dict[str, Any] = {
        "model": model,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "seed": request.seed,
        **NEUTRAL,
    }
    if sampling.stop_strings and stop:
        body |= {"stop": list(sampling.stop_strings), KEEP_STOP: True}
    if isinstance(request.prompt, str):
        return "/completions", body | {"prompt": request.prompt}
    if sampling.template_arguments:
        body["chat_template_kwargs"] = sampling.template()
    return "/chat/completions", body | {"messages": request.prompt}


FINISHES: dict[str, Finish] = {"stop": "stop", "length": "length", "content_filter": "stop"}


class _Message(msgspec.Struct):
    content: str | None = None  # null if the model was still reasoning


class _Choice(msgspec.Struct):
    """An output. One that was aborted, for example by a server shutting down, does not count."""

    finish_reason: Literal["stop", "length", "content_filter"]
    message: _Message | msgspec.UnsetType = msgspec.UNSET
    text: str | msgspec.UnsetType = msgspec.UNSET


class _Answer(msgspec.Struct):
    choices: list[_Choice]
    usage: Any = None


def read_output(answer: object, seconds: float) -> ModelOutput:
    """The output in an answer; a ValueError if there is none."""
    parsed = msgspec.convert(answer, _Answer)
    if not parsed.choices:
        raise ValueError("no output")
    choice = parsed.choices[0]
    text = choice.text
    if isinstance(choice.message, _Message):
        text = choice.message.content or ""
    if not isinstance(text, str):
        raise ValueError("an output without text")
    return ModelOutput(
        text=text,
        finish=FINISHES[choice.finish_reason],
        tokens=read_count(parsed.usage, "completion_tokens"),
        seconds=round(seconds, 3),
    )


def end_at_stop(
    output: ModelOutput, answer: dict[str, Any], strings: Sequence[str], *, told: bool
) -> ModelOutput | None:
    """The output up to its first stop string, as in training; None if the string may be missing.

    told   whether the server was told of the strings
    """
    ends = [at + len(text) for text in strings if (at := output.text.find(text)) >= 0]
    if ends:
        cut = output.text[: min(ends)]
        tokens = output.tokens if told else None  # those of the rest are counted, too
        return msgspec.structs.replace(output, text=cut, finish="stop", tokens=tokens)
    if not told or output.finish != "stop":
        return output
    choice: dict[str, object] = answer["choices"][0]
    reasons = [choice[name] for name in ("stop_reason", "matched_stop") if name in choice]
    if not reasons:
        return None
    cut_off = next((reason for reason in reasons if reason in strings), "")
    return msgspec.structs.replace(output, text=f"{output.text}{cut_off}")


def read_count(usage: object, name: str) -> int | None:
    """A number of tokens, if the server reports a plausible one."""
    if not isinstance(usage, dict):
        return None
    tokens = cast(dict[str, object], usage).get(name)
    if not isinstance(tokens, int) or isinstance(tokens, bool):
        return None
    return tokens if 0 <= tokens <= MOST_TOKENS else None


def read_models(answer: dict[str, Any]) -> list[dict[str, Any]]:
    models: object = answer.get("data")
    if not isinstance(models, list):
        return []
    return [
        cast(dict[str, Any], model)
        for model in cast(list[object], models)
        if isinstance(model, dict) and "id" in model
    ]
