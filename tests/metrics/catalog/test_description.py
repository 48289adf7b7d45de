"""What is known of a metric without scoring."""

from __future__ import annotations

import answersim
from answersim.metrics.catalog import lookup
from answersim.metrics.catalog.description import SHOWN, description, overview


def test_every_metric_is_described_by_its_entry() -> None:
    for name in answersim.names():
        found, entry = description(name), lookup.entry(name)
        assert (found["metric"], found["computes"], found["source"]) == (name, entry.summary, entry.source)
        assert found["options"] == (", ".join(lookup.options_of(name)) or "none")
        assert ("weights" in found) == (entry.kind == "neural")
        if not found["signature"].startswith("not available here: "):  # as on a machine without the extra 'embedded'
            assert found["signature"] == answersim.metric(name).signature


def test_the_overview_begins_with_the_usual_metrics_and_lists_all() -> None:
    rows = overview().rows
    names = [row[0] for row in rows]
    assert tuple(names[: len(SHOWN)]) == SHOWN
    assert len(set(names)) == len(names)
    assert set(answersim.names()) <= set(names)
    assert all(row[2] == lookup.entry(row[0]).summary for row in rows if row[0] in answersim.names())
