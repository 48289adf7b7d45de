"""What can be examined: names, metrics, functions, "module:function", the other libraries of the page."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.evaluation.doctor.subject import as_subject
from answersim.metrics.testing import properties
from answersim.types import Pair
from tests.cases import every

PAIRS = [Pair("Rome", "in Rome"), Pair("Rome", "Milan")]


def overlap(golds: list[str], preds: list[str]) -> list[float]:
    return [float(gold in pred) for gold, pred in zip(golds, preds, strict=True)]


def test_a_name_is_the_metric_of_the_catalog():
    subject = as_subject("recall")
    assert (subject.name, subject.signature) == ("recall", answersim.metric("recall").signature)
    assert subject(PAIRS).tolist() == [1.0, 0.0]
    assert subject.scores([["Milan", "Rome"]], ["Rome"]).tolist() == [1.0]


def test_a_built_metric_and_a_function_are_accepted():
    assert as_subject(answersim.metric("f1"), "mine").name == "mine"
    assert as_subject(overlap).name == "overlap"
    assert as_subject(overlap)(PAIRS).tolist() == [1.0, 0.0]


def test_a_function_with_questions_gets_them_by_name():
    stated: list[Any] = []

    def judge(golds: list[str], preds: list[str], questions: list[str] | None) -> Any:
        stated.append(questions)
        return np.zeros(len(golds))

    subject = as_subject(judge)
    assert subject.reads_questions
    subject(PAIRS, ["Where?", ""])
    subject(PAIRS)
    assert stated == [["Where?", ""], None]
    assert not as_subject(overlap).reads_questions


def test_a_function_is_found_in_a_module_of_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "my_metric_of_a_test.py").write_text(
        "class Metrics:\n"
        "    @staticmethod\n"
        "    def same(golds, preds):\n"
        "        return [g == p for g, p in zip(golds, preds)]\n"
        "number = 5\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    subject = as_subject("my_metric_of_a_test:Metrics.same")
    assert subject([Pair("a", "a"), Pair("a", "b")]).tolist() == [1.0, 0.0]
    assert subject.signature == "my_metric_of_a_test:Metrics.same"
    with pytest.raises(LookupError, match=r"'Metric'; did you mean 'Metrics'"):
        as_subject("my_metric_of_a_test:Metric")
    with pytest.raises(TypeError, match="it must be a function"):
        as_subject("my_metric_of_a_test:number")


@every(
    ("subject", "error", "message"),
    [
        ("gone", LookupError, "no metric is called 'gone'"),
        ("gone_module:f", LookupError, "no module that can be imported"),
        ("autoevals:", LookupError, "write module:function"),
        (":f", LookupError, "write module:function"),
        (5, TypeError, "a metric to examine is 5"),
    ],
)
def test_what_cannot_be_examined_is_an_error(subject, error, message):
    with pytest.raises(error, match=message):
        as_subject(subject)


def pasted(block: int, **names: Any) -> dict[str, Any]:
    """Run a block of the section on other libraries of docs/choosing.md, and return all names after that."""
    page = (Path(__file__).parents[3] / "docs/choosing.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"^## Metrics of other libraries\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    exec(compile(re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[block], "docs", "exec"), names)
    return names


def test_rouge_score_as_on_the_page():
    subject = as_subject(pasted(0)["rouge_l"])
    assert subject([Pair("red fox", "red bear"), Pair("red fox", "red fox")]).tolist() == [0.5, 1.0]


@pytest.mark.filterwarnings("ignore")
def test_bert_score_as_on_the_page_fails_on_an_empty_answer(tiny):
    """The fault that docs/choosing.md lists. Its scores do not depend on the batch."""
    pytest.importorskip("bert_score")
    subject = as_subject(pasted(1, MODEL=str(tiny("bert")), LAYER=2)["bert_f1"])
    same, other = subject([Pair("cortex", "cortex"), Pair("cortex", "eleven")])
    assert other < same == pytest.approx(1.0, abs=1e-5)
    assert properties.batch(subject, [*PAIRS, Pair("eleven", "11")], None, 1e-4).holds
    with pytest.raises(AttributeError):
        subject([Pair("Rome", "")])
