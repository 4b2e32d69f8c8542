"""The requests to a checking process, and its replies: one JSON message per line."""

from typing import TypeAlias

import msgspec

from rlve.rules.subject import Complaint


class Check(msgspec.Struct, tag=True):
    """Run these rules on an environment; answered by Doing, Found and Passed, and finally Done."""

    target: str
    rules: list[str]
    levels: list[int]
    seeds: int
    skip: list[tuple[int, int]]  # (difficulty, seed) of problems not to generate
    limit: float  # seconds that the rules together may take


class Make(msgspec.Struct, tag=True):
    """Generate a problem; answered by Made."""

    target: str
    difficulty: int
    seed: int


CheckRequest: TypeAlias = Check | Make


class Ready(msgspec.Struct, tag=True):
    """The process has started; sent once, before the first request."""


class Doing(msgspec.Struct, tag=True):
    """A step begins; if nothing follows, the process died in this step."""

    rule: str
    what: str
    difficulty: int | None = None
    seed: int | None = None
    given: str = ""  # what the step works on: the output to judge


class Found(msgspec.Struct, tag=True):
    """A rule complains."""

    rule: str
    complaint: Complaint


class Passed(msgspec.Struct, tag=True):
    """A rule has finished."""

    rule: str
    seconds: float


class Done(msgspec.Struct, tag=True):
    """No rule is left, the environment could not be loaded, or time has run out."""

    unloadable: str = ""


class Made(msgspec.Struct, tag=True):
    """The fingerprint of a problem, or the exception raised instead."""

    fingerprint: str = ""
    raised: str = ""


Event: TypeAlias = Ready | Doing | Found | Passed | Done | Made
