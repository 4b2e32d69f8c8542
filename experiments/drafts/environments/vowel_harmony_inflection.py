import re
from itertools import product
from random import Random
from typing import Self

import rlve
from rlve.answers import text_lines

BACK = "aou"
VOWELS = "aeiouy"
CONSONANTS = "bdfghjklmnprstvwz"
CASES = [
    "genitive",
    "dative",
    "accusative",
    "locative",
    "ablative",
    "instrumental",
    "comitative",
    "allative",
    "essive",
    "partitive",
    "vocative",
    "terminative",
]


def is_back(stem: str, neutral: bool) -> bool:
    """Whether the stem belongs to the back class."""
    for character in reversed(stem):
        if character in VOWELS and not (neutral and character == "i"):
            return character in BACK
    return False


def inflect(stem: str, suffixes: list[str], buffer: str, linking: bool, neutral: bool) -> str:
    back = is_back(stem, neutral)
    harmony = {"A": "a", "O": "o", "U": "u"} if back else {"A": "e", "O": "i", "U": "y"}
    form = stem
    for suffix in suffixes:
        if not suffix:
            continue
        spelled = "".join(harmony.get(character, character) for character in suffix)
        if form[-1] in VOWELS and spelled[0] in VOWELS:
            form += buffer
        elif linking and form[-1] not in VOWELS and spelled[0] not in VOWELS:
            form += harmony["A"]
        form += spelled
    return form


def random_suffix(rng: Random) -> str:
    pattern = rng.choice(("V", "CV", "CV", "VC", "VC", "CVC"))
    return "".join(rng.choice("AOU") if sign == "V" else rng.choice(CONSONANTS) for sign in pattern)


def random_suffixes(rng: Random, count: int) -> list[str]:
    """That many different suffixes."""
    drawn = [random_suffix(rng) for _ in range(10 * count)]
    spare = [consonant + vowel for vowel in "AOU" for consonant in CONSONANTS]
    return list(dict.fromkeys(drawn + spare))[:count]


def random_stem(rng: Random, neutral: bool) -> str:
    count = rng.randint(2, 4)
    stem = ""
    for index in range(count):
        vowel = rng.choice(VOWELS)
        if neutral and index == count - 1 and rng.random() < 0.35:
            vowel = "i"
        stem += rng.choice(CONSONANTS) + vowel
        if index == count - 1 and rng.random() < 0.5:
            stem += rng.choice(CONSONANTS)
    return stem


class VowelHarmonyInflection(rlve.Environment[str]):
    """Inflect words of an invented language with vowel harmony."""

    max_difficulty = 20

    buffer: str
    linking: bool
    neutral: bool
    numbers: list[list[str]]  # name and suffix
    owners: list[list[str]]  # name and suffix; empty if the language has none
    cases: list[list[str]]  # name and suffix
    words: list[list[str]]  # stem, number, owner ("" if there are none), case
    reference_answer: str

    template = """
        In an invented language the back vowels are a, o, u, the front vowels are e, i, y, and all other letters are consonants. A form of a word is built from its stem by adding suffixes at the end. These are the suffixes ("none" is an empty suffix):

        {table}

        The order is: {order}.

        Rules:
        - {class_rule} The class is found once, from the stem alone, and holds for all suffixes of the form.
        - Capital letters in suffixes stand for vowels that depend on the class: A is a in a back form and e in a front form; O is o in a back form and i in a front form; U is u in a back form and y in a front form.
        - The suffixes are added one after the other, from left to right. If what has been built so far ends in a vowel and the next suffix begins with a vowel, the consonant {buffer} is put between them. {linking_rule}
        - An empty suffix is skipped: it changes nothing and nothing is put in for it.

        Build these forms:
        {tasks}

        Output format: the forms in the order of the list, in lower-case letters, separated by single spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "word_num": 1 + d // 2,
                "case_num": 2 + (d + 1) // 2,
                "linking": int(d >= 3),
                "neutral": int(d >= 6),
                "number_num": 3 if d >= 8 else 2,
                "owner_num": 3 if d >= 12 else 0,
            }
        ]

    @classmethod
    def sample(
        cls, rng: Random, word_num: int, case_num: int, linking: int, neutral: int, number_num: int, owner_num: int
    ) -> Self:
        suffixes = random_suffixes(rng, case_num + number_num - 1 + owner_num)
        numbers = [["singular", ""]] + [[name, suffixes.pop()] for name in ["plural", "dual"][: number_num - 1]]
        owners = [[name, suffixes.pop()] for name in ["my", "your", "their"][:owner_num]]
        if owners:
            owners.insert(0, ["no owner", ""])
        cases = [["nominative", ""]] + [[name, suffixes.pop()] for name in CASES[:case_num]]
        buffer = rng.choice(CONSONANTS)

        words: list[list[str]] = []
        forms: list[str] = []
        stems: list[str] = []
        pairs = [(number, case) for number in numbers for case in cases if number[1] or case[1]]
        for _ in range(word_num):
            for _ in range(200):
                stem = random_stem(rng, bool(neutral))
                if stem not in stems:
                    break
            else:
                parts = product(CONSONANTS, VOWELS, CONSONANTS, VOWELS)
                stem = next(text for text in map("".join, parts) if text not in stems)
            stems.append(stem)
            number, case = rng.choice(pairs)
            owner = rng.choice(owners) if owners else ["", ""]
            words.append([stem, number[0], owner[0], case[0]])
            forms.append(inflect(stem, [number[1], owner[1], case[1]], buffer, bool(linking), bool(neutral)))
        return cls(
            buffer=buffer,
            linking=bool(linking),
            neutral=bool(neutral),
            numbers=numbers,
            owners=owners,
            cases=cases,
            words=words,
            reference_answer=" ".join(forms),
        )

    def prompt(self) -> str:
        def row(title: str, entries: list[list[str]]) -> str:
            return title + ": " + ", ".join(f"{name} {suffix or 'none'}" for name, suffix in entries)

        table = [row("Number", self.numbers)]
        if self.owners:
            table.append(row("Owner", self.owners))
        table.append(row("Case", self.cases))
        if self.neutral:
            class_rule = (
                "A stem is back if its last vowel other than i is back, and front if its last vowel other than i is "
                "front (e or y); a stem that has no vowel but i is front."
            )
        else:
            class_rule = "A stem is back if its last vowel is back, and front if its last vowel is front."
        if self.linking:
            linking_rule = (
                "If what has been built so far ends in a consonant and the next suffix begins with a consonant, "
                "the vowel a (in a back form) or e (in a front form) is put between them."
            )
        else:
            linking_rule = "Otherwise nothing is put between them."
        tasks = [
            f"{i}. stem {stem}: " + ", ".join(part for part in (number, owner, case) if part)
            for i, (stem, number, owner, case) in enumerate(self.words, 1)
        ]
        return self.fill(
            table="\n".join(table),
            order="stem, number suffix, owner suffix, case suffix" if self.owners else "stem, number suffix, case suffix",
            class_rule=class_rule,
            linking_rule=linking_rule,
            tasks="\n".join(tasks),
        )

    def parse(self, text: str) -> str:
        words = " ".join(text_lines(text)).split()
        if len(words) != len(self.words) or not all(re.fullmatch("[a-z]+", word) for word in words):
            raise rlve.Unparseable("not the right number of words in lower-case letters")
        return " ".join(words)

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
