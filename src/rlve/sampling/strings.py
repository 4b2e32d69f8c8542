"""Random strings."""

from random import Random


def random_string(rng: Random, length: int, chance: float, letters: str = "01") -> str:
    """A string in which each letter is independently the second of the two with this chance."""
    return "".join(letters[rng.random() < chance] for _ in range(length))
