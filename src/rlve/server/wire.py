"""The JSON that `rlve serve` and its clients exchange; the API page shows it."""

from typing import Annotated, Any, Self

import msgspec
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from rlve.answers import Marker, Reading
from rlve.contract import Verdict
from rlve.curricula import CURRICULA
from rlve.dialogue import Reply
from rlve.pool import Failure, FailureKind
from rlve.tables import either

Difficulty = Annotated[int, Field(ge=0, le=10_000)]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Key = Annotated[str, Field(min_length=1, max_length=100)]


def _check_name(curriculum: str) -> str:
    """Only those of the table: MODULE:CLASS, which others may name, is code."""
    if curriculum not in CURRICULA:
        raise ValueError(f"should be {either(map(repr, CURRICULA))}")
    return curriculum


CurriculumName = Annotated[
    str,
    AfterValidator(_check_name),
    Field(json_schema_extra=lambda schema: schema.update(enum=list(CURRICULA))),
]


class Strict(BaseModel):
    """A record that forbids unknown keys: a misspelt key is an error, not a default."""

    model_config = ConfigDict(extra="forbid")


class Wanted(Strict):
    """Problems to generate."""

    environment: str = Field(description="a name, or a collection: C1, C4, C16, C256, ...")
    difficulty: Difficulty = 0
    seed: Seed = Field(default=0, description="of the first problem; it rises by 1 per problem")
    count: Annotated[int, Field(ge=1)] = Field(
        default=1, description="how many; environments of a collection take turns"
    )


class Generate(Strict):
    """Problems to generate, in order."""

    requests: list[Wanted]
    reference: bool = Field(default=False, description="whether to send a correct answer with each")


class WireFailure(BaseModel):
    """Why an item has no result."""

    kind: FailureKind
    message: str

    @classmethod
    def of(cls, failure: Failure) -> Self:
        return cls(kind=failure.kind, message=failure.message)


class WireProblem(BaseModel):
    """A problem; the same environment, difficulty and seed give the same problem everywhere."""

    environment: str
    difficulty: int
    seed: int
    prompt: str | None = None
    parameters: dict[str, Any] | None = Field(
        default=None, description="everything that determines the problem"
    )
    turns: int | None = Field(
        default=None, description="how many messages may be sent, if the problem answers back"
    )
    reference: str | None = Field(default=None, description="a correct answer, if requested")
    failure: WireFailure | None = Field(default=None, description="why there is no problem")


class Problems(BaseModel):
    """The problems that Generate requested, in order."""

    problems: list[WireProblem]


class Given(Strict):
    """A problem, given by parameters or by difficulty and seed."""

    environment: str
    parameters: dict[str, Any] | None = None
    difficulty: Difficulty | None = None
    seed: Seed | None = None


class Answered(Given):
    """An output and the problem it answers, given by parameters or by difficulty and seed."""

    output: str = Field(description="of a dialogue: its messages, with \\u001e between them")


class Conversation(Given):
    """All messages that were sent so far to a problem that answers back."""

    messages: Annotated[list[str], Field(min_length=1)]


class Respond(Strict):
    """Conversations that wait for a reply, in order."""

    items: list[Conversation]


class Verify(Strict):
    """Outputs to judge, in order."""

    items: list[Answered]
    marker: Marker = Field(
        default="any",
        description="how the answer is marked: <answer></answer>, \\boxed{}, or either",
    )
    reading: Reading = Field(
        default="exact",
        description="read the answer exactly as written, or also without formatting around it",
    )
    explain: bool = Field(
        default=False, description="whether to send what was read, and the reason of each verdict"
    )


class WireVerdict(BaseModel):
    """The verdict on an output, or why there is none. A failure says nothing about the output."""

    reward: float | None = None
    correct: bool | None = None
    well_formed: bool | None = None
    read: str | None = Field(default=None, description="the answer as written, if explained")
    reason: str | None = Field(default=None, description="why, in a sentence, if explained")
    failure: WireFailure | None = None

    @classmethod
    def of(cls, result: Verdict | Failure) -> Self:
        if isinstance(result, Failure):
            return cls(failure=WireFailure.of(result))
        return cls(**msgspec.structs.asdict(result))


class Verdicts(BaseModel):
    """The verdicts that Verify requested, in order."""

    verdicts: list[WireVerdict]


class WireReply(BaseModel):
    """The reply to the last of the messages, or why there is none."""

    text: str | None = None
    readable: bool = Field(default=True, description="whether the message had a move")
    verdict: WireVerdict | None = Field(default=None, description="once the dialogue is over")
    failure: WireFailure | None = None

    @classmethod
    def of(cls, result: Reply | Failure) -> Self:
        if isinstance(result, Failure):
            return cls(failure=WireFailure.of(result))
        verdict = None if result.verdict is None else WireVerdict.of(result.verdict)
        return cls(text=result.text, readable=result.readable, verdict=verdict)


class Replies(BaseModel):
    """The replies that Respond requested, in order."""

    replies: list[WireReply]


class WireRecord(Strict):
    """A problem to load from its parameters."""

    environment: str
    parameters: dict[str, Any]
    prompt: bool = Field(default=False, description="whether to send its prompt")


class Load(Strict):
    """Problems to load, in order."""

    records: list[WireRecord]


class LoadedProblem(BaseModel):
    """A problem as its environment reads it, or why there is none."""

    parameters: dict[str, Any] | None = None
    prompt: str | None = Field(default=None, description="if requested")
    failure: WireFailure | None = None


class LoadedProblems(BaseModel):
    """The problems that Load requested, in order."""

    problems: list[LoadedProblem]


class NewSession(Strict):
    """A curriculum, and the stream of problems drawn from it."""

    environments: list[str] = Field(min_length=1, description="names and collections")
    seed: Seed = 0
    group: Annotated[int, Field(ge=1)] = Field(default=16, description="outputs per problem")
    curriculum: CurriculumName = "adaptive"
    static: tuple[Difficulty, Difficulty] | None = Field(
        default=None, description="draw from this range instead of adapting it"
    )
    tau_acc: Annotated[float, Field(gt=0, le=1)] = 0.9
    tau_num: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="8 x group by default"
    )
    window: Annotated[int, Field(ge=1)] = 4
    target: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.5,
        description="two-way: the accuracy to aim at; learnability, bandit: it opens a level",
    )
    rehearsal: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.0, description="share of draws from levels already left behind"
    )
    weights: dict[str, float] = Field(
        default={}, description="draw these environments more or less often; 1 is normal"
    )
    rest: Annotated[float, Field(gt=0, le=1)] = Field(
        default=1.0, description="how often to draw an environment that gives no signal"
    )
    max_prompt_length: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="in characters; problems with longer prompts are replaced"
    )
    state: dict[str, Any] | None = Field(
        default=None, description="continue from this state of a session"
    )
    key: Key | None = Field(default=None, description="a repeated key starts nothing twice")


class Range(BaseModel):
    """The range of difficulties from which an environment is drawn."""

    low: int
    high: int


class Session(BaseModel):
    """The current state of a session."""

    id: str
    position: int = Field(description="of the next problem")
    steps: int
    bounds: dict[str, Range]
    redrawn: dict[str, dict[str, int]] = Field(description="draws that gave no problem, and why")
    avoided: dict[str, list[int]] = Field(description="levels that are no longer tried")
    resting: list[str] = Field(description="environments that are rarely drawn at present")


class Sessions(BaseModel):
    """All sessions."""

    sessions: list[Session]


class Draw(Strict):
    """The next problems."""

    count: Annotated[int, Field(ge=0)]
    key: Key | None = Field(default=None, description="repeating a key repeats the reply")


class Drawn(BaseModel):
    """Problems, in order of position."""

    position: int = Field(description="of the first")
    problems: list[WireProblem]
    redrawn: dict[str, dict[str, int]]
    avoided: dict[str, list[int]] = Field(description="levels that are no longer tried")


class Observed(Strict):
    """The verdicts on the outputs to one problem, without those that could not be judged."""

    environment: str
    difficulty: Difficulty
    correct: list[bool]
    rewards: list[float] | None = Field(
        default=None, description="one for each entry of correct; 1 and 0 by default"
    )

    @model_validator(mode="after")
    def _as_many(self) -> Self:
        if self.rewards is not None and len(self.rewards) != len(self.correct):
            raise ValueError(f"{len(self.correct)} outputs, but {len(self.rewards)} rewards")
        return self


class Report(Strict):
    """Verdicts for the curriculum, on every finished group."""

    groups: list[Observed]
    key: Key | None = Field(default=None, description="a repeated key counts nothing twice")


class Step(Strict):
    """The end of a training step."""

    key: Key | None = Field(default=None, description="a repeated key moves nothing twice")


class Moved(BaseModel):
    """An environment whose range moved."""

    name: str
    low: int
    high: int
    accuracy: float = Field(description="at the level that was mastered")


class Stepped(BaseModel):
    """What moved at the end of a step, and where all ranges are now."""

    steps: int
    changes: list[Moved]
    bounds: dict[str, Range]
    resting: list[str] = Field(description="environments that are rarely drawn at present")
    state: dict[str, Any] = Field(
        description="everything needed to continue exactly from here, if the server has to restart"
    )


class State(Strict):
    """Everything needed to continue exactly from here."""

    state: dict[str, Any]
