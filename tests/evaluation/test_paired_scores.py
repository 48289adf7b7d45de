"""The scores of several systems on the same questions: what cannot be compared is refused."""

from __future__ import annotations

import pandas as pd
import pytest

import answersim
from answersim.evaluation.paired_scores import paired_scores
from answersim.scores import Scores
from tests.evaluation.pairs import compare


def test_texts_and_their_scores_give_the_same_columns() -> None:
    gold, systems = ["Rome", "Oslo"], {"a": ["in Rome", "Bern"], "b": ["Rome", "Oslo"]}
    computed, signature, scale = paired_scores(systems, answersim.metric("recall"), gold, ["Where?", "Where?"])
    assert scale == "any"
    assert paired_scores(systems, answersim.metric("em"), gold, None).scale == "binary"
    given, _, _ = paired_scores({name: list(values) for name, values in computed.items()}, None, None, None)
    assert {name: values.tolist() for name, values in given.items()} == {"a": [1, 0], "b": [1, 1]}
    assert signature.startswith("recall|")


def test_scores_of_two_metrics_are_refused() -> None:
    with pytest.raises(ValueError, match=r"different metrics: em\|rev:1, f1\|rev:1"):
        compare(Scores([0.1, 0.2], "f1|rev:1"), Scores([0.1, 0.2], "em|rev:1"))


def test_series_of_other_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="different indexes"):
        compare(pd.Series([0.1, 0.2]), pd.Series([0.1, 0.2], index=[1, 2]))
