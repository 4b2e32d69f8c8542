"""Random strings."""

from random import Random


def random_string(rng: Random, length: int, chance: float, letters: str = "01") -> str:
    """Each letter, independently, is the second of the two with this probability."""
    return "".join(letters[rng.random() < chance] for _ in range(length))
