"""The program that a checking process runs."""

import faulthandler
import math
import os
import signal
import sys
import time
from typing import BinaryIO

import msgspec

from rlve.errors import UserError, raised
from rlve.rules import run
from rlve.rules.messages import (
    Check,
    CheckRequest,
    Doing,
    Done,
    Event,
    Found,
    Made,
    Make,
    Passed,
    Ready,
)
from rlve.rules.records import fingerprint
from rlve.rules.subject import ELSEWHERE, LOADING, Complaint, Subject
from rlve.targets import load

MEMORY = 4 * 2**30
TOO_SLOW = "stopped after {:g} s: make generating and judging faster; other rules were not run"


def main(deadline: float) -> None:
    """Answer requests until there are no more; a step may take `deadline` seconds."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)  # an environment that reads or prints must not disturb our messages
    os.dup2(nothing, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides when to stop
    _limit_memory()
    decoder: msgspec.json.Decoder[CheckRequest] = msgspec.json.Decoder(CheckRequest)
    child = Child(answers, deadline)
    child.send(Ready())
    for line in requests:
        try:
            child.answer(decoder.decode(line))
        except BrokenPipeError:  # nobody is listening any more
            os._exit(0)


class OutOfTime(BaseException):
    """Every step ends, but together they take too long. No rule may catch it as an error."""


class Child:
    """Answers requests, and ends its process when a step passes the deadline."""

    def __init__(self, answers: BinaryIO, deadline: float) -> None:
        self.answers = answers
        self.deadline = deadline
        self.armed = -math.inf
        self.end = math.inf  # when the rules must have finished
        self.rule = ""

    def answer(self, request: CheckRequest) -> None:
        match request:
            case Check():
                self.check(request)
            case Make():
                self.send(self.make(request))
        self.disarm()

    def check(self, request: Check) -> None:
        self.rule = request.rules[0]
        self.watch(LOADING)
        try:
            environment = load(request.target)
        except UserError as error:
            self.send(Done(unloadable=str(error)))
            return
        subject = Subject(
            environment,
            levels=request.levels,
            seeds=request.seeds,
            watch=self.watch,
            skip=request.skip,
            deadline=self.deadline,
        )
        self.end = time.monotonic() + request.limit
        for self.rule in request.rules:
            start, stopped = time.perf_counter(), False
            try:
                self.watch("the rule")
                for complaint in run(self.rule, subject):
                    self.send(Found(self.rule, complaint))
            except OutOfTime:
                message = TOO_SLOW.format(request.limit)
                self.send(Found(self.rule, Complaint(message=message)))
                stopped = True
            self.send(Passed(self.rule, time.perf_counter() - start))
            if stopped:
                break
        self.end = math.inf
        self.send(Done())

    def make(self, request: Make) -> Made:
        self.arm()
        try:
            problem = load(request.target).generate(
                difficulty=request.difficulty, seed=request.seed
            )
            return Made(fingerprint=fingerprint(problem))
        except Exception as error:  # noqa: BLE001  an environment under check can raise anything
            return Made(raised=raised(error))

    def watch(
        self, what: str, difficulty: int | None = None, seed: int | None = None, given: str = ""
    ) -> None:
        if time.monotonic() > self.end:
            raise OutOfTime
        self.send(Doing(self.rule, what, difficulty, seed, given))
        if what == ELSEWHERE:  # that process has its own deadline
            self.disarm()
        else:
            self.arm()

    def arm(self) -> None:
        """Start the deadline of a step, unless one has just started: starting it takes time."""
        now = time.monotonic()
        if now - self.armed > 0.1 * self.deadline:
            self.armed = now
            faulthandler.dump_traceback_later(self.deadline, exit=True)

    def disarm(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        self.armed = -math.inf

    def send(self, event: Event) -> None:
        self.answers.write(msgspec.json.encode(event) + b"\n")
        self.answers.flush()


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
