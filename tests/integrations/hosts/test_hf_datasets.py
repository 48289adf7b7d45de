"""Datasets of Hugging Face: in memory, in two processes, streamed."""

import pytest

import answersim
from answersim.integrations import hf_datasets as integration
from tests.integrations.hosts.engines import METRICS, check, rows

datasets = pytest.importorskip("datasets", reason="could not import 'datasets'")

IN_MEMORY = {"load_from_cache_file": False, "keep_in_memory": True, "batch_size": 7}


@pytest.fixture(autouse=True)
def _quiet():
    datasets.disable_progress_bars()


def test_each_row_has_its_scores():
    given = rows()
    scored = integration.score(datasets.Dataset.from_list(given), METRICS, gold="golds", mapping=IN_MEMORY)
    check(scored, given)
    assert scored.column_names == ["id", "golds", "pred", "kept", *METRICS]


def test_a_streamed_dataset_has_its_scores():
    given = rows()
    stream = datasets.Dataset.from_list(given).to_iterable_dataset(num_shards=3)
    check(integration.score(stream, METRICS, gold="golds", mapping={"batch_size": 7}), given)


def test_verdicts_are_those_of_score():
    data = datasets.Dataset.from_dict({"gold": ["Rome", "eleven"], "pred": ["Rome", "12"]})
    scored = integration.score(data, ["f1"], verdicts=True, mapping=IN_MEMORY)
    expected = answersim.score(["Rome", "eleven"], ["Rome", "12"], "f1", calibration="shipped").verdicts.tolist()
    assert list(scored["f1_verdict"]) == expected


@pytest.mark.slow
def test_two_processes_give_the_same_scores():
    given = rows()
    mapping = {"num_proc": 2, "load_from_cache_file": False}
    check(integration.score(datasets.Dataset.from_list(given), METRICS, gold="golds", mapping=mapping), given)
