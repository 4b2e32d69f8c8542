"""An environment that does everything an environment must not do."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from random import Random
from typing import Self

from rlve.contract import Environment, Level
from rlve.errors import GenerationError
from rlve.pool.worker import begin_step


def behave(how: str) -> None:
    """Do something in the way of that name; most never return."""
    match how:
        case "loop":
            while True:
                pass
        case "nap":
            time.sleep(1.2)
        case "sleep":
            time.sleep(1000)
        case "backtrack":  # inside one call, which holds the interpreter lock
            re.match(r"(a|a)*c", "a" * 60)
        case "hold":  # the same, and deaf to signals that Python would handle
            ctypes.PyDLL(None).sleep(1000)
        case "grow":
            hoard = [b""]
            while True:
                hoard.append(bytes(1 << 20))
        case "allocate":
            bytes(1 << 45)
        case "exit":
            os._exit(0)
        case "quit":
            sys.exit(3)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "crash":
            ctypes.string_at(0)
        case "spawn":  # and never look after the child
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
            time.sleep(1000)
        case "detach":  # the same, in a session of its own
            command = [sys.executable, "-c", "import time; time.sleep(1000)"]
            subprocess.Popen(command, start_new_session=True)
            time.sleep(1000)
        case "raise":
            raise ZeroDivisionError("just because")
        case "give up":
            raise GenerationError("no such problem")
        case "recurse":
            behave(how)
        case _ if how.startswith("wait for "):  # a file
            while not os.path.exists(how.removeprefix("wait for ")):
                time.sleep(0.01)
        case _:
            pass


def walk(ways: list[str]) -> int:
    """Behave in these ways, each a step of its own; how many there were."""
    for index, how in enumerate(ways):
        begin_step(f"{index} {how}")
        behave(how)
    return len(ways)


WAYS = "well loop sleep backtrack hold grow allocate exit quit kill crash spawn raise".split()
WAYS += ["give up", "recurse", "unpicklable", "detach"]


class Misbehaving(Environment[str]):
    """Difficulty d generates in the way WAYS[d]; an answer is scored in the way it names."""

    tag: int
    load: object = None

    template = "Say {tag}. Output format: anything."

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"how": WAYS[d]}]

    @classmethod
    def sample(cls, rng: Random, how: str) -> Self:
        behave(how)
        return cls(tag=rng.randrange(10**9), load=(lambda: 0) if how == "unpicklable" else None)

    def parse(self, text: str) -> str:
        return text

    def score(self, answer: str) -> float:
        behave(answer)
        return 1.0


class Trapped(Environment[str]):
    """Behaves in the way that its record names as soon as the problem is made."""

    how: str

    template = "Say yes. Output format: yes."

    def __post_init__(self) -> None:
        behave(self.how)

    def parse(self, text: str) -> str:
        return text

    def score(self, answer: str) -> float:
        return float(answer == "yes")


class Fickle(Environment[str]):
    """Makes a problem for about half of the seeds; at odd difficulties for none."""

    tag: int

    template = "Say {tag}. Output format: the number."

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"share": 0.0 if d % 2 else 0.5}]

    @classmethod
    def sample(cls, rng: Random, share: float) -> Self:
        if rng.random() >= share:
            raise GenerationError("it does not feel like it")
        return cls(tag=rng.randrange(10**9))

    def parse(self, text: str) -> str:
        return text

    def score(self, answer: str) -> float:
        return float(answer == str(self.tag))
