"""From a score to the probability that two answers are equivalent, and to a verdict."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.calibration import scores as scores
    from answersim.calibration import storing as storing
    from answersim.calibration import verdicts as verdicts
    from answersim.calibration.fitting import calibrate as calibrate
    from answersim.calibration.model.decision import HIGH as HIGH
    from answersim.calibration.model.decision import LOW as LOW
    from answersim.calibration.model.decision import Verdict as Verdict
    from answersim.calibration.model.model import Calibration as Calibration
    from answersim.calibration.model.parts import Threshold as Threshold
    from answersim.calibration.storing import find as find
    from answersim.calibration.storing import read as read
    from answersim.calibration.storing import shipped as shipped
    from answersim.calibration.storing import write as write

_NAMES = {
    "model.decision": ("HIGH", "LOW", "Verdict"),
    "fitting": ("calibrate",),
    "model.model": ("Calibration",),
    "model.parts": ("Threshold",),
    "storing": ("find", "read", "shipped", "write"),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}
__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, ["scores", "storing", "verdicts"], _HOMES)
