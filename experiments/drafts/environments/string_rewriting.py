from random import Random
from typing import Self

import rlve
from rlve.answers import letters

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def rewrite(text: str, rules: list[list[str]]) -> tuple[int, str] | None:
    """One step: the index of the rule and the new text; None if no rule fits."""
    for index, (left, right) in enumerate(rules):
        if left in text:
            return index, text.replace(left, right, 1)
    return None


def run(start: str, rules: list[list[str]], step_num: int, longest: int) -> tuple[list[str], list[int]]:
    """The strings from the start on and the rules used; ends early where a step is not wanted."""
    strings, used = [start], []
    seen = {start}
    while len(used) < step_num:
        done = rewrite(strings[-1], rules)
        if done is None or done[1] in seen or not 3 <= len(done[1]) <= longest:
            break
        used.append(done[0])
        strings.append(done[1])
        seen.add(done[1])
    return strings, used


def random_rules(rng: Random, alphabet: list[str], rule_num: int) -> list[list[str]]:
    rules: list[list[str]] = []
    for _ in range(100 * rule_num):
        if len(rules) == rule_num:
            break
        size = rng.choice((1, 2, 2, 2, 2, 2, 3, 3))
        left = "".join(rng.choices(alphabet, k=size))
        right = "".join(rng.choices(alphabet, k=min(3, max(1, size + rng.choice((-1, 0, 0, 1))))))
        if left not in right and all(left != other[0] for other in rules):
            rules.append([left, right])
    return rules


class StringRewriting(rlve.Environment[str]):
    """Rewrite a string by an ordered list of rules, a given number of steps."""

    start: str
    rules: list[list[str]]
    step_num: int
    reference_answer: str

    template = """
        A string is rewritten step by step with an ordered list of rules. A rule "x -> y" can replace a contiguous block x of the string by y.

        Rules:
        {rule_lines}

        One step goes like this: go through the rules from rule 1 on, in the order of the list, and take the first rule whose left side occurs anywhere in the current string as a contiguous block. Replace only one occurrence of this left side, the leftmost one (the one that starts farthest to the left), by the right side of the rule. All other letters stay as they are. Every step starts again from rule 1. At each of the steps asked for, some rule fits.

        Start string: {start}

        Which string stands there after exactly {step_num} steps?

        Output format: the string alone, in lower-case letters, without spaces or quotation marks.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"letter_num": 3 + d // 7, "length": 6 + d, "rule_num": 2 + d // 3, "step_num": 2 + 2 * d}]

    @classmethod
    def sample(cls, rng: Random, letter_num: int, length: int, rule_num: int, step_num: int) -> Self:
        best: tuple[str, list[list[str]], int, str] | None = None
        for attempt in range(3000):
            if attempt >= 800 and best is not None:
                break
            alphabet = sorted(rng.sample(LETTERS, letter_num))
            start = "".join(rng.choices(alphabet, k=length))
            rules = random_rules(rng, alphabet, rule_num)
            strings, used = run(start, rules, step_num, length + 8)
            steps, final = len(used), strings[-1]
            if steps == 0 or final in start or any(final in rule for rule in rules):
                continue
            if steps >= 4 and max(map(used.count, set(used))) * 3 > steps * 2:
                continue
            if best is None or steps > best[2]:
                best = (start, rules, steps, final)
            if steps == step_num:
                break
        assert best is not None
        return cls(start=best[0], rules=best[1], step_num=best[2], reference_answer=best[3])

    def prompt(self) -> str:
        lines = [f"{i}. {left} -> {right}" for i, (left, right) in enumerate(self.rules, 1)]
        return self.fill(rule_lines="\n".join(lines))

    def parse(self, text: str) -> str:
        return "".join(letters(text, LETTERS))

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
