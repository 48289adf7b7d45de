"""A calibration to look at, and the scores and labels that it was made of."""

from typing import NamedTuple

import numpy as np
import pytest

from answersim._base.arrays import FloatArray
from answersim.calibration.fitting import calibrate
from answersim.calibration.model.model import Calibration
from answersim.stats.intervals.resampling import Bootstrap

SIGNATURE = "mine|layer:2|rev:1"


class Made(NamedTuple):
    scores: FloatArray
    labels: FloatArray
    calibration: Calibration


def world(n, seed, apart=3.0):
    """Scores of two normal populations, whose true probability is 1 / (1 + exp(apart * (apart / 2 - score)))."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n).astype(float)
    return apart * labels + rng.normal(size=n), labels


@pytest.fixture(scope="session")
def made():
    scores, labels = world(600, 0)
    return Made(scores, labels, calibrate(scores, labels, signature=SIGNATURE, bootstrap=Bootstrap(resamples=200)))
