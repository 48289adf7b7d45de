"""The page of an evaluation: how many answers of each system are right, which is better, and every answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from answersim.evaluation.comparison import Comparison
from answersim.evaluation.correction import FEWEST_LABELS, MeanEstimate
from answersim.evaluation.labeled_shares import labeled_shares
from answersim.evaluation.results import Evaluation
from answersim.evaluation.tables import ALL, SystemRow
from answersim.report import drawing, system_figures
from answersim.report.certainty import Certainty, certainty
from answersim.report.comparing import compared, sentence
from answersim.report.drawing import Drawn, Gallery
from answersim.report.gathering import SystemAnswers, answers_of, decided_of
from answersim.report.outcomes import OUTCOMES
from answersim.report.rendering import PageSettings, rendered, settings_shown
from answersim.report.system_figures import Series
from answersim.report.system_tables import Shown, shown_tables
from answersim.stats.resampling import Bootstrap
from answersim.text_tables import with_interval

_NAMED = 4  # systems in the heading
_SHORT = 14  # characters


class _Subsets(NamedTuple):
    """The subsets of one system."""

    system: str
    rows: list[SystemRow]
    figure: Drawn
    caption: str


class _Labeled(NamedTuple):
    """The results from human labels: the corrected share by system, and notes on systems with too few labels."""

    shares: dict[str, MeanEstimate]
    notes: list[str]


def systems_page(
    evaluation: Evaluation,
    answers: SystemAnswers | None = None,
    settings: PageSettings = PageSettings(),
) -> str:
    """Return the page of an evaluation as HTML. Equal arguments give an equal page.

    Args:
        evaluation: The evaluation of one or several systems. It lists all answers: ``keep=
            ANSWER_VERDICTS``.
        answers: The same answers with more metrics or with labels; those of the evaluation if not given.
        settings: The heading and what else the page shows.

    Raises:
        ValueError: If the evaluation does not list all answers.
        MissingExtraError: If jinja2 or matplotlib is not installed.
    """
    calibrated = evaluation.rows[0].right is not None
    if answers is None and calibrated:
        answers = answers_of(evaluation)
    gallery = Gallery(settings.figures, settings.base)
    with drawing.inked():
        values, data = _context(evaluation, answers, gallery)
    return rendered(
        "systems.html.j2",
        data=data,
        title=settings.title or _title(evaluation),
        metadata=[*settings.metadata.items(), *settings_shown(evaluation.settings).items()],
        **settings.values,
        **values,
    )


def _context(
    evaluation: Evaluation, answers: SystemAnswers | None, gallery: Gallery
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the variables of the template and the data of the script."""
    rows = [row for row in evaluation.rows if row.subset == ALL]
    calibrated = rows[0].right is not None
    level = float(evaluation.settings.get("level", 0.95))
    several = len(rows) > 1
    abstentions = any(row.not_attempted for row in rows)
    labeled = _labeled(answers, level)
    pairs: Sequence[Comparison] = ()
    if answers is not None:
        rule, noise = evaluation.rule, evaluation.noise
        pairs = compared(answers, evaluation.metric, rule, noise=noise, bootstrap=Bootstrap(level))
    tables = shown_tables(answers, pairs)
    verdicts = None
    if answers is not None and calibrated:
        verdicts = gallery.add(
            system_figures.scores_by_verdict(
                answers.scores[evaluation.metric], answers.verdicts, f"score of {evaluation.metric}"
            ),
            "how often each score occurs, by verdict",
            "score against verdict",
        )
    subsets = list(_subsets(evaluation, gallery, level))
    planned = _certainty(labeled, answers, gallery, level)
    values = {
        "decision": list(_decision(evaluation, pairs, labeled)),
        "several": several,
        "calibrated": calibrated,
        "abstentions": abstentions,
        "outcomes": [name for name in OUTCOMES if name != "not attempted" or abstentions],
        "extracted": answers is not None and bool(answers.finals),
        "metric": evaluation.metric,
        "rows": rows,
        "corrections": labeled.shares,
        "notes": [*_intervals(evaluation, several or bool(labeled.shares)), *evaluation.notes, *labeled.notes],
        "verdict_figure": verdicts,
        "verdict_caption": "How often each score occurs, by the verdict on it.",
        "subsets": subsets,
        "certainty": planned,
        "sections": _sections(several, pairs, verdicts, subsets, planned),
        "signatures": list({evaluation.metric: evaluation.signature}.items())
        if answers is None
        else list(answers.signatures.items()),
        **_first_figure(rows, calibrated, evaluation.metric, level, gallery),
        **_shares_figure(rows, calibrated, labeled, level, gallery),
        **_comparison(pairs, calibrated, evaluation, gallery, tables),
        "answers_table": tables.answers,
        "answers_caption": "Wrong answers come first, then unsure and not attempted ones, each by rising probability."
        if calibrated
        else "Answers with the lowest scores come first.",
        "answers_words": tables.answers_words,
    }
    return values, tables.data


def _title(evaluation: Evaluation) -> str:
    systems = evaluation.systems
    if len(systems) == 1:
        return f"{evaluation.name}: how many answers are right?"
    named = ", ".join(systems) if len(systems) <= _NAMED else f"{len(systems)} systems"
    return f"{named}: which is better?"


def _sections(several: bool, *parts: Any) -> list[tuple[str, str]]:
    named = [
        ("systems", "Systems" if several else "The system", True),
        ("comparison", "Which is better?", parts[0]),
        ("changes", "Answers that changed", parts[0]),
        ("verdicts", "Score against verdict", parts[1]),
        ("subsets", "By subset", parts[2]),
        ("certainty", "Labels against certainty", parts[3]),
        ("answers", "All answers", True),
        ("signatures", "Signatures", True),
        ("reproduce", "Reproduce", True),
    ]
    return [(key, name) for key, name, present in named if present]


def _decision(evaluation: Evaluation, pairs: Sequence[Comparison], labeled: _Labeled) -> Iterator[str]:
    """Yield the sentences of the first screen: which system is better, how many of each are right, what labels say."""
    if len(pairs) == 1:
        unit = "points" if evaluation.rows[0].right is not None else evaluation.metric
        yield f"{sentence(pairs[0], unit)}."
    elif pairs:
        yield _best(evaluation, pairs)
    several = len(evaluation.systems) > 1
    for system, line in zip(evaluation.systems, evaluation.summary(), strict=True):
        share = labeled.shares.get(system)
        if share is None:
            yield f"{line}."
            continue
        by_labels = with_interval(share, ".0f", 100, " %")
        count = f"{share.n_labeled:,} human labels"
        if several:
            yield f"{line}; by {count}, {by_labels} right."
        else:
            yield f"{line}."
            yield f"By {count} and the scores of all answers, {by_labels} are right."


def _best(evaluation: Evaluation, pairs: Sequence[Comparison]) -> str:
    """Return which of several systems is best and which of them are not distinguishable from it."""
    rows = [row for row in evaluation.rows if row.subset == ALL]
    calibrated = rows[0].right is not None
    values = {row.system: (row.share if calibrated else row.mean).value for row in rows}
    best = max(values, key=lambda system: values[system])
    what = "share right" if calibrated else f"mean {evaluation.metric}"
    rivals = [
        next(name for name in pair.names if name != best)
        for pair in pairs
        if best in pair.names and pair.decisive_p >= 1 - pair.level
    ]
    if not rivals:
        return f"{best} has the highest {what}, and is better than all {len(values) - 1} others."
    return f"{best} has the highest {what}. Not distinguishable from it: {', '.join(rivals)}."


def _intervals(evaluation: Evaluation, others: bool) -> Iterator[str]:
    """Yield the clusters of the intervals. Those of differences and labels (others) are always over questions."""
    settings = evaluation.settings
    if settings:
        yield (f"Brackets contain {100 * settings['level']:g} % intervals over {settings['clusters']}.")
        if others and settings["clusters"] not in ("answers", "questions"):
            yield f"Differences and shares by labels are over questions, not over {settings['clusters']}."


def _first_figure(
    rows: Sequence[SystemRow], calibrated: bool, metric: str, level: float, gallery: Gallery
) -> dict[str, Any]:
    if calibrated:
        figure = system_figures.verdict_bars(rows)
        gaps = ", and those not attempted" if any(row.not_attempted for row in rows) else ""
        caption = f"Right, unsure and wrong answers{gaps}."
    else:
        means = {row.system: row.mean for row in rows}
        figure = system_figures.forest([Series("mean", means)], label=f"mean {drawing.shown(metric)}")
        caption = f"Mean {metric} with its {100 * level:g} % interval."
    return {"first_figure": gallery.add(figure, caption, "right wrong unsure"), "first_caption": caption}


def _shares_figure(
    rows: Sequence[SystemRow], calibrated: bool, labeled: _Labeled, level: float, gallery: Gallery
) -> dict[str, Any]:
    if not calibrated:
        return {"shares_figure": None, "shares_caption": ""}
    expected = {row.system: row.probability for row in rows}
    series = [
        Series("right", {row.system: row.share for row in rows}),
        *([] if np.isnan(rows[0].probability.value) else [Series("expected right", expected)]),
        *([Series("by labels", {name: of.estimate for name, of in labeled.shares.items()})] if labeled.shares else []),
    ]
    figure = system_figures.forest(series, label="% of the answers", factor=100)
    caption = f"Shares of right answers with {100 * level:g} % intervals, on one scale."
    return {"shares_figure": gallery.add(figure, caption, "systems"), "shares_caption": caption}


def _subsets(evaluation: Evaluation, gallery: Gallery, level: float) -> Iterator[_Subsets]:
    """Yield the subsets of each system. All figures have the same scale."""
    if len(evaluation.subsets) < 2:
        return
    calibrated = evaluation.rows[0].right is not None
    limits = system_figures.limits_of([row.share if calibrated else row.mean for row in evaluation.rows])
    for system in evaluation.systems:
        rows = [row for row in evaluation.rows if row.system == system]
        what, factor = ("share right, %", 100.0) if calibrated else (f"mean {drawing.shown(evaluation.metric)}", 1.0)
        series = Series(what, {row.subset: row.share if calibrated else row.mean for row in rows})
        figure = system_figures.forest([series], label=what, factor=factor, limits=limits)
        caption = f"{system} by subset with {100 * level:g} % intervals, on the same scale for all systems."
        yield _Subsets(system, rows, gallery.add(figure, caption, f"subsets of {system}"), caption)


def _comparison(
    pairs: Sequence[Comparison], calibrated: bool, evaluation: Evaluation, gallery: Gallery, tables: Shown
) -> dict[str, Any]:
    if not pairs:
        return {"comparisons": (), "labeled": False}
    unit = "points of the share of right answers" if calibrated else f"mean {drawing.shown(evaluation.metric)}"
    names = [f"{_short(second)} less {_short(first)}" for first, second in (pair.names for pair in pairs)]
    if len(set(names)) < len(names):  # long names that begin and end alike
        names = [f"{second} less {first}" for first, second in (pair.names for pair in pairs)]
    differences = [pair.decisive.times(100 if calibrated else 1) for pair in pairs]
    series = Series("difference", dict(zip(names, differences, strict=True)))
    figure = system_figures.forest([series], label=unit)
    figure.axes[0].axvline(0, color=drawing.ink(), linewidth=0.8)
    caption = f"Paired differences with {100 * pairs[0].level:g} % intervals; 0 is no difference."
    near = (
        f"“Near the threshold” counts the questions with a score nearer to {pairs[0].rule.threshold:.4g} than the "
        "noise, on which another machine may decide otherwise."
    )
    return {
        "comparisons": pairs,
        "labeled": any(pair.labeled is not None for pair in pairs),
        "differences_figure": gallery.add(figure, caption, "differences"),
        "differences_caption": caption,
        "comparison_words": (
            "p and the interval of a difference come from one procedure (answersim.stats.paired). p is after Holm's "
            "correction. “Went wrong” counts the answers that are right for the first system and not for the second, "
            "“became right” the other way round. Scores are the same if they differ by at most "
            f"{pairs[0].noise:g}, the numerical noise of the metric. {near if calibrated else ''}"
        ).strip(),
        "changes_table": tables.changes,
        "changes_words": tables.changes_words,
    }


def _short(name: str) -> str:
    """Return the name of a system so that two of them fit beside a figure."""
    return name if len(name) <= _SHORT else f"{name[: _SHORT // 2]}…{name[1 - _SHORT // 2 :]}"


def _labeled(answers: SystemAnswers | None, level: float) -> _Labeled:
    """Return the share right of each system by its labels."""
    found = _Labeled({}, [])
    if answers is None or not answers.labels:
        return found
    decided = decided_of(answers, next(iter(answers.scores)))
    for system, given in answers.labels.items():
        count = int((~np.isnan(given.labels)).sum())
        if count < FEWEST_LABELS:
            found.notes.append(
                f"{count} answers of {system} have a label, but an estimate of its share of right answers needs at "
                f"least {FEWEST_LABELS}: label more of them ('answersim label' chooses them)"
            )
            continue
        try:
            (share,), notes = labeled_shares({system: given}, {system: decided[system]}, answers.questions, level)
        except ValueError as error:  # such as labels of too few questions
            found.notes.append(f"{system}: no estimate from the labels: {error}")
            continue
        found.shares[system] = share.ppi
        found.notes.extend(notes)
    return found


def _certainty(labeled: _Labeled, answers: SystemAnswers | None, gallery: Gallery, level: float) -> Certainty | None:
    """Return how many labels give which certainty, for the system with most labels."""
    if answers is None or not labeled.shares:
        return None
    share = max(labeled.shares.values(), key=lambda share: share.n_labeled)
    metric = next(iter(answers.scores))
    return certainty(
        {metric: share.explained},
        share.value,
        share.n_labeled,
        gallery,
        rows=len(answers.ids),
        level=level,
    )
