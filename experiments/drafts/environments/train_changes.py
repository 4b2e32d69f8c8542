import re
from random import Random
from typing import Self

import rlve

LAST = 20 * 60  # no train starts later


def clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def single_rides(
    routes: list[list[str]], times: list[list[int]], firsts: list[int], intervals: list[int]
) -> list[tuple[int, int, str, str, int]]:
    """All rides between consecutive stops, by departure: departure, arrival, from, to, train."""
    rides = []
    train = 0
    for towns, minutes, first, interval in zip(routes, times, firsts, intervals):
        for time in range(first, LAST + 1, interval):
            for i, ride in enumerate(minutes):
                rides.append((time, time + ride, towns[i], towns[i + 1], train))
                time += ride + 1
            train += 1
    rides.sort()
    return rides


def earliest(rides: list, start: str, time: int, goal: str, change: int) -> int | None:
    """The earliest arrival at the goal, or None."""
    ready = {start: time}  # from when on one can board in a town
    boarded = set()
    best = None
    for departure, arrival, a, b, train in rides:
        if train in boarded or (a in ready and ready[a] <= departure):
            boarded.add(train)
            ready[b] = min(ready.get(b, arrival + change), arrival + change)
            if b == goal and (best is None or arrival < best):
                best = arrival
    return best


def question(
    rng: Random, routes: list[list[str]], times: list[list[int]], firsts: list[int], intervals: list[int]
) -> tuple[str, str, int, int, int] | None:
    """Start, goal, starting time, time to change and arrival, such that the time to change matters; None if not found."""
    direct = {(a, b) for towns in routes for i, a in enumerate(towns) for b in towns[i + 1 :]}
    starts = sorted({a for a, _ in direct})
    goals = sorted({b for _, b in direct})
    pairs = [(a, b) for a in starts for b in goals if a != b and (a, b) not in direct]
    if not pairs:
        return None
    rides = single_rides(routes, times, firsts, intervals)
    for _ in range(12):
        start, goal = rng.choice(pairs)
        time = rng.randint(7 * 60, 12 * 60)
        change = rng.randint(3, 12)
        answer = earliest(rides, start, time, goal, change)
        if answer is None or answer >= 24 * 60 or answer == LAST:
            continue
        if answer != earliest(rides, start, time, goal, 0):
            return start, goal, time, change, answer
    return None


class TrainChanges(rlve.Environment[int]):
    """The earliest arrival with trains at regular intervals and a smallest time to change."""

    town_num: int
    line_num: int
    stop_max: int
    routes: list[list[str]]  # the towns of each line
    times: list[list[int]]  # the riding times between them
    firsts: list[int]  # when the first train of each line starts, in minutes since midnight
    intervals: list[int]
    start: str
    start_time: int
    goal: str
    change: int
    reference_answer: str

    max_difficulty = 20

    template = """
        Towns are named by letters. Trains run between them on these lines, each in one direction only:

        {rows}

        A line such as "A -12-> B -30-> C; first train 05:40, then every 25 minutes" means: its trains ride 12 minutes from A to B and 30 minutes from B to C. The first train leaves A at 05:40, and then a train leaves A every 25 minutes (06:05, 06:30, ...); the last one is the last that leaves its first town at 20:00 or before. In each town between the first and the last one of its line, a train stands for exactly 1 minute: it leaves 1 minute after it arrived. So the train that leaves A at 05:40 arrives at B at 05:52, leaves B at 05:53, and arrives at C at 06:23.

        A passenger is in town {start} at {start_clock} and wants to reach town {goal} as early as possible:
        - He can begin with any train that leaves {start} at {start_clock} or later.
        - He can leave a train in any town where it stops. To change to another train (of another line or of the same line), at least {change} minutes must lie between the arrival of the one train and the departure of the other; exactly {change} minutes are enough. One can change as often as one likes.
        - Staying in the same train while it stands in a town is no change.
        - He is at the goal when a train with him in it arrives at {goal}.

        What is the earliest time at which he can arrive at {goal}?

        Output format: the time as HH:MM, from 00:00 to 23:59, with two digits for the hours and two for the minutes.
        """

    def prompt(self) -> str:
        rows = []
        for i, towns in enumerate(self.routes):
            route = towns[0]
            for ride, town in zip(self.times[i], towns[1:]):
                route += f" -{ride}-> {town}"
            first = clock(self.firsts[i])
            rows.append(f"Line {i + 1}: {route}; first train {first}, then every {self.intervals[i]} minutes")
        return self.fill(rows="\n".join(rows), start_clock=clock(self.start_time))

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"town_num": 3 + d // 2, "line_num": 2 + d, "stop_max": 3 + d // 6}]

    @classmethod
    def sample(cls, rng: Random, town_num: int, line_num: int, stop_max: int) -> Self:
        names = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:town_num]
        for _ in range(100):
            routes = [rng.sample(names, rng.randint(2, min(stop_max, town_num))) for _ in range(line_num)]
            times = [[rng.randint(5, 40) for _ in towns[1:]] for towns in routes]
            firsts = [rng.randint(300, 390) for _ in routes]
            intervals = [rng.randint(15, 60) for _ in routes]
            found = question(rng, routes, times, firsts, intervals)
            if found is not None:
                break
        else:
            # Start, hub and goal by two lines whose trains just miss each other; the other lines end at the start.
            start, hub, goal, *others = rng.sample(names, town_num)
            routes = [[start, hub], [hub, goal]]
            for _ in range(line_num - 2):
                routes.append(rng.sample([goal, *others], rng.randint(1, min(stop_max - 1, town_num - 2))) + [start])
            times = [[rng.randint(5, 40) for _ in towns[1:]] for towns in routes]
            firsts = [rng.randint(300, 390) for _ in routes]
            intervals = [rng.randint(15, 60) for _ in routes]
            time, change = rng.randint(7 * 60, 12 * 60), rng.randint(3, 12)
            firsts[0] = rng.randint(300, 310)
            firsts[1] = firsts[0] + times[0][0] + change - 1
            intervals[1] = intervals[0]
            answer = earliest(single_rides(routes, times, firsts, intervals), start, time, goal, change)
            found = start, goal, time, change, answer
        start, goal, time, change, answer = found
        return cls(
            town_num=town_num,
            line_num=line_num,
            stop_max=stop_max,
            routes=routes,
            times=times,
            firsts=firsts,
            intervals=intervals,
            start=start,
            start_time=time,
            goal=goal,
            change=change,
            reference_answer=clock(answer),
        )

    def parse(self, text: str) -> int:
        match = re.fullmatch(r"([0-9]{2}):([0-9]{2})", text.strip())
        if match is None or int(match[1]) > 23 or int(match[2]) > 59:
            raise rlve.Unparseable("expected HH:MM")
        return 60 * int(match[1]) + int(match[2])

    def score(self, answer: int) -> float:
        return 1.0 if clock(answer) == self.reference_answer else 0.0
