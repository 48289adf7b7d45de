"""A recipe that cannot be followed is refused when it is written down, by the name of what is wrong with it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rankers.training.recipe import Recipe
from tests.cases import every


@every(
    ("settings", "said"),
    [
        ({"loss": "hing"}, "no loss is called 'hing'; did you mean 'hinge'"),
        ({"optimizer": "sgd"}, "no optimizer is called 'sgd'"),
        ({"schedule": "cosine"}, "no schedule is called 'cosine'"),
        ({"keep": "first"}, "no choice of weights is called 'first'"),
        ({"reads": "row"}, "no way to read is called 'row'; did you mean 'rows'"),
        ({"precision": "float16"}, "no precision is called 'float16'"),
    ],
)
def test_a_name_that_is_not_known_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(LookupError, match=said):
        Recipe(**settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            (name, 0)
            for name in ("batch_size", "negatives", "question_length", "answer_length", "learning_rate", "clip")
        ),
        *(
            (name, -1)
            for name in (
                "epochs",
                "dev_limit",
                "patience",
                "limit",
                "micro_batch",
                "seed",
                "margin",
                "weight_decay",
                "warmup_ratio",
            )
        ),
        *((name, math.nan) for name in ("margin", "weight_decay", "learning_rate", "clip", "warmup_ratio")),
        ("warmup_ratio", 1.0),
    ],
)
def test_a_number_out_of_its_range_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"^{name} is {value}, but "):
        Recipe(**{name: value})


def test_single_rows_are_not_compared() -> None:
    with pytest.raises(ValueError, match="loss is 'hinge', but single rows have nothing to compare"):
        Recipe(reads="rows")
    assert Recipe(reads="rows", loss="pointwise").negatives == 1


def test_a_pass_is_at_most_a_step() -> None:
    with pytest.raises(ValueError, match="micro_batch is 9, but a step has batch_size 8"):
        Recipe(batch_size=8, micro_batch=9)


@pytest.mark.parametrize("setting", [{"in_batch": True}, {"teacher": 0.5}])
def test_single_rows_are_compared_with_nothing(setting: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{min(setting)} compares candidates, but single rows have none"):
        Recipe(reads="rows", loss="pointwise", **setting)


def test_the_weight_of_a_teacher_is_a_share() -> None:
    with pytest.raises(ValueError, match=r"teacher is 1\.5, but it must be a weight from 0 to 1"):
        Recipe(teacher=1.5)
