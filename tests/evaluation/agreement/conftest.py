"""One study for the tests that read its parts."""

import numpy as np
import pytest

from answersim.calibration.scores import Scores
from answersim.evaluation.agreement import Agreement, correlate
from answersim.evaluation.agreement.judgments import Judgments
from answersim.stats.intervals.resampling import Bootstrap
from answersim.types import Pair


@pytest.fixture(scope="session")
def found() -> Agreement:
    return correlate(judged(), compare=("pearson", "tau-b"), bootstrap=Bootstrap(resamples=200))


def judged(n=120, seed=0, metrics=("good", "same", "poor"), raters=()):
    """Pairs of which half share a word; scores that follow the labels closely, as closely, and hardly."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n).astype(float)
    noise = {"good": 0.6, "same": 0.6, "poor": 4.0}
    scores = {name: Scores(labels + noise[name] * rng.normal(size=n), f"{name}|v:1") for name in metrics}
    scores["flat"] = Scores(np.full(n, 0.5))
    pairs = tuple(Pair("red stone", "red brick" if i % 2 else "blue brick") for i in range(n))
    people = {name: np.clip(labels + rng.integers(-1, 2, size=n), 0, 2).astype(float) for name in raters}
    return Judgments(
        "toy", "en", pairs, labels, scores=scores, raters=people, columns={"source": ["ab"[i % 2] for i in range(n)]}
    )


def noise(seed=0, n=120, **scores):
    """Judged pairs whose scores these are; a number is how far a metric follows the labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n).astype(float)
    columns = {name: Scores(follow * labels + rng.normal(size=n)) for name, follow in scores.items()}
    pairs = tuple(Pair("red stone", "red brick" if i % 2 else "blue brick") for i in range(n))
    return Judgments("toy", "en", pairs, labels, scores=columns | {"flat": Scores(np.zeros(n))})
