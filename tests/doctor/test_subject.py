"""What can be examined: names, metrics, functions, "module:function", other libraries."""

import sys
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.doctor.subject import ADAPTERS, as_subject
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
    given: list[Any] = []

    def judge(golds: list[str], preds: list[str], questions: list[str] | None) -> Any:
        given.append(questions)
        return np.zeros(len(golds))

    subject = as_subject(judge)
    assert subject.reads_questions
    subject(PAIRS, ["Where?", ""])
    subject(PAIRS)
    assert given == [["Where?", ""], None]
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
        ("autoevals:", LookupError, "no metric of autoevals"),
        (":f", LookupError, "write module:function"),
        (5, TypeError, "a metric to examine is 5"),
        ("autoevals:Levenshtein,x", ValueError, "'x' is not a setting"),
    ],
)
def test_what_cannot_be_examined_is_an_error(subject, error, message):
    with pytest.raises(error, match=message):
        as_subject(subject)


@pytest.mark.parametrize("library", ADAPTERS)
def test_a_library_that_is_missing_is_named_with_the_line_that_installs_it(library, monkeypatch):
    import importlib

    adapter = importlib.import_module(f"answersim.doctor.adapters.{library}")
    packages = {"haystack": "haystack.components.evaluators", "torchmetrics": "torchmetrics.text"}
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, packages.get(library, library), None)
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setitem(sys.modules, "datasets", sys)  # evaluate needs it too
    known = {"torchmetrics": "SQuAD", "evaluate": "exact_match", "bert_score": "f1,model_type=x"}
    known |= {"haystack": "AnswerExactMatchEvaluator", "ragas": "ExactMatch", "deepeval": "ExactMatchMetric"}
    known |= {"autoevals": "Levenshtein", "qa_metrics": "em_match", "sentence_transformers": "CrossEncoder,model=x"}
    with pytest.raises(ModuleNotFoundError, match=f"pip install '{adapter.INSTALL}'"):
        as_subject(f"{library}:{known[library]}")
