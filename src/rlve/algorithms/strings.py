"""Borders, subsequences and palindromes of strings."""

from collections.abc import Iterator


def border_lengths(text: str) -> list[int]:
    """For each non-empty prefix, its longest border: a shorter string it starts and ends with."""
    lengths: list[int] = []
    length = 0
    for i, letter in enumerate(text):
        while length and letter != text[length]:
            length = lengths[length - 1]
        if i and letter == text[length]:
            length += 1
        lengths.append(length)
    return lengths


def is_palindrome(text: str) -> bool:
    """Whether the text reads the same backwards."""
    return text == text[::-1]


def next_occurrences(text: str) -> list[dict[str, int]]:
    """For each index from 0 to the length, where each letter next occurs."""
    table: list[dict[str, int]] = [{}]
    for i in range(len(text) - 1, -1, -1):
        table.append({**table[-1], text[i]: i})
    table.reverse()
    return table


class PalindromicTree:
    """The distinct palindromes in a text, numbered in the order in which they first end.

    Number 0 is a virtual palindrome of length -1, and number 1 is the empty one. All others have
    larger numbers than what they are made from: their inner palindrome and their palindromic
    suffixes.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.length = [-1, 0]
        self.inner = [0, 0]  # without its first and last letter
        self.suffix = [0, 0]  # the longest palindrome it ends with, other than itself
        self.end = [0, 0]  # where its first occurrence ends
        self.longest = [1]  # for each prefix of the text, the longest palindrome it ends with
        outer: dict[tuple[int, str], int] = {}
        for i, letter in enumerate(text):
            inner = self._extensible(self.longest[-1], i)
            if (inner, letter) not in outer:
                if inner:
                    suffix = outer[self._extensible(self.suffix[inner], i), letter]
                else:
                    suffix = 1
                outer[inner, letter] = len(self.length)
                self.length.append(self.length[inner] + 2)
                self.inner.append(inner)
                self.suffix.append(suffix)
                self.end.append(i + 1)
            self.longest.append(outer[inner, letter])

    def _extensible(self, palindrome: int, i: int) -> int:
        """The longest of it and its suffixes whose occurrence before i has text[i] before it."""
        while True:
            before = i - self.length[palindrome] - 1
            if before >= 0 and self.text[before] == self.text[i]:
                return palindrome
            palindrome = self.suffix[palindrome]

    def __len__(self) -> int:
        return len(self.length)

    def __getitem__(self, palindrome: int) -> str:
        """The palindrome with this number, which must not be the virtual one."""
        end = self.end[palindrome]
        return self.text[end - self.length[palindrome] : end]

    def suffixes(self, palindrome: int) -> Iterator[int]:
        """The non-empty palindromes it ends with, including itself, longest first."""
        while palindrome > 1:
            yield palindrome
            palindrome = self.suffix[palindrome]

    def half(self, palindrome: int) -> int:
        """The longest palindrome of at most half its length that it ends with."""
        whole = self.length[palindrome]
        return next((p for p in self.suffixes(palindrome) if 2 * self.length[p] <= whole), 1)

    def occurrences(self) -> list[int]:
        """How often each palindrome occurs, including overlaps; 0 for the first two numbers."""
        counts = [0] * len(self)
        for palindrome in self.longest:
            counts[palindrome] += 1
        for palindrome in range(len(self) - 1, 1, -1):
            counts[self.suffix[palindrome]] += counts[palindrome]
        counts[:2] = 0, 0
        return counts
