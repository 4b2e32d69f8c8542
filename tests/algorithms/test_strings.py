from collections import Counter
from random import Random

from rlve.algorithms.strings import (
    PalindromicTree,
    border_lengths,
    is_palindrome,
    next_occurrences,
)

RNG = Random(0)
TEXTS = ["", "a", *("".join(RNG.choices("ab"[: 1 + n % 5], k=n % 14)) for n in range(200))]


def test_a_border_starts_and_ends_the_prefix():
    for text in TEXTS:
        lengths = border_lengths(text)
        assert len(lengths) == len(text)
        for n, length in enumerate(lengths, 1):
            prefix = text[:n]
            assert length == max(k for k in range(n) if prefix[:k] == prefix[n - k :])


def test_next_occurrences_are_found_by_searching():
    for text in TEXTS:
        table = next_occurrences(text)
        assert len(table) == len(text) + 1
        for i, found in enumerate(table):
            assert found == {c: text.index(c, i) for c in "ab" if c in text[i:]}


def test_palindromic_tree_holds_each_palindrome_once():
    for text in TEXTS:
        tree = PalindromicTree(text)
        found = [tree[palindrome] for palindrome in range(2, len(tree))]
        counts = palindromes(text)
        assert len(found) == len(set(found))
        assert dict(zip(found, tree.occurrences()[2:], strict=True)) == counts
        for i in range(1, len(text) + 1):
            endings = [p for p in counts if text[:i].endswith(p)]
            endings.sort(key=len, reverse=True)
            assert [tree[p] for p in tree.suffixes(tree.longest[i])] == endings


def test_relations_of_palindromes():
    for text in TEXTS:
        tree = PalindromicTree(text)
        for palindrome in range(2, len(tree)):
            whole = tree[palindrome]
            if len(whole) == 1:
                assert tree.inner[palindrome] == 0
            else:
                assert tree[tree.inner[palindrome]] == whole[1:-1]
            shorter = [whole[i:] for i in range(1, len(whole) + 1) if is_palindrome(whole[i:])]
            assert tree[tree.suffix[palindrome]] == shorter[0]
            assert tree[tree.half(palindrome)] == next(
                p for p in shorter if 2 * len(p) <= len(whole)
            )


def palindromes(text):
    return Counter(
        text[i:j]
        for i in range(len(text))
        for j in range(i + 1, len(text) + 1)
        if all(text[i + k] == text[j - 1 - k] for k in range(j - i))
    )
