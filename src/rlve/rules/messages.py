"""What a checking process is asked, and what it answers: one JSON message per line."""

from typing import TypeAlias

import msgspec

from rlve.rules.subject import Complaint


class Start(msgspec.Struct, tag=True):
    """The first message: how the process is set up."""

    path: list[str]  # where modules are imported from
    deadline: float  # seconds that one step of an environment may take


class Check(msgspec.Struct, tag=True):
    """Run these rules on an environment; answered by Doing, Found and Passed, and at last Done."""

    target: str
    rules: list[str]
    levels: list[int]
    seeds: int
    skip: list[tuple[int, int]]  # (difficulty, seed) of problems not to generate
    limit: float  # seconds that all may take


class Make(msgspec.Struct, tag=True):
    """Generate a problem; answered by Made."""

    target: str
    difficulty: int
    seed: int


CheckRequest: TypeAlias = Start | Check | Make


class Doing(msgspec.Struct, tag=True):
    """A step begins; if nothing follows, it is what the process died of."""

    rule: str
    what: str
    difficulty: int | None = None
    seed: int | None = None
    given: str = ""  # what it is done with: the output that is judged


class Found(msgspec.Struct, tag=True):
    """A rule complains."""

    rule: str
    complaint: Complaint


class Passed(msgspec.Struct, tag=True):
    """A rule has come to its end."""

    rule: str
    seconds: float


class Done(msgspec.Struct, tag=True):
    """No rule is left, or the environment could not be loaded, or there is no time left for it."""

    unloadable: str = ""


class Made(msgspec.Struct, tag=True):
    """The fingerprint of a problem, or what was raised instead of it."""

    fingerprint: str = ""
    raised: str = ""


Event: TypeAlias = Doing | Found | Passed | Done | Made
