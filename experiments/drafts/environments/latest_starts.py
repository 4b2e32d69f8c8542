from random import Random
from typing import Self

import rlve
from rlve.answers import integers


def schedule(durations: list[int], predecessors: list[list[int]]) -> tuple[list[int], list[int]]:
    """The earliest and the latest start of every activity; predecessors count from 1."""
    n = len(durations)
    order: list[int] = []
    for _ in range(n):  # every round adds at least one activity
        for i in range(n):
            if i not in order and all(p - 1 in order for p in predecessors[i]):
                order.append(i)
        if len(order) == n:
            break
    early = [0] * n
    for i in order:
        early[i] = max((early[p - 1] + durations[p - 1] for p in predecessors[i]), default=0)
    end = max(early[i] + durations[i] for i in range(n))
    late = [end - duration for duration in durations]
    for i in reversed(order):
        for p in predecessors[i]:
            late[p - 1] = min(late[p - 1], late[i] - durations[p - 1])
    return early, late


def network(rng: Random, n: int, none_chance: float) -> list[list[int]]:
    """The predecessors of every activity, which come before it in a hidden order."""
    order = list(range(1, n + 1))
    rng.shuffle(order)
    predecessors: list[list[int]] = [[] for _ in range(n)]
    for place in range(1, n):
        if rng.random() < none_chance:
            continue
        near = order[max(0, place - 6) : place]
        count = min(len(near), rng.randint(1, 3))
        predecessors[order[place] - 1] = sorted(rng.sample(near, count))
    return predecessors


class LatestStarts(rlve.Environment[list[int]]):
    """Find the latest starts of activities that do not delay a project."""

    activity_num: int
    durations: list[int]
    predecessors: list[list[int]]  # of each activity, counted from 1
    reference_answer: str

    template = """
        A project has {activity_num} activities, numbered from 1 to {activity_num}. For each of them its duration in whole days and its predecessors are given:

        {activities}

        Days are counted from 0. An activity can start on day 0 or later, and not before all its predecessors are finished. An activity that starts at day s and has duration t is finished at day s + t, and another activity may start at that very day s + t. Any number of activities may run at the same time. The project is finished when all its activities are finished. Let L be the earliest possible day at which the project is finished.

        For every activity, considered on its own, find its latest start: the latest day at which it can start such that it is still possible to finish the whole project at day L.

        Output format: {activity_num} integers separated by single spaces, the latest starts of the activities 1 to {activity_num} in this order.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"activity_num": 4 + d, "max_duration": 6 + d}]

    @classmethod
    def sample(cls, rng: Random, activity_num: int, max_duration: int) -> Self:
        n = activity_num
        for _ in range(50):
            durations = [rng.randint(1, max_duration) for _ in range(n)]
            predecessors = network(rng, n, 1 / 6)
            if 3 * sum(1 for some in predecessors if some) < 2 * n:
                continue
            early, late = schedule(durations, predecessors)
            critical = sum(1 for a, b in zip(early, late) if a == b)
            if 3 * critical <= 2 * n:
                break
        else:
            durations = [rng.randint(1, max_duration) for _ in range(n)]
            predecessors = network(rng, n, 0.0)  # all but one have a predecessor
            _, late = schedule(durations, predecessors)
        return cls(
            activity_num=n,
            durations=durations,
            predecessors=predecessors,
            reference_answer=" ".join(map(str, late)),
        )

    def prompt(self) -> str:
        lines = []
        for number, (duration, some) in enumerate(zip(self.durations, self.predecessors), 1):
            names = ", ".join(map(str, some)) if some else "none"
            lines.append(f"activity {number}: duration {duration}, predecessors: {names}")
        return self.fill(activities="\n".join(lines))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        _, late = schedule(self.durations, self.predecessors)
        return 1.0 if list(answer) == late else 0.0
