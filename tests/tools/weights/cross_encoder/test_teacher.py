"""The labels of a teacher: with and without questions, shared with the labels of people, kept in a cache."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from answersim.training.cross_encoder.inputs import Pool
from answersim.training.data.pairs import TrainingPair
from answersim.types import Capabilities
from tools.weights.cross_encoder import teacher as teachers
from tools.weights.cross_encoder.recipe import MixtureRecipe
from tools.weights.pairs.mixture import Places

RECIPE = MixtureRecipe(teacher="strong", teacher_share=0.25, questions=0.5)
HUMAN = TrainingPair("Paris", "in Paris", 1.0, question="Where?")
UNLABELED = TrainingPair("Rome", "Lyon", None, question="Where was it?")


@dataclass(frozen=True)
class Teacher:
    """Scores .5 without a question, and .9 with one; remembers how many pairs it read."""

    read: list[int] = field(default_factory=list, compare=False)
    signature = "teacher|rev:1"
    capabilities = Capabilities(reads_questions=True, cost="model")

    def __call__(self, pairs, questions=None):
        self.read.append(len(pairs))
        return np.array([0.9 if question else 0.5 for question in questions or [""] * len(pairs)])


def test_a_label_of_a_person_is_shared_and_a_pair_without_one_has_the_teachers(tmp_path: Path) -> None:
    pools = {"judged": Pool([HUMAN], 0), "unlabeled": Pool([UNLABELED, UNLABELED._replace(question="")], 1)}
    labeled = teachers.labeled(pools, RECIPE, tmp_path, Teacher())
    # The teacher says .5 without the question and .9 with it; read without, the mean of both is learned.
    assert labeled["judged"].labels == pytest.approx(np.array([[0.25 * 0.7 + 0.75], [0.25 * 0.9 + 0.75]]))
    assert labeled["unlabeled"].labels == pytest.approx(np.array([[0.7, 0.5], [0.9, 0.5]]))
    assert [pool.take for pool in labeled.values()] == [0, 1]


def test_the_teacher_reads_each_pair_once_and_nothing_that_is_in_the_cache(tmp_path: Path) -> None:
    pools = {"judged": Pool([HUMAN, HUMAN, UNLABELED], 0)}
    first, second = Teacher(), Teacher()
    one = teachers.labeled(pools, RECIPE, tmp_path, first)
    two = teachers.labeled(pools, RECIPE, tmp_path, second)
    assert (first.read, second.read) == ([2, 2], [])  # without and with the questions
    assert one["judged"].labels == pytest.approx(two["judged"].labels)


def test_a_training_without_questions_asks_the_teacher_without_them(tmp_path: Path) -> None:
    labeled = teachers.labeled({"judged": Pool([HUMAN], 0)}, replace(RECIPE, questions=0.0), tmp_path, Teacher())
    assert labeled["judged"].labels == pytest.approx(np.array([[0.875], [0.875]]))


def test_the_teacher_is_the_metric_of_the_recipe(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    asked = {}
    monkeypatch.setattr(teachers.lookup, "metric", lambda name, **options: asked.setdefault(name, options))
    for name in ("sas", "sas-answers"):
        teachers.teacher(replace(RECIPE, teacher_metric=name))
    shared = {"profile": "strong", "device": "bf16"}
    assert asked == {"sas": {**shared, "order": "mean"}, "sas-answers": shared}


def test_a_training_with_a_teacher_learns_its_labels_and_names_it(data, tiny_base, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    import json

    from tools.weights.cross_encoder.train import train

    monkeypatch.setattr(teachers, "teacher", lambda recipe: Teacher())
    recipe = MixtureRecipe(
        teacher="strong",
        teacher_share=1.0,
        mixture=(("sts", 0), ("unlabeled-sentences", 8)),
        epochs=1,
        lora_r=2,
        lora_alpha=2.0,
        max_length=32,
        precision="fp32",
    )
    folder = train(recipe, Places(data.parent), tmp_path / "out", base=str(tiny_base), test=False)
    recorded = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
    assert recorded["teacher"] == {"signature": "teacher|rev:1"}
    assert recorded["pairs"]["unlabeled-sentences"] == 8
    monkeypatch.setattr(Teacher, "signature", "teacher|rev:2")
    with pytest.raises(ValueError, match="is of a training with another teacher"):
        train(recipe, Places(data.parent), tmp_path / "out", base=str(tiny_base), test=False)
