from random import Random
from typing import Self

import rlve
from rlve.answers import integers

NONTERMINALS = "SABCDE"
TERMINALS = "abcd"
LARGEST = 5000


def count_trees(text: str, binary: list[list[str]], terminal: list[list[str]]) -> int:
    """The number of parse trees of the text with root S."""
    n = len(text)
    table: dict[tuple[int, int], dict[str, int]] = {}
    for i, letter in enumerate(text):
        table[i, i + 1] = {head: 1 for head, made in terminal if made == letter}
    for size in range(2, n + 1):
        for i in range(n - size + 1):
            cell: dict[str, int] = {}
            for j in range(i + 1, i + size):
                first, second = table[i, j], table[j, i + size]
                if first and second:
                    for head, y, z in binary:
                        if y in first and z in second:
                            cell[head] = cell.get(head, 0) + first[y] * second[z]
            table[i, i + size] = cell
    return table[0, n].get("S", 0)


def random_grammar(
    rng: Random, heads: str, letters: str, binary_num: int
) -> tuple[list[list[str]], list[list[str]]]:
    possible = [(x, y, z) for x in heads for y in heads for z in heads]
    binary = {("S", *rng.choice([("S", x) for x in heads] + [(x, "S") for x in heads]))}
    binary.add(rng.choice([rule for rule in possible if rule[0] == "S" and rule not in binary]))
    binary.update(rng.sample([rule for rule in possible if rule not in binary], binary_num - 2))
    terminal = {(head, letter) for letter in letters for head in rng.sample(heads, rng.randint(1, 2))}
    for head in heads:
        if all(rule[0] != head for rule in binary | terminal):
            terminal.add((head, rng.choice(letters)))
    place = heads.index
    return (
        [list(rule) for rule in sorted(binary, key=lambda rule: (place(rule[0]), rule))],
        [list(rule) for rule in sorted(terminal, key=lambda rule: (place(rule[0]), rule))],
    )


class CountParseTrees(rlve.Environment[str]):
    """Count the parse trees of strings under a grammar in Chomsky normal form."""

    max_difficulty = 20

    binary: list[list[str]]  # X, Y, Z for X -> Y Z
    terminal: list[list[str]]  # X, t for X -> t
    strings: list[str]
    reference_answer: str

    template = """
        A grammar has the nonterminals {nonterminals} (the start symbol is S), the terminals {terminals}, and these rules:

        {rules}

        A parse tree of a string w is an ordered tree with these properties: its root has the label S; every inner node has a label X that is a nonterminal, and either exactly two children, whose labels from left to right are Y and Z, where X -> Y Z is one of the rules, or exactly one child, which is a leaf with a terminal t as label, where X -> t is one of the rules; the labels of the leaves, read from left to right, spell w. Two parse trees are different if they differ in their shape or in the label of any node. A string that cannot be derived from S has 0 parse trees.

        How many different parse trees does each of these {string_num} strings have?

        {string_lines}

        Output format: {string_num} integers separated by single spaces, the numbers of parse trees in the order of the strings.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "nonterminal_num": 2 + d // 5,
                "terminal_num": 2 + d // 10,
                "binary_num": 3 + d // 2,
                "length": 3 + (d + 1) // 2,
                "string_num": 4,
            }
        ]

    @classmethod
    def sample(
        cls,
        rng: Random,
        nonterminal_num: int,
        terminal_num: int,
        binary_num: int,
        length: int,
        string_num: int,
    ) -> Self:
        heads, letters = NONTERMINALS[:nonterminal_num], TERMINALS[:terminal_num]
        best: tuple[list[list[str]], list[list[str]], dict[int, list[str]]] | None = None
        for _ in range(200 if length < 6 else 12):
            binary, terminal = random_grammar(rng, heads, letters, binary_num)
            candidates = {
                "".join(rng.choices(letters, k=length + rng.randrange(2))) for _ in range(32)
            }
            groups: dict[int, list[str]] = {}
            for text in sorted(candidates):
                number = count_trees(text, binary, terminal)
                if number <= LARGEST:
                    groups.setdefault(number, []).append(text)
            if sum(map(len, groups.values())) < string_num or max(groups) < 2:
                continue
            if best is None or len(groups) > len(best[2]):
                best = (binary, terminal, groups)
            if len(groups) >= 4 + (length > 5):
                break
        if best is None:
            binary = [["S", "S", "S"], ["S", "A", "S"], ["S", "S", "A"]]
            terminal = [["S", "a"], ["A", "a"], ["A", "b"]]
            groups = {}
            for code in range(2**4):
                text = "".join("ab"[code >> bit & 1] for bit in range(4))
                groups.setdefault(count_trees(text, binary, terminal), []).append(text)
            best = (binary, terminal, groups)

        binary, terminal, groups = best
        left = {number: list(texts) for number, texts in sorted(groups.items())}
        chosen: list[tuple[int, str]] = []
        for turn in range(string_num):
            # The first one drawn has two parse trees or more.
            number = rng.choice([number for number in left if left[number] and (turn or number >= 2)])
            chosen.append((number, left[number].pop(rng.randrange(len(left[number])))))
        rng.shuffle(chosen)
        return cls(
            binary=binary,
            terminal=terminal,
            strings=[text for _, text in chosen],
            reference_answer=" ".join(str(number) for number, _ in chosen),
        )

    def prompt(self) -> str:
        rules = [f"{x} -> {y} {z}" for x, y, z in self.binary] + [f"{x} -> {t}" for x, t in self.terminal]
        used = {symbol for rule in self.binary for symbol in rule} | {head for head, _ in self.terminal}
        return self.fill(
            nonterminals=", ".join(head for head in NONTERMINALS if head in used),
            terminals=", ".join(sorted({letter for _, letter in self.terminal})),
            rules="\n".join(rules),
            string_num=str(len(self.strings)),
            string_lines="\n".join(self.strings),
        )

    def parse(self, text: str) -> str:
        numbers = list(integers(text))
        if len(numbers) != len(self.strings):
            raise rlve.Unparseable("not the right number of integers")
        return " ".join(map(str, numbers))

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
