"""Details of lighteval: a file of samples and responses of lighteval 0.13.0, with two generations each."""

from pathlib import Path
from typing import Any

import pytest

from answersim.logs import lighteval

pyarrow = pytest.importorskip("pyarrow", reason="could not import 'pyarrow'")

WRITTEN = Path(__file__).parent / "data" / "lighteval-0.13.0.parquet"


def read(folder: Path, document: dict[str, Any], response: dict[str, Any]) -> list[dict[str, Any]]:
    import pyarrow.parquet

    path = folder / "details.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"doc": document, "model_response": response}]), path)
    return list(lighteval.rows(path))


def test_each_generation_is_a_row_with_the_processed_text_and_the_gold_choices():
    found = list(lighteval.rows(WRITTEN))
    assert [(row["id"], row["generation"], row["pred"]) for row in found] == [
        ("0", 0, "Rome"),  # without the reasoning
        ("0", 1, "It is Milan."),
        ("1", 0, "11"),
        ("1", 1, "eleven"),
    ]
    assert [row["gold"] for row in found] == [["Rome", "Roma"]] * 2 + [["eleven"]] * 2
    assert found[0]["question"] == "Which city is the capital of Italy?"
    assert found[2]["question"] == "How many players has a football team?"


def test_one_generation_needs_no_number_and_one_index_is_one_gold_answer(tmp_path):
    (row,) = read(tmp_path, {"query": "Who?", "choices": ["a", "b"], "gold_index": 1}, {"text": ["c"]})
    assert row == {"id": "1", "question": "Who?", "gold": ["b"], "pred": "c"}


def test_without_generated_text_there_is_no_answer(tmp_path):
    with pytest.raises(ValueError, match="row 1: there is no generated text, only log-likelihoods"):
        read(tmp_path, {"query": "Who?", "choices": ["a"], "gold_index": 0}, {"text": [], "logprobs": [-0.5]})
    with pytest.raises(ValueError, match="row 1: there must be an object with the field 'choices'"):
        read(tmp_path, {"query": "Who?"}, {"text": ["a"]})
