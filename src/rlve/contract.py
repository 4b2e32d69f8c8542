"""The contract every environment implements.

The class is the environment E = (I, P, R); an instance is one problem. A subclass declares the
problem's parameters as typed fields and then defines, in this order, how a problem is

    stated     I   template, prompt
    generated  P   level, sample
    judged     R   parse, score

and, where they can be computed, what a right answer is and how one gets there: reference, work.
Seeding, JSON, untrusted output and verdicts are the same for all environments and handled here.
"""

from collections.abc import Callable, Generator
from inspect import cleandoc
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar, dataclass_transform

import msgspec

from rlve.answers import Marker, Reading, check_reading, extract
from rlve.answers.forgiving import rewritings
from rlve.answers.reasons import why_wrong
from rlve.errors import Unparseable, UserError
from rlve.foundation.pictures import Picture
from rlve.rewards import UNPARSEABLE

Answer = TypeVar("Answer")
T = TypeVar("T")
Level: TypeAlias = dict[str, Any]
Work: TypeAlias = Generator[str, None, T]
"""Steps written down line by line, and what they lead to: `result = yield from steps`."""

MAX_WORKED = 8_000  # characters; a longer worked solution is none
ANSWER = "Answer:"


class Verdict(msgspec.Struct, frozen=True):
    """The result of verifying one output."""

    reward: float  # in [-1, 1]
    correct: bool
    well_formed: bool


class Explanation(Verdict, frozen=True):
    """A verdict, what was read, and why it is what it is."""

    read: str | None  # the answer as written in the output; None if none is marked
    reason: str  # a sentence


ILL_FORMED = Verdict(reward=UNPARSEABLE, correct=False, well_formed=False)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class EnvironmentType(msgspec.StructMeta):
    """Makes every environment a frozen, keyword-only struct, so that 400 files need not say so."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        return super().__new__(mcls, name, bases, namespace, frozen=True, kw_only=True)


def whole(answer: Any) -> Any:
    """The default of `unique_up_to`: only one answer is right."""
    return answer


class Environment(msgspec.Struct, Generic[Answer], metaclass=EnvironmentType):
    """An environment whose parsed answers have the type `Answer`."""

    # What an environment says about itself.

    template: ClassVar[str]
    max_difficulty: ClassVar[int | None] = None  # beyond it, problems get too large or too slow
    unique_up_to: ClassVar[Callable[[Any], object] | None] = whole  # what right answers agree in
    guessable: ClassVar[str | None] = None  # why one constant answer often wins, if unavoidable
    picture: ClassVar[Picture | None] = None  # which fields can be drawn, and how
    marked: ClassVar[bool] = False  # whether its own prompt says how to mark the answer
    sample: ClassVar[Callable[..., Any]]  # (rng, **level) -> problem; rng is the only randomness

    @property
    def passing(self) -> float:
        """The lowest reward that counts as correct."""
        return 1.0

    def prompt(self) -> str:
        """The problem as the model reads it."""
        return self.fill()

    @classmethod
    def level(cls, d: int) -> list[Level]:
        """What `sample` takes at difficulty d; one entry of the list is drawn uniformly."""
        raise NotImplementedError(f"{cls.__name__} does not define level()")

    def parse(self, text: str) -> Answer:
        """The answer in an untrusted text; raises Unparseable if there is none."""
        raise NotImplementedError(f"{type(self).__name__} does not define parse()")

    def score(self, answer: Answer) -> float:
        """The reward of a parsed answer."""
        raise NotImplementedError(f"{type(self).__name__} does not define score()")

    def reference(self) -> str | None:
        """A correct answer as text, or None if none can be computed."""
        known = getattr(self, "reference_answer", None)
        return None if known is None else str(known)

    def work(self) -> Work[str | None]:
        """Yield the way to the answer line by line, and return the answer as text.

        It starts from what the prompt shows and uses no stored result. None is returned if there
        is no way that a person would take.
        """
        yield from ()
        return None

    # What every environment can do.

    @classmethod
    def generate(cls, *, difficulty: int, seed: int) -> Self:
        """A problem; the same arguments give the same problem everywhere."""
        rng, level = cls.drawn_level(difficulty, seed)
        return cls.sample(rng, **level)

    @classmethod
    def drawn_level(cls, difficulty: int, seed: int) -> tuple[Random, Level]:
        """What `sample` takes for a problem, with the random numbers that drew it."""
        check_difficulty(cls, difficulty)
        rng = Random(f"{cls.__name__}/{difficulty}/{seed}")  # a str seeds through SHA-512
        return rng, rng.choice(cls.level(difficulty))

    @classmethod
    def from_parameters(cls, parameters: dict[str, Any]) -> Self:
        """The problem with these parameters; keys that are not fields are ignored."""
        try:
            return msgspec.convert(parameters, cls, str_keys=True)
        except msgspec.ValidationError as error:
            raise UserError(f"not the parameters of a {cls.__name__} problem: {error}") from None

    def parameters(self) -> dict[str, Any]:
        """Everything that determines the problem, as plain JSON values."""
        return msgspec.json.decode(msgspec.json.encode(self))

    def fill(self, **texts: object) -> str:
        """The template, with each {name} replaced by the text given for it, or by that field."""
        known = msgspec.structs.asdict(self) | texts
        try:
            return cleandoc(self.template).format_map(known)
        except (KeyError, IndexError, ValueError) as error:
            name, what = type(self).__name__, f"{type(error).__name__}: {error}"
            if isinstance(error, KeyError):
                what = f"{{{error.args[0]}}} is neither a field nor a text given to fill()"
            raise UserError(f"the template of {name} cannot be filled: {what}") from None

    def worked(self) -> list[str]:
        """The lines of work(), and one with the answer; none beyond MAX_WORKED characters."""
        lines: list[str] = []
        length, work = 0, self.work()
        while length <= MAX_WORKED:
            try:
                lines.append(next(work))
            except StopIteration as end:
                return [] if end.value is None else _answered(lines, end.value)
            length += len(lines[-1]) + 1
        return []

    def verify(self, output: str, *, marker: Marker = "any", reading: Reading = "exact") -> Verdict:
        """Judge a model's output; no string makes this raise.

        With reading="forgiving", an answer that is ill-formed as written is also judged without
        the formatting around it (rlve.answers.forgiving), and the best verdict counts. An answer
        that can be read as written is never rewritten.
        """
        check_output(output)
        check_reading(reading)
        try:
            text = self.read(output, marker)
        except Unparseable:
            return ILL_FORMED
        verdict = self._judged(text)
        if verdict.well_formed or reading == "exact":
            return verdict
        others = [self._judged(rewriting) for rewriting in rewritings(text)]
        readable = [other for other in others if other.well_formed]
        return max([verdict, *readable], key=lambda candidate: candidate.reward)

    def read(self, output: str, marker: Marker = "any") -> str:
        """The answer as written in an output; raises Unparseable if none is marked."""
        return extract(output, marker)

    def explain(
        self, output: str, *, marker: Marker = "any", reading: Reading = "exact"
    ) -> Explanation:
        """Judge a model's output as verify() does, and say why; this takes longer."""
        options: dict[str, Any] = {} if reading == "exact" else {"reading": reading}
        verdict = self.verify(output, marker=marker, **options)  # a subclass's may take no reading
        text, reason = self._reason(output, marker, verdict)
        return Explanation(
            reward=verdict.reward,
            correct=verdict.correct,
            well_formed=verdict.well_formed,
            read=text,
            reason=reason,
        )

    def _reason(self, output: str, marker: Marker, verdict: Verdict) -> tuple[str | None, str]:
        """The answer as written, if any, and a sentence on it."""
        try:
            text = self.read(output, marker)
        except Unparseable as error:
            why = str(error)
            return None, f"{why[:1].upper()}{why[1:]}."
        if verdict.correct:
            return text, "The answer is correct."
        try:
            answer = self.parse(text)
        except Unparseable as error:
            if Problem.verify(self, output, marker=marker, reading="forgiving").correct:
                return text, f"The answer is right, but not in the output format: {error}."
            return text, f"The answer is not in the output format: {error}."
        if not verdict.well_formed:
            return text, "The answer is not in the output format."
        unique = type(self).unique_up_to is whole
        clause = why_wrong(self, answer, verdict.reward, unique=unique)
        return text, f"The answer {clause}."

    def _judged(self, text: str) -> Verdict:
        try:
            answer = self.parse(text)
        except Unparseable as error:
            return Verdict(reward=error.reward, correct=False, well_formed=False)
        reward = self.score(answer)
        return Verdict(reward=reward, correct=reward >= self.passing, well_formed=True)


def _answered(lines: list[str], answer: str) -> list[str]:
    last = f"{ANSWER}\n{answer}" if "\n" in answer else f"{ANSWER} {answer}"
    length = sum(len(line) + 1 for line in lines) + len(last)
    return [*lines, last] if length <= MAX_WORKED else []


AnyEnvironment: TypeAlias = type[Environment[Any]]
Problem: TypeAlias = Environment[Any]


def has_work(environment: AnyEnvironment) -> bool:
    """Whether an environment says how its problems are solved."""
    return environment.work is not Problem.work


def check_output(output: object) -> None:
    """Raise a TypeError unless the output is text; anything else is the caller's mistake."""
    if not isinstance(output, str):
        raise TypeError(f"verify() takes the text of an output, a str, not {output!r:.60}")


def check_difficulty(environment: AnyEnvironment, difficulty: object) -> int:
    """The difficulty, or a UserError that says why the environment has no such level."""
    name, highest = environment.__name__, environment.max_difficulty
    if not isinstance(difficulty, int) or isinstance(difficulty, bool) or difficulty < 0:
        raise UserError(f"a difficulty must be an integer 0, 1, 2, ..., not {difficulty!r}")
    if highest is not None and difficulty > highest:
        raise UserError(
            f"the highest difficulty of {name} is {highest}; {difficulty} was asked for"
        )
    return difficulty
