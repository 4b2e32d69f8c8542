"""Engines and pools that do what a test says, with no model and no processes."""

from collections import deque
from collections.abc import Callable
from itertools import islice

from rlve.dialogue import conversation, messages_of, respond
from rlve.models.rollouts import Rollout


class ScriptedEngine:
    """Gives every rollout one token at a time; `plan` says what it answers, and after how many.

    Only the first `slots` of them get one.
    """

    temperature = top_p = 1.0

    def __init__(self, plan: Callable[[Rollout], tuple[int, int]], slots: int | None = None):
        self.plan = plan
        self.slots = slots
        self.active = deque()
        self.rounds = 0  # in which something ended
        self.idle = 0  # calls in which nothing was left to do

    def submit(self, rollouts):
        self.active.extend(rollouts)

    def collect(self):
        ended = []
        while self.active and not ended:
            for rollout in list(islice(self.active, self.slots)):
                answer, length = self.plan(rollout)
                rollout.tokens.append(answer)
                rollout.logprobs.append(-0.5 - len(rollout.tokens))
                if len(rollout.tokens) >= length:
                    rollout.ending = "stop"
                    self.active.remove(rollout)
                    ended.append(rollout)
        self.rounds += bool(ended)
        self.idle += not ended
        assert self.idle < 1000, "somebody turns in circles"
        return ended

    def stop(self):
        unfinished = list(self.active)
        self.active.clear()
        return unfinished


class InstantPool:
    """Judges in this process, at once, but for the outputs that are `held` or `late`.

    held   they come only after so many times that somebody waited in vain
    late   they come just when somebody has stopped waiting
    """

    def __init__(self, judge=lambda problem, output: problem.verify(output), reply=respond):
        self.judge_one = judge
        self.reply_one = reply
        self.held = {}
        self.late = set()
        self.judged = []  # what was asked for, each time
        self.in_vain = 0  # how often somebody waited

    def start_judging(self, items, *, marker="any", reading="exact"):
        listed = list(items)
        self.judged += [output for _, output in listed]
        return _Pending(self, listed, self.judge_one)

    def start_calls(self, function, items):
        assert function is respond
        talks = [(problem, conversation(messages)) for problem, messages in items]
        return _Pending(self, talks, lambda p, output: self.reply_one((p, messages_of(output))))

    def call_iter(self, function, items):
        return map(function, items)

    def judge(self, items, *, marker="any", reading="exact"):
        return [self.judge_one(problem, output) for problem, output in items]


class _Pending:
    """Like rlve.pool.Pending, as far as the collector uses it."""

    def __init__(self, pool, items, settle):
        self.pool = pool
        self.settle = settle
        self.left = dict(enumerate(items))

    def _there(self):
        away = self.pool.held.keys() | self.pool.late
        return [i for i, (_, output) in self.left.items() if output not in away]

    @property
    def unfinished(self):
        return len(self.left) - len(self._there())

    def wait(self, timeout):
        if found := bool(self._there()):
            return found
        mine = {output for _, output in self.left.values()}
        self.pool.late -= mine
        held = mine & self.pool.held.keys() if timeout else ()
        self.pool.in_vain += bool(held)
        for output in held:
            self.pool.held[output] -= 1
            if self.pool.held[output] == 0:
                del self.pool.held[output]
        return False

    def finished(self):
        return [(i, self.settle(*self.left.pop(i))) for i in self._there()]

    def cancel(self):
        self.left.clear()
