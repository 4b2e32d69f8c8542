from random import Random
from typing import Self

import rlve
from rlve.answers import integers
from rlve.text import quantity


def ride(start: int, move_time: int, stop_time: int, passengers: list[list[int]]) -> list[int]:
    """The floors of the stops, and the time at which the last stop ends."""
    coming = list(passengers)  # appeared or not, but not yet inside
    inside = []  # destinations
    floor, direction, time = start, 1, 0
    stops = []
    end = 0
    while coming or inside:
        wanted = {a for t, a, _ in coming if t <= time} | set(inside)
        if floor in wanted:
            time += stop_time
            inside = [b for b in inside if b != floor]
            inside += [b for t, a, b in coming if a == floor and t <= time]
            coming = [p for p in coming if not (p[1] == floor and p[0] <= time)]
            stops.append(floor)
            end = time
        elif wanted:
            if not any((f - floor) * direction > 0 for f in wanted):
                direction = -direction
            floor += direction
            time += move_time
        else:
            time += 1
    return [*stops, end]


class LiftStops(rlve.Environment[list[int]]):
    """A lift serves calls by a fixed rule: its stops, and the time at the end."""

    floor_num: int
    passenger_num: int
    start: int
    move_time: int
    stop_time: int
    passengers: list[list[int]]  # second, floor, destination
    reference_answer: str

    template = """
        A building has the floors 1 to {floor_num}; floor {floor_num} is the highest. A lift stands at floor {start} at time 0, and its direction is up. It needs {move_text} to move from a floor to the next one, and a stop takes {stop_text}. These passengers want to use it:

        {rows}

        We call a floor wanted at some time if a passenger waits there who has appeared at this time or before, or if a passenger inside the lift wants to go there. At time 0, and then whenever an action has ended, the lift chooses its next action by the first of these rules that applies at this time:
        1. If the floor at which the lift stands is wanted, the lift stops there for {stop_text}. At the end of the stop, all passengers inside who want to go to this floor leave the lift, and all passengers who wait there and have appeared by the end of the stop (at this very second included) get in, whichever way they want to go. The lift has room for everybody.
        2. If there is a wanted floor further on in the current direction of the lift, the lift moves one floor in this direction, which takes {move_text}.
        3. If any floor is wanted, the lift reverses its direction and moves one floor in the new direction, which takes {move_text}.
        4. If there are passengers who have not appeared yet, the lift waits for 1 second; its direction stays as it is.
        5. Otherwise all passengers have been served, and nothing more happens.

        At which floors does the lift stop, in order, and at what time does the last stop end? If the lift stops at a floor several times, this floor is listed each time.

        Output format: integers separated by single spaces: the floors of all stops in order, and then, as the last number, the time in seconds at which the last stop ends. For example, stops at the floors 3, 7 and 2, the last of which ends at time 41, are written as: 3 7 2 41
        """

    def prompt(self) -> str:
        return self.fill(
            rows="\n".join(
                f"Passenger {i}: appears at time {t} at floor {a} and wants to go to floor {b}"
                for i, (t, a, b) in enumerate(self.passengers, 1)
            ),
            move_text=quantity(self.move_time, "second"),
            stop_text=quantity(self.stop_time, "second"),
        )

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"floor_num": 6 + d, "passenger_num": 2 + 3 * d // 4}]

    @classmethod
    def sample(cls, rng: Random, floor_num: int, passenger_num: int) -> Self:
        start = rng.randint(1, floor_num)
        move_time, stop_time = rng.randint(1, 3), rng.randint(2, 6)
        passengers = []
        for _ in range(passenger_num):
            a, b = rng.sample(range(1, floor_num + 1), 2)
            passengers.append([rng.randint(0, 6 + 8 * passenger_num), a, b])
        passengers.sort()
        return cls(
            floor_num=floor_num,
            passenger_num=passenger_num,
            start=start,
            move_time=move_time,
            stop_time=stop_time,
            passengers=passengers,
            reference_answer=" ".join(map(str, ride(start, move_time, stop_time, passengers))),
        )

    def parse(self, text: str) -> list[int]:
        answer = list(integers(text))
        if len(answer) < 2:
            raise rlve.Unparseable("expected at least two integers")
        return answer

    def score(self, answer: list[int]) -> float:
        return 1.0 if list(answer) == [int(part) for part in self.reference_answer.split()] else 0.0
