"""What can be trained on: the train split where there is one, never a test split."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankers import data
from rankers.data.trainable import trainable


def test_a_corpus_with_a_train_split_is_trained_on_by_it() -> None:
    assert trainable("toy") == (data.load("toy", "train"), data.load("toy", "dev"))
    assert trainable("toy", seed=3)[0] == data.load("toy", "train", seed=3)


@pytest.mark.data
def test_a_dev_split_without_a_train_split_is_parted_and_each_question_is_in_one_part(data_home: Path) -> None:
    train, dev = trainable("selqa")
    whole = data.load("selqa", "dev")
    assert dev.items == whole.items[::8]
    assert sorted(train.items + dev.items) == sorted(whole.items)
    assert len(train) + len(dev) == len(whole) == 785
    assert (train.corpus, train.split, dev.split) == ("selqa", "dev-as-train", "dev-as-dev")
    assert train.notes[-1] == "seven of eight questions of the dev split: selqa has no train split"


def test_what_has_only_a_test_split_is_refused() -> None:
    with pytest.raises(LookupError, match="trecdl19 has no split to be trained on, only test"):
        trainable("trecdl19")
    with pytest.raises(LookupError, match="no corpus is called 'toi'; did you mean 'toy'"):
        trainable("toi")


def test_what_is_not_in_the_data_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="selqa"):
        trainable("selqa", home=tmp_path)
