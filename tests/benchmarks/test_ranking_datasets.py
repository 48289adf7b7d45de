"""The settings of each corpus in the ranking benchmark fit the corpus and the recipes."""

from __future__ import annotations

from dataclasses import fields

from benchmarks.published import numbers
from benchmarks.ranking_datasets import DATASETS
from rankers import data
from rankers.evaluation import measures
from rankers.systems import catalog
from rankers.training.recipe import Recipe
from tests.cases import every


@every("name", DATASETS)
def test_test_splits_measures_and_overrides_exist(name: str) -> None:
    dataset = DATASETS[name]
    splits = data.corpora()[name].splits
    assert dataset.tests
    assert set(dataset.tests) <= set(splits)
    assert dataset.measures
    for measure in (*dataset.measures, dataset.dev_measure):
        measures.parse(measure)
    assert set(dataset.overrides) <= {setting.name for setting in fields(Recipe)}


def test_published_numbers_are_of_systems_of_the_catalog_and_of_known_sets_and_measures() -> None:
    ranked = {key for key in numbers() if not key[0].startswith(("squad", "nq-open", "germanquad", "tax"))}
    assert {system for _, _, system in ranked} <= set(catalog.names())
    found = {
        (system, measure)
        for dataset in DATASETS.values()
        for split in dataset.tests
        for system, measure in dataset.published_numbers(split)
        if measure in dataset.measures
    }
    assert found == {(system, measure) for _, measure, system in ranked}
    assert DATASETS["wikiqa"].published_numbers("test")["scan-rate-1", "MAP"] == 0.9164
    assert DATASETS["insuranceqa-mini"].published_numbers("test2")["addax", "P@1"] > 0
    assert DATASETS["toy"].published_numbers("test") == {}


def test_titles_differ() -> None:
    titles = [dataset.title for dataset in DATASETS.values()]
    assert len(set(titles)) == len(titles)


def test_nothing_is_trained_on_a_dataset_whose_dev_split_is_its_test() -> None:
    for name, dataset in DATASETS.items():
        assert not {"train", "dev"} & set(dataset.tests), name
