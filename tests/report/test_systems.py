"""The page of an evaluation: the decision first, every text escaped, the numbers those of the evaluation."""

import json
import re
from html import unescape
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="needs the extra `report`")
pytest.importorskip("jinja2", reason="needs the extra `report`")

from answersim.calibration.verdicts import ANSWER_VERDICTS
from answersim.evaluation.human_labels import SystemLabels
from answersim.evaluation.systems import evaluate
from answersim.report.gathering import answers_of
from answersim.report.rendering import PageSettings
from answersim.report.systems import systems_page
from tests.report.pages import read
from tests.report.test_page import EVIL

pytestmark = pytest.mark.usefixtures("small_files")

N = 80


def data(*systems: str) -> dict[str, Any]:
    """Return made answers: the k-th system is wrong on every (3 + 3k)-th question. One text of each kind is evil."""
    golds: list[Any] = [f"red stone {i}" for i in range(N)]
    table: dict[str, Any] = {"gold": golds, "question": [f"what is {i}?" for i in range(N)]}
    for k, system in enumerate(systems):
        table[system] = [f"a red stone {i}" if i % (3 + 3 * k) else "brick" for i in range(N)]
        table[system][3] = EVIL
    golds[4] = [EVIL, "red stone 4"]
    table["question"][5] = EVIL
    return table


SETTINGS = PageSettings(command=f"answersim '{EVIL}'", metadata={"file": EVIL})


def evaluated(*systems: str, metric: str = "recall", **how: Any) -> Any:
    given: dict[str, Any] = {"question": "question", "keep": ANSWER_VERDICTS}
    return evaluate(data(*systems), metric, pred=list(systems), **(given | how))


@pytest.fixture(scope="module")
def two() -> tuple[Any, str]:
    evaluation = evaluated("old <b>", "new", by=["length"])
    return evaluation, systems_page(evaluation, settings=SETTINGS)


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", re.sub(r"<(script|style|svg).*?</\1>", "", html, flags=re.DOTALL)))


def test_the_first_screen_of_one_system_is_the_sentence_and_one_figure():
    evaluation = evaluated("mine")
    opening = systems_page(evaluation).partition("<nav")[0]
    row = evaluation.row("mine")
    assert f'<p class="lead">{row.right} of 80 right, ' in opening
    assert f"{row.wrong} wrong, {row.unsure} unsure." in opening
    assert opening.count("<svg") == 1


def test_two_systems_are_compared_first(two):
    evaluation, html = two
    opening = text_of(html.partition("<nav")[0])
    assert re.search(r"new is better than old <b>: \+\d+\.\d points \[\+", opening)
    for sentence in evaluation.summary():
        assert f"{sentence}." in opening


def test_of_three_systems_the_best_and_its_rivals_are_named():
    text = " ".join(text_of(systems_page(evaluated("first", "second", "third"))).split())
    assert "third has the highest share right. Not distinguishable from it: second." in text


def test_no_text_becomes_a_tag(two):
    rows = read(two[1])
    assert len(rows.scripts) == 2
    assert {"b", "i", "img"} & {tag for tag, _ in rows.tags} == set()
    assert all("onload" not in attributes for _, attributes in rows.tags)
    held = json.loads(rows.scripts[0])
    assert {EVIL, f"{EVIL} | red stone 4", f"red stone 4 | {EVIL}"} & set(held["texts"])
    assert EVIL in "".join(rows.text)


def test_nothing_is_requested_and_references_are_inside(two):
    rows = read(two[1])
    ids = {attributes.get("id") for _, attributes in rows.tags}
    for tag, attributes in rows.tags:
        for name in ("src", "href", "action", "xlink:href"):
            value = attributes.get(name)
            if value is None or (tag == "a" and "download" in attributes and value.startswith("data:")):
                continue
            assert value.startswith("#"), (tag, value)
            assert tag != "a" or value[1:] in ids
    ours = [each["id"] for tag, each in rows.tags if each.get("id") and tag in ("section", "div", "input", "select")]
    assert len(ours) == len(set(ours))


def test_the_tables_show_the_numbers_of_the_evaluation(two):
    evaluation, html = two
    for row in evaluation.rows:
        value = f"{100 * row.share.value:.1f} %"
        interval = f'<small class="interval">[{100 * row.share.low:.1f}, {100 * row.share.high:.1f}]</small>'
        assert f"{value} {interval}" in html or np.isnan(row.share.low)
    held = json.loads(read(html).scripts[0])
    assert held["tables"]["answers"]["n"] == 2 * N
    assert "nan" not in text_of(html)


def test_subsets_are_shown_for_each_system(two):
    assert two[1].count("<h2>By subset</h2>") == 1
    assert two[1].count("on the same scale for all systems") >= 2


def test_labels_give_a_share_and_a_plan():
    evaluation = evaluated("mine")
    answers = answers_of(evaluation)
    right = (answers.verdicts["mine"] == "right").astype(float)
    right[:3] = 1 - right[:3]
    labels = np.where(np.arange(N) % 2 == 0, right, np.nan)
    html = systems_page(evaluation, answers._replace(labels={"mine": SystemLabels(labels)}))
    assert re.search(r"By 40 human labels and the scores of all answers, \d+ % \[\d+, \d+\] are right\.", html)
    assert '<section id="certainty">' in html
    assert "by labels, %" in html


def test_too_few_labels_are_noted():
    evaluation = evaluated("mine")
    labels = np.where(np.arange(N) < 5, 1.0, np.nan)
    html = systems_page(evaluation, answers_of(evaluation)._replace(labels={"mine": SystemLabels(labels)}))
    assert "5 answers of mine have a label, but an estimate of its share of right answers needs at least 10" in html
    assert '<section id="certainty">' not in html


def test_without_a_calibration_there_is_a_page_with_means():
    evaluation = evaluated("mine", metric="bleu")
    html = systems_page(evaluation)
    assert f"mean bleu {evaluation.row().mean.value:.3f} [" in html
    assert "not counted as right or wrong" in html
    assert "no calibration ships for bleu" in html
    assert "Single answers are not shown" in html
    assert "nan" not in text_of(html)


def test_one_answer_and_equal_systems_are_pages_too():
    one = {"gold": ["Rome"], "a": ["Rome"], "b": ["Rome"]}
    evaluation = evaluate(one, "recall", pred=["a", "b"], keep=ANSWER_VERDICTS)
    html = systems_page(evaluation)
    assert "1 of 1 right" in html
    assert systems_page(evaluation) == html
    same = {"gold": ["Rome"] * 20, "a": ["Rome"] * 20, "b": ["Rome"] * 20}
    html = systems_page(evaluate(same, "recall", pred=["a", "b"], keep=ANSWER_VERDICTS))
    assert "b is not distinguishable from a" in html
    assert "No answer changed" in html


def test_an_evaluation_without_all_answers_is_refused():
    with pytest.raises(ValueError, match="but a report shows all of them"):
        systems_page(evaluated("mine", keep=("wrong",)))
