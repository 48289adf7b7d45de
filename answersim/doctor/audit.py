"""audit: the errors of any verifier from few labels, its attacks, its repeatability, and what it does to systems."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim import arguments
from answersim.answers.blocks import AnswerBlock
from answersim.answers.reader import Answers, read_answers
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import ANSWER_VERDICTS, Decided
from answersim.catalog import lookup
from answersim.doctor.audit_results import AbstentionRow, Audit, PairOrder, RateRow, Repeatability, SystemShare
from answersim.doctor.audit_verifiers import COLUMN, NO, UNDECIDED, YES, VerifierMetric, recorded, verifier_of
from answersim.doctor.rewards import examine_reward, share_of
from answersim.evaluation.correction import FEWEST_LABELS
from answersim.evaluation.few_labels import label
from answersim.evaluation.human_labels import SystemLabels, labels_for
from answersim.evaluation.labeled_shares import LabeledShare, labeled_shares
from answersim.evaluation.labeling import Sheet
from answersim.extraction.abstention import attempted
from answersim.scoring.score import score
from answersim.signature import signature
from answersim.stats.cluster_bootstrap import numbered
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.error_rates import error_rates
from answersim.stats.resampling import Bootstrap, bootstrap_settings
from answersim.types import FloatArray

ATTACKED = 60  # minimal pairs that each pattern attacks
KINDS = 3  # accepted, rejected, without a verdict
REPEATED = 200  # answers that are verified twice
ALL = "all"


class _Rows(NamedTuple):
    """All answers, system by system."""

    systems: NDArray[np.str_]  # the system of each, shape (n,), and so are the others
    golds: list[Any]  # the gold answers
    preds: list[str]  # the predictions
    questions: list[str] | None  # the questions, or None
    clusters: NDArray[np.int64]  # the number of the cluster of each
    verdicts: FloatArray  # 1, 0 or .5
    labels: FloatArray  # the labels, nan for none
    weights: FloatArray  # 1 / probability to be labeled, 1 if it is not known; nan without a label
    columns: dict[str, list[str]]  # the columns of subsets

    @property
    def accepted(self) -> NDArray[np.bool_]:
        """Whether each answer is accepted."""
        return self.verdicts == YES


def audit(
    verifier: Any,
    data: Any,
    labels: Any = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    group: str | None = None,
    by: Sequence[str] = (),
    threshold: float | None = None,
    calibration: CalibrationLike | None = ANY,
    attacked: int | None = None,
    lang: str = "en",
    bootstrap: Bootstrap = Bootstrap(),
) -> Audit:
    """Measure how far a verifier can be trusted: its errors by about 100 labels, attacks, and repeatability.

    Draw the rows to label by the verdicts of the verifier itself (``answersim audit --draw``), so that there are
    labels of accepted and of rejected answers. An answer without a verdict counts as not accepted.

    Args:
        verifier: What ``audit_verifiers.verifier_of`` accepts, or the name of a column of recorded verdicts: numbers,
            or words such as "correct". For one table with several systems, one column per system, separated by commas.
        data: What ``answersim.read_answers`` reads or returns.
        labels: Human labels of some answers, as in ``answersim.evaluate``. Without them there are no error rates.
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers.
        question: The column of the questions, which are clusters, too.
        id: The column that identifies a row. It is "id" for several tables.
        group: The column of what dependent answers have in common, if it is not the question.
        by: Columns, whose values are subsets.
        threshold: The number from which an answer is accepted; by default, a number above .5, or the verdict of a
            metric.
        calibration: The calibration of a metric, as in ``answersim.evaluate``.
        attacked: The number of minimal pairs that each pattern of attacks uses; 0 for no attacks. By default 60, and 0
            for a judge and a column.
        lang: The language of the answers.
        bootstrap: The coverage of the intervals. Nothing is resampled.

    Raises:
        LookupError: If there is no such column, function, metric or calibration.
        ValueError: If the verifier returns another number of verdicts, labels belong to other rows or are fewer than
            10, or a column is also a metric.
        TypeError: If an argument has the wrong type.

    >>> data = {"gold": ["Rome", "1/2"] * 20, "pred": ["Rome", "0.5"] * 20}
    >>> found = audit("em", data, [1.0] * 40, attacked=0)
    >>> row = found.rates[0]
    >>> row.accepted, round(row.rates.false_negative.value, 2)
    (0.5, 0.5)
    """
    level = bootstrap_settings(bootstrap).level
    arguments.whole("attacked", attacked or 0, 0)
    answers = read_answers(data, pred=pred, gold=gold, question=question, id=id, group=group)
    answers = answers.with_columns(others=tuple(arguments.texts("by", by)), own=tuple(_columns(verifier)))
    block, labeled = _read(answers, labels)
    how: dict[str, Any] = {"calibration": calibration, "threshold": threshold}
    found = _verified(verifier, block, lang, how)
    rows = _stacked(block, found.verdicts, labeled)
    return _audit(found, rows, labeled, block.name, attacked, lang, level)


def draw(
    verifier: Any,
    data: Any,
    sheet: str | PathLike[str],
    *,
    rows: int = 100,
    rng: int = 0,
    pred: str = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    threshold: float | None = None,
    calibration: CalibrationLike | None = ANY,
    lang: str = "en",
) -> Sheet:
    """Draw rows to label for ``audit``: as many accepted as rejected ones, and those without a verdict.

    Args:
        verifier: As of ``audit``. A column must contain numbers.
        data: As of ``audit``, with the answers of one system.
        sheet: The file of the sheet, as of ``answersim.label``. If it exists, no rows are drawn.
        rows: How many rows to draw.
        rng: The seed of the sample.
        pred: The column of the predictions.
        gold: The column of the gold answers.
        question: The column of the questions.
        id: A column that identifies a row. The sheet shows it.
        threshold: As of ``audit``, and so are the others.
        calibration: The calibration of a metric.
        lang: The language of the answers.

    Raises:
        LookupError, TypeError, ValueError: As of ``audit`` and ``answersim.label``.
    """
    answers = read_answers(data, pred=pred, gold=gold, question=question, id=id)
    columns = _columns(verifier)
    how: dict[str, Any] = {"rows": rows, "rng": rng, "allocation": "equal", "strata": KINDS, "progress": False}
    block = answers.with_columns(own=tuple(columns)).read()
    if _is_recorded(verifier, columns, block):
        return label(answers, sheet, score=columns[0], **how)
    asked = any(block.questions or ())
    metric = verifier_of(verifier, lang=lang, calibration=calibration, threshold=threshold, asked=asked)
    return label(answers, sheet, metric, **how)


class _Verified(NamedTuple):
    """The verdicts of a verifier by system, and the seconds for 1,000; no metric if they are recorded."""

    metric: VerifierMetric | None
    name: str
    verdicts: dict[str, FloatArray]
    seconds: float


def _columns(verifier: Any) -> list[str]:
    """Return the columns of the table that the verifier may name."""
    if not isinstance(verifier, str):
        return []
    held = verifier.startswith(COLUMN)
    return verifier.removeprefix(COLUMN).split(",") if held or ":" not in verifier else []


def _read(answers: Answers, labels: Any) -> tuple[AnswerBlock, Mapping[str, SystemLabels]]:
    """Return all answers, and the labels of each labeled system."""
    if labels is None:
        return answers.read(), {}
    given, answers = labels_for(answers, labels)
    block = answers.read()
    given.add(block)
    return block, given.of_systems(answers.rows)


def _verified(verifier: Any, block: AnswerBlock, lang: str, how: dict[str, Any]) -> _Verified:
    """Return the verdicts: of a column, if the table has it, else of the verifier."""
    columns = _columns(verifier)
    if _is_recorded(verifier, columns, block):
        return _Verified(None, COLUMN + ",".join(columns), _recorded(block, columns, how["threshold"]), math.nan)
    metric = verifier_of(verifier, lang=lang, asked=any(block.questions or ()), **how)
    start = time.perf_counter()
    golds, preds = (
        block.golds * len(block.predictions),
        [pred for preds in block.predictions.values() for pred in preds],
    )
    asked = None if block.questions is None else block.questions * len(block.predictions)
    scores = score(golds, preds, metric, question=asked, progress=False).values
    seconds = 1000 * (time.perf_counter() - start) / len(preds)
    verdicts = dict(zip(block.predictions, scores.reshape(len(block.predictions), -1), strict=True))
    return _Verified(metric, metric.name, verdicts, seconds)


def _is_recorded(verifier: Any, columns: Sequence[str], block: AnswerBlock) -> bool:
    """Return whether the verifier is a column. Raise ValueError if it may also be a metric."""
    if not columns or not any(columns[0] in own for own in block.own.values()):
        if isinstance(verifier, str) and verifier.startswith(COLUMN):
            raise LookupError(f"the table has no column {columns[0]!r}; name the column of the recorded verdicts")
        return False
    if verifier in lookup.names():
        raise ValueError(f"{verifier!r} is a column of the table and a metric; write {COLUMN}{verifier} for the column")
    return True


def _recorded(block: AnswerBlock, columns: Sequence[str], threshold: float | None) -> dict[str, FloatArray]:
    found = {}
    for i, (system, preds) in enumerate(block.predictions.items()):
        name = columns[0] if len(columns) == 1 else columns[i]
        if name not in block.own[system]:
            raise LookupError(f"{system} has no column {name!r} of verdicts")
        found[system] = recorded(block.own[system][name], preds, block.golds, threshold)
    if 1 < len(columns) != len(found):
        raise ValueError(f"{len(columns)} columns of verdicts are given for {len(found)} systems; give one per system")
    return found


def _stacked(block: AnswerBlock, verdicts: Mapping[str, FloatArray], labeled: Mapping[str, SystemLabels]) -> _Rows:
    """Return all answers, system by system. An answer without a known probability to be labeled has the weight 1."""
    n, systems = len(block.ids), list(verdicts)
    none = SystemLabels(np.full(n, np.nan))
    given = [labeled.get(system, none) for system in systems]
    weights = [np.ones(n) if one.inclusion is None else 1 / one.inclusion for one in given]
    names = block.groups or block.questions or block.ids
    return _Rows(
        np.repeat(systems, n),
        block.golds * len(systems),
        [pred for system in systems for pred in block.predictions[system]],
        None if block.questions is None else block.questions * len(systems),
        np.tile(numbered(names), len(systems)),
        np.concatenate([verdicts[system] for system in systems]),
        np.concatenate([one.labels for one in given]),
        np.concatenate(weights),
        {name: [str(value) for value in values] * len(systems) for name, values in block.columns.items()},
    )


def _audit(
    found: _Verified,
    rows: _Rows,
    labeled: Mapping[str, SystemLabels],
    data: str,
    attacked: int | None,
    lang: str,
    level: float,
) -> Audit:
    """Return everything that is measured."""
    metric = found.metric
    shared, notes = _shares(rows, labeled, level)
    systems = tuple(_systems(rows, shared, level))
    is_local = metric is not None and metric.repeats
    n_attacked = (ATTACKED if is_local else 0) if attacked is None else attacked
    repeated = None if metric is None or not is_local else _repeated(rows, metric, level)
    attacks = None
    if n_attacked and metric is None:
        raise ValueError(f"attacked is {n_attacked}, but verdicts of a column cannot be attacked; leave it out")
    if n_attacked and metric is not None:
        attacks = examine_reward(metric.rewards, name=metric.name, questions=n_attacked, bootstrap=Bootstrap(level))
    return Audit(
        found.name,
        signature("verifier", column=found.name.removeprefix(COLUMN)) if metric is None else metric.signature,
        data,
        tuple(_rates(rows, level)),
        systems,
        tuple(_orders(systems)),
        tuple(_abstentions(rows, lang, level)),
        repeated,
        attacks,
        found.seconds,
        level,
        (*([] if metric is None else [metric.sentence]), *notes),
    )


def _rates(rows: _Rows, level: float) -> Iterator[RateRow]:
    """Yield the error rates of all answers, of each system, and of each subset."""
    parts = {ALL: np.ones(len(rows.preds), dtype=bool)}
    if len(names := dict.fromkeys(rows.systems.tolist())) > 1:
        parts |= {name: rows.systems == name for name in names}
    for column, values in rows.columns.items():
        of_rows = np.array(values)
        parts |= {f"{column}={value}": of_rows == value for value in dict.fromkeys(values)}
    for name, part in parts.items():
        yield _rate(rows, name, part, level)


def _rate(rows: _Rows, name: str, part: NDArray[np.bool_], level: float) -> RateRow:
    called, labels = rows.accepted[part], rows.labels[part]
    n = int((~np.isnan(labels)).sum())
    first = name, int(part.sum()), n, float(called.mean())
    if n < FEWEST_LABELS:
        return RateRow(*first, None, f"{n} labels, but at least {FEWEST_LABELS} are needed")
    try:
        how: dict[str, Any] = {"weights": rows.weights[part], "groups": numbered(rows.clusters[part])}
        return RateRow(*first, error_rates(called, labels, **how, level=level))
    except ValueError as error:
        return RateRow(*first, None, str(error))


def _shares(
    rows: _Rows, labeled: Mapping[str, SystemLabels], level: float
) -> tuple[dict[str, LabeledShare], list[str]]:
    """Return the corrected share of each labeled system, and notes."""
    codes = {YES: ANSWER_VERDICTS.index("right"), NO: ANSWER_VERDICTS.index("wrong")}
    codes[UNDECIDED] = ANSWER_VERDICTS.index("unsure")
    decided = {}
    for system in labeled:
        mine = rows.verdicts[rows.systems == system]
        decided[system] = Decided(mine, None, np.array([codes[value] for value in mine.tolist()], dtype=np.int8))
    n = len(rows.preds) // len(dict.fromkeys(rows.systems.tolist()))
    shared, notes = labeled_shares(labeled, decided, rows.clusters[:n].tolist(), level)
    return {share.system: share for share in shared}, notes


def _systems(rows: _Rows, shared: Mapping[str, LabeledShare], level: float) -> Iterator[SystemShare]:
    means = ClusteredMeans(rows.clusters, level)
    for system in dict.fromkeys(rows.systems.tolist()):
        part = rows.systems == system
        yield SystemShare(system, int(part.sum()), means.of(rows.accepted, part), shared.get(system))


def _orders(systems: Sequence[SystemShare]) -> Iterator[PairOrder]:
    """Yield the order of each pair of labeled systems."""
    for pair in combinations([one for one in systems if one.corrected is not None], 2):
        worse, better = sorted(pair, key=_corrected)
        by_verifier, by_labels = better.accepted.value - worse.accepted.value, _corrected(better) - _corrected(worse)
        apart = better.corrected.ppi.low > worse.corrected.ppi.high  # type: ignore[union-attr] # both have labels
        order = "open" if not apart else "kept" if by_verifier > 0 else "reversed"
        yield PairOrder(better.system, worse.system, order, by_verifier, by_labels)  # type: ignore[arg-type]


def _corrected(system: SystemShare) -> float:
    assert system.corrected is not None
    return system.corrected.ppi.value


def _abstentions(rows: _Rows, lang: str, level: float) -> Iterator[AbstentionRow]:
    answers = np.array([attempted(pred) for pred in rows.preds])
    kinds = {"attempts": answers, "refusals and empty answers": ~answers, "no verdict": rows.verdicts == UNDECIDED}
    for what, part in kinds.items():
        yield AbstentionRow(what, int(part.sum()), share_of(rows.accepted[part], level))


def _repeated(rows: _Rows, metric: VerifierMetric, level: float) -> Repeatability:
    """Verify some answers again, in reverse order. A verifier may depend on the order or on the batch."""
    at = np.unique(np.linspace(0, len(rows.preds) - 1, min(REPEATED, len(rows.preds))).astype(int))[::-1].tolist()
    asked = None if rows.questions is None else [rows.questions[i] for i in at]
    again = score([rows.golds[i] for i in at], [rows.preds[i] for i in at], metric, question=asked, progress=False)
    return Repeatability(len(at), share_of(again.values != rows.verdicts[at], level))
