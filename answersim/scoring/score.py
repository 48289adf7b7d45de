"""score and score_pairs: score answers that were checked, and select the best reference."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from answersim import calibration as calibrations
from answersim import metrics as rooms
from answersim import scoring
from answersim._base import arguments
from answersim._base.arguments import shown
from answersim._base.arrays import FloatArray
from answersim._base.errors import renumbered
from answersim._base.golds import StructuredGold
from answersim._base.runtime.progress import progress
from answersim.calibration.scores import Score, Scores
from answersim.metrics import planning
from answersim.metrics.catalog import lookup
from answersim.types import OFFICIAL, Metric, OneOrSeveral, Pair, capabilities, reads_questions

if TYPE_CHECKING:
    from answersim._base.device import Device
    from answersim.answers.tables.table import Answers
    from answersim.calibration.storing import CalibrationLike
    from answersim.calibration.verdicts import VerdictRule
    from answersim.scoring.cache import CacheLike, ScoreCache
    from answersim.scoring.languages.by_language import ByLanguage
    from answersim.scoring.pairs import Checked


@overload
def score(
    gold: str | Sequence[str],
    pred: str,
    metric: str | Metric | None = None,
    *,
    question: str | None = None,
    choices: Sequence[str] | None = None,
    lang: str | None = None,
    profile: str | None = None,
    calibration: CalibrationLike | None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
    **options: Any,
) -> Score: ...
@overload
def score(
    gold: Iterable[str | Sequence[str]],
    pred: Iterable[str],
    metric: str | Metric | None = None,
    *,
    question: Iterable[str] | None = None,
    choices: Sequence[Any] | None = None,
    lang: str | None = None,
    profile: str | None = None,
    calibration: CalibrationLike | None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
    **options: Any,
) -> Scores: ...
def score(
    gold: Any,
    pred: Any,
    metric: str | Metric | None = None,
    *,
    question: Any = None,
    choices: Any = None,
    lang: str | None = None,
    profile: str | None = None,
    calibration: CalibrationLike | None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
    **options: Any,
) -> Score | Scores:
    """Score how similar each prediction is to its gold answer: a ``Score`` for two strings, ``Scores`` for sequences.

    Args:
        gold: The gold answer. For one prediction: a string, or several strings that are all correct. For a sequence of
            predictions: one entry per prediction, a string or a non-empty sequence of strings. The best of several
            references counts: ``Score.reference`` or ``Scores.references`` is its position.
        pred: The prediction, or a sequence of predictions.
        metric: A name of ``answersim.names()`` or of a plug-in, or a metric that was already built. If None, it is that
            of the calibration, or else "answersim", which needs the extra 'embedded'.
        question: The question to both answers, for a metric that reads questions: one string per prediction. "" is not
            a question, and gives the same score as a call without questions. If there is at least one question, the
            signature contains ``question:yes``.
        choices: The texts of the options A, B, ... of a multiple-choice question, for ``answersim``, ``typed`` and
            ``typed+NAME``: a list for all predictions, or one list per prediction. A letter or the text of an option
            counts.
        lang: The language of the answers, an ISO 639-1 code; "en" if None. A metric that was already built has its own
            language and profile, so neither can be given with it.
        profile: The tokenizer or weights of the named metric. See ``answersim.metric``.
        calibration: A ``Calibration``, its file, the name of one in this package, or "shipped" for the one of this
            metric. A metric of 0 and 1, such as ``em``, needs none: "shipped" takes its scores as verdicts, without
            probabilities (nan). The scores do not change. The result also has ``probability``, ``verdict`` and
            ``truncated`` (``probabilities``, ``verdicts`` and ``truncated`` for a sequence).
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: A folder (or a ``ScoreCache``) where the scores of metrics that run a network are stored and looked up;
            True for the one of the command line. None stores nothing.
        options: Settings of the metric, such as ``layer=`` or ``model=``.

    Returns:
        A ``Score`` for one prediction, ``Scores`` of shape (n,) for a sequence of n predictions.

    Raises:
        TypeError: If an answer is None, a number, bytes ..., or the metric lacks an option.
        ValueError: If the lengths differ, a prediction has no reference, an answer contains half a surrogate pair, a
            question or options are given to a metric that reads none, the calibration is for another metric or another
            use of questions, or two ``pandas.Series`` have different indexes.
        LookupError: If no metric, profile, language or calibration has this name.

    If gold, pred or question is a ``pandas.Series``, ``Scores.to_pandas()`` has its index. Empty sequences give
    ``Scores`` of length 0 (their mean is nan). Empty strings are answers. Each metric defines their score.

    >>> score("National Football League", "the Football League", metric="f1")
    0.8
    >>> score(["NFL", "Football League"], "Football League", "f1").reference
    1
    >>> score(["Paris", "Rome"], ["paris", "Milan"], metric="em").values
    array([1., 0.])
    >>> score("Rome", "in Rome", metric="recall", calibration="recall").verdict
    'equivalent'
    >>> score("B", "It is Oslo.", "typed", choices=["Rome", "Oslo"])
    1.0
    """
    allowed = arguments.flag("progress", progress)
    metric = scoring.metrics.default_for(calibration) if metric is None else metric
    is_plain = isinstance(gold, str) and isinstance(pred, str) and question is None
    if is_plain and calibration is None and choices is None:
        if not (type(gold) is type(pred) is str and gold.isascii() and pred.isascii()):  # others need no check
            gold, pred = scoring.pairs.checked_text(gold, "gold", 0), scoring.pairs.checked_text(pred, "pred", 0)
        return _score_of_pair(build(metric, lang, profile, options), Pair(gold, pred), allowed, cache)
    checked, index = _checked_answers(gold, pred, question, choices)
    built = build(metric, lang, profile, options)
    _check_choices([built], choices)
    rules = {} if calibration is None else {"": _rule(built, calibration, checked.has_question)}
    scores = _scores({"": built}, checked, allowed, rules, scoring.cache.cache_of(cache))[""]
    if isinstance(pred, str):
        return scores[0]
    return scores if index is None else scores.indexed(index)


def _checked_answers(gold: Any, pred: Any, question: Any, choices: Any) -> tuple[Checked, Any]:
    """Return the answers of a call, checked, and the index of their ``pandas.Series``, or None."""
    if isinstance(pred, str):
        if question is not None and not isinstance(question, str):
            raise TypeError(f"question is {shown(question)}, but for one prediction it must be one string")
        options_of_pair = None if choices is None else [arguments.texts("choices", choices)]
        return scoring.pairs.check([gold], [pred], None if question is None else [question], options_of_pair), None
    if isinstance(gold, str):
        raise TypeError(
            f"gold is one string but pred is {type(pred).__name__}; give one gold answer per prediction, or one "
            "prediction"
        )
    index = scoring.pairs.common_index({"gold": gold, "pred": pred, "question": question})
    return scoring.pairs.check(gold, pred, question, choices), index


def score_pairs(
    pairs: Iterable[Pair | tuple[str | Sequence[str], str]],
    metric: OneOrSeveral = lookup.DEFAULT_METRIC,
    *,
    question: Iterable[str] | None = None,
    choices: Sequence[Any] | None = None,
    lang: str | None = None,
    profile: str | None = None,
    calibration: Mapping[str, CalibrationLike] | None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
    device: str | Device | None = None,
) -> dict[str, Scores]:
    """Return ``Scores`` by metric for pairs of gold answer and prediction. Shared computations run once.

    Args:
        pairs: Each a ``Pair`` or a tuple, gold first. A gold answer may be a sequence of references.
        metric: One or several: names, or metrics that were already built. Each is a key of the result, a built one by
            its signature. Of several built ones with equal signatures, such as on two devices, only the last one runs,
            because their numbers are equal.
        question: One per pair, "" for none, for the metrics that read questions. There must be such a metric. If there
            is at least one question, the signatures of their scores contain ``question:yes``.
        choices: As ``score``, for the metrics that read options. There must be such a metric.
        lang: The language of the answers, an ISO 639-1 code; "en" if None. The language and the profile apply to named
            metrics. If a metric is already built, neither can be given.
        profile: The tokenizer or weights of the named metrics.
        calibration: A calibration by the name of its metric (the signature of a built one). See ``score``. The scores
            of these metrics have verdicts.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: As ``score``.
        device: Where the networks of the named metrics run: "auto" (the default: a GPU if there is one), "cpu", "cuda"
            or "mps", or a ``Device``, which also has the precision; as text "cuda,bf16".

    Raises:
        TypeError, ValueError, LookupError: As ``score``. Also if a calibration is for a metric that is not listed, a
            device does not exist, or is given and no named metric runs a network.

    >>> found = score_pairs([("Rome", "in Rome")], ["em", "recall"])
    >>> {name: scores.mean for name, scores in found.items()}
    {'em': 0.0, 'recall': 1.0}
    """
    progress = arguments.flag("progress", progress)
    metrics: list[str | Metric] = arguments.one_or_several("metric", metric)
    checked = scoring.pairs.check_pairs(pairs, question, choices)
    options_by_metric = scoring.metrics.options_of_each(metrics, device)
    built = {
        entry if isinstance(entry, str) else scoring.metrics.checked_metric(entry).signature: build(
            entry, lang, profile, options
        )
        for entry, options in zip(metrics, options_by_metric, strict=True)
    }
    _check_choices(built.values(), choices)
    meanings = _meanings(built, {} if calibration is None else calibration, checked)
    return _scores(built, checked, progress, meanings, scoring.cache.cache_of(cache))


def score_answers(
    answers: Answers, metrics: Sequence[Metric], *, cache: CacheLike | None = None, progress: bool = True
) -> dict[str, Scores]:
    """Return the scores of all systems by the signature of each metric, system by system. Errors name the row."""
    kind = scoring.languages.by_language.ByLanguage
    mixed = [metric for metric in metrics if isinstance(metric, kind)]
    if mixed:
        others = [metric for metric in metrics if not isinstance(metric, kind)]
        by_signature = score_answers(answers, others, cache=cache, progress=progress) if others else {}
        return by_signature | {
            metric.signature: _score_by_language(answers, metric, cache, progress) for metric in mixed
        }
    n = len(answers.predictions)
    rows = zip(answers.numbers, answers.golds, strict=True)
    _check_structures(metrics, [(f"row {row}: ", gold) for row, gold in rows if isinstance(gold, StructuredGold)])
    questions = answers.questions * n if answers.questions is not None and any(map(reads_questions, metrics)) else None
    checked = scoring.pairs.check(
        answers.golds * n, [text for texts in answers.predictions.values() for text in texts], questions
    )
    with renumbered([number - 1 for number in answers.numbers] * n):
        return _scores(
            {metric.signature: metric for metric in metrics}, checked, progress, {}, scoring.cache.cache_of(cache)
        )


def _score_by_language(answers: Answers, metric: ByLanguage, cache: CacheLike | None, progress: bool) -> Scores:
    """Return the scores of all systems, system by system, each row by the metric of its language."""
    codes, has_questions = scoring.languages.table_language.row_languages(answers), any(answers.questions or ())
    values = np.empty((len(answers.predictions), len(answers.ids)), dtype=np.float64)
    for code, of_language in metric.metrics:
        rows = [i for i, row_code in enumerate(codes) if row_code == code]
        of_code = answers.at(rows)
        (scores,) = score_answers(of_code, [of_language], cache=cache, progress=progress).values()
        preds = rooms.composite.extracted.finals(
            of_language, [pred for texts in of_code.predictions.values() for pred in texts]
        )
        values[:, rows] = metric.scored(code, scores.values, preds, has_question=has_questions).reshape(len(values), -1)
    return Scores(values.reshape(-1), scoring.metrics.signed(metric, has_questions))


def score_checked(metric: Metric, checked: Checked) -> Scores:
    """Return the scores of answers that ``check`` accepts. Raise ValueError for a question that is not read."""
    return _scores({"": metric}, checked, False, {}, None)[""]


def _meanings(
    metrics: Mapping[str, Metric], calibrations: Mapping[str, CalibrationLike], checked: Checked
) -> dict[str, VerdictRule]:
    """Return the rules for verdicts of these metrics, each checked against the signature before any work."""
    if not isinstance(calibrations, Mapping):
        raise TypeError(
            f"calibration is {shown(calibrations)}, but several metrics may be given; give a mapping from their names, "
            f"such as {{{next(iter(metrics), 'sas')!r}: 'shipped'}}"
        )
    if strange := [name for name in calibrations if name not in metrics]:
        raise LookupError(f"calibration is given for {strange[0]!r}, but the metrics are: {', '.join(metrics)}")
    return {name: _rule(metrics[name], calibration, checked.has_question) for name, calibration in calibrations.items()}


def _rule(metric: Metric, calibration: CalibrationLike, has_questions: bool) -> VerdictRule:
    """Return the rule for verdicts on the scores of a metric. Raise LookupError if there is none."""
    scale = capabilities(metric).scale
    return calibrations.verdicts.verdict_rule(
        scoring.metrics.signed(metric, has_questions), scale=scale, calibration=calibration, required=True
    )


def build(metric: str | Metric, lang: str | None, profile: str | None, options: Mapping[str, Any]) -> Metric:
    """Return the metric of this name, or this metric. Raise TypeError for settings that have no effect."""
    if isinstance(metric, str):
        return lookup.metric(metric, lang=lang, profile=profile, **options)
    metric = scoring.metrics.checked_metric(metric)
    if options:
        raise TypeError(f"a metric that is already built takes no options, but {sorted(options)} were given")
    for name, value in (("lang", lang), ("profile", profile)):
        if value is not None:
            raise TypeError(
                f"{name} is {shown(value)}, but {metric.signature} is already built and has its own; give {name} to "
                f"answersim.metric, or request the metric by name"
            )
    return metric


def _score_of_pair(metric: Metric, pair: Pair, allowed: bool, cache: CacheLike | None) -> Score:
    """Return the score of one pair without a question, without the overhead of several."""
    if metric.signature.startswith(OFFICIAL):
        scoring.gold_forms.warn_of_forms([metric], [pair])
    if cache is None and capabilities(metric).cost == "light":  # no bar and no cache
        ((value,),) = planning.score_all([metric], [pair])
    else:
        with progress(allowed):
            ((value,),) = scoring.cache.score_all([metric], [pair], None, scoring.cache.cache_of(cache))
    return Score(float(value), metric.signature)


def _scores(
    metrics: Mapping[str, Metric],
    checked: Checked,
    allowed: bool,
    meanings: Mapping[str, VerdictRule],
    cache: ScoreCache | bool | None,
) -> dict[str, Scores]:
    _check_readers(metrics.values(), checked)
    several = len(checked.first) < len(checked.pairs)
    scores: dict[str, Scores] = {}
    for joint in (True, False):
        group = {
            name: metric for name, metric in metrics.items() if joint == (several and capabilities(metric).joint_golds)
        }
        if group:
            scores |= _scores_of_pairs(group, _joined(checked) if joint else checked, allowed, meanings, cache)
    return {name: scores[name] for name in metrics}


def _joined(checked: Checked) -> Checked:
    """Return one pair per prediction. Several gold answers of a row become one structure."""
    ends = [*checked.first[1:].tolist(), len(checked.pairs)]
    rows = [checked.pairs[start:end] for start, end in zip(checked.first.tolist(), ends, strict=True)]
    pairs = [
        row[0] if len(row) == 1 else Pair(StructuredGold(json.dumps([gold for gold, _ in row])), row[0].pred)
        for row in rows
    ]
    questions = None if checked.questions is None else [checked.questions[start] for start in checked.first]
    return scoring.pairs.Checked(pairs, np.arange(len(pairs), dtype=np.int64), questions)


def _scores_of_pairs(
    metrics: Mapping[str, Metric],
    checked: Checked,
    allowed: bool,
    meanings: Mapping[str, VerdictRule],
    cache: ScoreCache | bool | None,
) -> dict[str, Scores]:
    if len(checked.first) >= scoring.languages.english.FEW:
        scoring.languages.english.warn_of_language(metrics.values(), checked.pairs, checked.questions)
    scoring.gold_forms.warn_of_forms(metrics.values(), checked.pairs)
    rows: int | list[int] = 0
    if not checked.plain:
        sizes = np.diff(checked.first, append=len(checked.pairs))
        rows = np.repeat(np.arange(len(checked.first)), sizes.astype(np.intp, copy=False)).tolist()
    with progress(allowed), renumbered(rows):
        columns = scoring.cache.score_all(list(metrics.values()), checked.pairs, checked.questions, cache)
    scores = {
        name: _best(column, checked.first, scoring.metrics.signed(metric, checked.has_question))
        for (name, metric), column in zip(metrics.items(), columns, strict=True)
    }
    return scores | {
        name: rule.scored(
            scores[name],
            rooms.composite.extracted.finals(metrics[name], [checked.pairs[i].pred for i in checked.first])
            if rule.least_words
            else None,
            _truncated(metrics[name], checked, scores[name]),
        )
        for name, rule in meanings.items()
        if name in scores
    }


def _truncated(metric: Metric, checked: Checked, scores: Scores) -> NDArray[np.bool_]:
    """Return whether the best pair of each prediction is too long for the metric, shape (n,)."""
    best = (checked.first + scores.references).tolist()
    questions = None if checked.questions is None else [checked.questions[i] for i in best]
    return planning.truncated(metric, [checked.pairs[i] for i in best], questions)


def _check_readers(metrics: Collection[Metric], checked: Checked) -> None:
    """Raise ValueError if a question is given and no metric reads it, or a gold answer that a metric cannot read."""
    if not checked.plain:
        _check_structures(metrics, [("", gold) for gold, _ in checked.pairs if isinstance(gold, StructuredGold)])
    if not checked.has_question or any(map(reads_questions, metrics)):
        return
    names = ", ".join(metric.signature.split("|", 1)[0] for metric in metrics)
    readers = lookup.names_that_read_questions()
    alternatives = f"the metrics that do: {', '.join(readers)}" if readers else "no metric that ships does"
    raise ValueError(
        f"a question is given, but {names} reads no question; {alternatives}, and 'sas' reads questions with an "
        f"adapter= that was trained on them. Leave the question out, or choose such a metric"
    )


def _check_choices(metrics: Collection[Metric], choices: Any) -> None:
    """Raise ValueError if options are given and no metric reads them."""
    if choices is None or any(capabilities(metric).reads_choices for metric in metrics):
        return
    names = ", ".join(metric.signature.split("|", 1)[0] for metric in metrics)
    raise ValueError(
        f"choices is given, but {names} reads no options; answersim, typed and typed+NAME do. Leave choices out, or "
        "choose such a metric"
    )


def _check_structures(metrics: Iterable[Metric], structures: Sequence[tuple[str, StructuredGold]]) -> None:
    """Raise ValueError for the first structure, each with its place, if a metric cannot read any."""
    text_metrics = [metric for metric in metrics if not capabilities(metric).structured_golds] if structures else []
    if text_metrics:
        where, gold = structures[0]
        raise ValueError(
            f"{where}the gold answer {shown(gold)} is a structure, but {text_metrics[0].signature} compares "
            "texts; give a text, or a list of texts that are all correct, or a metric that reads structures, such as "
            "official:drop"
        )


def _best(column: FloatArray, first: NDArray[np.int64], signature: str) -> Scores:
    """Return the highest score of each prediction, and the position of the first reference with that score."""
    if len(first) == len(column):  # one reference per prediction, or no predictions
        return Scores(column, signature)
    ends = np.append(first[1:], len(column))
    winner = np.array([int(column[a:b].argmax()) for a, b in zip(first, ends, strict=True)], dtype=np.int64)
    return Scores(column[first + winner], signature, winner)
