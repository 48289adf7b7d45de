from dataclasses import dataclass, field

import numpy as np
import pytest

from answersim.scoring.cache import ScoreCache, key
from answersim.training.data.pairs import TrainingPair
from answersim.training.data.teacher_labels import label
from answersim.types import Capabilities
from tests.cases import every


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


def test_the_teachers_score_becomes_the_label_of_what_has_none_clipped_and_counted(tmp_path):
    given = TrainingPair("Bill", "William", 1.0, "dev", "alias")
    labels = label([given, *waiting(*TEXTS)], tmp_path, Teacher())
    assert labels.pairs[0] == given
    assert [pair.label for pair in labels.pairs[1:]] == pytest.approx([0.2, 0, 1, 0.3, 0.2])
    assert {pair.source for pair in labels.pairs[1:]} == {"teacher:length"}
    assert (labels.labeled, labels.computed, labels.clipped) == (5, 4, 2)
    assert labels.signature == "length|v:1"


def test_a_teacher_that_is_a_name_is_built_from_the_catalog(tmp_path):
    labels = label([TrainingPair("the NFL", "NFL", None), TrainingPair("a b", "b c", None)], tmp_path, "f1")
    assert labels.pairs[0] == TrainingPair("the NFL", "NFL", 1.0, "train", "teacher:f1")
    assert labels.pairs[1].label == pytest.approx(2 / 3)  # the article "a" is dropped
    with pytest.raises(LookupError, match="no metric is called 'sass'; did you mean 'sas'"):
        label(waiting("a"), tmp_path, "sass")


def test_without_unlabeled_pairs_no_teacher_is_built_and_nothing_is_written(tmp_path):
    pairs = [TrainingPair("a", "b", 0.5)]
    assert label(pairs, tmp_path / "cache", "no such teacher") == (pairs, 0, 0, 0, "")
    assert not (tmp_path / "cache").exists()


def test_no_pair_is_scored_twice(tmp_path):
    first, second = Teacher(), Teacher()
    before = label(waiting(*TEXTS), tmp_path, first)
    after = label(waiting("new one", *TEXTS), tmp_path, second)
    assert first.calls == [[("abcdefg", "x"), ("abc", "x"), ("a" * 20, "x"), ("abcdefgh", "x")]]
    assert second.calls == [[("new one", "x")]]
    assert after.pairs[1:] == before.pairs
    assert after.clipped == 2


def test_the_order_of_a_pair_is_part_of_its_key(tmp_path):
    one, other = TrainingPair("abcdefg", "x", None), TrainingPair("x", "abcdefg", None)
    result = label([one, other], tmp_path, Teacher())
    assert [pair.label for pair in result.pairs] == pytest.approx([0.2, 0])


def test_two_teachers_never_mix(tmp_path):
    label(waiting("abcdefg"), tmp_path, Teacher("one"))
    other = Teacher("other")
    label(waiting("abcdefg"), tmp_path, other)
    assert other.calls == [[("abcdefg", "x")]]
    assert ScoreCache(tmp_path).info().scores == {"one|v:1": 1, "other|v:1": 1}


def test_the_store_is_the_score_cache(tmp_path):
    label(waiting(*TEXTS), tmp_path, Teacher())
    scores = ScoreCache(tmp_path).get("length|v:1", [key(("abcdefg", "x")), key(("abc", "x")), key(("new", "x"))])
    assert scores[:2].tolist() == [0.7 - 0.5, 0.3 - 0.5]  # not clipped
    assert np.isnan(scores[2])


def test_texts_of_any_kind_come_back_from_the_cache(tmp_path):
    texts = ['a "quoted" one', "two\nlines", "卞趙如蘭", "\u2028", "back\\slash", "None"]
    once = label(waiting(*texts), tmp_path, Teacher())
    teacher = Teacher()
    assert label(waiting(*texts), tmp_path, teacher).pairs == once.pairs
    assert teacher.calls == []


@every("score", [float("nan"), float("inf")])
def test_a_score_that_is_not_finite_is_an_error_that_names_the_pair(tmp_path, score):
    class Broken(Teacher):
        def __call__(self, pairs):
            return np.array([0.5, score])

    with pytest.raises(ValueError, match=rf"the score of pair 2 \(gold 'bad', prediction 'x'\) is {score}"):
        label(waiting("good", "bad"), tmp_path, Broken())
    assert ScoreCache(tmp_path).info().scores == {}
