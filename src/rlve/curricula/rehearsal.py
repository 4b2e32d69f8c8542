"""Rehearsal: a share of the draws goes back to levels already left behind.

A curriculum that moves on no longer shows old levels, and a policy forgets what it no longer sees,
because every update is made for other problems. Replaying a little of the old is the oldest remedy
for such forgetting, and still a good one (Robins, "Catastrophic forgetting, rehearsal and
pseudorehearsal", 1995; Rolnick et al., "Experience replay for continual learning", 2019). Here
nothing needs to be stored, because problems of any level can be generated afresh.

A rehearsed group that is still solved has no signal, and dynamic sampling drops it: it costs its
rollouts. One that the policy has begun to fail has signal, and repairs what was lost.
"""

from random import Random

from rlve.curricula.layers import Layer
from rlve.curricula.protocol import Curriculum
from rlve.foundation.limits import UpToOne, check_limit


class Rehearsal(Layer):
    """Draws a share of the problems from below the range of their environment.

    share  of the draws; until a level is left behind, all draws come from the range
    """

    kind = "rehearsal"

    def __init__(self, inner: Curriculum, share: float) -> None:
        check_limit("rehearsal", share, UpToOne)
        super().__init__(inner)
        self.share = share

    def draw(self, rng: Random) -> tuple[str, int]:
        name, difficulty = self.inner.draw(rng)
        low, _ = self.bounds(name)
        if low > 0 and rng.random() < self.share:
            return name, rng.randrange(low)
        return name, difficulty
