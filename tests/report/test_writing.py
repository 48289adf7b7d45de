"""write_report: a page of answers or a study, by what the data have, and final answers marked in the full text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim.report.writing import report_kind, write_report
from answersim.stats.resampling import Bootstrap

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("small_files")

GOLD = ["Rome", "Oslo", "Lima", "Bern"] * 10
ANSWERS: dict[str, list[Any]] = {
    "gold": GOLD,
    "pred": ["in Rome", "Bergen", "Lima", "I don't know"] * 10,
    "other": ["Rome", "Oslo", "Quito", "Bern"] * 10,
    "label": [1, 0, 1, None] * 10,
}


def test_a_page_of_answers_has_the_labels_of_the_table(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    line = write_report(ANSWERS, page, "recall", kind="answers", calibration="shipped", progress=False)
    assert line.endswith("40 answers)")
    html = page.read_text(encoding="utf-8")
    assert "By 30 human labels" in html
    assert "10 not attempted" in html
    assert "right of attempted, %" in html


def test_two_systems_are_a_page_of_answers_and_labels_a_study(tmp_path: Path) -> None:
    two = answersim.read_answers(ANSWERS, pred=["pred", "other"])
    assert report_kind(two) == "answers"
    assert report_kind(answersim.read_answers(ANSWERS)) == "study"
    assert report_kind(answersim.read_answers({name: ANSWERS[name] for name in ("gold", "pred")})) == "answers"
    data = {name: values[:3] * 10 for name, values in ANSWERS.items()}
    line = write_report(
        data, tmp_path / "study.html", ["f1", "recall"], bootstrap=Bootstrap(resamples=20), progress=False
    )
    assert line.endswith("30 pairs)")
    assert "f1" in (tmp_path / "study.html").read_text(encoding="utf-8")


def test_what_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="did you mean 'answers'"):
        write_report(ANSWERS, tmp_path / "page.html", kind="answer")
    with pytest.raises(ValueError, match=r"a name that ends in \.html"):
        write_report(ANSWERS, tmp_path / "page.txt")


def test_the_final_answer_is_marked_in_the_full_text(tmp_path: Path) -> None:
    preds = [f"<think>{gold}? No.</think> 😀 <b>The answer is {gold}.</b>" for gold in GOLD]
    preds[0] = "Rome"
    page = tmp_path / "page.html"
    write_report({"gold": GOLD, "pred": preds}, page, answersim.metric("em", extract="auto"), progress=False)
    html = page.read_text(encoding="utf-8")
    assert "<think>" not in html  # every text is escaped
    data = json.loads(html.partition('<script type="application/json" id="data">')[2].partition("</script>")[0])
    columns = {column["key"]: column for column in data["tables"]["answers"]["columns"]}
    full = columns["full"]
    assert full["mark"] == "answer"
    marked = {
        data["texts"][at].encode("utf-16-le")[2 * ends[0] : 2 * ends[1]].decode("utf-16-le")
        for at, ends in zip(full["at"], full["marks"], strict=True)
        if ends
    }
    assert all(any(gold in text for gold in GOLD) and "think" not in text for text in marked)
    assert len(marked) == 4
    assert columns["rule"]["choices"] == ["none", "final"] or columns["rule"]["choices"] == ["final", "none"]
