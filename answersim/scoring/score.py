"""score and score_pairs: check the input, score it, select the best reference."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from answersim import arguments, planning
from answersim.arguments import shown
from answersim.calibration.scored import CalibratedScore, CalibratedScores
from answersim.calibration.storing import ANY, CalibrationLike, find
from answersim.calibration.verdicts import VerdictRule, Verdicts, verdict_rule, verdict_settings
from answersim.catalog import lookup
from answersim.errors import DetectedLanguageWarning, renumbered, warn_user
from answersim.profiles import ENGLISH, WEIGHTS
from answersim.runtime.progress import progress
from answersim.scoring.cache import CacheLike, ScoreCache, cache_of
from answersim.scoring.cache import score_all as score_all_cached
from answersim.signature import with_question
from answersim.text_language import text_language
from answersim.typed.reading import LANGUAGES as WITH_RULES
from answersim.types import (
    ChoiceGold,
    FloatArray,
    Metric,
    OneNamed,
    OneOrSeveral,
    Pair,
    Report,
    Score,
    Scores,
    StructuredGold,
    capabilities,
    reads_questions,
    structured,
)

# The names of the encoders that were made for English alone.
_ENGLISH_MODELS = {
    weights.model.rpartition("/")[2]
    for profiles in WEIGHTS.values()
    for name in ENGLISH
    for weights in profiles.get(name, {}).values()
}


class Checked(NamedTuple):
    """Answers that were checked: one pair per reference, and the prediction that each pair belongs to."""

    pairs: list[Pair]  # every reference with its prediction, in order
    first: NDArray[np.int64]  # the position of the first pair of each prediction, shape (n,)
    questions: list[str] | None = None  # the question of each pair, or None if none were given

    @property
    def asked(self) -> bool:
        """Whether there is at least one non-empty question."""
        return any(self.questions or ())


@overload
def score(
    gold: str | Sequence[str],
    pred: str,
    metric: str | Metric | None = None,
    *,
    question: str | None = None,
    lang: str | None = None,
    profile: str | None = None,
    calibration: None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
    **options: Any,
) -> Score: ...
@overload
def score(
    gold: str | Sequence[str],
    pred: str,
    metric: str | Metric | None = None,
    *,
    question: str | None = None,
    lang: str | None = None,
    profile: str | None = None,
    calibration: CalibrationLike,
    progress: bool = True,
    cache: CacheLike | None = None,
    **options: Any,
) -> CalibratedScore: ...
@overload
def score(
    gold: Iterable[str | Sequence[str]],
    pred: Iterable[str],
    metric: str | Metric | None = None,
    *,
    question: Iterable[str] | None = None,
    lang: str | None = None,
    profile: str | None = None,
    calibration: None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
    **options: Any,
) -> Scores: ...
@overload
def score(
    gold: Iterable[str | Sequence[str]],
    pred: Iterable[str],
    metric: str | Metric | None = None,
    *,
    question: Iterable[str] | None = None,
    lang: str | None = None,
    profile: str | None = None,
    calibration: CalibrationLike,
    progress: bool = True,
    cache: CacheLike | None = None,
    **options: Any,
) -> CalibratedScores: ...
def score(
    gold: Any,
    pred: Any,
    metric: str | Metric | None = None,
    *,
    question: Any = None,
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
            predictions: one entry per prediction, a string or a non-empty sequence of strings. Of several references,
            the one with the highest score counts. Its position is in ``Score.reference`` or ``Scores.references``.
        pred: The prediction, or a sequence of predictions.
        metric: A name of ``answersim.names()`` or of a plug-in, or a metric that was already built. If None, it is that
            of the calibration, or else "answersim", which needs the extra 'embedded'.
        question: The question to both answers, for a metric that reads questions: one string per prediction. "" is not
            a question, and gives the same score as a call without questions. If there is at least one question, the
            signature contains ``question:yes``.
        lang: The language of the answers, an ISO 639-1 code; "en" if None. A metric that was already built has its own
            language and profile, so neither can be given with it.
        profile: The tokenizer or weights of the named metric. See ``answersim.metric``.
        calibration: A ``Calibration``, its file, the name of one in this package, or "shipped" for the one of this
            metric. A metric of 0 and 1, such as ``em``, needs none: "shipped" takes its scores as verdicts, without
            probabilities (nan). The scores do not change. The result also has ``probability``, ``verdict`` and
            ``truncated`` (``probabilities``, ``verdicts`` and ``truncated`` for a sequence).
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: A folder (or a ``ScoreCache``) where the scores of metrics that run a network are stored and looked up.
        options: Settings of the metric, such as ``layer=`` or ``model=``.

    Returns:
        A ``Score`` for one prediction, ``Scores`` of shape (n,) for a sequence of n predictions. With ``calibration``,
        a ``CalibratedScore`` or ``CalibratedScores``.

    Raises:
        TypeError: If an answer is None, a number, bytes ..., or the metric lacks an option.
        ValueError: If the lengths differ, a prediction has no reference, an answer contains half a surrogate pair, a
            question is given to a metric that reads none, the calibration is for another metric or another use of
            questions, or two ``pandas.Series`` have different indexes.
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
    """
    progress = arguments.flag("progress", progress)
    if metric is None:
        metric = default_for(calibration)
    if isinstance(pred, str):
        how = (metric, lang, profile, options)
        return _score_of_prediction(gold, pred, question, how, calibration, progress, cache)
    if isinstance(gold, str):
        raise TypeError(
            f"gold is one string but pred is {type(pred).__name__}; give one gold answer per prediction, "
            "or one prediction"
        )
    index = common_index({"gold": gold, "pred": pred, "question": question})
    checked = check(gold, pred, question)
    built = build(metric, lang, profile, options)
    meaning = _meanings({"": built}, {} if calibration is None else {"": calibration}, checked)
    scores = _scores({"": built}, checked, progress, meaning, cache_of(cache))[""]
    return scores if index is None else scores.indexed(index)


def score_pairs(
    pairs: Iterable[Pair | tuple[str | Sequence[str], str]],
    metric: OneOrSeveral = lookup.DEFAULT_METRIC,
    *,
    question: Iterable[str] | None = None,
    lang: str | None = None,
    profile: str | None = None,
    calibration: Mapping[str, CalibrationLike] | None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
    device: str | None = None,
    precision: str | None = None,
    batch_tokens: int | None = None,
) -> dict[str, Scores]:
    """Return ``Scores`` by metric for pairs of gold answer and prediction. Shared computations run once.

    Args:
        pairs: Each a ``Pair`` or a tuple, gold first. A gold answer may be a sequence of references.
        metric: One or several: names, or metrics that were already built. Each is a key of the result, a built one by
            its signature. Of several built ones with equal signatures, such as on two devices, only the last one runs,
            because their numbers are equal.
        question: One per pair, "" for none, for the metrics that read questions. There must be such a metric. If there
            is at least one question, the signatures of their scores contain ``question:yes``.
        lang: The language of the answers, an ISO 639-1 code; "en" if None. The language and the profile apply to named
            metrics. If a metric is already built, neither can be given.
        profile: The tokenizer or weights of the named metrics.
        calibration: A calibration by the name of its metric (the signature of a built one). See ``score``. The scores
            of these metrics are ``CalibratedScores``.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: As ``score``.
        device: Where the networks of the named metrics run: "auto" (the default: a GPU if there is one), "cpu", "cuda"
            or "mps". It changes no signature.
        precision: The precision of these networks: "fp32" (the default), "bf16" or "fp16"; it is signed.
        batch_tokens: The maximum number of tokens that go through a network at a time; it changes no number.

    Raises:
        TypeError, ValueError, LookupError: As ``score``. Also if a calibration is for a metric that is not listed, a
            device does not exist, or one of the last three is given and no named metric runs a network.

    >>> found = score_pairs([("Rome", "in Rome")], ["em", "recall"])
    >>> {name: scores.mean for name, scores in found.items()}
    {'em': 0.0, 'recall': 1.0}
    """
    progress = arguments.flag("progress", progress)
    metrics: list[str | Metric] = arguments.one_or_several("metric", metric)
    listed = _listed(pairs, "pairs", "(gold, pred)")
    for i, pair in enumerate(listed):
        if isinstance(pair, (str, bytes)) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise TypeError(f"pairs[{i}] is {shown(pair)}, but a pair is (gold, pred)")
    checked = check([gold for gold, _ in listed], [pred for _, pred in listed], question)
    how = options_of_each(metrics, device, precision, batch_tokens)
    built = {
        one if isinstance(one, str) else checked_metric(one).signature: build(one, lang, profile, options)
        for one, options in zip(metrics, how, strict=True)
    }
    meanings = _meanings(built, {} if calibration is None else calibration, checked)
    return _scores(built, checked, progress, meanings, cache_of(cache))


def score_checked(
    metric: Metric,
    checked: Checked,
    *,
    allowed: bool = False,
    cache: ScoreCache | None = None,
    report: Report | None = None,
) -> Scores:
    """Return the scores of answers that ``check`` accepts, without checking them again.

    ``report``: as of ``planning.score_all``, instead of ``Scores.usage``. Raise ValueError if there is a question and
    the metric reads none.
    """
    return _scores({"": metric}, checked, allowed, {}, cache, report)[""]


def default_for(calibration: CalibrationLike | None) -> str:
    """Return the name of the metric of a calibration if it has one, else that of the default metric.

    Raise FileNotFoundError, LookupError, TypeError or ValueError if there is no such calibration. See ``storing.find``.
    """
    if calibration is not None and calibration != ANY:
        name = find(calibration).metric.get("name")
        if isinstance(name, str):
            return name
    return lookup.DEFAULT_METRIC


def named_metric(
    metric: OneNamed, calibration: CalibrationLike | Verdicts | None, lang: str, extract: Any = None
) -> tuple[str, Metric]:
    """Return the name and the metric of an analysis with one metric.

    ``metric``: a name, a metric that was built, or one by its name; None for that of the calibration, or the default.
    Raise TypeError if it is none of these, or several metrics by name.
    """
    if metric is None:
        metric = default_for(verdict_settings(calibration).calibration)
    if isinstance(metric, str):
        return metric, build(metric, lang, None, {} if extract is None else {"extract": extract})
    if extract is not None:
        raise TypeError("extract is given, but the metric is already built; give it to answersim.metric")
    if isinstance(metric, Mapping):
        if len(metric) != 1:
            raise TypeError(f"metric has {len(metric)} metrics by name, but one decides; give one")
        ((name, built),) = metric.items()
        return str(name), checked_metric(built)
    return checked_metric(metric).signature.split("|", 1)[0], metric


def check(gold: Any, pred: Any, question: Any = None) -> Checked:
    """Return the answers as pairs, all checked before any work; see ``score`` for the errors."""
    golds, preds = _listed(gold, "gold"), _listed(pred, "pred")
    if len(golds) != len(preds):
        raise ValueError(
            f"gold has {len(golds)} entries and pred has {len(preds)}; give one gold answer per prediction"
        )
    pairs: list[Pair] = []
    first = np.empty(len(preds), dtype=np.int64)
    for i, (references, given) in enumerate(zip(golds, preds, strict=True)):
        first[i] = len(pairs)
        prediction = checked_text(given, "pred", i)
        references = structured(references)
        if isinstance(references, StructuredGold):
            checked_text(references, "gold", i)
            pairs.append(Pair(references, prediction))
            continue
        if isinstance(references, str):
            pairs.append(Pair(checked_text(references, "gold", i), prediction))
            continue
        for reference in _references(references, i):
            pairs.append(Pair(reference, prediction))
    return Checked(pairs, first, None if question is None else _questions(question, first, len(pairs)))


def _questions(question: Any, first: NDArray[np.int64], pairs: int) -> list[str]:
    """Return the question of each pair. All references of a prediction have the same question."""
    if isinstance(question, str):
        raise TypeError(
            f"question is the one string {shown(question)}, but there are {len(first)} predictions; give one per "
            f"prediction, such as [{shown(question).rpartition(' (')[0]}] * {len(first)}"
        )
    given = _listed(question, "question")
    if len(given) != len(first):
        raise ValueError(f"there are {len(given)} questions and {len(first)} predictions; give one per prediction")
    questions = [checked_text(entry, "question", i) for i, entry in enumerate(given)]
    counts = np.diff(first, append=pairs)
    return [text for text, count in zip(questions, counts, strict=True) for _ in range(count)]


def _references(references: Any, i: int) -> list[str]:
    if not isinstance(references, (list, tuple)) and type(references).__name__ != "ndarray":
        raise TypeError(
            f"gold[{i}] is {shown(references)}, but an answer is a string, or a list of strings that are all correct"
        )
    listed = arguments.listed(f"gold[{i}]", references, "strings")
    if not listed:
        raise ValueError(f"gold[{i}] contains no reference; for 'no answer' give the empty string")
    return [checked_text(reference, "gold", i) for reference in listed]


def _listed(answers: Any, what: str, of: str = "strings") -> list[Any]:
    """Return the entries as a list. Raise TypeError for sets and mappings, which have no defined order."""
    if isinstance(answers, (set, frozenset, Mapping)):
        raise TypeError(f"{what} is {shown(answers)}, which has no defined order; give a list of {of}")
    if hasattr(type(answers), "columns") and not isinstance(answers, type):
        kind = type(answers).__name__  # iterating over a table gives the names of its columns
        raise TypeError(f"{what} is a {kind} with the columns {_columns(answers)}; give one of them")
    return arguments.listed(what, answers, of)


def _columns(answers: Any) -> list[Any] | str:
    """Return the columns of a table of any library."""
    try:
        return list(answers.columns)
    except Exception:  # any object may be passed
        return "(unknown)"


def checked_text(answer: Any, what: str, i: int) -> str:
    """Return this answer or question as a plain string."""
    if not isinstance(answer, str):
        article, kind = ("a", "question") if what == "question" else ("an", "answer")
        hint = f"; for 'no {kind}' give the empty string" if arguments.is_missing(answer) else ""
        raise TypeError(f"{what}[{i}] is {shown(answer)}, but {article} {kind} is a string{hint}")
    answer = answer if type(answer) in (str, ChoiceGold) else str.__str__(answer)
    if answer.isascii():
        return answer
    try:
        answer.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{what}[{i}] holds the lone surrogate U+{ord(answer[error.start]):04X} at position {error.start}, "
            "which is not a character; repair the text where it was decoded (errors='replace')"
        ) from None
    return answer


def common_index(given: Mapping[str, Any]) -> Any:
    """Return the index of those arguments that are a ``pandas.Series``; None if none is.

    Raise ValueError if two have different indexes, because rows would be matched by position and not by index.
    """
    pandas = sys.modules.get("pandas")  # without it, there is no Series
    if pandas is None:
        return None
    indexes = {name: series.index for name, series in given.items() if isinstance(series, pandas.Series)}
    if not indexes:
        return None
    (one, first), *others = indexes.items()
    for other, index in others:
        if not first.equals(index):
            raise ValueError(
                f"{one} and {other} are pandas.Series with different indexes ({_ends(first)} and {_ends(index)}), so "
                f"it is unclear which rows belong together; align them, or give lists (.tolist()) to match "
                "them by position"
            )
    return first


def _ends(index: Any) -> str:
    return f"{list(index[:3])!r}{'' if len(index) <= 3 else ' ...'}"


def build(metric: str | Metric, lang: str | None, profile: str | None, options: Mapping[str, Any]) -> Metric:
    """Return the metric of this name, or this metric. Raise TypeError for settings that have no effect."""
    if isinstance(metric, str):
        return lookup.metric(metric, lang=lang, profile=profile, **options)
    metric = checked_metric(metric)
    if options:
        raise TypeError(f"a metric that is already built takes no options, but {sorted(options)} were given")
    for name, value in (("lang", lang), ("profile", profile)):
        if value is not None:
            raise TypeError(
                f"{name} is {shown(value)}, but {metric.signature} is already built and has its own; give {name} to "
                f"answersim.metric, or request the metric by name"
            )
    return metric


def checked_metric(metric: Any) -> Metric:
    """Return this metric. Raise TypeError if it is none."""
    if isinstance(metric, type):
        raise TypeError(f"metric is the class {metric.__name__}, but it must be an object; give {metric.__name__}()")
    if not isinstance(metric, Metric):
        raise TypeError(
            f"metric is {shown(metric)}, but it must be a name, or an object with a signature that is called with pairs"
        )
    if not isinstance(metric.signature, str) or not metric.signature:
        raise TypeError(
            f"metric is {shown(metric)} with the signature {shown(metric.signature)}, but a signature is one line of "
            "text, such as 'mine|v:1'"
        )
    return metric


def options_of_each(
    metrics: Sequence[str | Metric], device: str | None, precision: str | None, batch_tokens: int | None
) -> list[dict[str, Any]]:
    """Return for each metric, in order, the options of its network."""
    given = any(setting is not None for setting in (device, precision, batch_tokens))
    if given and (built := [metric for metric in metrics if isinstance(metric, Metric)]):
        raise TypeError(
            f"{', '.join(lookup.RUNNING)} are for metrics given by name, but {built[0].signature} is already "
            "built: give them to answersim.metric"
        )
    named = [name for name in metrics if isinstance(name, str)]
    by_name = lookup.network_options(named, device, precision, batch_tokens)
    return [by_name[metric] if isinstance(metric, str) else {} for metric in metrics]


def signed(metric: Metric, asked: bool) -> str:
    """Return the signature of the scores of this metric.

    ``asked``: whether there is at least one non-empty question. A metric that reads no questions ignores it.
    """
    return with_question(metric.signature) if asked and reads_questions(metric) else metric.signature


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
    return {name: _rule(metrics[name], calibration, checked.asked) for name, calibration in calibrations.items()}


def _rule(metric: Metric, calibration: CalibrationLike, asked: bool) -> VerdictRule:
    """Return the rule for verdicts on the scores of a metric. Raise LookupError if there is none."""
    signature = signed(metric, asked)
    rule = verdict_rule(signature, scale=capabilities(metric).scale, calibration=calibration)
    if not rule.counts:
        find(calibration, signature)  # raises the error that names the calibrations
    return rule


def _score_of_prediction(
    gold: Any,
    pred: str,
    question: Any,
    how: tuple[str | Metric, str | None, str | None, Mapping[str, Any]],
    calibration: CalibrationLike | None,
    progress: bool,
    cache: CacheLike | None,
) -> Score:
    """Return the score of one prediction; ``how`` is the metric with its language, profile and options."""
    if question is not None and not isinstance(question, str):
        raise TypeError(f"question is {shown(question)}, but for one prediction it must be one string")
    if isinstance(gold, str) and not question and calibration is None:
        pair = Pair(checked_text(gold, "gold", 0), checked_text(pred, "pred", 0))
        return _score_of_one(build(*how), pair, progress, cache)
    checked = check([gold], [pred], None if question is None else [question])
    built = build(*how)
    meaning = _meanings({"": built}, {} if calibration is None else {"": calibration}, checked)
    return _scores({"": built}, checked, progress, meaning, cache_of(cache))[""][0]


def _score_of_one(metric: Metric, pair: Pair, allowed: bool, cache: CacheLike | None) -> Score:
    """Return the score of one pair without a question. The number is that of ``_scores``, without its overhead."""
    if cache is None and capabilities(metric).cost == "light":  # no bar and no cache
        return Score(float(planning.score_all([metric], [pair])[0][0]), metric.signature)
    with progress(allowed):
        return Score(float(score_all_cached([metric], [pair], None, cache_of(cache))[0][0]), metric.signature)


def warn_of_language(metrics: Iterable[Metric], pairs: Iterable[Any], questions: Iterable[str] | None = None) -> None:
    """Warn once if metrics read these answers as English, but they look as if they were in another language.

    ``pairs``: gold answers (or lists of references) and predictions. The first few hundred texts are looked at.
    """
    built = list(metrics)
    by_setting = [metric for metric in built if {"text:en", "lang:en"} & set(metric.signature.split("|"))]
    english = by_setting or [metric for metric in built if _has_english_weights(metric)]
    if not english:
        return
    sides = chain.from_iterable(
        (question, *pair) for pair, question in zip(pairs, questions or repeat(""), strict=False)
    )
    found = text_language(chain.from_iterable([side] if isinstance(side, str) else side for side in sides))
    if found is None:
        return
    rules = "" if found.code in WITH_RULES else ". Rules for values exist in English and German only"
    remedy = f"give --lang {found.code} (lang={found.code!r}), if that is their language{rules}"
    if not by_setting:
        remedy = "its weights are English: choose another metric, or a model= for that language (docs/choosing.md)"
    names = ", ".join(dict.fromkeys(metric.signature.partition("|")[0] for metric in english))
    warn_user(DetectedLanguageWarning(found.code, found.name, found.showing, found.n, names, remedy), once=True)


def _has_english_weights(metric: Metric) -> bool:
    """Return whether the encoder in the signature of this metric was made for English alone."""
    parts = dict(part.partition(":")[::2] for part in metric.signature.split("|")[1:])
    weights = parts.get("encoder") or parts.get("scorer") or ""
    return weights.partition("@")[0] in _ENGLISH_MODELS


def _scores(
    metrics: Mapping[str, Metric],
    checked: Checked,
    allowed: bool,
    meanings: Mapping[str, VerdictRule],
    cache: ScoreCache | None,
    report: Report | None = None,
) -> dict[str, Scores]:
    _check_readers(metrics.values(), checked)
    usage: dict[str, Any] = {}
    report = report or partial(_add_usage, usage)
    several = len(checked.first) < len(checked.pairs)
    joint = {name: metric for name, metric in metrics.items() if several and capabilities(metric).joint_golds}
    others = {name: metric for name, metric in metrics.items() if name not in joint}
    scores: dict[str, Scores] = {}
    if joint:
        scores |= _scores_of_pairs(joint, _joined(checked), allowed, meanings, cache, report)
    if others:
        scores |= _scores_of_pairs(others, checked, allowed, meanings, cache, report)
    for one in scores.values():
        one.usage = usage
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
    return Checked(pairs, np.arange(len(pairs), dtype=np.int64), questions)


def _scores_of_pairs(
    metrics: Mapping[str, Metric],
    checked: Checked,
    allowed: bool,
    meanings: Mapping[str, VerdictRule],
    cache: ScoreCache | None,
    report: Report,
) -> dict[str, Scores]:
    warn_of_language(metrics.values(), checked.pairs, checked.questions)
    sizes = np.diff(checked.first, append=len(checked.pairs))
    rows = np.repeat(np.arange(len(checked.first)), sizes.astype(np.intp, copy=False))
    with progress(allowed), renumbered(rows.tolist()):
        columns = score_all_cached(
            list(metrics.values()), checked.pairs, checked.questions, cache, first=checked.first, report=report
        )
    scores = {
        name: _best(column, checked.first, signed(metric, checked.asked))
        for (name, metric), column in zip(metrics.items(), columns, strict=True)
    }
    return scores | {
        name: CalibratedScores(scores[name], rule, _truncated(metrics[name], checked, scores[name]))
        for name, rule in meanings.items()
        if name in scores
    }


def _add_usage(usage: dict[str, Any], metric: Any, decisions: Any) -> None:
    """Add what the stages of a cascade did to its usage so far."""
    from answersim.composite.cascade import Cascade
    from answersim.composite.usage import usage_of

    if not isinstance(metric, Cascade):
        return
    done = usage_of(metric, decisions)
    usage[metric.signature] = usage[metric.signature] + done if metric.signature in usage else done


def _truncated(metric: Metric, checked: Checked, scores: Scores) -> NDArray[np.bool_]:
    """Return whether the best pair of each prediction is too long for the metric, shape (n,)."""
    best = (checked.first + scores.references).tolist()
    questions = None if checked.questions is None else [checked.questions[i] for i in best]
    return planning.truncated(metric, [checked.pairs[i] for i in best], questions)


def _check_readers(metrics: Collection[Metric], checked: Checked) -> None:
    """Raise ValueError if a question is given and no metric reads it, or a gold answer that a metric cannot read."""
    text_metrics = [metric for metric in metrics if not capabilities(metric).structured_golds]
    structures = (pair.gold for pair in checked.pairs if isinstance(pair.gold, StructuredGold))
    if text_metrics and (gold := next(structures, None)) is not None:
        raise ValueError(
            f"the gold answer {shown(gold)} is a structure, but {text_metrics[0].signature} compares texts; give a "
            "text, or a list of texts that are all correct, or a metric that reads structures, such as official:drop"
        )
    if not checked.asked or any(map(reads_questions, metrics)):
        return
    names = ", ".join(metric.signature.split("|", 1)[0] for metric in metrics)
    readers = lookup.names_that_read_questions()
    alternatives = f"the metrics that do: {', '.join(readers)}" if readers else "no metric that ships does"
    raise ValueError(
        f"a question is given, but {names} reads no question; {alternatives}, and 'sas' reads questions with an "
        f"adapter= that was trained on them. Leave the question out, or choose such a metric"
    )


def _best(column: FloatArray, first: NDArray[np.int64], signature: str) -> Scores:
    """Return the highest score of each prediction, and the position of the first reference with that score."""
    if len(first) == len(column):  # one reference per prediction, or no predictions
        return Scores(column, signature)
    ends = np.append(first[1:], len(column))
    winner = np.array([int(column[a:b].argmax()) for a, b in zip(first, ends, strict=True)], dtype=np.int64)
    return Scores(column[first + winner], signature, winner)
