"""The contract of ``compute_score`` of verl: row by row in threads of a worker, and in batches; dictionaries out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from answersim.integrations import verl


def test_a_row_is_a_dictionary_with_a_score() -> None:
    found = verl.compute_score("math", "#### 5", "5", {"index": 1}, metric="rules")
    assert found == {"score": 1.0, "acc": 1.0, "pred": "5", "verdict": "right", "scored": 1.0}


def test_an_unreadable_gold_answer_is_masked_and_never_none() -> None:
    found = verl.compute_score(data_source="x", solution_str="5", ground_truth=None, metric="rules", limit=6.0)
    assert (found["score"], found["scored"], found["verdict"]) == (0.0, 0.0, "unreadable")


def test_a_batch_has_the_keys_of_a_row() -> None:
    rows = verl.compute_score_batch(
        data_sources=["x"] * 2, solution_strs=["5", "6"], ground_truths=["5", ["5", "6.0"]], metric="rules"
    )
    assert [row["score"] for row in rows] == [1.0, 1.0]
    assert rows[0].keys() == verl.compute_score("x", "5", "5", metric="rules").keys()


def test_threads_of_a_worker_get_no_silent_zero() -> None:
    with ThreadPoolExecutor(8) as pool:  # verl PR 5635: every score was 0, because a signal failed in a thread
        found = list(pool.map(lambda i: verl.compute_score("x", str(i), str(i), metric="rules")["score"], range(50)))
    assert found == [1.0] * 50


def test_the_file_is_loaded_by_its_path() -> None:
    spec = spec_from_file_location("custom_module", verl.__file__)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.compute_score("x", "5", "5", metric="rules")["score"] == 1.0


def test_lists_of_different_lengths_are_an_error() -> None:
    with pytest.raises(ValueError, match="golds has 1"):
        verl.compute_score_batch(["x"], ["5", "6"], ["5"], metric="rules")
