"""Every result has a sentence, tables and data, and they contain the same numbers."""

from __future__ import annotations

import json

import pytest

import rankers
from answersim._base.text_tables import Result
from rankers.evaluation.comparison import compare


def results() -> list[Result]:
    toy = rankers.data.load("toy", "dev")
    first, second = (
        rankers.evaluate(rankers.run(name, toy), toy, ["MAP", "P@1"], ["f1"]) for name in ("word-overlap", "random")
    )
    return [first, compare(first, second, "MAP"), rankers.data.leak(rankers.data.load("toy", "train"), toy)]


@pytest.mark.parametrize("result", results(), ids=lambda result: type(result).__name__)
def test_a_result_is_a_sentence_a_table_and_data(result):
    pandas = pytest.importorskip("pandas")
    sentence = str(result)
    assert [sentence] == result.summary()
    assert "\n" not in sentence
    assert "object at" not in sentence
    content = json.loads(result.to_json())
    assert content["summary"] == [sentence]
    assert list(result.to_pandas().columns) == list(result.records()[0])
    assert isinstance(result.to_pandas(), pandas.DataFrame)
    assert r"\begin{tabular}" in result.to_latex()
    assert "| --- |" in result.to_markdown()
    assert "<table>" in result._repr_html_()
    first = next(iter(result.tables())).rows[0]
    assert all(cell in result.to_markdown() and cell in result._repr_html_() for cell in first)


def test_an_evaluation_states_the_mean_and_its_interval_for_each_measure():
    evaluation = results()[0]
    row = evaluation.records()[0]
    assert f"MAP {row['value']:.3f} [{row['low']:.3f} .. {row['high']:.3f}]" in str(evaluation)
    assert str(evaluation).startswith("word-overlap on toy dev, 60 questions: ")
