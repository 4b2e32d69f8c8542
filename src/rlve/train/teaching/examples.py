r"""Teaching by example: problems with their references, and the loss on the answers alone.

A model that never writes an answer in the required form gets no signal from rewards. So it is first
shown what correct answers look like: prompts as in training, each followed by a reference in the
mark-up of the prompt format and the token that ends an output.

    prompt   ... Then write the final answer, ..., inside \boxed{}.
    answer   \boxed{1 2 5 9}<|im_end|>

If a problem has several correct answers, the reference is one of them. A worked solution, if one is
wanted and the problem has one, takes the place of the reference: the way to the answer, and it. A
problem that answers back is shown as a conversation in which the model's messages win.
"""

import copy
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from torch import Tensor

from rlve.answers import extract
from rlve.contract import ANSWER, Problem, has_work
from rlve.dialogue import Dialogue, messages_of
from rlve.errors import Unparseable, UserError
from rlve.formats import Format
from rlve.models.logprobs import Scorer
from rlve.models.packs import PackedRow
from rlve.models.policy import Policy, turn_end
from rlve.models.rollouts import Rollout, Span
from rlve.pool import Failure, Pool, Request, Shown
from rlve.registry import environment
from rlve.train.teaching.config import LessonConfig, Worked
from rlve.train.validation import levels_of

IN_A_ROW: Final = 1000  # problems in a row that may be left out before giving up


@dataclass(frozen=True)
class Example:
    """A problem and what to write, as the model reads and should write them."""

    name: str
    difficulty: int
    seed: int
    problem: Problem | None  # None if a file does not say which it is
    prompt: list[int]
    answer: list[int]
    worked: bool = False  # whether the answer is a worked solution
    given: Sequence[Span] = ()  # where replies are in the answer; they carry no loss

    @property
    def row(self) -> PackedRow:
        return PackedRow(self.prompt, [self.answer], [self.given])

    @property
    def read(self) -> int:
        """The tokens that carry no loss: the prompt and any replies."""
        return len(self.prompt) + sum(end - begin for begin, end in self.given)

    @property
    def learnt(self) -> int:
        """The tokens that carry loss."""
        return len(self.prompt) + len(self.answer) - self.read


def end_token(policy: Policy) -> int:
    """The token that ends an output: the end of a turn in a chat, otherwise the end of text."""
    if policy.format.name == "chat":
        end = turn_end(policy.tokenizer, policy.template)
        if end is not None:
            return end
    end = policy.tokenizer.eos_token_id
    return policy.stop_tokens[0] if end is None else end


def taught_levels(data: LessonConfig) -> dict[str, list[int]]:
    """The levels to teach of each environment; one that has none is left out."""
    names = data.names()
    if data.worked == "only":
        names = [name for name in names if has_work(environment(name))]
        if not names:
            raise UserError(
                "none of data.environments has worked solutions; set data.worked to where-possible "
                "or off, or choose other environments"
            )
    taught = {name: own for name in names if (own := levels_of(name, data.levels))}
    if not taught:
        raise UserError(f"no environment has any of data.levels {data.levels}")
    return taught


class ExampleSource:
    """An endless sequence of examples that depends only on the seed; for one consumer.

    Workers of the pool make problems and references far ahead, and a thread turns them into tokens
    while the model learns from the previous ones. Each position in the sequence has random numbers
    of its own, from which its environment and level are drawn uniformly. A problem that cannot be
    taught is left out, and counted by environment and reason: it has no reference or, if only those
    are taught, no worked solution; its prompt or answer is too long; or it could not be made in
    time.
    """

    def __init__(
        self,
        data: LessonConfig,
        levels: Mapping[str, Sequence[int]],
        policy: Policy,
        pool: Pool,
        *,
        seed: int,
    ) -> None:
        self.data = data
        self.seed = seed
        # The thread has its own tokenizer, because two threads cannot use one at the same time.
        self._policy = replace(policy, model=None, tokenizer=copy.deepcopy(policy.tokenizer))
        self._end = end_token(policy)
        self._pool = pool
        self._levels = levels
        self._names = list(levels)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="examples")
        self._closed = False
        self._begin(_Place(0, Counter()))

    def _begin(self, place: "_Place") -> None:
        self._given = self._made = place  # what is made is ahead of what has been given out
        asked = self._requests(place.position)
        self._asked = self._requests(place.position)
        self._solved: Generator[_Made] = (
            self._pool.solve_iter(asked, background=True)
            if self.data.worked == "off"
            else self._pool.show_iter(asked, background=True)
        )
        self._coming: Future[tuple[list[Example], _Place]] | None = None

    def take(self) -> list[Example]:
        """The next batch; the one after it is made while the model learns from this one."""
        if self._coming is None:  # kept before it is awaited: close() must know what runs
            self._coming = self._thread.submit(self._make)
        examples, self._given = self._coming.result()
        self._coming = self._thread.submit(self._make)
        return examples

    @property
    def left_out(self) -> dict[str, dict[str, int]]:
        """The number of problems left out so far, by environment and reason."""
        counts: dict[str, dict[str, int]] = {}
        for (name, reason), count in sorted(self._given.left_out.items()):
            counts.setdefault(name, {})[reason] = count
        return counts

    def state_dict(self) -> dict[str, Any]:
        """Everything load_state_dict needs to continue exactly from here, as plain JSON."""
        return {"position": self._given.position, "left_out": self.left_out}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._stop()
        left_out = Counter(
            {
                (name, reason): count
                for name, reasons in state["left_out"].items()
                for reason, count in reasons.items()
            }
        )
        self._begin(_Place(state["position"], left_out))

    def close(self) -> None:
        """Stop making examples."""
        self._closed = True
        self._stop()
        self._thread.shutdown()

    def _stop(self) -> None:
        """Stop using the pool, once the thread has stopped."""
        if self._coming is not None and not self._coming.cancel():
            wait([self._coming])
        self._solved.close()

    def _make(self) -> "tuple[list[Example], _Place]":
        """The next batch, and the place in the sequence after it; runs in the thread."""
        batch: list[Example] = []
        position, left_out = self._made.position, Counter(self._made.left_out)
        in_a_row = 0
        while len(batch) < self.data.examples and not self._closed:
            drawn = list(self._draw(self.data.examples - len(batch)))
            position += len(drawn)
            for (request, _), example in zip(drawn, self._examples(drawn), strict=True):
                if isinstance(example, Example):
                    batch.append(example)
                    in_a_row = 0
                    continue
                left_out[request.name, example] += 1
                in_a_row += 1
            if in_a_row >= IN_A_ROW:
                raise _hopeless(left_out)
        self._made = _Place(position, left_out)
        return batch, self._made

    def _draw(self, count: int) -> "Iterator[_Drawn]":
        """The next problems with their references, until the source is closed."""
        for _ in range(count):
            if self._closed:
                return
            yield next(self._asked), next(self._solved)

    def _requests(self, position: int) -> Iterator[Request]:
        while True:
            rng = Random(f"teach/{self.seed}/{position}")
            name = rng.choice(self._names)
            difficulty = rng.choice(self._levels[name])
            # Never negative, unlike the seeds of the problems on which accuracy is measured.
            yield Request(environment(name), difficulty, rng.randrange(2**32))
            position += 1

    def _examples(self, drawn: "Sequence[_Drawn]") -> "list[Example | str]":
        """The examples, or the reasons why there are none."""
        format, tokenizer = self._policy.format, self._policy.tokenizer
        written = [_written(made, format, self.data.worked) for _, made in drawn]
        shown = [lesson for lesson in written if not isinstance(lesson, str)]
        prompts = iter(self._policy.encode_all([lesson.problem for lesson in shown]))
        texts = [lesson.text for lesson in shown]
        answers = iter(tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else [])
        return [
            lesson
            if isinstance(lesson, str)
            else self._example(request, lesson, next(prompts), next(answers))
            for (request, _), lesson in zip(drawn, written, strict=True)
        ]

    def _example(
        self, request: Request, lesson: "_Written", prompt: list[int], answer: list[int]
    ) -> Example | str:
        if len(prompt) > self.data.max_prompt_tokens:
            return "prompt too long"
        if isinstance(lesson.problem, Dialogue):
            output = self._conversation(lesson.problem, messages_of(lesson.text))
        else:
            output = Rollout(prompt, [*answer, self._end])
        if len(output.tokens) > self.data.max_answer_tokens:
            return "answer too long"
        return Example(
            request.name,
            request.difficulty,
            request.seed,
            lesson.problem,
            prompt,
            output.tokens,
            lesson.worked,
            output.given,
        )

    def _conversation(self, problem: Dialogue[Any], messages: Sequence[str]) -> Rollout:
        """Messages and the replies to them, as they would be sampled."""
        output = Rollout([])
        for message, reply in zip(messages, problem.replies(messages), strict=True):
            output.tokens += [*self._policy.continuation(message), self._end]
            if reply.verdict is None:
                output.hear(self._policy.reply(output.tokens, reply.text), sys.maxsize)
        return output


_Made: TypeAlias = tuple[Problem, str | None] | Shown | Failure
_Drawn: TypeAlias = tuple[Request, _Made]
"""A request, and its result."""


class _Written(NamedTuple):
    """A problem, and the output to teach."""

    problem: Problem
    text: str
    worked: bool


def _written(made: _Made, format: Format, worked: Worked) -> _Written | str:
    """What to teach, or the reason why there is nothing."""
    if isinstance(made, Failure):
        return made.kind
    problem, answer, lines = (
        (made.problem, made.reference, made.worked) if isinstance(made, Shown) else (*made, [])
    )
    if lines:
        *lines, last = lines
        answer = last.removeprefix(ANSWER).strip()
    elif worked == "only":
        return "no worked solution"
    if answer is None:
        return "no reference"
    text = format.output(problem, answer, lines)
    if not problem.marked and _read(text, format) != answer.strip():
        return "cannot be marked"
    return _Written(problem, text, bool(lines))


def _hopeless(left_out: Counter[tuple[str, str]]) -> UserError:
    reasons = Counter(reason for _, reason in left_out.elements())
    listed = ", ".join(f"{reason} {number:,}" for reason, number in reasons.most_common())
    return UserError(
        f"{IN_A_ROW:,} problems in a row cannot be taught ({listed}); raise data.max-prompt-tokens "
        "or data.max-answer-tokens, or choose other environments"
    )


class _Place(NamedTuple):
    """A place in the sequence of examples."""

    position: int
    left_out: Counter[tuple[str, str]]


def _read(text: str, format: Format) -> str | None:
    """The answer that a verifier reads from an output."""
    try:
        return extract(text, format.marker)
    except Unparseable:
        return None


class Losses(NamedTuple):
    """The losses of some examples' answers; all are sums over their tokens."""

    loss: Tensor  # the negative log-likelihood, with its gradient
    entropy: Tensor


def answer_loss(score: Scorer, examples: Sequence[Example]) -> Losses:
    """The negative log-likelihood of the answers; no other token carries any loss."""
    logprobs, entropy = score([example.row for example in examples])
    return Losses(-logprobs.sum(), entropy.sum())
