"""What a server has done so far, in the format of Prometheus."""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from typing import Final

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
Labels = tuple[tuple[str, str], ...]


class Counters:
    """Counts and times; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def add(self, name: str, count: int = 1, **labels: str) -> None:
        with self._lock:
            self._counts[name, tuple(sorted(labels.items()))] += count

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """Count a request that has been answered."""
        with self._lock:
            self._counts["rlve_requests_total", (("route", route), ("status", str(status)))] += 1
            buckets = self._buckets.setdefault(route, [0] * (len(SECONDS) + 1))
            buckets[bisect_left(SECONDS, seconds)] += 1
            self._seconds[route] = self._seconds.get(route, 0.0) + seconds

    def text(self, gauges: Mapping[str, float]) -> str:
        """All counts and times, in the text format of Prometheus."""
        with self._lock:
            lines: list[str] = []
            for (name, labels), count in sorted(self._counts.items()):
                if (kind := f"# TYPE {name} counter") not in lines:
                    lines.append(kind)
                lines.append(f"{name}{_labels(labels)} {count}")
            lines.append("# TYPE rlve_request_seconds histogram")
            for route, buckets in sorted(self._buckets.items()):
                so_far = 0
                for limit, count in zip((*map(str, SECONDS), "+Inf"), buckets, strict=True):
                    so_far += count
                    at_most = _labels((("route", route), ("le", limit)))
                    lines.append(f"rlve_request_seconds_bucket{at_most} {so_far}")
                named = _labels((("route", route),))
                lines.append(f"rlve_request_seconds_sum{named} {self._seconds[route]:.6f}")
                lines.append(f"rlve_request_seconds_count{named} {so_far}")
        for name, value in gauges.items():
            lines += [f"# TYPE {name} gauge", f"{name} {value:g}"]
        return "\n".join(lines) + "\n"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    inside = ",".join(f'{name}="{_escape(value)}"' for name, value in labels)
    return f"{{{inside}}}"


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
