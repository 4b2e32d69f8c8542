"""What travels between `rlve serve` and its clients, as JSON; the OpenAPI page shows it."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rlve.contract import Verdict
from rlve.pool import Failure

Difficulty = Annotated[int, Field(ge=0, le=10_000)]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Key = Annotated[str, Field(min_length=1, max_length=100)]


class Strict(BaseModel):
    """A record without unknown keys: a misspelt one is an error, not a default."""

    model_config = ConfigDict(extra="forbid")


class Wanted(Strict):
    """Problems to generate."""

    environment: str = Field(description="a name, or a collection: C1, C4, C16, C256, ...")
    difficulty: Difficulty = 0
    seed: Seed = Field(
        default=0, description="of the first problem; those after it have the next ones"
    )
    count: Annotated[int, Field(ge=1)] = Field(
        default=1, description="how many; of a collection, its environments in turn"
    )


class Generate(Strict):
    """Problems to generate, in order."""

    requests: list[Wanted]
    reference: bool = Field(default=False, description="whether to send a correct answer with each")


class WireFailure(BaseModel):
    """Why an item has no result."""

    kind: Literal["deadline", "crash", "memory", "error"]
    message: str

    def failure(self) -> Failure:
        return Failure(self.kind, self.message)


class WireProblem(BaseModel):
    """A problem; the same environment, difficulty and seed give the same one everywhere."""

    environment: str
    difficulty: int
    seed: int
    prompt: str | None = None
    parameters: dict[str, Any] | None = Field(
        default=None, description="all that determines the problem"
    )
    reference: str | None = Field(default=None, description="a correct answer, if it was asked for")
    failure: WireFailure | None = Field(default=None, description="why there is no problem")


class Problems(BaseModel):
    """What Generate asked for, in order."""

    problems: list[WireProblem]


class Answered(Strict):
    """An output, and the problem it answers: by its parameters, or by difficulty and seed."""

    environment: str
    output: str
    parameters: dict[str, Any] | None = None
    difficulty: Difficulty | None = None
    seed: Seed | None = None


class Verify(Strict):
    """Outputs to judge, in order."""

    items: list[Answered]
    marker: Literal["any", "answer", "boxed"] = Field(
        default="any",
        description="where the answer stands: <answer></answer>, \\boxed{}, or either",
    )
    reading: Literal["exact", "forgiving"] = Field(
        default="exact",
        description="how the answer is read: as it stands, or also without the dress around it",
    )


class WireVerdict(BaseModel):
    """The verdict on an output, or why there is none; a failure says nothing about the output."""

    reward: float | None = None
    correct: bool | None = None
    well_formed: bool | None = None
    failure: WireFailure | None = None

    @classmethod
    def of(cls, found: Verdict | Failure) -> Self:
        if isinstance(found, Failure):
            return cls(failure=WireFailure(kind=found.kind, message=found.message))
        return cls(reward=found.reward, correct=found.correct, well_formed=found.well_formed)


class Verdicts(BaseModel):
    """What Verify asked for, in order."""

    verdicts: list[WireVerdict]


class NewSession(Strict):
    """A curriculum, and the stream of problems drawn from it."""

    environments: list[str] = Field(min_length=1, description="names and collections")
    seed: Seed = 0
    group: Annotated[int, Field(ge=1)] = Field(default=16, description="outputs for each problem")
    curriculum: Literal["adaptive", "two-way", "learnability", "bandit"] = "adaptive"
    static: tuple[Difficulty, Difficulty] | None = Field(
        default=None, description="draw from this range instead of adapting it"
    )
    tau_acc: Annotated[float, Field(gt=0, le=1)] = 0.9
    tau_num: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="by default 8 x group"
    )
    window: Annotated[int, Field(ge=1)] = 4
    target: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.5,
        description="two-way: the accuracy aimed at; learnability, bandit: that opens a level",
    )
    rehearsal: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.0, description="share of draws from levels that were left behind"
    )
    weights: dict[str, float] = Field(
        default={}, description="draw these environments more or less often; 1 is the usual"
    )
    rest: Annotated[float, Field(gt=0, le=1)] = Field(
        default=1.0, description="how often an environment without signal is still drawn"
    )
    max_prompt_length: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="in characters; a longer problem is drawn again"
    )
    state: dict[str, Any] | None = Field(
        default=None, description="go on from this state of a session"
    )


class Range(BaseModel):
    """The difficulties that an environment is drawn at."""

    low: int
    high: int


class Session(BaseModel):
    """Where a session stands."""

    id: str
    position: int = Field(description="of the next problem")
    steps: int
    bounds: dict[str, Range]
    redrawn: dict[str, dict[str, int]] = Field(description="draws that gave no problem, and why")
    avoided: dict[str, list[int]] = Field(description="levels that are no longer tried")


class Sessions(BaseModel):
    """The sessions that are kept."""

    sessions: list[Session]


class Draw(Strict):
    """The next problems."""

    count: Annotated[int, Field(ge=0)]
    key: Key | None = Field(
        default=None, description="the same key again gives the same reply again"
    )


class Drawn(BaseModel):
    """Problems, in order of position."""

    position: int = Field(description="of the first")
    problems: list[WireProblem]
    redrawn: dict[str, dict[str, int]]
    avoided: dict[str, list[int]] = Field(description="levels that are no longer tried")


class Observed(Strict):
    """What was found of the outputs to one problem; leave out those that could not be judged."""

    environment: str
    difficulty: Difficulty
    correct: list[bool]
    rewards: list[float] | None = Field(
        default=None, description="as many as correct; by default 1 and 0"
    )

    @model_validator(mode="after")
    def _as_many(self) -> Self:
        if self.rewards is not None and len(self.rewards) != len(self.correct):
            raise ValueError(f"{len(self.correct)} outputs have {len(self.rewards)} rewards")
        return self


class Report(Strict):
    """Verdicts for the curriculum, of every finished group."""

    groups: list[Observed]
    key: Key | None = Field(default=None, description="the same key again counts nothing again")


class Step(Strict):
    """The end of a training step."""

    key: Key | None = Field(default=None, description="the same key again moves nothing again")


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


class State(Strict):
    """All that is needed to go on exactly from here."""

    state: dict[str, Any]
