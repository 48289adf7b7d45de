"""What a service has done, in the text format of Prometheus."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter

from answersim.integrations.serving.budget import Budget, Limits
from answersim.scoring.reward.results import RewardResult

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)  # seconds
_HELP = {
    "answersim_requests_total": ("counter", "Requests, by path and status."),
    "answersim_rows_total": ("counter", "Rows, by verdict."),
    "answersim_rows_by_stage_total": ("counter", "Rows, by the stage that decided."),
    "answersim_rows_waiting": ("gauge", "Rows of requests that are not answered yet."),
    "answersim_bytes_waiting": ("gauge", "Bytes that the texts and values of these requests take."),
    "answersim_request_seconds": ("histogram", "Seconds of answered requests."),
    "answersim_info": ("gauge", "The signature of the reward."),
}


class Counts:
    """Counters that threads share. ``budget``: what requests that are not answered yet take; nothing if None."""

    def __init__(self, signature: str, budget: Budget | None = None) -> None:
        self._lock = threading.Lock()
        self._totals: Counter[tuple[str, str]] = Counter()
        self._totals["answersim_info", f'signature="{_escaped(signature)}"'] = 1
        self._seconds = [0] * (len(BOUNDS) + 1)
        self._sum = 0.0
        self._budget = budget or Budget(Limits())

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        with self._lock:
            self._totals["answersim_requests_total", f'path="{_escaped(path)}",status="{status}"'] += 1
            self._seconds[bisect_left(BOUNDS, seconds)] += 1
            self._sum += seconds

    def rows(self, result: RewardResult) -> None:
        """Count the rows of a result."""
        with self._lock:
            for row in result:
                self._totals["answersim_rows_total", f'verdict="{row.verdict}"'] += 1
                self._totals["answersim_rows_by_stage_total", f'stage="{_escaped(row.stage)}"'] += 1

    def text(self) -> str:
        """Return all numbers. See the exposition format of Prometheus, version 0.0.4."""
        with self._lock:
            totals, seconds, total = dict(self._totals), list(self._seconds), self._sum
        gauges = {"answersim_rows_waiting": self._budget.rows, "answersim_bytes_waiting": self._budget.bytes}
        lines: list[str] = []
        for name, (kind, about) in _HELP.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
            lines += [
                f"{name}{{{labels}}} {n}" for (metric_name, labels), n in sorted(totals.items()) if metric_name == name
            ]
            lines += [f"{name} {gauges[name]}"] if name in gauges else []
            if kind == "histogram":
                reached = 0
                for bound, n in zip([*map(str, BOUNDS), "+Inf"], seconds, strict=True):
                    reached += n
                    lines.append(f'{name}_bucket{{le="{bound}"}} {reached}')
                lines += [f"{name}_sum {total:.6f}", f"{name}_count {reached}"]
        return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
