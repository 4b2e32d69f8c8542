"""Going through a fixed set again and again, in a new random order every time."""

from random import Random


class Epochs:
    """Endless positions in a set: every epoch has all its indices, in an order of its own."""

    def __init__(self, count: int, seed: str) -> None:
        self.count, self.seed = count, seed
        self._epoch, self._order = -1, list(range(count))

    def index(self, position: int) -> int:
        """The index at a position, counted over all epochs."""
        epoch, offset = divmod(position, self.count)
        if epoch != self._epoch:
            self._epoch, self._order = epoch, list(range(self.count))
            Random(f"{self.seed}/{epoch}").shuffle(self._order)
        return self._order[offset]
