"""From a score to the probability that two answers are equivalent, and to a verdict."""

from answersim.calibration.decision import HIGH, LOW, Verdict
from answersim.calibration.fitting import calibrate
from answersim.calibration.model import Calibration
from answersim.calibration.parts import Threshold
from answersim.calibration.storing import find, read, shipped, write

__all__ = [
    "HIGH",
    "LOW",
    "Calibration",
    "Threshold",
    "Verdict",
    "calibrate",
    "find",
    "read",
    "shipped",
    "write",
]
