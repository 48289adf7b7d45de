"""evaluate: how many answers of each system are right, how sure that is, and which ones are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim import arguments, detection
from answersim.cache import CacheLike
from answersim.calibration.decision import UNSURE, band, decided
from answersim.calibration.model import Calibration
from answersim.calibration.storing import ANY, CalibrationLike, find
from answersim.calibration.wording import decision, promises
from answersim.composite.cascade import Cascade
from answersim.composite.receipts import receipts
from answersim.default_metric import LEXICAL, sentences, warn_of_sentences
from answersim.errors import TruncationWarning, deferred_warnings, unknown, warn_user
from answersim.evaluation.inputs import Answers, Columns, read_answers
from answersim.evaluation.results import ALL, Evaluation
from answersim.evaluation.rows import CALL_OF, CALLS, AnswerRow, Call, SystemRow
from answersim.progress import bar
from answersim.progress import progress as bars
from answersim.row_groups import Mask, by_kinds, by_values, question_kind
from answersim.scoring import build, default_for, options_of_each, score_pairs, signed
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.resampling import Estimate
from answersim.text import tokenizer
from answersim.types import FloatArray, Metric, reads_questions

LENGTHS = ("0-1", "2", "3-5", "6-15", "16-40", "41+")  # words of a prediction
BUILT_IN = ("length", "question")
_BLOCK = 4096  # answers between two steps of the bar
_NONE = Estimate(np.nan, np.nan, np.nan)


def evaluate(
    data: Any,
    metric: str | Metric | None = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    references: Any = None,
    by: Sequence[str] = (),
    group: str | None = None,
    split_gold: str | None = None,
    calibration: CalibrationLike | None = ANY,
    unsure: float = UNSURE,
    strict: float | None = None,
    only: Sequence[Call] = ("wrong", "unsure"),
    lang: str = "en",
    profile: str | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    rng: int | np.random.Generator = 0,
    skip_bad: bool = False,
    encoding: str | None = None,
    delimiter: str | None = None,
    device: str | None = None,
    precision: str | None = None,
    batch_tokens: int | None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
    **options: Any,
) -> Evaluation:
    """Count how many answers of each system are right, with intervals over questions, and list the wrong ones.

    A verdict is that of a calibration: right from a probability of .5 + ``unsure`` on, wrong up to .5 - ``unsure``, and
    unsure between. The share that is called right is not the share that annotators would call right. ``probability``
    estimates that, if these answers are like those of the calibration.

    Args:
        data: A file (CSV, TSV, JSON, JSON lines, Parquet, Excel), a ``pandas.DataFrame`` or columns by name, with one
            or several columns of predictions. For a table per system: a list of files, or files or data frames by the
            name of the system. They are joined by ``id``.
        metric: A name, or a metric that was already built. If None, it is that of the calibration, or else "answersim"
            if its extra 'embedded' is installed, or else "recall", with a warning if predictions are sentences.
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers. A value may be a list of answers that are all correct.
        question: The column of the questions. Intervals are then over questions, and metrics that can read the question
            do.
        id: The column that identifies a row. It is "id" for several tables.
        references: For several tables, the table with gold answers and questions, if they are in none of them.
        by: Subsets: columns, "length" (words of the prediction) or "question" (the word that asks).
        group: The column of what dependent answers have in common, if it is not the question.
        split_gold: A separator between several gold answers in one value.
        calibration: A calibration, its file or name, or "shipped" for the one of this metric. Without one (None, or if
            none ships for the metric), there are mean scores only. The scores of a cascade are probabilities, which
            need none.
        unsure: Half the width of the band of "unsure", from 0 to below .5.
        strict: The promised share of right answers among those called right; see ``Calibration.verdicts``.
        only: The verdicts of the answers that are listed.
        lang: The language of the answers.
        profile: The tokenizer or weights of a named metric.
        level: The coverage of the intervals.
        resamples: Bootstrap resamples of the questions.
        rng: A seed, or the generator that gives one.
        skip_bad: Whether rows without an answer of every system, or without a gold answer, are left out and counted,
            instead of being an error.
        encoding: The encoding of text files, instead of the detected one.
        delimiter: The delimiter of CSV and TSV files, likewise.
        device: Where the network of a named metric runs; see ``answersim.score_pairs``.
        precision: The precision of this network; signed.
        batch_tokens: The most tokens that go through it at a time.
        progress: Whether long work may show a bar; only on a terminal.
        cache: A folder (or a ``ScoreCache``) where the scores of metrics that run a network are stored and looked up.
        options: Settings of the named metric.

    Raises:
        FileNotFoundError, LookupError: If there is no such file, column, id, metric, calibration or subset.
        ValueError: If values are no answers or ids occur twice (all rows are named), a setting is outside its range, or
            the calibration is for other scores.
        TypeError: If an argument has the wrong type.

    >>> answers = {"gold": ["Rome", "Oslo"], "a": ["in Rome", "Bergen"], "b": ["Paris", "Oslo"]}
    >>> print(evaluate(answers, "recall", pred=["a", "b"]).sentences()[0])
    a: 1 of 2 right, 50 % [0, 100]; 1 wrong, 0 unsure
    """
    settings = _checked(level, resamples, rng, only, unsure, arguments.flag("progress", progress))
    preds = (arguments.text("pred", pred),) if isinstance(pred, str) else tuple(arguments.texts("pred", pred))
    if not preds:
        raise ValueError("pred names no column; give at least one column of predictions")
    subsets = arguments.texts("by", by)
    if isinstance(metric, str) or metric is None:
        by_default = metric is None and (calibration is None or calibration == ANY)
        metric = default_for(calibration, profile) if metric is None else metric
        (running,) = options_of_each([metric], device, precision, batch_tokens)
        built = build(metric, lang, profile, {**options, **running})
        name = metric
    else:
        by_default = False
        options_of_each([metric], device, precision, batch_tokens)
        built = build(metric, None, profile, options)
        name = built.signature.split("|", 1)[0]
    with detection.reading(encoding, delimiter):
        others = [column for column in subsets if column not in BUILT_IN or column == group]
        columns = Columns(
            gold, preds, question, id, tuple(dict.fromkeys([*others, *([group] if group else [])])), split_gold
        )
        answers = _read(data, columns, subsets, references, arguments.flag("skip_bad", skip_bad))
    questions = answers.questions if reads_questions(built) else None
    signature = signed(built, any(questions or ()))
    meaning, notes = _meaning(calibration, signature, name)
    if strict is not None:
        if meaning is None:
            raise ValueError(f"strict is {strict}, but there is no calibration for {name}; give one, or leave it out")
        strict = meaning.check_strict(strict)
    if by_default and name == LEXICAL:
        every = [text for predictions in answers.predictions.values() for text in predictions]
        warn_of_sentences(sentences(every), len(every))
    probable = meaning is None and calibration == ANY and isinstance(built, Cascade)
    if probable:
        notes = [f"the scores of {name} are probabilities, by the calibrations of its stages"]
    with receipts() as of_cascades:
        scores = _scores(answers, built, questions, settings.progress, cache)
    judged = _judged(scores, meaning, settings.unsure, strict, probable)
    clusters: Sequence[Any] = range(len(answers.ids))
    over = "answers"
    if group is not None:
        clusters, over = [str(value) for value in answers.columns[group]], f"the values of {group!r}"
    elif answers.questions is not None:
        clusters, over = answers.questions, "questions"
    means = ClusteredMeans(clusters, settings.resamples, settings.level, np.random.default_rng(settings.seed))
    rows = [
        _row(subset, system, judged[system], mask, means)
        for subset, masks in _subsets(answers, subsets, lang).items()
        for system, mask in masks.items()
        if mask.any()
    ]
    if answers.skipped:
        notes.append(f"{answers.skipped:,} rows without answers are left out")
    notes += map(str, of_cascades.values())
    if meaning is not None:
        notes += _basis(meaning, settings.unsure, strict)
    return Evaluation(
        name=answers.name,
        metric=name,
        signature=signature,
        rows=tuple(rows),
        answers=tuple(_listed(answers, judged, settings.only)) if meaning is not None or probable else (),
        settings={
            "level": settings.level,
            "resamples": settings.resamples,
            "seed": settings.seed,
            "clusters": over,
            "unsure": settings.unsure,
            "strict": strict,
            "by": subsets,
            "skipped": answers.skipped,
            "calibration": None if meaning is None else meaning.signature,
        },
        notes=tuple(notes),
    )


class _Settings(NamedTuple):
    """Checked settings of the call."""

    level: float
    resamples: int
    seed: int
    only: tuple[Call, ...]
    unsure: float
    progress: bool


class _Judged(NamedTuple):
    """Scores, probabilities and calls of the answers of a system, shape (n,); None without a calibration."""

    scores: FloatArray
    probabilities: FloatArray | None
    calls: NDArray[np.str_] | None


def _checked(level: Any, resamples: Any, rng: Any, only: Any, unsure: Any, progress: bool) -> _Settings:
    calls = [only] if isinstance(only, str) else arguments.texts("only", only)
    for call in calls:
        if call not in CALLS:
            raise unknown("verdict of an answer", call, CALLS)
    seed = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else arguments.whole("rng", rng, 0, None)
    return _Settings(
        arguments.between("level", level, 0, 1),
        arguments.whole("resamples", resamples, 1),
        seed,
        tuple(call for call in CALLS if call in calls),
        band(unsure),
        progress,
    )


def _read(data: Any, columns: Columns, subsets: Sequence[str], references: Any, skip_bad: bool) -> Answers:
    """Return the answers. A column that is called as a built-in subset goes before it, unless it has another role."""
    roles = (columns.gold, columns.question, columns.id, *columns.preds)
    named = [name for name in subsets if name in BUILT_IN and name not in roles]
    if named:
        try:
            return read_answers(
                data, columns._replace(others=(*columns.others, *named)), references=references, skip_bad=skip_bad
            )
        except LookupError:
            pass  # there is no such column, or another error that is raised again below
    if "question" in subsets and columns.question is None:
        raise ValueError("by names 'question', but there are no questions; name their column with question=")
    return read_answers(data, columns, references=references, skip_bad=skip_bad)


def _meaning(calibration: CalibrationLike | None, signature: str, name: str) -> tuple[Calibration | None, list[str]]:
    """Return the calibration of these scores if there is one, and a note if not."""
    if calibration is None:
        return None, []
    try:
        return find(calibration, signature), []
    except LookupError:
        if calibration != ANY:
            raise
        return None, [
            f"no calibration ships for {name} with these settings, so that there are no verdicts; make one with "
            "'answersim calibrate', and give it with --calibration (calibration=)"
        ]


def _scores(
    answers: Answers, metric: Metric, questions: list[str] | None, allowed: bool, cache: CacheLike | None
) -> dict[str, FloatArray]:
    """Return the scores of each system. Truncated texts are counted in one warning."""
    n = len(answers.ids)
    pairs = [
        (gold, pred)
        for predictions in answers.predictions.values()
        for gold, pred in zip(answers.golds, predictions, strict=True)
    ]
    asked = None if questions is None else questions * len(answers.predictions)
    cut: dict[tuple[str, str], int] = {}
    parts = []
    with bars(allowed), bar(len(pairs), metric.signature.split("|", 1)[0], "answer") as shown:
        for start in range(0, len(pairs), _BLOCK):
            block = pairs[start : start + _BLOCK]
            part = None if asked is None else asked[start : start + _BLOCK]
            with deferred_warnings() as collected:
                scored = score_pairs(block, [metric], questions=part, progress=allowed, cache=cache)
            for warning in collected:
                if isinstance(warning, TruncationWarning):
                    key = (warning.what, warning.signature)
                    cut[key] = cut.get(key, 0) + warning.count
                else:
                    warn_user(warning)
            parts.append(scored[metric.signature].values)
            shown.update(len(block))
    for (what, signature), count in cut.items():
        warn_user(TruncationWarning(count, what, signature))
    values = np.concatenate(parts)
    return {system: values[i * n : (i + 1) * n] for i, system in enumerate(answers.predictions)}


def _judged(
    scores: dict[str, FloatArray], meaning: Calibration | None, unsure: float, strict: float | None, probable: bool
) -> dict[str, _Judged]:
    """Return the verdicts of each system; ``probable`` is whether the scores are probabilities as they are."""
    if probable:
        return {system: _Judged(values, values, _calls(decided(values, unsure))) for system, values in scores.items()}
    if meaning is None:
        return {system: _Judged(values, None, None) for system, values in scores.items()}
    judged = {}
    for system, values in scores.items():
        verdicts = meaning.verdicts(values, unsure=unsure, strict=strict)
        judged[system] = _Judged(values, meaning.probability(values), _calls(verdicts))
    return judged


def _calls(verdicts: NDArray[np.str_]) -> NDArray[np.str_]:
    return np.array([CALL_OF[verdict] for verdict in verdicts.tolist()])


def _subsets(answers: Answers, names: Sequence[str], lang: str) -> dict[str, dict[str, Mask]]:
    """Return the subsets by name: for each system a mask of its answers, shape (n,)."""
    systems = list(answers.predictions)
    n = len(answers.ids)
    parts: dict[str, dict[str, Mask]] = {ALL: {system: np.ones(n, dtype=bool) for system in systems}}
    for name in names:
        if name in answers.columns:
            parts |= {
                group: dict.fromkeys(systems, mask) for group, mask in by_values(name, answers.columns[name]).items()
            }
        elif name == "question":
            kinds = [question_kind(question, lang) for question in answers.questions or ()]
            parts |= {group: dict.fromkeys(systems, mask) for group, mask in by_kinds(name, kinds).items()}
        else:
            split = tokenizer(lang)
            masks = {
                system: by_kinds(name, [_length(len(split(pred))) for pred in predictions], LENGTHS)
                for system, predictions in answers.predictions.items()
            }
            for kind in LENGTHS:
                of_kind = {system: mask[f"{name}={kind}"] for system, mask in masks.items() if f"{name}={kind}" in mask}
                if of_kind:
                    parts[f"{name}={kind}"] = of_kind
    return parts


def _length(words: int) -> str:
    ends = (1, 2, 5, 15, 40)
    return LENGTHS[next((i for i, end in enumerate(ends) if words <= end), len(ends))]


def _row(subset: str, system: str, judged: _Judged, mask: Mask, means: ClusteredMeans) -> SystemRow:
    counts: dict[str, int | None] = dict.fromkeys(CALLS)
    share = probability = _NONE
    if judged.calls is not None and judged.probabilities is not None:
        counts = {call: int((judged.calls[mask] == call).sum()) for call in CALLS}
        share = means.of(judged.calls == "right", mask)
        probability = means.of(judged.probabilities, mask)
    return SystemRow(
        subset,
        system,
        int(mask.sum()),
        means.clusters(mask),
        means.of(judged.scores, mask),
        counts["right"],
        counts["wrong"],
        counts["unsure"],
        share,
        probability,
    )


def _listed(answers: Answers, judged: dict[str, _Judged], only: Sequence[Call]) -> list[AnswerRow]:
    """Return the answers with these verdicts: by system, wrong before unsure before right, the surest first."""
    listed = []
    for system, (scores, probabilities, calls) in judged.items():
        assert probabilities is not None
        assert calls is not None
        for call in (call for call in ("wrong", "unsure", "right") if call in only):
            at = np.flatnonzero(calls == call)
            for i in at[np.argsort(probabilities[at], kind="stable")].tolist():
                listed.append(
                    AnswerRow(
                        answers.ids[i],
                        system,
                        call,
                        float(scores[i]),
                        float(probabilities[i]),
                        None if answers.questions is None else answers.questions[i],
                        answers.golds[i],
                        answers.predictions[system][i],
                    )
                )
    return listed


def _basis(meaning: Calibration, unsure: float, strict: float | None) -> list[str]:
    """Return the notes on the calibration and on the rule for verdicts."""
    provenance = meaning.provenance
    line = (
        f"calibration: {provenance.n:,} pairs, {provenance.equivalent / provenance.n:.1%} equivalent. On other data, "
        "verdicts are right less often: label some answers to check"
    )
    return [line, decision(meaning, unsure)] if strict is None else [line, *promises(meaning)[1:]]
