"""The report: one self-contained HTML page from judged pairs and the study of their metrics."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files as resources
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from answersim.agreement.results import ALL, Agreement, Row
from answersim.agreement.subsets import NONZERO, ZERO
from answersim.calibration.fitting import calibrate
from answersim.calibration.model import Calibration, Provenance
from answersim.error_analysis import RULES, ErrorRow, categories, error_table, gaps
from answersim.errors import MissingExtraError
from answersim.judgments import Judgments
from answersim.report import figures
from answersim.signature import VERSION
from answersim.types import FloatArray

MAIN = "tau-b"
SHOWN = ("tau-b", "spearman", "pearson", "pairwise")  # and the AUC of each label cut
WORST = 0.1  # the share of pairs that the error table counts
FOLDS = 5
_GROUPS = 5  # of labels, where there are too many different ones for a box each
_MOST_LABELS = 7
_SECTIONS = (
    ("summary", "Summary"),
    ("agreement", "Agreement"),
    ("differences", "Differences"),
    ("distributions", "Distributions"),
    ("reliability", "Reliability"),
    ("errors", "Errors by kind"),
    ("browse", "All pairs"),
    ("signatures", "Signatures"),
    ("reproduce", "Reproduce"),
)


class _Part(NamedTuple):
    """A subset as the page shows it."""

    title: str
    n: int
    about: str
    rows: tuple[Row, ...]
    figure: str
    groups: tuple[tuple[str, ...], ...]


class _Calibrated(NamedTuple):
    """The calibration of a metric, or why there is none."""

    metric: str
    found: Calibration | None
    figure: str
    why: str


class _Errors(NamedTuple):
    metric: str
    rows: list[ErrorRow]


def page(
    judged: Judgments,
    agreement: Agreement,
    *,
    title: str | None = None,
    cut: float | None = None,
    command: str = "",
    metadata: Mapping[str, str] | None = None,
    resamples: int | None = None,
) -> str:
    """Return the report as HTML, with style, script, figures and all pairs. Equal arguments give an equal page.

    Every text of the pairs is escaped, and the page forbids itself any script but its own and any request.

    Args:
        judged: The pairs with labels and scores.
        agreement: The study of these very scores.
        title: The heading; the name of the set when not given.
        cut: From which label on a pair counts as equivalent; the highest label when not given.
        command: What makes this page again, to be shown.
        metadata: More lines for "how to reproduce", such as the checksum of the file.
        resamples: For the intervals of reliability and thresholds; those of the study, but at most 300, when not given.

    Raises:
        ValueError: If the study is of other pairs or scores than these.
        MissingExtraError: If jinja2 or matplotlib is not installed.
    """
    jinja2 = ready()
    _check(judged, agreement)
    with figures.inked():
        context = _context(judged, agreement, cut, resamples)
    script = _resource("browser.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=False)
    heading = f"{judged.name}: metrics against human labels" if title is None else title
    return environment.from_string(_resource("page.html.j2")).render(
        title=heading,
        style=_resource("style.css"),
        script=script,
        script_hash=f"sha256-{digest}",
        command=command,
        metadata=[*(metadata or {}).items(), *_settings(agreement).items()],
        version=VERSION,
        **context,
    )


def ready() -> Any:
    """Return jinja2 if it and matplotlib are installed. Otherwise raise, before a long study is computed in vain."""
    for name in ("jinja2", "matplotlib"):
        if find_spec(name) is None:
            raise MissingExtraError("a report", "report", name)
    import jinja2

    return jinja2


def embedded(value: Any) -> str:
    r"""Return this value as JSON for a script element: nothing in it ends the element or opens a comment.

    >>> embedded(["</script><!--"])
    '["\\u003c/script\\u003e\\u003c!--"]'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def _check(judged: Judgments, agreement: Agreement) -> None:
    if len(judged) != agreement.n:
        raise ValueError(f"the study is of {agreement.n} pairs, but {judged.name} has {len(judged)}; give those")
    if lacking := [name for name in agreement.metrics if name not in judged.scores]:
        raise ValueError(f"the study is of {lacking[0]!r} too, but {judged.name} holds no scores of it; give those")


def _context(judged: Judgments, agreement: Agreement, cut: float | None, resamples: int | None) -> dict[str, Any]:
    """Return the variables of the template."""
    kinds = categories(judged)
    cut = float(judged.labels.max()) if cut is None else cut
    draws = min(300, int(agreement.settings.get("resamples", 300))) if resamples is None else resamples
    comparisons = [
        comparison for comparison in agreement.comparisons if (comparison.subset, comparison.coefficient) == (ALL, MAIN)
    ]
    ranked = _ranked(agreement)
    sections = [section for section in _SECTIONS if comparisons or section[0] != "differences"]
    values, counts = np.unique(judged.labels, return_counts=True)
    many = len(values) > _MOST_LABELS
    names = list(dict.fromkeys(kinds))
    return {
        "agreement": agreement,
        "sections": sections,
        "summary": list(_summary(agreement, ranked, judged)),
        "level": f"{100 * float(agreement.settings.get('level', 0.95)):g}",
        "main_coefficient": MAIN,
        "coefficients": [
            *(coefficient for coefficient in SHOWN if coefficient in agreement.coefficients),
            *(coefficient for coefficient in agreement.coefficients if coefficient.startswith("auc")),
        ],
        "parts": [_part(agreement, subset.name) for subset in agreement.subsets],
        "comparisons": comparisons,
        "labels": [(f"{value:g}", int(n)) for value, n in zip(values, counts, strict=True)] if not many else [],
        "grouped": many,
        "spreads": [_spread(judged, name, many) for name in agreement.metrics],
        "cut_words": f"at least {cut:g}",
        "folds": FOLDS,
        "calibrated": [_calibrated(judged, name, cut, draws) for name in ranked],
        "rule_words": _rule_words,
        "infinity": math.inf,
        "worst": f"{100 * WORST:g}",
        "kinds_words": _kinds_words(judged),
        "errors": [_Errors(name, error_table(judged, name, worst=WORST, kinds=kinds)) for name in ranked],
        "has_questions": judged.questions is not None,
        "best": ranked[0],
        "kinds": names,
        "orders": [
            ("size", "size of the gap"),
            ("gap", "gap"),
            ("score", "score"),
            ("label", "label"),
            ("gold", "gold"),
            ("pred", "prediction"),
            *([("question", "question")] if judged.questions else []),
            ("category", "kind"),
            ("row", "row"),
        ],
        "signatures": [(name, judged.scores[name].signature) for name in agreement.metrics],
        "data": embedded(_pairs(judged, agreement, kinds, names)),
    }


def _ranked(agreement: Agreement, subset: str = ALL) -> list[str]:
    """Return the metrics by the main coefficient over a subset, best first, and those without one last."""
    values = {name: agreement.row(name, subset).measured[MAIN].value for name in agreement.metrics}
    return sorted(values, key=lambda name: -math.inf if math.isnan(values[name]) else values[name], reverse=True)


def _summary(agreement: Agreement, ranked: Sequence[str], judged: Judgments) -> Iterator[str]:
    for subset in agreement.subsets[:3]:
        rows = [agreement.row(name, subset.name) for name in ranked]
        if all(math.isnan(row.measured[MAIN].value) for row in rows):
            yield f"{_titled(subset.name)}: no metric has a {MAIN}, as labels or scores are constant."
            continue
        yield _best(agreement, subset.name)
    yield (
        "Over all pairs, the agreement of a metric mostly depends on whether it detects shared words, so read both "
        "parts. The best metric was selected on these pairs, so its interval is optimistic. A metric agrees with the "
        "labels if its whole interval is above 0."
    )
    alpha = agreement.subsets[0].alpha
    if not math.isnan(alpha):
        yield f"Between {len(judged.raters)} raters, Krippendorff's alpha is {alpha:.3f}."
    if constant := [row.metric for row in agreement.rows if row.constant and row.subset == ALL]:
        yield f"Constant, so that they say nothing here: {', '.join(constant)}."


def _best(agreement: Agreement, subset: str) -> str:
    """Return a sentence on the metric that agrees best over a subset, or on the fact that none does."""
    best = agreement.best(subset, MAIN)
    against = f" These order the pairs against the labels: {', '.join(best.disagreeing)}." if best.disagreeing else ""
    if best.metric is None:
        return f"{_titled(subset)}: no metric agrees with the labels here; no interval of {MAIN} is above 0.{against}"
    measured = agreement.row(best.metric, subset).measured[MAIN]
    share = "" if math.isnan(measured.share) else f", {100 * measured.share:.0f} % of what its scores could reach"
    numbers = f"{MAIN} {measured.value:.3f} [{measured.low:.3f}, {measured.high:.3f}]{share}."
    if not best.rivals:
        return f"{_titled(subset)}: {best.metric} agrees best with human labels, {numbers}{against}"
    return (
        f"{_titled(subset)}: {best.metric} has the highest agreement with human labels, {numbers} "
        f"Not significantly different from it: {', '.join(best.rivals)}.{against}"
    )


def _titled(subset: str) -> str:
    words = {ALL: "All pairs", ZERO: "Pairs that share no word (F1 = 0)", NONZERO: "Pairs that share words (F1 != 0)"}
    return words.get(subset, subset)


def _part(agreement: Agreement, name: str) -> _Part:
    subset = next(part for part in agreement.subsets if part.name == name)
    rows = tuple(agreement.row(metric, name) for metric in _ranked(agreement, name))
    drawn = [
        figures.Ends(row.metric, measured.value, measured.low, measured.high)
        for row, measured in ((row, row.measured[MAIN]) for row in rows)
        if not math.isnan(measured.value)
    ]
    labels = "; ".join(f"label {label:g}: {n:,}" for label, n in subset.labels[:_MOST_LABELS])
    ceiling = subset.ceilings.get(MAIN, math.nan)
    if not math.isnan(ceiling):
        labels += f". A perfect ranking without ties would reach {MAIN} {ceiling:.3f}"
    groups = [group.metrics for group in agreement.groups if (group.subset, group.coefficient) == (name, MAIN)]
    figure = figures.inline(figures.ranges(drawn, label=MAIN, width=4.6), f"{MAIN} by metric, {name}") if drawn else ""
    return _Part(
        _titled(name), subset.n, f"{labels}.", rows, figure, tuple(metrics for metrics in groups if len(metrics) > 1)
    )


def _spread(judged: Judgments, name: str, many: bool) -> str:
    labels = judged.labels
    if many:  # groups of about equal size, named for the middle of their labels
        edges = np.unique(np.quantile(labels, np.linspace(0, 1, _GROUPS + 1), method="inverted_cdf"))
        place = np.clip(np.searchsorted(edges, labels, side="right") - 1, 0, max(0, len(edges) - 2))
        labels = np.array([np.median(labels[place == i]) for i in range(place.max() + 1)])[place]
    drawn = figures.scores_by_label({name: judged.scores[name].values}, labels, across=1)
    return figures.inline(drawn, f"scores of {name} by label")


def _calibrated(judged: Judgments, name: str, cut: float, resamples: int) -> _Calibrated:
    scores = judged.scores[name]
    try:
        calibration = calibrate(
            scores, judged.labels, cut=cut, folds=FOLDS, resamples=resamples, rng=np.random.default_rng(0)
        )
    except ValueError as error:  # too few pairs of a kind, or constant scores: shown in place of a figure
        return _Calibrated(name, None, "", f"There is no calibration: {error}.")
    bins = calibration.reliability.bins
    drawn = figures.reliability(
        [figures.Ends(str(group.n), *group.share) for group in bins],
        [group.probability for group in bins],
        label="predicted probability",
        observed="share of equivalent pairs",
    )
    return _Calibrated(name, calibration, figures.inline(drawn, f"reliability diagram of {name}"), "")


def _rule_words(rule: str, provenance: Provenance) -> str:
    words = {"accuracy": "the best accuracy", "f1": "the best F1", "precision": f"a precision of {provenance.target:g}"}
    return words.get(rule, rule)


def _kinds_words(judged: Judgments) -> str:
    noted = any(str(category or "").strip() for category in judged.columns.get("category", ()))
    by_rule = f"by rules where one can tell ({', '.join(RULES)})"
    return f"Kinds are {'as annotated in the column “category”, else' if noted else 'told'} {by_rule}."


def _pairs(judged: Judgments, agreement: Agreement, kinds: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Return the data that the browser reads: columns, which repeat no names, and gaps in thousandths."""
    place = {name: i for i, name in enumerate(names)}
    return {
        "lang": judged.lang,
        "gold": [pair.gold for pair in judged.pairs],
        "pred": [pair.pred for pair in judged.pairs],
        "question": None if judged.questions is None else list(judged.questions),
        "label": _short(judged.labels),
        "categories": list(names),
        "category": [place[kind] for kind in kinds],
        "metrics": [
            {
                "name": name,
                "score": _short(values),
                "gap": np.rint(1000 * gaps(values, judged.labels)).astype(int).tolist(),
            }
            for name, values in ((name, judged.scores[name].values) for name in agreement.metrics)
        ],
    }


def _short(values: FloatArray) -> list[float]:
    """Round numbers for display to five digits, which also halves the size of the page."""
    return [
        int(rounded) if rounded == int(rounded) else rounded for rounded in (float(f"{value:.5g}") for value in values)
    ]


def _settings(agreement: Agreement) -> dict[str, str]:
    """Return the settings of the study, in order."""
    import platform

    shown = {
        name.replace("_", " "): ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        for name, value in agreement.settings.items()
        if value not in (None, (), [])
    }
    return {**shown, "answersim": VERSION, "Python": platform.python_version(), "numpy": np.__version__}


def _resource(name: str) -> str:
    return (resources("answersim.report") / name).read_text(encoding="utf-8")
