"""The forms of an examination: tables, JSON, Markdown, LaTeX, HTML."""

import json
import math
from typing import Any

import pytest

from answersim.evaluation.doctor.results import AttackRow, DoctorReport, KindRow, MetricReport, Misordered, holds
from answersim.metrics.testing.properties import Finding
from answersim.stats.resampling import Estimate
from tests.cases import every

NOTHING = math.nan


def diagnosis(name: str, **more: Any) -> MetricReport:
    return MetricReport(
        **{
            "name": name,
            "signature": f"{name}|v:1",
            "reads_questions": False,
            "kinds": (
                KindRow("all", 1000, Estimate(0.75, 0.5, 0.9), 0.1),
                KindRow("date", 3, Estimate(1.0, NOTHING, NOTHING), 0.0),
            ),
            "findings": (
                Finding("batch", "a pair alone scores as in a batch", False, 12, 3, 0.25, "('a<b>', 'c') has 1 and 2"),
                Finding("order", "the order does not matter", True, 12),
                Finding("references, best", "the best one counts", None, detail="one only"),
                Finding("range", "all scores are from 0 to 1", True, 9, 0, 0.0, "0 to 1"),
            ),
            "threshold": 0.5,
            "threshold_origin": "a test",
            "attacks": (AttackRow("empty answer", 60, Estimate(0.0, 0.0, 0.06), ""),),
            "worst": (Misordered("date", "en-date-001", "When?", "1865", "in 1865", "1856", 0.25, 0.75),),
            "seconds": 1.5,
            **more,
        }
    )


EXAMINATION = DoctorReport(
    (diagnosis("one"), diagnosis("two", findings=(), attacks=(), worst=())),
    {"language": "en", "part": "dev", "level": 0.95, "tolerance": 1e-4},
)


def test_tables_have_a_column_per_metric():
    kinds, properties, broken, attacks, worst = EXAMINATION.tables()
    assert kinds.header == ("kind", "pairs", "one", "two")
    assert kinds.rows[0] == ("all", "1,000", "0.75 [0.50, 0.90]", "0.75 [0.50, 0.90]")
    assert kinds.rows[1] == ("date", "3", "1.00", "1.00")
    assert properties.rows == (
        ("batch", "no: 3 of 12, 0.250", "-"),
        ("order", "yes", "-"),
        ("references, best", "-", "-"),
        ("range", "yes: 0 to 1", "-"),
    )
    assert broken.rows == (("one", "batch", "('a<b>', 'c') has 1 and 2"),)
    assert attacks.rows == (("empty answer", "60", "0.00 [0.00, 0.06]", "-"),)
    assert attacks.notes == ("one: accepted from 0.5 on (a test)",)
    assert worst.rows == (("one", "date", "1865", "in 1865", "0.250", "1856", "0.750"),)


def test_what_is_not_there_has_no_table():
    titles = [table.title for table in DoctorReport((diagnosis("x", findings=(), attacks=(), worst=()),)).tables()]
    assert titles == ["Minimal pairs in the right order", "Properties"]
    assert len(list(EXAMINATION.tables(worst=0))) == 4


def test_json_is_plain_and_has_no_nan():
    content = json.loads(EXAMINATION.to_json())
    assert content["settings"]["part"] == "dev"
    first = content["metrics"][0]
    assert first["kinds"][1]["ordered"] == {"value": 1.0, "low": None, "high": None}
    assert first["findings"][0]["largest"] == 0.25
    assert first["worst"][0]["different"] == "1856"
    assert "NaN" not in EXAMINATION.to_json()


def test_markdown_latex_and_html_escape_texts():
    assert "('a&lt;b>', 'c')" in EXAMINATION.to_markdown()
    assert str(EXAMINATION) == EXAMINATION.to_markdown()
    assert r"\toprule" in EXAMINATION.to_latex()
    assert "a&lt;b&gt;" in EXAMINATION._repr_html_()
    assert "one|v:1" in EXAMINATION.to_latex()


def test_metrics_and_findings_are_found_by_name():
    assert EXAMINATION["one"].finding("batch").broken == 3
    assert repr(EXAMINATION) == "DoctorReport(one 0.750, two 0.750)"
    with pytest.raises(LookupError, match="did you mean 'one'"):
        EXAMINATION["oen"]
    with pytest.raises(LookupError, match="no property"):
        EXAMINATION["one"].finding("gone")


def test_records_are_flat():
    assert EXAMINATION.records()[0] == {
        **{"metric": "one", "kind": "all", "n": 1000, "ordered": 0.75, "low": 0.5, "high": 0.9, "tied": 0.1}
    }


@every(
    ("finding", "text"),
    [
        (Finding("no pairs", "", False, 1, 1), "no: 1 of 1"),
        (Finding("batch", "", False, 2, 1, 3e-4), "no: 1 of 2, 3e-04"),
        (Finding("range", "", False, 9, 2, 1.0, "-1 to 1"), "no: -1 to 1"),
    ],
)
def test_a_finding_in_a_few_words(finding, text):
    assert holds(finding) == text
