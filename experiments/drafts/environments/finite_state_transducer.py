from random import Random
from typing import Self

import rlve
from rlve.answers import letters

INPUTS = "abcde"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def transduce(
    word: str, next_states: list[list[int]], outputs: list[list[str]], ends: list[str], visited: set[int]
) -> str:
    """The output of one run; the states are counted from 1 and the visited ones are noted."""
    state = 1
    visited.add(state)
    written = []
    for letter in word:
        column = INPUTS.index(letter)
        written.append(outputs[state - 1][column])
        state = next_states[state - 1][column]
        visited.add(state)
    return "".join(written) + ends[state - 1]


class FiniteStateTransducer(rlve.Environment[str]):
    """Run a finite-state transducer, given as a table, on a word."""

    next_states: list[list[int]]  # one row per state, one column per letter
    outputs: list[list[str]]
    ends: list[str]
    word: str
    run_num: int
    reference_answer: str

    template = """
        A machine has the states 1 to {state_num} and reads words of the lower-case letters {alphabet}. This is its table:

        {rows}

        How a run on a word goes: the machine starts in state 1 with nothing written. It reads the word from left to right, one letter at a time. At each letter it looks up the entry of its current state for this letter, "letter: output, next state": it appends the output to what it has written so far, and then goes to the next state. After the last letter it appends the end output of the state in which it then is. Outputs are capital letters; the sign - stands for an empty output, for which nothing is written.

        The word is: {word}

        {question}

        Output format: the whole output from its first to its last letter, as one word of capital letters without spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "state_num": 2 + d // 3,
                "letter_num": 2 + d // 6,
                "length": 5 + 2 * d,
                "run_num": 2 if d >= 8 else 1,
            }
        ]

    @classmethod
    def sample(cls, rng: Random, state_num: int, letter_num: int, length: int, run_num: int) -> Self:
        best = None
        for _ in range(300):
            if run_num == 1:
                signs = "".join(sorted(rng.sample("KLMNPQRSTUVWXYZ", 2 + letter_num)))
            else:
                signs = INPUTS[:letter_num].upper()

            def output() -> str:
                return "".join(rng.choices(signs, k=rng.choice((0, 1, 1, 1, 2))))

            next_states = [[rng.randint(1, state_num) for _ in range(letter_num)] for _ in range(state_num)]
            outputs = [[output() for _ in range(letter_num)] for _ in range(state_num)]
            ends = [output() for _ in range(state_num)]
            word = "".join(rng.choices(INPUTS[:letter_num], k=length))
            visited: set[int] = set()
            result = word
            for _ in range(run_num):
                result = transduce(result.lower(), next_states, outputs, ends, visited)
            if not 4 <= len(result) <= 3 * length or len(set(result)) < 2:
                continue
            if best is None or len(visited) > best[0]:
                best = (len(visited), next_states, outputs, ends, word, result)
            if 3 * len(visited) >= 2 * state_num:
                break
        assert best is not None
        _, next_states, outputs, ends, word, result = best
        return cls(
            next_states=next_states,
            outputs=outputs,
            ends=ends,
            word=word,
            run_num=run_num,
            reference_answer=result,
        )

    def prompt(self) -> str:
        alphabet = INPUTS[: len(self.outputs[0])]
        rows = []
        for state, (nexts, outs, end) in enumerate(zip(self.next_states, self.outputs, self.ends), 1):
            entries = [f"{letter}: {out or '-'}, {to}" for letter, out, to in zip(alphabet, outs, nexts)]
            rows.append(f"state {state} | " + " | ".join(entries) + f" | end output: {end or '-'}")
        if self.run_num == 1:
            question = "What does the machine write in a run on this word?"
        else:
            question = (
                "The machine makes two runs. The first run is on this word. The whole output of the first run, "
                "including its end output, is turned into lower-case letters and is the word of the second run, "
                "which starts again in state 1 with nothing written. What does the machine write in the second run?"
            )
        return self.fill(
            state_num=str(len(self.ends)), alphabet=", ".join(alphabet), rows="\n".join(rows), question=question
        )

    def parse(self, text: str) -> str:
        return "".join(letters(text, CAPITALS))

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
