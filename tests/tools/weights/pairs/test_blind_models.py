"""What a model that reads one side of a pair learns: bounds for the prediction or the gold answer alone.

A linear model over words and pairs of words is trained on the part train of a source and scored on dev.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs import mixture
from tools.weights.pairs.mixture import Places

pytestmark = pytest.mark.slow
MOST = 20_000  # training pairs


def area_under_curve(source: str, side: str, places: Places) -> float:
    """Return the AUC on dev of a model that reads only one side of each pair."""
    text_features = pytest.importorskip("sklearn.feature_extraction.text")
    linear_model = pytest.importorskip("sklearn.linear_model")
    metrics = pytest.importorskip("sklearn.metrics")
    train, dev = (mixture.load(source, places, split, 0) for split in ("train", "dev"))
    train = [train[i] for i in np.random.default_rng(0).permutation(len(train))[:MOST]]

    def texts(pairs: list[TrainingPair]) -> list[str]:
        return [getattr(pair, side) for pair in pairs]

    vectorizer = text_features.TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    model = linear_model.LogisticRegression(C=3, max_iter=300)
    model.fit(vectorizer.fit_transform(texts(train)), [pair.label > 0.5 for pair in train])
    scores = model.decision_function(vectorizer.transform(texts(dev)))
    return float(metrics.roc_auc_score([pair.label > 0.5 for pair in dev], scores))


@pytest.mark.parametrize(
    ("source", "side", "bound"),
    [
        ("judged", "second", 0.62),
        ("judged", "first", 0.62),
        ("efficientqa", "second", 0.62),
        ("efficientqa", "first", 0.62),
        ("contrast", "second", 0.73),  # refusals, denials and undecided answers are always negatives
        ("contrast", "first", 0.55),
        ("confusable", "second", 0.56),
        ("confusable", "first", 0.56),
    ],
)
def test_one_side_alone_reveals_little_of_the_label(data_home: Path, source: str, side: str, bound: float) -> None:
    if not (data_home / mixture.NQ_OPEN_SAS).is_file():
        pytest.skip("needs the judged answers and the pairs of the SAS paper below $ANSWERSIM_DATA")
    assert area_under_curve(source, side, Places(data_home)) < bound
