"""From a score to the probability that two answers are equivalent, and to a verdict."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.calibration import scores as scores
    from answersim.calibration import storing as storing
    from answersim.calibration import verdicts as verdicts
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

__getattr__ = submodules(
    __name__,
    ["scores", "storing", "verdicts"],
    {
        "Calibration": "model",
        "HIGH": "decision",
        "LOW": "decision",
        "Threshold": "parts",
        "Verdict": "decision",
        "calibrate": "fitting",
        "find": "storing",
        "read": "storing",
        "shipped": "storing",
        "write": "storing",
    },
)
