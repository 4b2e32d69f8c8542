from collections import deque
from random import Random
from typing import Self

import rlve
from rlve.answers import integers


def schedule(arrivals: list[int], needs: list[int], turn: int) -> tuple[list[int], list[int]]:
    """The times at which the processes are done, and the ends of turns after which a process was not done."""
    coming = deque(sorted(range(len(needs)), key=lambda i: (arrivals[i], i)))
    left = list(needs)
    done = [0] * len(needs)
    breaks = []
    queue = deque()
    time = 0
    while coming or queue:
        if not queue:
            time = max(time, arrivals[coming[0]])
        while coming and arrivals[coming[0]] <= time:
            queue.append(coming.popleft())
        i = queue.popleft()
        part = min(turn, left[i])
        time += part
        left[i] -= part
        while coming and arrivals[coming[0]] <= time:
            queue.append(coming.popleft())
        if left[i]:
            queue.append(i)
            breaks.append(time)
        else:
            done[i] = time
    return done, breaks


class ProcessorTurns(rlve.Environment[list[int]]):
    """Processes share a processor in turns: when is each one done?"""

    process_num: int
    need_max: int
    turn_max: int
    turn: int
    arrivals: list[int]
    needs: list[int]
    reference_answer: str

    template = """
        {process_num} processes, numbered from 1 to {process_num}, share one processor. Each has an arrival time and needs the processor for some units of time in all:

        {rows}

        The processes wait in a queue:
        - A process joins the end of the queue at its arrival time.
        - Whenever the processor is free and the queue is not empty, the process at the front leaves the queue and starts a turn: it runs for {turn} units of time, or only for as long as it still needs if that is less.
        - At the end of its turn a process that is not done joins the end of the queue again and waits for its next turn; a process that has received all that it needs is done at this time.
        - If several things happen at the same time, this is their order: first the processes that arrive at this time join the queue, in the order of their numbers; then the process whose turn has just ended joins it, if it is not done; only then the process at the front of the queue starts its turn.
        - Changing from one process to another takes no time. While nobody waits, the processor idles until the next arrival.

        At which time is each process done?

        Output format: {process_num} integers separated by single spaces, the times at which the processes are done, in the order of their numbers from 1 to {process_num}.
        """

    def prompt(self) -> str:
        return self.fill(
            rows="\n".join(
                f"Process {i}: arrives at time {arrival}, needs {need}"
                for i, (arrival, need) in enumerate(zip(self.arrivals, self.needs), 1)
            )
        )

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"process_num": 3 + 3 * d // 5, "need_max": 8 + d, "turn_max": 4 if d < 8 else 6}]

    @classmethod
    def sample(cls, rng: Random, process_num: int, need_max: int, turn_max: int) -> Self:
        for _ in range(200):
            turn = rng.randint(2, turn_max)
            needs = [rng.randint(1, need_max) for _ in range(process_num)]
            latest = max(3, 7 * sum(needs) // 10)
            arrivals = [rng.randint(0, latest) for _ in range(process_num)]
            arrivals[rng.randrange(process_num)] = 0
            # Some processes arrive exactly when the turn of another one ends.
            for _ in range(1 + process_num // 3):
                i = rng.randrange(process_num)
                breaks = schedule(arrivals, needs, turn)[1]
                possible = [time for time in breaks if time <= arrivals[i]]
                if possible and rng.random() < 0.7:
                    arrivals[i] = rng.choice(possible)
            done = schedule(arrivals, needs, turn)[0]
            if done != schedule(arrivals, needs, need_max)[0]:
                break
        else:
            # The first process loses the processor to the others.
            needs[0] = rng.randint(turn + 1, need_max)
            arrivals = [0] + [rng.randint(0, turn) for _ in range(process_num - 1)]
            done = schedule(arrivals, needs, turn)[0]
        return cls(
            process_num=process_num,
            need_max=need_max,
            turn_max=turn_max,
            turn=turn,
            arrivals=arrivals,
            needs=needs,
            reference_answer=" ".join(map(str, done)),
        )

    def parse(self, text: str) -> list[int]:
        answer = list(integers(text))
        if len(answer) != self.process_num:
            raise rlve.Unparseable("wrong number of integers")
        return answer

    def score(self, answer: list[int]) -> float:
        return 1.0 if list(answer) == [int(part) for part in self.reference_answer.split()] else 0.0
