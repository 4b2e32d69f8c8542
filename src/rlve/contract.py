"""The contract every environment implements.

The class is the environment E = (I, P, R); an instance is one problem. A subclass declares the
problem's parameters as typed fields and then says, in this order, how a problem is

    stated     I   template, prompt
    generated  P   level, sample
    judged     R   parse, score

Seeding, JSON, untrusted output and verdicts are the same for all, and are here.
"""

from collections.abc import Callable
from inspect import cleandoc
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar, dataclass_transform

import msgspec

from rlve.answers import Marker, Reading, extract
from rlve.errors import Unparseable, UserError
from rlve.forgiving import rewritings
from rlve.rewards import UNPARSEABLE

Answer = TypeVar("Answer")
Level: TypeAlias = dict[str, Any]


class Verdict(msgspec.Struct, frozen=True):
    """What verifying one output returns."""

    reward: float  # in [-1, 1]
    correct: bool
    well_formed: bool


ILL_FORMED = Verdict(reward=UNPARSEABLE, correct=False, well_formed=False)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class EnvironmentType(msgspec.StructMeta):
    """Makes every environment a frozen, keyword-only struct, so that 400 files need not say it."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        return super().__new__(mcls, name, bases, namespace, frozen=True, kw_only=True)


def whole(answer: Any) -> Any:
    """What right answers have in common where only one is right: all of it."""
    return answer


class Environment(msgspec.Struct, Generic[Answer], metaclass=EnvironmentType):
    """An environment whose parsed answers have the type `Answer`."""

    # What an environment says about itself.

    template: ClassVar[str]
    max_difficulty: ClassVar[int | None] = None  # up to which its promises hold: size and speed
    unique_up_to: ClassVar[Callable[[Any], object] | None] = whole  # in this, right answers agree
    guessable: ClassVar[str | None] = None  # why one constant answer often wins, if it must
    marked: ClassVar[bool] = False  # whether its prompt says itself how the answer is marked
    sample: ClassVar[Callable[..., Any]]  # (rng, **level) -> problem; all randomness is from rng

    @property
    def passing(self) -> float:
        """The reward from which on an answer counts as correct."""
        return 1.0

    def prompt(self) -> str:
        """The problem as the model reads it."""
        return self.fill()

    @classmethod
    def level(cls, d: int) -> list[Level]:
        """What `sample` takes at difficulty d; one entry of the list is drawn uniformly."""
        raise NotImplementedError(f"{cls.__name__} does not define level()")

    def parse(self, text: str) -> Answer:
        """Untrusted text -> answer, or Unparseable is raised."""
        raise NotImplementedError(f"{type(self).__name__} does not define parse()")

    def score(self, answer: Answer) -> float:
        """The reward of a parsed answer."""
        raise NotImplementedError(f"{type(self).__name__} does not define score()")

    def reference(self) -> str | None:
        """An answer text that is correct, or None where none can be computed."""
        known = getattr(self, "reference_answer", None)
        return None if known is None else str(known)

    # What every environment can do.

    @classmethod
    def generate(cls, *, difficulty: int, seed: int) -> Self:
        """A problem; the same arguments give the same problem everywhere."""
        check_difficulty(cls, difficulty)
        rng = Random(f"{cls.__name__}/{difficulty}/{seed}")  # a str seeds through SHA-512
        return cls.sample(rng, **rng.choice(cls.level(difficulty)))

    @classmethod
    def from_parameters(cls, parameters: dict[str, Any]) -> Self:
        """The problem that has these parameters; keys that are none of its fields are ignored."""
        try:
            return msgspec.convert(parameters, cls, str_keys=True)
        except msgspec.ValidationError as error:
            raise UserError(f"not the parameters of a {cls.__name__} problem: {error}") from None

    def parameters(self) -> dict[str, Any]:
        """All that determines the problem, as plain JSON values."""
        return msgspec.json.decode(msgspec.json.encode(self))

    def fill(self, **texts: object) -> str:
        """The template, with each {name} replaced by the text given for it or by the field."""
        return cleandoc(self.template).format_map(msgspec.structs.asdict(self) | texts)

    def verify(self, output: str, *, marker: Marker = "any", reading: Reading = "exact") -> Verdict:
        """Judge a model's output; no string makes this raise.

        Read forgivingly, an answer that is ill-formed as it stands is judged without its dress
        (rlve.forgiving), too, and the best verdict counts. What can be read is never rewritten.
        """
        check_output(output)
        try:
            text = extract(output, marker)
        except Unparseable:
            return ILL_FORMED
        verdict = self._judged(text)
        if verdict.well_formed or reading == "exact":
            return verdict
        readable = [found for each in rewritings(text) if (found := self._judged(each)).well_formed]
        return max([verdict, *readable], key=lambda found: found.reward)

    def _judged(self, text: str) -> Verdict:
        try:
            answer = self.parse(text)
        except Unparseable as error:
            return Verdict(reward=error.reward, correct=False, well_formed=False)
        reward = self.score(answer)
        return Verdict(reward=reward, correct=reward >= self.passing, well_formed=True)


AnyEnvironment: TypeAlias = type[Environment[Any]]
Problem: TypeAlias = Environment[Any]


def check_output(output: object) -> None:
    """Raise a TypeError unless an output is text: None, say, is the fault of whoever asks."""
    if not isinstance(output, str):
        raise TypeError(f"verify() takes the text of an output, a str, not {output!r:.60}")


def check_difficulty(environment: AnyEnvironment, difficulty: object) -> int:
    """The difficulty, or a UserError that says why the environment has no such level."""
    name, highest = environment.__name__, environment.max_difficulty
    if not isinstance(difficulty, int) or isinstance(difficulty, bool) or difficulty < 0:
        raise UserError(f"a difficulty is an integer 0, 1, 2, ..., not {difficulty!r}")
    if highest is not None and difficulty > highest:
        raise UserError(
            f"the highest difficulty of {name} is {highest}; {difficulty} was asked for"
        )
    return difficulty
