"""Pairs to train on: read, drawn, held out, and labeled by a teacher."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.catalog import lookup
from answersim.scoring.cache import ScoreCache
from answersim.training.data.pairs import (
    TrainingPair,
    draw_splits,
    limited,
    read_pairs,
    resplit,
    shared_texts,
    write_pairs,
)
from answersim.training.run.recipe import BaseRecipe
from answersim.training.run.training_input import TrainingInput, from_file, labeled
from answersim.types import Capabilities
from tests.cases import cases_of, every
from tests.training.made import put, rng

PAIRS = [
    TrainingPair("William Gates", "Bill Gates", 1.0, "train", "alias"),
    TrainingPair("None", "NA", None, "dev", "random", "Which word?"),
    TrainingPair('He said "no", twice', "null\nnull", 0.25, "test", "teacher:sas"),
    TrainingPair("北京", "Peking", 1.0),
]


@every("suffix", [".csv", ".tsv"])
def test_pairs_come_back_as_they_were_written(tmp_path, suffix):
    path = tmp_path / f"pairs{suffix}"
    write_pairs(PAIRS, path)
    assert read_pairs(path) == PAIRS


def test_the_papers_names_are_read_with_splits_and_sources(tmp_path):
    path = put(
        tmp_path / "n.csv", "name1,name2,score,split\nan ox,ox an,1.0,dev\nan ox,bo elk,0.0097,test\nan ox,,1,dev\n"
    )
    assert read_pairs(path) == [
        TrainingPair("an ox", "ox an", 1.0, "dev", "alias"),
        TrainingPair("an ox", "bo elk", 0.0097, "test", "teacher:sas"),
    ]


def test_the_papers_numbers_are_all_of_train(tmp_path):
    path = put(tmp_path / "n.csv", "number1,number2,score\n0,zero,1\n0,one,0\n")
    assert read_pairs(path) == [TrainingPair("0", "zero", 1.0), TrainingPair("0", "one", 0.0)]


@every(("text", "error"), cases_of(__file__)["a_bad_file_is_refused_with_its_line"])
def test_a_bad_file_is_refused_with_its_line(tmp_path, text, error):
    with pytest.raises(ValueError, match=error):
        read_pairs(put(tmp_path / "p.csv", text))


@every("pair", [PAIRS[0]._replace(label=2.0), PAIRS[0]._replace(second=""), PAIRS[0]._replace(split="all")])
def test_what_could_not_be_read_back_is_not_written(tmp_path, pair):
    path = tmp_path / "pairs.csv"
    write_pairs(PAIRS, path)
    with pytest.raises(ValueError, match=r"^pair 2: "):
        write_pairs([PAIRS[0], pair], path)
    assert read_pairs(path) == PAIRS


def test_a_text_in_two_splits_is_named():
    pairs = [*PAIRS, TrainingPair("x", "Peking", 0.0, "test"), TrainingPair("y", "Peking", 0.0, "dev")]
    assert not shared_texts(PAIRS)
    assert [*shared_texts(pairs)] == ["Peking"]


def test_pairs_are_taken_evenly_and_splits_are_drawn_by_their_shares():
    assert [pair.first for pair in limited([TrainingPair(name, "x", 1.0) for name in "abcdef"], 3)] == ["a", "c", "e"]
    assert Counter(draw_splits(10, rng=rng())) == {"train": 8, "dev": 1, "test": 1}


def test_texts_of_pairs_with_label_1_stay_in_one_split():
    chain = [TrainingPair(f"t{i}", f"t{i + 1}", 1.0, "test") for i in range(9)]
    loose = [TrainingPair(f"u{i}", f"u{i + 1}", 0.9) for i in range(9)]  # nearly one, but not one
    splits = Counter(pair.split for pair in resplit(chain, rng=rng()))
    assert list(splits.values()) == [9]
    assert len(resplit(loose, rng=rng())) < len(loose)


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.sampled_from([0.0, 0.5, 1.0, None])), max_size=30),
    st.integers(0, 9),
)
def test_after_a_resplit_no_text_is_in_two_splits_and_no_alias_is_lost(edges, seed):
    pairs = [TrainingPair(f"t{a}", f"t{b}", label) for a, b, label in edges]
    result = resplit(pairs, rng=rng(seed))
    assert not shared_texts(result)
    assert sum(pair.label == 1 for pair in result) == sum(pair.label == 1 for pair in pairs)


@pytest.mark.data
def test_the_papers_own_split_has_names_in_two_splits(data_home):
    pairs = read_pairs(data_home / "names" / "name_pairs_score_split.csv")
    assert len(pairs) == 39_593 - 4
    assert Counter(pair.split for pair in pairs) == {"train": 26_919, "dev": 7_127, "test": 5_543}
    assert len(shared_texts(pairs)) == 14_971
    anew = resplit(pairs, rng=rng())
    assert not shared_texts(anew)
    assert sum(pair.label == 1 for pair in anew) == 14_131 - 4
    assert len(anew) < len(pairs)


@dataclass(frozen=True)
class Teacher:
    """Score the length of the gold answer, in tenths, less one half. It lists the pairs of each call."""

    name: str = "length"
    calls: list[list[tuple[str, str]]] = field(default_factory=list, compare=False)
    capabilities = Capabilities(cost="model")

    @property
    def signature(self) -> str:
        return f"{self.name}|v:1"

    def __call__(self, pairs):
        self.calls.append([tuple(pair) for pair in pairs])
        return np.array([len(gold) / 10 - 0.5 for gold, _ in pairs])


def waiting(*firsts, split="train"):
    return [TrainingPair(first, "x", None, split) for first in firsts]


TEXTS = ["abcdefg", "abc", "a" * 20, "abcdefgh", "abcdefg"]  # scores .2, -.2, 1.5, .3, .2


@pytest.fixture
def label(tmp_path, monkeypatch, capsys):
    """Return what pairs become by a teacher, and what is printed; ``built`` is what its name stands for."""

    def labels(pairs, teacher, built=None):
        if built is not None:
            monkeypatch.setattr(lookup, "metric", lambda name: built)
        options = {"teacher": teacher, "cache": None, "output": tmp_path}
        return *labeled(TrainingInput(list(pairs), {}), options), capsys.readouterr().out

    return labels


def test_the_teachers_score_becomes_the_label_of_what_has_none_clipped_and_counted(label):
    stated = TrainingPair("Bill", "William", 1.0, "dev", "alias")
    pairs, metadata, lines = label([stated, *waiting(*TEXTS)], "length", Teacher())
    assert pairs[0] == stated
    assert [pair.label for pair in pairs[1:]] == pytest.approx([0.2, 0, 1, 0.3, 0.2])
    assert {pair.source for pair in pairs[1:]} == {"teacher:length"}
    assert metadata["teacher"] == {"signature": "length|v:1", "labeled": 5, "clipped": 2}
    assert "5 pairs labeled by length (4 scored now" in lines


@every("score", [float("nan"), float("inf")])
def test_a_score_that_is_not_finite_is_an_error_that_names_the_pair(label, tmp_path, score):
    class Broken(Teacher):
        def __call__(self, pairs):
            return np.array([0.5, score])

    with pytest.raises(ValueError, match=rf"the score of pair 2 \(gold 'bad', prediction 'x'\) is {score}"):
        label(waiting("good", "bad"), "broken", Broken())
    assert ScoreCache(tmp_path / "teacher-labels").info().scores == {}


INPUT_PAIRS = [TrainingPair(f"a {i}", f"b {i % 20}", (i % 3) / 2, ("train", "dev")[i % 2]) for i in range(60)]


def test_a_file_is_split_by_entity_or_keeps_its_split(tmp_path):
    path = tmp_path / "pairs.csv"
    write_pairs(INPUT_PAIRS, path)
    remaining = from_file(path, BaseRecipe(), keep_split=True)
    assert remaining.pairs == INPUT_PAIRS
    assert (remaining.metadata["split"], remaining.metadata["shared_texts"]) == ("as in the file", 0)
    again = from_file(path, BaseRecipe(seed=1))
    assert len(again.pairs) + again.metadata["left_out"] == len(INPUT_PAIRS)
    assert again.metadata["split"] == "by entity"
    assert again.metadata["files"] == remaining.metadata["files"]
    assert from_file(path, BaseRecipe(seed=1)) == again


def test_a_teacher_labels_all_but_1_and_by_default_only_unlabeled_pairs(label):
    pairs = [TrainingPair("a b", "c b", 1.0), TrainingPair("a b", "x", 0.4), TrainingPair("john a", "john b", None)]
    result, metadata, lines = label(pairs, "f1")
    assert [round(pair.label, 3) for pair in result] == [1, 0, 0.667]
    assert metadata["teacher"]["labeled"] == 2
    assert metadata["teacher"]["signature"].startswith("f1|")
    assert "2 pairs labeled by f1" in lines
    for teacher in ("recorded", None):
        assert label(pairs[:2], teacher)[:2] == (pairs[:2], {"teacher": "recorded"})
    with pytest.raises(ValueError, match="1 of 3 pairs have no recorded label"):
        label(pairs, "recorded")
