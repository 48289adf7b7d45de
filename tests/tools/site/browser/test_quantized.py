"""The metric of the page: the bi-encoder of the package on vectors that were stored before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import answersim
from tools.site.browser import answers, quantized

from .test_wordpieces import SMALL


@pytest.fixture
def started() -> Iterator[str]:
    digest = hashlib.sha256(b"weights").hexdigest()
    quantized.start(json.dumps(SMALL), digest, b"weights")
    yield digest
    quantized._metric = None


def stored(texts: list[str]) -> None:
    """Store a vector for each text: that of its number of tokens and of their sum."""
    ids = quantized.needed(texts)
    vectors = np.array([[len(key), sum(key)] for key in ids], dtype=np.float32)
    quantized.store(ids, memoryview(vectors.tobytes()))


def test_another_file_is_refused() -> None:
    with pytest.raises(ValueError, match="load the page again"):
        quantized.start(json.dumps(SMALL), "0" * 64, b"weights")


def test_a_metric_that_was_not_loaded_names_the_remedy() -> None:
    with pytest.raises(LookupError, match="choose the metric again"):
        quantized.metric()


def test_the_scores_are_cosines_of_the_stored_vectors(started: str) -> None:
    stored(["a", "a ?"])
    scores = answersim.score(["a", "a"], ["a", "a ?"], quantized.metric())
    one, other = np.array([3.0, 10.0]), np.array([4.0, 18.0])
    cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert scores.values.tolist() == pytest.approx([1, cosine], abs=1e-12)
    assert (
        scores.signature == f"bi-encoder|encoder:all-MiniLM-L6-v2@{started[:12]}/int8|pooling:mean|max_length:256|rev:1"
    )


def test_only_texts_without_a_vector_are_needed_and_the_shortest_come_first(started: str) -> None:
    stored(["a"])
    assert quantized.needed(["a ? a", "a", "a ?", "A?"[1:]]) == [[1, 8, 2], [1, 7, 8, 2], [1, 7, 8, 7, 2]]


def test_a_text_without_a_vector_is_an_error(started: str) -> None:
    with pytest.raises(LookupError, match="2 texts have no vector"):
        answersim.score(["a"], ["a"], quantized.metric())


def test_truncated_texts_are_counted(started: str) -> None:
    long = "a " * 300
    stored([long, "a"])
    with pytest.warns(UserWarning, match="1 texts were longer"):
        answersim.score(["a"], [long], quantized.metric())


def test_a_table_is_scored_without_verdicts_and_systems_are_compared(started: str) -> None:
    request: dict[str, Any] = {"text": "gold,x,y\na,a,a ?\n?,a,?\nrun,run,runn\n", "header": True, "gold": "gold"}
    request |= {"preds": ["x", "y"], "question": None, "split_gold": None, "lang": "de", "metric": quantized.NAME}
    request["metrics"] = ["em"]
    ids = json.loads(answers.call("encoded", json.dumps(request)))["ids"]
    assert ids == [[1, 4, 2], [1, 7, 2], [1, 8, 2], [1, 4, 6, 2], [1, 7, 8, 2]]
    stored(["a", "?", "run", "runn", "a ?"])
    result = json.loads(answers.call("evaluated", json.dumps(request)))
    assert "error" not in result, result
    header, *rows = result["csv"].splitlines()
    assert header == "gold,x,y,bi-encoder (8-bit) of x,em of x,bi-encoder (8-bit) of y,em of y"
    assert [row.split(",")[3] for row in rows] == ["1.0", rows[1].split(",")[3], "1.0"]
    assert result["signatures"][0] == quantized.metric().signature
    assert len(result["comparisons"]) == 1
    assert result["numbers"]["evaluation"]["signature"] == quantized.metric().signature
