"""What a model that reads one side of a pair learns: bounds for the prediction or the gold answer alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.weights.blind_models import area_under_curve, parts_of
from tools.weights.pairs import mixture
from tools.weights.pairs.mixture import Places

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("source", "side", "bound"),
    [
        ("judged", "second", 0.62),
        ("judged", "first", 0.62),
        ("efficientqa", "second", 0.62),
        ("efficientqa", "first", 0.62),
        ("contrast", "second", 0.73),  # refusals, denials and undecided answers are always negatives
        ("contrast", "first", 0.55),
        ("judged-nq", "second", 0.65),
        ("judged-nq", "first", 0.62),
        ("commitment", "second", 0.54),
        ("commitment", "first", 0.54),
        ("commitment", "question", 0.54),
        ("confusable", "second", 0.56),
        ("confusable", "first", 0.56),
    ],
)
def test_one_side_alone_reveals_little_of_the_label(data_home: Path, source: str, side: str, bound: float) -> None:
    if not (data_home / mixture.NQ_OPEN_SAS).is_file():
        pytest.skip("needs the judged answers and the pairs of the SAS paper below $ANSWERSIM_DATA")
    pytest.importorskip("sklearn")
    assert area_under_curve(*parts_of(source, Places(data_home)), (side,)) < bound
