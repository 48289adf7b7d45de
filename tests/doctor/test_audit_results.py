"""The forms of an audit."""

from __future__ import annotations

import json

import answersim

DATA = {"gold": ["Rome", "1/2"] * 20, "pred": ["Rome", "0.5"] * 20}
FOUND = answersim.audit("em", DATA, [1.0] * 40, attacked=1)


def test_the_summary_names_both_errors_and_the_attacks() -> None:
    lines = FOUND.summary()
    assert lines[0].startswith("em accepts - of the wrong answers and rejects 50.0 % [47.3, 52.7] of the right ones")
    assert "attacks" in lines[1]


def test_tables_records_and_json_have_the_rates() -> None:
    titles = [table.title for table in FOUND.tables()]
    assert titles[:4] == ["Errors of the verdicts", "Share of right answers", "Abstentions", "The same answers twice"]
    assert len(titles) == 6
    assert len(list(FOUND.tables(3))[4].rows) == 3
    (record,) = FOUND.records()
    assert (record["n"], record["labels"], record["false_negative"]) == (40, 40, 0.5)
    content = json.loads(FOUND.to_json())
    assert content["rates"][0]["rates"]["false_positive"]["value"] is None
    assert any("seconds for 1,000 answers" in line for line in FOUND.footer())
