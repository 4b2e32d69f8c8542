from random import Random
from typing import Self

import rlve
from rlve.answers import text_lines


def gate_value(kind: str, values: list[int]) -> int:
    if kind == "NOT":
        return 1 - values[0]
    a, b = values
    if kind == "AND":
        return a & b
    if kind == "OR":
        return a | b
    if kind == "XOR":
        return a ^ b
    if kind == "NAND":
        return 1 - (a & b)
    return 1 - (a | b)


def simulate(
    inputs: list[str], gates: list[list[str]], initial: list[int], data: list[str], ticks: int
) -> list[dict[str, int]]:
    """The values of all signals in the ticks 1, 2, ..."""
    history = []
    state = list(initial)
    for tick in range(ticks):
        values = {f"X{i}": int(word[tick]) for i, word in enumerate(inputs, 1)}
        values.update({f"Q{i}": bit for i, bit in enumerate(state, 1)})
        for i, (kind, *arguments) in enumerate(gates, 1):
            values[f"G{i}"] = gate_value(kind, [values[name] for name in arguments])
        history.append(values)
        state = [values[name] for name in data]
    return history


def opposite(word: str) -> str:
    return "".join("1" if bit == "0" else "0" for bit in word)


Circuit = tuple[list[str], list[list[str]], list[int], list[str], list[str]]  # as the fields of the environment


def random_circuit(rng: Random, input_num: int, gate_num: int, flip_flop_num: int, ticks: int) -> Circuit:
    flip_flops = [f"Q{i}" for i in range(1, flip_flop_num + 1)]
    inputs = ["".join(rng.choice("01") for _ in range(ticks)) for _ in range(input_num)]
    signals = [f"X{i}" for i in range(1, input_num + 1)] + flip_flops
    unused = list(signals)
    gates: list[list[str]] = []
    for i in range(1, gate_num + 1):
        kind = rng.choice(["AND", "OR", "XOR", "XOR", "NAND", "NOR", "NOT"])
        first = rng.choice(unused if unused and rng.random() < 0.6 else signals)
        gate = [kind, first]
        if kind != "NOT":
            near = [name for name in signals[-4:] if name != first]
            far = [name for name in signals if name != first]
            gate.append(rng.choice(near if near and rng.random() < 0.6 else far))
        gates.append(gate)
        unused = [name for name in unused if name not in gate] + [f"G{i}"]
        signals.append(f"G{i}")
    data = []
    for name in flip_flops:
        free = [other for other in unused if other != name]
        allowed = [other for other in signals if other != name]
        chosen = rng.choice(free if free and rng.random() < 0.5 else allowed)
        data.append(chosen)
        unused = [other for other in unused if other != chosen]
    outputs = [f"G{gate_num}", f"G{rng.randrange(1, gate_num)}"]
    rng.shuffle(outputs)
    initial = [rng.randrange(2) for _ in flip_flops]
    return inputs, gates, initial, data, outputs


def safe_circuit(rng: Random, input_num: int, gate_num: int, flip_flop_num: int, ticks: int) -> Circuit:
    """A circuit that certainly meets the conditions; the first four ticks show it.

    X1 = 0011, X2 = 0001, Q1 = 0101, and the outputs G1 = NOT Q1 = 1010, and the negation 1001 of X1 XOR Q1.
    """
    starts = ["0011", "0001"]
    inputs = [starts[i] + "".join(rng.choice("01") for _ in range(ticks - 4)) for i in range(input_num)]
    signals = [f"X{i}" for i in range(1, input_num + 1)] + [f"Q{i}" for i in range(1, flip_flop_num + 1)]
    gates = [["NOT", "Q1"], ["XOR", "X1", "Q1"]]
    for i in range(3, gate_num):
        gates.append([rng.choice(["AND", "OR", "XOR", "NAND", "NOR"]), f"G{i - 1}", rng.choice(signals)])
    gates.append(["NOT", "G2"])
    data = ["G1"] + [f"Q{i}" for i in range(1, flip_flop_num)]
    outputs = ["G1", f"G{gate_num}"]
    rng.shuffle(outputs)
    return inputs, gates, [0] * flip_flop_num, data, outputs


def output_words(history: list[dict[str, int]], outputs: list[str]) -> list[str]:
    return ["".join(str(values[name]) for values in history) for name in outputs]


class ClockedCircuit(rlve.Environment[list[str]]):
    """Find the outputs of a circuit of gates and flip-flops in a number of ticks."""

    ticks: int
    inputs: list[str]
    gates: list[list[str]]  # kind and arguments
    initial: list[int]
    data: list[str]
    outputs: list[str]
    reference_answer: str

    template = """
        A clocked circuit consists of input wires X1, X2, ..., of gates G1, G2, ..., and of flip-flops Q1, Q2, .... Every signal is 0 or 1. Time runs in ticks 1, 2, ..., {ticks}. In each tick, the following happens:

        1. Each input wire takes its value for this tick.
        2. All gates are computed, from the values of the inputs in this tick and from the present values of the flip-flops.
        3. The outputs are read.
        4. At the end of the tick, all flip-flops change at the same time: each takes the value that its data signal had in this tick. (If the data signal is a flip-flop, this is the value which that flip-flop had before the change.)

        In tick 1 the flip-flops have their initial values. NAND is the negation of AND, and NOR is the negation of OR.

        Inputs, one digit for each of the ticks 1 to {ticks}, from left to right:
        {input_lines}

        Gates:
        {gate_lines}

        Flip-flops:
        {flip_flop_lines}

        The outputs are Y = {y} and Z = {z}. Find their values in all ticks.

        Output format: two words of {ticks} digits 0 and 1 each, separated by one space: first the values of Y in the ticks 1 to {ticks}, then the values of Z in the ticks 1 to {ticks}.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "input_num": 1 if d < 8 else 2,
                "gate_num": 3 + d,
                "flip_flop_num": 1 + d // 4,
                "ticks": 6 + d // 2,
            }
        ]

    @classmethod
    def sample(cls, rng: Random, input_num: int, gate_num: int, flip_flop_num: int, ticks: int) -> Self:
        for _ in range(200):
            circuit = random_circuit(rng, input_num, gate_num, flip_flop_num, ticks)
            inputs, gates, initial, data, outputs = circuit
            history = simulate(inputs, gates, initial, data, ticks)
            words = output_words(history, outputs)
            excluded = inputs + [opposite(word) for word in inputs]
            if any(len(set(word)) == 1 or word in excluded for word in words):
                continue
            if words[0] in (words[1], opposite(words[1])):
                continue
            if any(len({values[f"Q{i}"] for values in history}) == 1 for i in range(1, flip_flop_num + 1)):
                continue
            break
        else:
            circuit = safe_circuit(rng, input_num, gate_num, flip_flop_num, ticks)
            inputs, gates, initial, data, outputs = circuit
            words = output_words(simulate(inputs, gates, initial, data, ticks), outputs)
        return cls(
            ticks=ticks,
            inputs=inputs,
            gates=gates,
            initial=initial,
            data=data,
            outputs=outputs,
            reference_answer=" ".join(words),
        )

    def prompt(self) -> str:
        gate_lines = []
        for i, (kind, *arguments) in enumerate(self.gates, 1):
            if kind == "NOT":
                gate_lines.append(f"G{i} = NOT {arguments[0]}")
            else:
                gate_lines.append(f"G{i} = {arguments[0]} {kind} {arguments[1]}")
        return self.fill(
            input_lines="\n".join(f"X{i}: {word}" for i, word in enumerate(self.inputs, 1)),
            gate_lines="\n".join(gate_lines),
            flip_flop_lines="\n".join(
                f"Q{i}: initial value {bit}, data signal {name}"
                for i, (bit, name) in enumerate(zip(self.initial, self.data), 1)
            ),
            y=self.outputs[0],
            z=self.outputs[1],
        )

    def parse(self, text: str) -> list[str]:
        words = " ".join(text_lines(text)).split()
        if len(words) != 2 or any(set(word) - {"0", "1"} for word in words):
            raise rlve.Unparseable("two words of digits 0 and 1 are expected")
        return words

    def score(self, answer: list[str]) -> float:
        return 1.0 if list(answer) == self.reference_answer.split() else 0.0
