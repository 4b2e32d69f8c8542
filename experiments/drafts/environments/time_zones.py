import re
from random import Random
from typing import Self

import rlve

DAY = 24 * 60


def clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def zone(offset: int) -> str:
    sign = "-" if offset < 0 else "+"
    return f"UTC{sign}{abs(offset) // 60}:{abs(offset) % 60:02d}"


def free_runs(offsets: list[int], busy: list[list[list[int]]]) -> list[int]:
    """For each minute of the day in UTC, how many minutes in a row all people are free from it on."""
    free = [True] * DAY
    for offset, intervals in zip(offsets, busy):
        for begin, end in intervals:
            for minute in range((end - begin) % DAY):
                free[(begin - offset + minute) % DAY] = False
    runs = [0] * (2 * DAY + 1)
    for minute in range(2 * DAY - 1, -1, -1):
        runs[minute] = runs[minute + 1] + 1 if free[minute % DAY] else 0
    return runs[:DAY]


def first_start(runs: list[int], time: int, length: int) -> tuple[int, int] | None:
    """The delay of the first suitable start, and the number of gaps before it that are too short."""
    gaps = 0
    delay = 0
    while delay < DAY:
        run = runs[(time + delay) % DAY]
        if run >= length:
            return delay, gaps
        if run:
            gaps += 1
        delay += run + 1
    return None


def spread(rng: Random, room: int, number: int, longest: int) -> list[tuple[int, int]]:
    """So many intervals within 0..room that do not touch each other."""
    lengths = [rng.randint(4, longest) for _ in range(number)]
    slack = room - sum(lengths) - (number - 1)
    intervals = []
    used = 0
    for place, part in zip(sorted(rng.randint(0, slack) for _ in lengths), lengths):
        intervals.append((place + used, place + used + part))
        used += part + 1
    return intervals


def local(intervals: list[tuple[int, int]], zero: int, offset: int) -> list[list[int]]:
    """Intervals in local time; they are given in units of 5 minutes after the time zero in UTC."""
    return sorted([(zero + 5 * begin + offset) % DAY, (zero + 5 * end + offset) % DAY] for begin, end in intervals)


class TimeZones(rlve.Environment[int]):
    """The first time at which people in several time zones are all free for a meeting."""

    person_num: int
    interval_num: int
    zone_step: int
    gap_min: int
    delay_min: int
    offsets: list[int]  # of the local time of each person from UTC, in minutes
    busy: list[list[list[int]]]  # the busy intervals of each person in local time, in minutes since midnight
    length: int
    time: int
    reference_answer: str

    max_difficulty = 20

    template = """
        {person_num} people want to meet by telephone for {length} minutes. Each of them lives in a time zone, and is busy at certain local times. Zone UTC+h:mm means that the local time is UTC plus h hours and mm minutes, zone UTC-h:mm that it is UTC minus h hours and mm minutes. These are the zones, and the busy intervals in local time:

        {rows}

        Everybody has the same busy intervals every day. An interval whose end is earlier on the clock than its beginning passes midnight. Somebody who is busy from a to b is busy from a on (included) until b (not included). So the meeting may begin exactly when an interval ends, and may end exactly when an interval begins; but at no moment between its beginning and its end may anybody be busy. The meeting may pass midnight, in UTC or in the local time of anybody.

        What is the first time at {time_clock} UTC or later at which the meeting can begin? It lies within the 24 hours from {time_clock} UTC on.

        Output format: the time in UTC as HH:MM, from 00:00 to 23:59, with two digits for the hours and two for the minutes.
        """

    def prompt(self) -> str:
        rows = []
        for i, (offset, intervals) in enumerate(zip(self.offsets, self.busy), 1):
            text = ", ".join(f"{clock(begin)}-{clock(end)}" for begin, end in intervals)
            rows.append(f"Person {i}, {zone(offset)}: {text}")
        return self.fill(rows="\n".join(rows), time_clock=clock(self.time))

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "person_num": 2 + d // 3,
                "interval_num": 2 + d // 5,
                "zone_step": 60 if d < 5 else 30 if d < 12 else 15,
                "gap_min": 0 if d == 0 else max(1, d // 6),
                "delay_min": 30 + 10 * d,
            }
        ]

    @classmethod
    def sample(
        cls, rng: Random, person_num: int, interval_num: int, zone_step: int, gap_min: int, delay_min: int
    ) -> Self:
        longest = min(200, 5800 // (person_num * interval_num) - 20) // 5  # all in units of 5 minutes
        low, high = (-300, 300) if zone_step == 60 else (-660, 720)
        zones = [minutes for minutes in range(low, high + 1) if minutes % zone_step == 0]
        for attempt in range(6000):
            if attempt % 30 == 0:  # thirty times are tried with the same people
                length = 5 * rng.randint(4, 18)
                after = 5 * rng.randrange(DAY // 5)  # the end of a slot in which all are free
                offsets = [rng.choice(zones) for _ in range(person_num)]
                room = (DAY - length) // 5
                busy = [local(spread(rng, room, interval_num, longest), after, offset) for offset in offsets]
                runs = free_runs(offsets, busy)
                printed = {minute for intervals in busy for interval in intervals for minute in interval}
            time = 5 * rng.randrange(DAY // 5)
            found = first_start(runs, time, length)
            if found is None:
                continue
            delay, gaps = found
            answer = (time + delay) % DAY
            if delay >= delay_min and gaps >= gap_min and answer not in printed:
                break
        else:
            # Person 1 is busy from the given time to the answer, but for gaps of 5 minutes; the others are busy later.
            length = 5 * rng.randint(4, 18)
            time = 5 * rng.randrange(DAY // 5)
            first = []
            used = 0
            for _ in range(interval_num):
                first.append((used, used + rng.randint(12, 18)))
                used = first[-1][1] + 1
            delay = 5 * first[-1][1]
            answer = (time + delay) % DAY
            room = (DAY - delay - length) // 5
            offsets, busy = [], []
            for i in range(person_num):
                intervals = spread(rng, room, interval_num, longest) if i else first
                zero = time + delay + length if i else time
                # The answer is not printed.
                possible = [z for z in zones if not any(answer in part for part in local(intervals, zero, z))]
                offsets.append(rng.choice(possible))
                busy.append(local(intervals, zero, offsets[-1]))
        return cls(
            person_num=person_num,
            interval_num=interval_num,
            zone_step=zone_step,
            gap_min=gap_min,
            delay_min=delay_min,
            offsets=offsets,
            busy=busy,
            length=length,
            time=time,
            reference_answer=clock(answer),
        )

    def parse(self, text: str) -> int:
        match = re.fullmatch(r"([0-9]{2}):([0-9]{2})", text.strip())
        if match is None or int(match[1]) > 23 or int(match[2]) > 59:
            raise rlve.Unparseable("expected HH:MM")
        return 60 * int(match[1]) + int(match[2])

    def score(self, answer: int) -> float:
        return 1.0 if clock(answer) == self.reference_answer else 0.0
