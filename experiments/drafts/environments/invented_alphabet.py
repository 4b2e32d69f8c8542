import re
from itertools import product
from random import Random
from typing import Self

import rlve
from rlve.answers import text_lines

LATIN = "abcdefghijklmnopqrstuvwxyz"


def cut(word: str, alphabet: list[str]) -> list[str]:
    """The letters of a word; a digraph goes before a single character."""
    return re.findall("|".join(sorted(alphabet, key=len, reverse=True)), word)


def sorted_words(words: list[str], alphabet: list[str], backward: bool) -> list[str]:
    def key(word: str) -> list[int]:
        ranks = [alphabet.index(letter) for letter in cut(word, alphabet)]
        return ranks[::-1] if backward else ranks

    return sorted(words, key=key)


class InventedAlphabet(rlve.Environment[str]):
    """Sort words by an invented alphabet and name the words at given places."""

    max_difficulty = 20

    alphabet: list[str]
    backward: bool
    words: list[str]
    places: list[int]
    reference_answer: str

    template = """
        An invented alphabet has these letters, in this order from the first to the last:

        {alphabet_line}

        {reading}{order}

        These {word_num} words are to be sorted from the first to the last:

        {word_line}

        Which words stand at the places {place_line} of the sorted list? Places are counted from 1.

        Output format: the {place_num} words, in the order in which the places are given in the question, separated by single spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "single_num": 5 + d // 2,
                "digraph_num": (d - 3) // 3 if d >= 6 else 0,
                "word_num": 6 + 2 * d,
                "longest": 4 + d // 5,
                "place_num": 3 + d // 5,
                "directions": 2 if d >= 12 else 1,
            }
        ]

    @classmethod
    def sample(
        cls,
        rng: Random,
        single_num: int,
        digraph_num: int,
        word_num: int,
        longest: int,
        place_num: int,
        directions: int,
    ) -> Self:
        singles = rng.sample(LATIN, single_num)
        digraphs = rng.sample([one + two for one in singles for two in singles if one != two], digraph_num)
        alphabet = singles + digraphs
        rng.shuffle(alphabet)
        weights = [2 if len(letter) == 2 else 1 for letter in alphabet]
        backward = rng.randrange(directions) == 1

        made: list[list[str]] = []
        words: list[str] = []
        for _ in range(100 * word_num):
            size = rng.randint(2, longest)
            word = rng.choices(alphabet, weights, k=size)
            if made and rng.random() < 0.5:
                other = rng.choice(made)
                kept = min(rng.randint(1, len(other)), longest - 1)
                more = rng.choices(alphabet, weights, k=rng.randint(1, max(1, longest - kept)))
                word = more + other[len(other) - kept :] if backward else other[:kept] + more
            text = "".join(word)
            if text not in words:
                made.append(word)
                words.append(text)
            if len(words) == word_num:
                break
        else:
            spare = map("".join, product(singles, repeat=3))
            words = list(dict.fromkeys([*words, *spare]))[:word_num]
        rng.shuffle(words)
        places = rng.sample(range(1, word_num + 1), place_num)
        ordered = sorted_words(words, alphabet, backward)
        return cls(
            alphabet=alphabet,
            backward=backward,
            words=words,
            places=places,
            reference_answer=" ".join(ordered[place - 1] for place in places),
        )

    def prompt(self) -> str:
        reading = ""
        if any(len(letter) == 2 for letter in self.alphabet):
            reading = (
                "Some letters are written with two characters; each of them is one letter with its own place in the "
                "alphabet. A word is cut into letters from left to right: if the next two characters together are a "
                "letter of the alphabet, they are taken as this one letter; otherwise the next character alone is "
                "taken as a letter.\n\n"
            )
        if self.backward:
            order = (
                "Words are compared from the right: first their last letters, then the letters before these, and so "
                "on to the left (cutting into letters is still done from left to right). At the first difference, the "
                "word whose letter comes earlier in the alphabet comes first. If one word is used up before there is "
                "a difference, it comes first."
            )
        else:
            order = (
                "Words are compared letter by letter from the left. At the first difference, the word whose letter "
                "comes earlier in the alphabet comes first. If one word is used up before there is a difference, it "
                "comes first."
            )
        return self.fill(
            alphabet_line=" ".join(self.alphabet),
            reading=reading,
            order=order,
            word_num=str(len(self.words)),
            word_line=", ".join(self.words),
            place_line=", ".join(map(str, self.places)),
            place_num=str(len(self.places)),
        )

    def parse(self, text: str) -> str:
        words = " ".join(text_lines(text)).split()
        if len(words) != len(self.places) or not all(re.fullmatch("[a-z]+", word) for word in words):
            raise rlve.Unparseable("not the right number of words in lower-case letters")
        return " ".join(words)

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
