"""The settings of each corpus in the ranking benchmark fit the corpus and the recipes."""

from __future__ import annotations

from dataclasses import fields

import pytest

from benchmarks.ranking_datasets import DATASETS
from rankers import data
from rankers.evaluation import measures
from rankers.training.recipe import Recipe


@pytest.mark.parametrize("name", DATASETS)
def test_test_splits_measures_and_overrides_exist(name: str) -> None:
    dataset = DATASETS[name]
    splits = data.corpora()[name].splits
    assert dataset.tests
    assert set(dataset.tests) <= set(splits)
    assert dataset.measures
    for measure in (*dataset.measures, dataset.dev_measure):
        measures.parsed(measure)
    assert set(dataset.overrides) <= {setting.name for setting in fields(Recipe)}


def test_titles_differ() -> None:
    titles = [dataset.title for dataset in DATASETS.values()]
    assert len(set(titles)) == len(titles)
