"""The settings of each corpus in the ranking benchmark fit the corpus and the recipes."""

from __future__ import annotations

from dataclasses import fields

from benchmarks.ranking_datasets import DATASETS
from rankers import data
from rankers.evaluation import measures
from rankers.training.recipe import Recipe
from tests.benchmarks.programs import invoke, message
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


def test_titles_differ() -> None:
    titles = [dataset.title for dataset in DATASETS.values()]
    assert len(set(titles)) == len(titles)


def test_help_names_the_datasets_that_were_never_run() -> None:
    from benchmarks.ranking import UNTRIED

    assert set(UNTRIED) == {name for name in DATASETS if not data.corpora()[name].tried}
    assert {"asnq", "msmarco", "yahooqa", "insuranceqa", "selqa-full", "antique-full", "fiqa"} == set(UNTRIED)
    assert "Never run on the published files here:" in message(invoke("ranking", "--help"))


def test_nothing_is_trained_on_a_dataset_whose_dev_split_is_its_test() -> None:
    for name, dataset in DATASETS.items():
        if dataset.trains:
            assert not {"train", "dev"} & set(dataset.tests), name
