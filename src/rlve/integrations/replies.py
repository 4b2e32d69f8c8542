"""A conversation with a problem, for libraries that ask turn by turn.

    reply = reply_to(problem, messages, pool=pool)      to the last of the model's messages

The messages are the whole state: the caller keeps them, in whatever way its library keeps what was
said. A problem that does not answer back ends with its first message.
"""

from collections.abc import Sequence

from rlve.answers import Marker
from rlve.contract import Problem
from rlve.dialogue import Dialogue, Reply, respond
from rlve.pool import Failure, Pool


def reply_to(
    problem: Problem,
    messages: Sequence[str],
    *,
    pool: Pool,
    marker: Marker = "any",
) -> Reply | Failure:
    """What comes back: what a dialogue says or, at its end, the verdict.

    Other problems say nothing. Each reply comes from a worker with a deadline, so that a hostile
    message can neither hang nor crash the calling process.
    """
    if isinstance(problem, Dialogue):
        [reply] = pool.call_iter(respond, [(problem, messages)])
        return reply
    [judged] = pool.judge([(problem, messages[-1])], marker=marker)
    return judged if isinstance(judged, Failure) else Reply("", judged)
