"""Every result has a sentence, tables and data, and they contain the same numbers."""

from __future__ import annotations

import json

import pytest

import rankers
from answersim.text_tables import TextTable
from rankers.evaluation.comparison import compare
from rankers.evaluation.results import Result, columns_of


def results() -> list[Result]:
    toy = rankers.data.load("toy", "dev")
    one, other = (
        rankers.evaluate(rankers.run(name, toy), toy, ["MAP", "P@1"], ["f1"]) for name in ("word-overlap", "random")
    )
    return [one, compare(one, other, "MAP"), rankers.data.leak(rankers.data.load("toy", "train"), toy)]


@pytest.mark.parametrize("result", results(), ids=lambda result: type(result).__name__)
def test_a_result_is_a_sentence_a_table_and_data(result: Result) -> None:
    pandas = pytest.importorskip("pandas")
    sentence = str(result)
    assert sentence == result.summary()
    assert "\n" not in sentence
    assert "object at" not in sentence
    content = json.loads(result.to_json())
    assert content["summary"] == sentence
    assert content["rows"] == json.loads(json.dumps(result.to_dict()["rows"]))
    assert list(result.to_pandas().columns) == list(content["rows"][0])
    assert isinstance(result.to_pandas(), pandas.DataFrame)
    assert r"\begin{tabular}" in result.to_latex()
    assert "| --- |" in result.to_markdown()
    assert "<table>" in result._repr_html_()
    first = result.tables()[0].rows[0]
    assert all(cell in result.to_text() and cell in result._repr_html_() for cell in first)


def test_an_evaluation_states_the_mean_and_its_interval_for_each_measure() -> None:
    evaluation = results()[0]
    row = evaluation.records()[0]
    assert f"MAP {row['value']:.3f} [{row['low']:.3f} .. {row['high']:.3f}]" in str(evaluation)
    assert str(evaluation).startswith("word-overlap on toy dev, 60 questions: ")


def test_columns_are_as_wide_as_needed_and_long_cells_are_truncated() -> None:
    text = columns_of([TextTable("title", ("a", "bb"), (("ccc", "d"), ("e" * 61, "f")))])
    assert text.splitlines() == ["title", f"a{' ' * 59}  bb", f"ccc{' ' * 57}  d", f"{'e' * 59}…  f"]
