"""A conversation with a problem, for libraries that ask turn by turn.

    reply = reply_to(problem, messages, pool=pool)      to the last of the model's messages

The messages are the whole state: the caller keeps them, in whatever way its library keeps what was
said. A problem that does not answer back ends with its first message.
"""

from collections.abc import Sequence

from rlve.answers import Marker
from rlve.contract import Explanation, Problem
from rlve.dialogue import Dialogue, Reply, respond
from rlve.pool import Failure, Pool


def reply_to(
    problem: Problem,
    messages: Sequence[str],
    *,
    pool: Pool,
    marker: Marker = "any",
    explain: bool = False,
) -> Reply | Failure:
    """What comes back: what a dialogue says or, at its end, the verdict.

    Other problems say nothing or, to `explain` the verdict, why. Each reply comes from a worker
    with a deadline, so that a hostile message can neither hang nor crash the calling process.
    """
    if isinstance(problem, Dialogue):
        [reply] = pool.call_iter(respond, [(problem, messages)])
        return reply
    verify = pool.explain if explain else pool.judge
    [judged] = verify([(problem, messages[-1])], marker=marker)
    if isinstance(judged, Failure):
        return judged
    return Reply(judged.reason if isinstance(judged, Explanation) else "", judged)
