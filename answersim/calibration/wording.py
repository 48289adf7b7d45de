"""The promises of a calibration in sentences, for the terminal, the cards and the report."""

from __future__ import annotations

import math
from collections.abc import Iterator

from answersim.calibration.model import Calibration, Side
from answersim.stats.resampling import Estimate


def promises(calibration: Calibration) -> list[str]:
    """Return the basis of the two verdicts, what could be promised, and how many labels the targets need.

    >>> import numpy as np
    >>> from answersim.calibration import calibrate
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=100)
    >>> for line in promises(calibrate(2 * labels + rng.normal(size=100), labels, resamples=100)):
    ...     print(line)
    NO PROMISE: 100 labels cannot promise 95 % for "equivalent" or 95 % for "different". Both verdicts ...
    equivalent: ...
    different: ...
    """
    kinds = calibration.equivalent.kind, calibration.different.kind
    lines = []
    if kinds == ("best cut", "best cut"):
        lines.append(_best_cut(calibration))
    elif kinds == ("never", "never"):
        lines.append(_nothing(calibration))
    return [*lines, *_sides(calibration)]


def kind_of(side: Side) -> str:
    """Return the basis of a verdict in one or two words."""
    return {"promised": "promised", "best cut": "not promised", "never": "never given"}[side.kind]


def _best_cut(calibration: Calibration) -> str:
    provenance, accuracy = calibration.provenance, calibration.threshold("accuracy").accuracy
    verdict, share = calibration.majority
    line = (
        f'NO PROMISE: {provenance.n:,} labels cannot promise {_percent(provenance.target)} for "equivalent" or '
        f'{_percent(provenance.target_different)} for "different". Both verdicts begin at the cut of the best '
        f"accuracy: {_shares(accuracy)} of them are right on pairs held out"
    )
    if accuracy.low > share:
        return f'{line}; "{verdict}" for every pair is right for {_percent(share, 1)}.'
    return f'{line}. That is not surely more than "{verdict}" for every pair, which is right for {_percent(share, 1)}.'


def _nothing(calibration: Calibration) -> str:
    quality = calibration.quality
    if math.isnan(quality.auc_low):  # a file of the first format, which has no best cut
        return (
            "No verdict but 'unsure' is ever given. A calibration that is made anew gives verdicts from the best cut."
        )
    return (
        f"No verdict but 'unsure' is ever given: these scores do not separate the labels (AUC {quality.auc:.3f} "
        f"[{quality.auc_low:.3f}, {quality.auc_high:.3f}], where chance has .5)."
    )


def _sides(calibration: Calibration) -> Iterator[str]:
    targets = {"equivalent": calibration.provenance.target, "different": calibration.provenance.target_different}
    for verdict, target in targets.items():
        side: Side = getattr(calibration, verdict)
        if math.isnan(side.largest):
            if side.kind == "promised":
                yield f"{verdict}: {_percent(target)} is promised"
            continue
        largest = f"these labels could promise up to {_floored(side.largest)}"
        if side.kind == "promised":
            yield f"{verdict}: {_percent(target)} is promised; {largest}"
            continue
        needed = (
            f"no number of labels such as these promises {_percent(target)}"
            if math.isnan(side.needed)
            else f"{_percent(target)} needs about {_rounded(side.needed)} labels such as these"
        )
        yield f"{verdict}: {_percent(target)} cannot be promised; {largest}; {needed}"


def _percent(share: float, digits: int = 4) -> str:
    """Return a share in percent, without trailing zeros.

    >>> _percent(0.95), _percent(0.995), _percent(0.8354, 1)
    ('95 %', '99.5 %', '83.5 %')
    """
    return f"{round(100 * share, digits):g} %"


def _floored(share: float) -> str:
    """Return a share in whole percent, never rounded up, because it must be possible to promise it."""
    return f"{math.floor(100 * share)} %"


def _rounded(labels: float) -> str:
    """Return a number of labels with two digits, because the estimate is rough.

    >>> _rounded(12293.0), _rounded(642.0)
    ('12,000', '640')
    """
    return f"{int(float(f'{labels:.2g}')):,}"


def _shares(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}] %"
