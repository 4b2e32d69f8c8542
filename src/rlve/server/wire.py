"""The JSON that `rlve serve` and its clients exchange; the API page shows it."""

from collections.abc import Sequence
from typing import Annotated, Any, Self

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from rlve.answers import Marker, Reading
from rlve.contract import Verdict
from rlve.dialogue import Reply
from rlve.pool import Failure, FailureKind

Difficulty = Annotated[int, Field(ge=0, le=10_000)]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**63)]


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
    parameters: bool = Field(
        default=False,
        description="whether to send the parameters of each; they often hold the answer",
    )
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
    turns: int | None = Field(
        default=None, description="how many messages may be sent, if the problem answers back"
    )
    parameters: dict[str, Any] | None = Field(
        default=None, description="everything that determines the problem, if requested"
    )
    reference: str | None = Field(default=None, description="a correct answer, if requested")
    failure: WireFailure | None = Field(default=None, description="why there is no problem")


class Problems(BaseModel):
    """The problems that Generate requested, in order."""

    problems: list[WireProblem]


class Given(Strict):
    """A problem, given by difficulty and seed or by parameters."""

    environment: str
    difficulty: Difficulty | None = None
    seed: Seed | None = None
    parameters: dict[str, Any] | None = None


class Answered(Given):
    """A problem, and an output that answers it."""

    output: str = Field(description="of a dialogue: its messages, with \\u001e between them")


class GroupOutputs(Given):
    """A problem, and the outputs that were sampled for it."""

    outputs: Annotated[list[str], Field(min_length=1)]


class SentMessages(Given):
    """All messages that were sent so far to a problem that answers back."""

    messages: Annotated[list[str], Field(min_length=1)]


class Judging(Strict):
    """How outputs are read."""

    marker: Marker = Field(
        default="any",
        description="how the answer is marked: <answer></answer>, \\boxed{}, or either",
    )
    reading: Reading = Field(
        default="exact",
        description="read the answer exactly as written, or also without formatting around it",
    )


class Verify(Judging):
    """Outputs to judge, in order."""

    items: list[Answered]


class ScoreGroups(Judging):
    """Groups of outputs to judge, in order."""

    items: list[GroupOutputs]


class Respond(Strict):
    """Conversations that wait for a reply, in order."""

    items: list[SentMessages]


class WireVerdict(BaseModel):
    """The verdict on an output, or why there is none. A failure says nothing about the output."""

    reward: float | None = None
    correct: bool | None = None
    well_formed: bool | None = None
    failure: WireFailure | None = None

    @classmethod
    def of(cls, result: Verdict | Failure) -> Self:
        if isinstance(result, Failure):
            return cls(failure=WireFailure.of(result))
        return cls(**msgspec.structs.asdict(result))


class WireExplanation(WireVerdict):
    """The verdict on an output and its reason, or why there is none."""

    read: str | None = Field(default=None, description="the answer as written")
    reason: str | None = Field(default=None, description="why, in a sentence")


class Verdicts(BaseModel):
    """The verdicts that Verify requested, in order."""

    verdicts: list[WireVerdict]


class Explanations(BaseModel):
    """The verdicts that Verify requested and their reasons, in order."""

    explanations: list[WireExplanation]


class GroupScore(BaseModel):
    """What the outputs of a group earned, in order; an output without a verdict has null."""

    rewards: list[float | None]
    correct: list[bool | None]
    accuracy: float | None = Field(description="the share of outputs with a verdict that is right")
    mean_reward: float | None = Field(description="of the outputs with a verdict")

    @classmethod
    def of(cls, results: Sequence[Verdict | Failure]) -> Self:
        judged = [each for each in results if isinstance(each, Verdict)]
        return cls(
            rewards=[each.reward if isinstance(each, Verdict) else None for each in results],
            correct=[each.correct if isinstance(each, Verdict) else None for each in results],
            accuracy=sum(each.correct for each in judged) / len(judged) if judged else None,
            mean_reward=sum(each.reward for each in judged) / len(judged) if judged else None,
        )


class GroupScores(BaseModel):
    """The scores that Score requested, in order."""

    scores: list[GroupScore]


class WireReply(BaseModel):
    """The reply to the last of the messages, or why there is none."""

    text: str | None = None
    readable: bool = Field(default=True, description="whether the message had a move")
    allowed: bool = Field(default=True, description="whether the move was allowed")
    verdict: WireVerdict | None = Field(default=None, description="once the dialogue is over")
    failure: WireFailure | None = None

    @classmethod
    def of(cls, result: Reply | Failure) -> Self:
        if isinstance(result, Failure):
            return cls(failure=WireFailure.of(result))
        verdict = None if result.verdict is None else WireVerdict.of(result.verdict)
        return cls(
            text=result.text, readable=result.readable, allowed=result.allowed, verdict=verdict
        )


class Replies(BaseModel):
    """The replies that Respond requested, in order."""

    replies: list[WireReply]
