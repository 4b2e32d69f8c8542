"""`rlve serve` as a trainer sees it: a pool and a stream on another machine.

    with RemotePool("http://gym:8000", token=...) as pool:
        pool.judge([(problem, output), ...])            and everything else rlve.Pool does

    stream = RemoteStream("http://gym:8000", ["C16"], group=16, seed=0)
    gym = rlve.Gym(group=16, pool=pool, source=stream)  the gym that every trainer uses

A request without an answer is sent again with the same key, so that nothing is lost, drawn twice
or counted twice.
"""

from rlve.server.remote_pool import RemotePool
from rlve.server.remote_stream import RemoteStream

__all__ = ["RemotePool", "RemoteStream"]
