r"""How a problem is put to a model, and how the model marks its answer.

    chat   messages for a model with a chat template; the answer is read from the last \boxed{}
    base   text to continue, for a model without a chat template: <think>, then <answer>
    plain  the problem and one sentence; either marker will do

A problem's own prompt ends with the form of the bare answer. A format adds where to put it, unless
the problem says so itself: a program, for example, is simply a block of code.
"""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rlve.answers import BETWEEN_TAGS, IN_A_BOX, IN_TAGS, Marker, check_marker
from rlve.contract import ANSWER, Problem
from rlve.errors import UserError

Message: TypeAlias = dict[str, str]
"""One turn of a conversation: its "role" and its "content"."""

Prompt: TypeAlias = str | list[Message]
"""What a model is given: text to continue, or messages for its chat template."""


@dataclass(frozen=True)
class Format:
    """A way of putting problems to a model; `marker` is what problem.verify() must look for."""

    name: str
    wrap: Callable[[str], Prompt]  # the text of a problem -> what the model is given
    marker: Marker = "any"
    wrap_marked: Callable[[str], Prompt] | None = None  # if a problem says how to mark its answer

    def __post_init__(self) -> None:
        check_marker(self.marker)

    def render(self, problem: Problem) -> Prompt:
        """The problem as the model is given it."""
        return self.put(problem, problem.prompt())

    def put(self, problem: Problem, text: str) -> Prompt:
        """Like render(), for a problem whose text is already known."""
        wrap = self.wrap_marked if problem.marked and self.wrap_marked else self.wrap
        return wrap(text)

    def follow(self, prompt: Prompt, output: str, reply: str) -> Prompt:
        """The prompt of the next turn of a dialogue: what came before, and the reply."""
        if not isinstance(prompt, str):
            said = {"role": "assistant", "content": output}, {"role": "user", "content": reply}
            return [*prompt, *said]
        asked = _asked(reply) if self.name == "base" else f"\n{reply}\n"
        return f"{prompt}{output}\n{asked}"

    def output(self, problem: Problem, answer: str, lines: Sequence[str] = ()) -> str:
        """An output with this answer in the mark-up of the format, and any lines before it.

        The base format's prompt opens the model's thoughts, which the output closes.
        """
        if problem.marked:  # an answer to it is already marked as its prompt asks
            return "\n".join([*lines, answer])
        marked = f"\\boxed{{{answer}}}" if self.marker == "boxed" else f"<answer>{answer}</answer>"
        if self.name == "base":
            return "\n".join(["", *lines, "</think>", marked] if lines else ["</think>", marked])
        return "\n".join([*lines, f"{ANSWER} {marked}"]) if lines else marked

    def worked_output(self, problem: Problem, lines: Sequence[str] | None = None) -> str | None:
        """The worked solution of a problem, with its answer marked; None if it has none.

        Its lines, if they are known, need not be worked out again.
        """
        lines = problem.worked() if lines is None else lines
        if not lines:
            return None
        return self.output(problem, lines[-1].removeprefix(ANSWER).strip(), lines[:-1])


def readable(prompt: Prompt) -> str:
    """A prompt as one text for people: with roles, if it has several messages."""
    if isinstance(prompt, str):
        return prompt
    if len(prompt) == 1:
        return prompt[0]["content"]
    return "\n\n".join(f"{message['role']}: {message['content']}" for message in prompt)


def prompt_format(format: "str | Format | Callable[[str], Prompt]") -> Format:
    """The format with that name, a Format unchanged, or a format made from your own function.

    The function takes the text of a problem. Its outputs may use either marker; to accept only
    one, pass a Format.
    """
    if isinstance(format, Format):
        return format
    if callable(format):
        return Format(getattr(format, "__name__", type(format).__name__), format)
    if format in FORMATS:
        return FORMATS[format]
    near = difflib.get_close_matches(format, FORMATS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the formats are {', '.join(FORMATS)}."
    raise UserError(f"no prompt format is named {format!r}; {hint}")


def _chat(text: str) -> Prompt:
    return _turn(f"{text}\n\n{_BOX_IT}")


def _turn(text: str) -> Prompt:
    return [{"role": "user", "content": text}]


def _base(text: str) -> Prompt:
    return _talk(f"{text}\n\n{_ONLY}")


def _talk(text: str) -> Prompt:
    return f"{_CONVERSATION}\n{_asked(text)}"


def _asked(text: str) -> str:
    return f"User: {text}\nAssistant: Let me solve this step by step.\n<think>"


def _plain(text: str) -> Prompt:
    return f"{text}\n\n{_MARK_IT}"


_BOX_IT = (
    "Reason step by step. Then write the final answer, in the output format given above and with "
    f"nothing else around it, {IN_A_BOX}."
)

# The paper's template, word for word. A base model continues the text, so the text opens the
# Assistant's thoughts and ends there.
_CONVERSATION = (
    "A conversation between User and Assistant. The user asks a question, and the assistant solves "
    "it. The assistant first thinks about the reasoning process in the mind and then provides the "
    "user with the answer. Show your work in <think> </think> tags, and return the final answer "
    f"{IN_TAGS}."
)

_ONLY = "Between its tags, write only the final answer, in the output format given above."

_MARK_IT = (
    "Write the final answer, in the output format given above and with nothing else around it, "
    f"{BETWEEN_TAGS} or {IN_A_BOX}."
)

CHAT = Format("chat", _chat, "boxed", wrap_marked=_turn)
BASE = Format("base", _base, "answer", wrap_marked=_talk)  # the paper's template, also for these
PLAIN = Format("plain", _plain, "any", wrap_marked=str)

FORMATS = {format.name: format for format in (CHAT, BASE, PLAIN)}
