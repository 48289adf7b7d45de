"""The verdicts and promises of a calibration in sentences, for the terminal, the cards and the report."""

from __future__ import annotations

import math
from collections.abc import Iterator

from answersim.calibration.decision import HIGH, LOW, cuts
from answersim.calibration.model import Calibration
from answersim.calibration.parts import VerdictThreshold
from answersim.stats.resampling import Estimate
from answersim.text_tables import with_interval


def promises(calibration: Calibration) -> list[str]:
    """Return when each verdict is given and how often that is correct, and which precision can be promised.

    >>> import numpy as np
    >>> from answersim.calibration import calibrate
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=100)
    >>> for line in promises(calibrate(2 * labels + rng.normal(size=100), labels)):
    ...     print(line)
    equivalent from p 0.7 (score ...), different up to p 0.3 (score ...), unsure between; ...
    NO PROMISE: 100 labels cannot promise 95 % for "equivalent" or 95 % for "different", so no verdict ...
    equivalent: ...
    different: ...
    """
    kinds = calibration.equivalent.kind, calibration.different.kind
    lines = [decision(calibration)]
    if kinds == ("best cut", "best cut"):
        lines.append(_no_promise(calibration))
    return [*lines, *sides(calibration)]


def decision(calibration: Calibration, low: float = LOW, high: float = HIGH) -> str:
    """Return from which probability and score on each verdict is given, and how often the best cut is correct."""
    if not calibration.separates:
        return _nothing(calibration)
    last, first = cuts(calibration.curve, low, high)
    accuracy = calibration.threshold("accuracy").accuracy
    band = f"equivalent from p {high:g}{_score(first, first > 0)}, different "
    band += f"up to p {low:g}{_score(last, last < 0)}, unsure between" if low < high else "below"
    return (
        f"{band}; without unsure, {_shares(accuracy)} are correct on held-out pairs of the calibration data, "
        f"which need not hold for other answers{_majority(calibration)}"
    )


def counting(calibration: Calibration, metric: str, low: float, high: float, min_precision: float | None) -> str:
    """Return how answers are counted as right and wrong by a calibration, in one sentence."""
    if not calibration.separates:
        return f"no answer is right or wrong, all are unsure: {_nothing(calibration)}"
    last, first = cuts(calibration.curve, low, high)
    line = f"an answer is right from the probability {high:g} on{_score(first, first > 0)}"
    if low < high:
        line += f", wrong up to {low:g}{_score(last, last < 0)}, and unsure between"
    else:
        line += " and wrong below"
    line += f", by the calibration of {metric}"
    if min_precision is None:
        return line
    last, first = calibration.promised_cuts
    right = "no answer is right" if math.isinf(first) else f"a right answer also has a score of at least {first:.4f}"
    wrong = "no answer is wrong" if math.isinf(last) else f"a wrong one has a score below {last:.4f}"
    return f"{line}; {right}, and {wrong}: {_percent(min_precision)} is promised on answers like its own, not on others"


def language_caution(calibration: Calibration) -> list[str]:
    """Return the caution if this calibration is used in another language than its own; else an empty list."""
    check = calibration.metadata.get("language")
    if not isinstance(check, dict):
        return []
    return [
        f"caution: this calibration was made on English answers and is used for {check['lang']!r}. On {check['n']} "
        f"pairs ({check['data']}), {_shares(Estimate(*check['accuracy']))} of its verdicts were correct, where "
        f"{_percent(check['equivalent'], 1)} were equivalent and it estimated {_percent(check['probability'], 1)}"
    ]


def kind_of(side: VerdictThreshold) -> str:
    """Return the basis of a promised verdict in one or two words."""
    return {"promised": "promised", "best cut": "not promised", "never": "never given"}[side.kind]


def _no_promise(calibration: Calibration) -> str:
    provenance = calibration.provenance
    return (
        f'NO PROMISE: {provenance.n:,} labels cannot promise {_percent(provenance.target)} for "equivalent" or '
        f'{_percent(provenance.target_different)} for "different", so no verdict is promised'
    )


def _majority(calibration: Calibration) -> str:
    """Return a caution if the verdicts are not certainly better than the same verdict for all pairs."""
    verdict, share = calibration.majority
    if calibration.threshold("accuracy").accuracy.low > share:
        return f' ("{verdict}" for every pair: {_percent(share, 1)})'
    return f'. That is not surely more than "{verdict}" for every pair, which is correct for {_percent(share, 1)}'


def _score(cut: float, none: bool) -> str:
    """Return the score of a probability in brackets; ``none`` is whether an infinite one means no score."""
    if math.isinf(cut):
        return f" ({'no' if none else 'every'} score)"
    return f" (score {cut:.4f})"


def _nothing(calibration: Calibration) -> str:
    quality = calibration.quality
    return (
        f"No verdict but 'unsure' is ever given: these scores do not separate the labels (AUC {quality.auc:.3f} "
        f"[{quality.auc_low:.3f}, {quality.auc_high:.3f}], where chance has 0.5)."
    )


def basis(calibration: Calibration) -> str:
    """Return the data of a calibration, in a few words."""
    provenance, data = calibration.provenance, calibration.metadata.get("data")
    named = f" ({data})" if isinstance(data, str) else ""
    return f"calibration: {provenance.n:,} pairs{named}, {provenance.equivalent / provenance.n:.1%} equivalent"


def caution(calibration: Calibration) -> str:
    """Return on which data a calibration was measured, how often it was correct there, and what that is worth here."""
    accuracy = calibration.threshold("accuracy").accuracy
    return (
        f"{basis(calibration)}. Of the verdicts on its held-out pairs, {_shares(accuracy)} are correct without unsure. "
        "That is no property of these answers: label some of them to check"
    )


def sides(calibration: Calibration) -> Iterator[str]:
    """Yield for each verdict which precision is promised, and which these labels could promise."""
    targets = {"equivalent": calibration.provenance.target, "different": calibration.provenance.target_different}
    for verdict, target in targets.items():
        side: VerdictThreshold = getattr(calibration, verdict)
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
    """Format a number of labels with two significant digits, because the estimate is rough.

    >>> _rounded(12293.0), _rounded(642.0)
    ('12,000', '640')
    """
    return f"{int(float(f'{labels:.2g}')):,}"


def _shares(estimate: Estimate) -> str:
    return f"{with_interval(estimate, '.1f', 100)} %"
