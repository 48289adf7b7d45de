"""The report: one self-contained HTML page from judged pairs and the study of their metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from answersim.agreement.error_analysis import RULES, categories, error_table, gaps
from answersim.agreement.judgments import Judgments
from answersim.agreement.results import Agreement
from answersim.agreement.rows import ALL, Row
from answersim.agreement.subsets import NONZERO, ZERO
from answersim.calibration.fitting import calibrate
from answersim.calibration.model import Calibration
from answersim.calibration.parts import Provenance
from answersim.evaluation.correction import FEWEST_LABELS, estimate_mean
from answersim.report import browsing, drawing, figures
from answersim.report.browsing import Texts
from answersim.report.certainty import Certainty, certainty
from answersim.report.drawing import Drawn, Gallery
from answersim.report.rendering import PageSettings, ready, rendered, settings_shown
from answersim.stats.bounded_mean import bounded_mean
from answersim.stats.resampling import Bootstrap
from answersim.text_tables import with_interval
from answersim.types import FloatArray

MAIN = "tau-b"
SHOWN = ("tau-b", "spearman", "pearson", "pairwise")  # and the AUC of each label cut
WORST = 0.1  # the share of pairs that the error table counts
FOLDS = 5
_GROUPS = 5  # groups of labels, if there are too many different ones for one box each
_MOST_LABELS = 7
_PLANNED = 3  # metrics for which labels are planned
_SECTIONS = (
    ("summary", "Summary"),
    ("agreement", "Agreement"),
    ("differences", "Differences"),
    ("distributions", "Distributions"),
    ("reliability", "Reliability"),
    ("errors", "Errors by kind"),
    ("certainty", "Labels against certainty"),
    ("browse", "All pairs"),
    ("signatures", "Signatures"),
    ("reproduce", "Reproduce"),
)


class _Part(NamedTuple):
    """A subset on the page."""

    title: str
    n: int
    about: str
    rows: tuple[Row, ...]
    figure: Drawn | None
    groups: tuple[tuple[str, ...], ...]


class _Calibrated(NamedTuple):
    """The calibration of a metric, or the reason why there is none."""

    metric: str
    found: Calibration | None
    figure: Drawn | None
    why: str


def page(
    judged: Judgments,
    agreement: Agreement,
    *,
    positive_from: float | None = None,
    bootstrap: Bootstrap | None = None,
    settings: PageSettings = PageSettings(),
) -> str:
    """Return the report as HTML, with style, script, figures and all pairs. Equal arguments give an equal page.

    Every text of the pairs is escaped. The page forbids all requests, and all scripts but its own.

    Args:
        judged: The pairs with labels and scores.
        agreement: The study of the same scores.
        positive_from: The label from which on a pair counts as equivalent. By default, the highest label.
        bootstrap: The resamples for the intervals of reliability and thresholds. By default, as many as those of the
            study, but at most 300.
        settings: The heading and what else the page shows.

    Raises:
        ValueError: If the study is of other pairs or scores than these.
        MissingExtraError: If jinja2 or matplotlib is not installed.
    """
    ready()
    _check(judged, agreement)
    gallery = Gallery(settings.figures, settings.base)
    if bootstrap is None:
        bootstrap = Bootstrap(resamples=min(300, int(agreement.settings.get("resamples", 300))))
    with drawing.inked():
        values, data = _context(judged, agreement, positive_from, bootstrap, gallery)
    return rendered(
        "page.html.j2",
        data=data,
        title=f"{judged.name}: metrics against human labels" if settings.title is None else settings.title,
        metadata=[*settings.metadata.items(), *settings_shown(agreement.settings).items()],
        **settings.values,
        **values,
    )


def _check(judged: Judgments, agreement: Agreement) -> None:
    if len(judged) != agreement.n:
        raise ValueError(
            f"the study is of {agreement.n} pairs, but {judged.name} has {len(judged)}; give the pairs of the study"
        )
    if lacking := [name for name in agreement.metrics if name not in judged.scores]:
        raise ValueError(
            f"the study contains {lacking[0]!r}, but {judged.name} has no scores of it; give the scores of the study"
        )


def _context(
    judged: Judgments, agreement: Agreement, positive_from: float | None, bootstrap: Bootstrap, gallery: Gallery
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the variables of the template and the data of the script."""
    kinds = categories(judged)
    positive_from = float(judged.labels.max()) if positive_from is None else positive_from
    comparisons = [
        comparison for comparison in agreement.comparisons if (comparison.subset, comparison.coefficient) == (ALL, MAIN)
    ]
    ranked = _ranked(agreement)
    values, counts = np.unique(judged.labels, return_counts=True)
    many = len(values) > _MOST_LABELS
    limits = _limits(agreement)
    parts = [_part(agreement, subset.name, gallery, limits) for subset in agreement.subsets]
    planned = _certainty(judged, ranked, positive_from, gallery)
    missing = {"differences": not comparisons, "certainty": planned is None}
    spreads, spreads_files = _spread(judged, agreement.metrics, many, positive_from, gallery)
    pairs, words = _pairs(judged, agreement, kinds, ranked[0], positive_from)
    return {
        "agreement": agreement,
        "sections": [section for section in _SECTIONS if not missing.get(section[0])],
        "summary": list(_summary(agreement, ranked, judged)),
        "positives": _positives(judged, positive_from),
        "level": f"{100 * float(agreement.settings.get('level', 0.95)):g}",
        "main_coefficient": MAIN,
        "coefficients": [
            *(coefficient for coefficient in SHOWN if coefficient in agreement.coefficients),
            *(coefficient for coefficient in agreement.coefficients if coefficient.startswith("auc")),
        ],
        "parts": parts,
        "first_figure": parts[0].figure,
        "comparisons": comparisons,
        "labels": [(f"{value:g}", int(n)) for value, n in zip(values, counts, strict=True)] if not many else [],
        "grouped": many,
        "spreads": spreads,
        "spreads_files": spreads_files,
        "cut_words": f"at least {positive_from:g}",
        "folds": FOLDS,
        "calibrated": [_calibrated(judged, name, positive_from, bootstrap, gallery) for name in ranked],
        "rule_words": _rule_words,
        "infinity": math.inf,
        "worst": f"{100 * WORST:g}",
        "kinds_words": _kinds_words(judged),
        "errors": [(name, error_table(judged, name, worst=WORST, kinds=kinds)) for name in ranked],
        "certainty": planned,
        "signatures": [(name, judged.scores[name].signature) for name in agreement.metrics],
        "pairs_table": pairs["tables"]["pairs"],
        "pairs_words": words,
    }, pairs


def _limits(agreement: Agreement) -> tuple[float, float]:
    """Return the ends of the axis of all subsets, so that their figures share one scale."""
    measured = [
        row.measured[MAIN]
        for row in agreement.rows
        if MAIN in row.measured and not math.isnan(row.measured[MAIN].value)
    ]
    ends = [
        0.0,
        *(number for each in measured for number in (each.value, each.low, each.high) if math.isfinite(number)),
    ]
    room = 0.05 * (max(ends) - min(ends)) or 0.05
    return min(ends) - room, max(ends) + room


def _positives(judged: Judgments, positive_from: float) -> str:
    """Return a sentence on the share of pairs that count as equivalent."""
    n, equivalent = len(judged), int((judged.labels >= positive_from).sum())
    questions = None if judged.questions is None else np.unique(judged.questions, return_inverse=True)[1]
    share = bounded_mean(judged.labels >= positive_from, groups=questions)
    return (
        f"By the labels, {equivalent:,} of {n:,} answers are right (label at least {positive_from:g}), "
        f"{with_interval(share, '.0f', 100, ' %')}."
    )


def _certainty(judged: Judgments, ranked: Sequence[str], positive_from: float, gallery: Gallery) -> Certainty | None:
    """Return how many labels give which certainty with the best metrics, if that can be estimated."""
    labels = (judged.labels >= positive_from).astype(np.float64)
    if len(labels) < FEWEST_LABELS or not 0 < labels.mean() < 1:
        return None
    explained = {name: estimate_mean(judged.scores[name].values, labels).explained for name in ranked[:_PLANNED]}
    return certainty(explained, float(labels.mean()), len(labels), gallery)


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
        yield f"These metrics are constant here, so they cannot be compared: {', '.join(constant)}."


def _best(agreement: Agreement, subset: str) -> str:
    """Return a sentence on the metric that agrees best over a subset, or on the fact that none does."""
    best = agreement.best(subset, MAIN)
    against = f" These order the pairs against the labels: {', '.join(best.disagreeing)}." if best.disagreeing else ""
    if best.metric is None:
        return f"{_titled(subset)}: no metric agrees with the labels here; no interval of {MAIN} is above 0.{against}"
    measured = agreement.row(best.metric, subset).measured[MAIN]
    share = "" if math.isnan(measured.share) else f", {100 * measured.share:.0f} % of what its scores could reach"
    numbers = f"{MAIN} {with_interval(measured, '.3f')}{share}."
    if not best.rivals:
        return f"{_titled(subset)}: {best.metric} agrees best with human labels, {numbers}{against}"
    return (
        f"{_titled(subset)}: {best.metric} has the highest agreement with human labels, {numbers} "
        f"Not significantly different from it: {', '.join(best.rivals)}.{against}"
    )


def _titled(subset: str) -> str:
    words = {ALL: "All pairs", ZERO: "Pairs that share no word (F1 = 0)", NONZERO: "Pairs that share words (F1 != 0)"}
    return words.get(subset, subset)


def _part(agreement: Agreement, name: str, gallery: Gallery, limits: tuple[float, float]) -> _Part:
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
    figure = None
    if drawn:
        forest = figures.ranges(drawn, label=MAIN, width=4.8, limits=limits)
        figure = gallery.add(forest, f"{MAIN} by metric, {name}", f"{MAIN} {name}")
    return _Part(
        _titled(name), subset.n, f"{labels}.", rows, figure, tuple(metrics for metrics in groups if len(metrics) > 1)
    )


def _spread(
    judged: Judgments, names: Sequence[str], many: bool, positive_from: float, gallery: Gallery
) -> tuple[list[str], Drawn]:
    """Return a figure per metric, which fit a screen of any width, and all of them as one with its files."""
    labels = judged.labels
    if many:  # groups of about equal size, named for the middle of their labels
        edges = np.unique(np.quantile(labels, np.linspace(0, 1, _GROUPS + 1), method="inverted_cdf"))
        place = np.clip(np.searchsorted(edges, labels, side="right") - 1, 0, max(0, len(edges) - 2))
        labels = np.array([np.median(labels[place == i]) for i in range(place.max() + 1)])[place]
    scores = {name: judged.scores[name].values for name in names}
    single = [
        drawing.inline(
            figures.scores_by_label({name: values}, labels, positive_from, across=1), f"scores of {name} by label"
        )
        for name, values in scores.items()
    ]
    return single, gallery.add(
        figures.scores_by_label(scores, labels, positive_from), "scores by label", "scores by label"
    )


def _calibrated(
    judged: Judgments, name: str, positive_from: float, bootstrap: Bootstrap, gallery: Gallery
) -> _Calibrated:
    scores = judged.scores[name]
    try:
        calibration = calibrate(scores, judged.labels, cut=positive_from, folds=FOLDS, bootstrap=bootstrap)
    except ValueError as error:  # too few pairs of a kind, or constant scores: shown in place of a figure
        return _Calibrated(name, None, None, f"There is no calibration: {error}.")
    bins = calibration.reliability.bins
    drawn = figures.reliability(
        [figures.Ends(str(group.n), *group.share) for group in bins],
        [group.probability for group in bins],
        label="predicted probability",
        observed="share of equivalent pairs",
    )
    figure = gallery.add(drawn, f"reliability diagram of {name}", f"reliability {name}")
    return _Calibrated(name, calibration, figure, "")


def _rule_words(rule: str, provenance: Provenance) -> str:
    words = {"accuracy": "the best accuracy", "f1": "the best F1", "precision": f"a precision of {provenance.target:g}"}
    return words.get(rule, rule)


def _kinds_words(judged: Judgments) -> str:
    noted = any(str(category or "").strip() for category in judged.columns.get("category", ()))
    by_rule = f"by rules, if one applies ({', '.join(RULES)})"
    return f"Kinds are {'as annotated in the column “category”, else' if noted else 'assigned'} {by_rule}."


def _labels(labels: FloatArray, positive_from: float) -> dict[str, Any]:
    """Return the column of labels, with the marks of right and wrong answers if there are few different ones."""
    values = np.unique(labels).tolist()
    if len(values) > _MOST_LABELS:
        return browsing.number_column("label", "label", labels)
    classes = ["right" if value >= positive_from else "wrong" for value in values]
    names = {value: f"{value:g}" for value in values}
    shown = [names[label] for label in labels.tolist()]
    return browsing.choice_column("label", "label", shown, list(names.values()), classes=classes, rem=4.5)


def _pairs(
    judged: Judgments, agreement: Agreement, kinds: Sequence[str], best: str, positive_from: float
) -> tuple[dict[str, Any], str]:
    """Return the data that the script reads, and a sentence on texts that are shortened."""
    every = [text for pair in judged.pairs for text in pair] + list(judged.questions or ())
    texts = Texts(every)
    found = [browsing.answer(pair.gold, pair.pred, texts) for pair in judged.pairs]
    scores = {name: judged.scores[name].values for name in agreement.metrics}
    columns: list[dict[str, Any]] = [
        {
            "key": "gap",
            "name": "gap",
            "kind": "gap",
            "values": [np.rint(1000 * gaps(values, judged.labels)).astype(int).tolist() for values in scores.values()],
        },
        _labels(judged.labels, positive_from),
        browsing.marked_column("gold", "gold", [a.gold for a in found], [a.in_gold for a in found], texts),
        browsing.marked_column(
            "pred", "prediction", [a.pred for a in found], [a.in_pred for a in found], texts, rem=14
        ),
        *([] if judged.questions is None else [browsing.text_column("question", "question", judged.questions, texts)]),
        browsing.choice_column("kind", "kind", kinds, list(dict.fromkeys(kinds))),
        *(browsing.number_column(f"m{k}", name, values) for k, (name, values) in enumerate(scores.items())),
        browsing.number_column("row", "row", np.arange(1.0, len(judged) + 1), rem=browsing.ROW),
    ]
    variants = {"variants": list(scores), "chosen": best, "sort": {"key": "size", "down": True}}
    table = browsing.table("pairs", columns, len(judged), **variants)
    return {"lang": judged.lang, "texts": texts.listed(), "tables": {"pairs": table}}, texts.words
