"""row_verdicts: equivalent, unsure or different for each row of a table, by a calibration that states its metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from answersim._base import arguments
from answersim._base.device import Device
from answersim._base.io import files
from answersim._base.signature import column_signature
from answersim._base.text_tables import Result, TextTable, printable
from answersim.answers.tables.reader import read_answers
from answersim.answers.tables.sources import source
from answersim.answers.tables.table import Answers
from answersim.calibration import wording
from answersim.calibration.model.decision import HIGH, LOW, VERDICTS
from answersim.calibration.model.model import Calibration
from answersim.calibration.scores import Scores
from answersim.calibration.storing import ANY, CalibrationLike, find, shipped
from answersim.calibration.verdicts import VerdictRule, verdict_rule
from answersim.metrics.catalog import lookup
from answersim.metrics.judge import settings as judge_settings
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import signed
from answersim.scoring.score import score as score_answers

UNLIKE = 0.1  # the largest difference of the mean probability and the share of equivalent pairs without a caution


@dataclass(frozen=True, eq=False)
class RowVerdicts(Result):
    """The verdicts on the rows of a table."""

    scores: Scores  # the scores with their probabilities and verdicts
    rule: VerdictRule  # the rule that decided
    calibration: Calibration  # its calibration

    def summary(self) -> list[str]:
        """Return how many answers have each verdict."""
        n = len(self.scores)
        counts = {name: int((self.scores.verdicts == name).sum()) for name in VERDICTS}
        return [
            f"{counts['equivalent']:,} of {n:,} equivalent, {counts['equivalent'] / n:.0%}; {counts['different']:,} "
            f"different, {counts['unsure']:,} unsure"
        ]

    def tables(self) -> list[TextTable]:
        """Return the number of each verdict, and the share of them that the calibration expects to be correct."""
        scores, rows = self.scores, []
        for name in VERDICTS:
            chosen = scores.probabilities[scores.verdicts == name]
            expected = chosen if name == "equivalent" else 1 - chosen
            share = f"{expected.mean():.1%}" if len(expected) and name != "unsure" else ""
            rows.append((name, str(len(chosen)), f"{len(chosen) / len(scores):.1%}", share))
        return [TextTable("", ("verdict", "n", "share", "expected right"), tuple(rows))]

    def footer(self) -> list[str]:
        """Return what the shares mean, the signature, the data of the calibration, and its rule."""
        mean, lines = float(self.scores.probabilities.mean()), []
        if not math.isnan(mean):
            lines = [
                f"mean probability {mean:.4f}: the expected share of equivalent pairs, if they are like the data of "
                "the calibration"
            ]
        made_of = self.calibration.provenance.equivalent / self.calibration.provenance.n
        if abs(mean - made_of) > UNLIKE:
            lines.append(
                f"caution: in the data of the calibration, {made_of:.1%} were equivalent. If this share differs, so "
                "does the share of correct verdicts; label some pairs and make your own calibration: answersim "
                "calibrate"
            )
        return [*lines, f"signature: {printable(self.calibration.signature)}", *self.basis(), *self.cautions()]

    def cautions(self) -> list[str]:
        """Return that texts were too long for the metric, if some were."""
        n, n_cut = len(self.scores), int(self.scores.truncated.sum())
        verdicts = "the verdict is" if n == 1 else f"{n_cut:,} of {n:,} verdicts are"
        caution = f"caution: {verdicts} of a part of the text only, because it is too long for the metric"
        return [caution] if n_cut else []

    def basis(self) -> list[str]:
        """Return the data of the calibration, and the rule for the verdicts."""
        return [wording.basis(self.calibration), wording.decision(self.calibration, self.rule.low, self.rule.high)]

    def records(self) -> list[dict[str, Any]]:
        """Return the score, the probability and the verdict of each row."""
        columns = (self.scores.values.tolist(), self.scores.probabilities.tolist(), self.scores.verdicts.tolist())
        return [dict(zip(("score", "probability", "verdict"), row, strict=True)) for row in zip(*columns, strict=True)]


def row_verdicts(
    data: Any,
    calibration: CalibrationLike,
    *,
    score: str | None = None,
    low: float = LOW,
    high: float = HIGH,
    options: Mapping[str, Any] | None = None,
    output: str | PathLike[str] | None = None,
    prefix: str = "",
    progress: bool = True,
    cache: CacheLike | None = None,
) -> RowVerdicts:
    """Return the verdict on each answer, by a calibration. It states how its metric is built.

    ``score``: the column of the scores, for a calibration of a column. ``options``: those of the metric that change no
    score: of a judge, or the device, whose precision is that of the calibration unless it states another one.
    ``output``: a table with the new columns: the name of the metric, "probability", "verdict" and, for a metric with a
    network, "truncated"; of several systems, ":" and the name of the system follow. Raise ValueError if the calibration
    is for other scores, or a new column exists in the table.
    """
    known = find(calibration)
    rule = verdict_rule(known.signature, calibration=known, low=low, high=high)
    name = _name(known, score)
    if score is None:
        answers = read_answers(data)
        table, systems = answers.table, list(answers.predictions)
    else:
        recorded = source(data, "the table")
        table, systems = recorded.table, [""]
    new = _new_columns(name, score, prefix, systems)
    place = None if output is None else Path(arguments.path("output", output))
    if place is not None:  # an output that cannot be written is reported before any work
        files.check_new(table, new)
        files.check_writable(place, table)
    if score is None:
        computed = _scored(answers, known, options or {}, progress, cache)
        preds = [pred for of_system in answers.predictions.values() for pred in of_system]
        scores = rule.scored(computed, preds, computed.truncated)
    else:
        scores = rule.scored(Scores(recorded.numbers(score), known.signature))
    if place is not None:
        files.write(table, place, _columns(scores, new, score is not None, len(systems)))
    return RowVerdicts(scores, rule, known)


def calibration_for(calibration: str | None, with_question: bool) -> str:
    """Return the name of the calibration to use: the given one or the default, with questions if there are some."""
    name = lookup.DEFAULT_METRIC if calibration is None else calibration
    reading = f"{name}-question"
    if not with_question or (calibration is not None and reading not in shipped()):
        return name
    if reading not in shipped():
        raise LookupError(f"no calibration of {name} was made with questions; leave --question out")
    return reading


def calibration_in(lang: str, name: str | None, with_question: bool) -> Calibration:
    """Return the shipped calibration of a metric in another language, with how it is built, or raise LookupError."""
    name = lookup.DEFAULT_METRIC if name is None else name
    profile = lookup.selected_profile(name, lang, None)
    shipped = find(ANY, signed(lookup.metric(name, lang=lang, profile=profile), with_question))
    return replace(shipped, metric={"name": name, "lang": lang, "profile": profile, "options": {}})


def _name(calibration: Calibration, column: str | None) -> str:
    """Return the name of the metric, or of the column. Raise ValueError if the calibration is for another one."""
    made_of = calibration.metric.get("column")
    if column is not None:
        if made_of is None:
            raise ValueError(
                f"the calibration is for the metric {calibration.signature!r}, but the column {column!r} may "
                f"contain other scores; leave --score (score=) out to compute them"
            )
        calibration.check(column_signature(column))
        return column
    if made_of is not None:
        raise ValueError(
            f"the calibration was made from a column of scores; name it: --score {made_of} (score={made_of!r})"
        )
    if not {"name", "lang", "profile", "options"} <= calibration.metric.keys():
        raise ValueError(
            f"the calibration does not contain how the metric {calibration.signature!r} is built; make it with "
            "'answersim calibrate', or give answersim.calibrate metric={'name': ..., 'lang': ..., 'profile': ..., "
            "'options': {}}"
        )
    return str(calibration.metric["name"])


def _new_columns(name: str, column: str | None, prefix: str, systems: Sequence[str]) -> list[str]:
    """Return the names of the new columns, system by system."""
    new = [] if column else [name]
    new += ["probability", "verdict"]
    if not column and lookup.entry(name).kind != "lexical":
        new.append("truncated")
    ends = [f":{system}" if len(systems) > 1 else "" for system in systems]
    return [f"{prefix}{text}{end}" for end in ends for text in new]


def _scored(
    answers: Answers, calibration: Calibration, options: Mapping[str, Any], progress: bool, cache: CacheLike | None
) -> Scores:
    """Return the scores for the calibration. Raise ValueError before any work if the metric has changed."""
    metric = calibration.metric
    of_judge = {name: value for name, value in options.items() if name in judge_settings.OPTIONS}
    place = {"lang": metric["lang"], "profile": metric["profile"]}
    settings: dict[str, Any] = {**metric["options"], **of_judge}
    built = lookup.metric(metric["name"], **place, **settings)
    calibration.check(signed(built, any(answers.questions or ())))
    if (device := options.get(lookup.DEVICE)) is not None:
        device = Device.of(device)
        if device.precision == Device().precision:
            device = replace(device, precision=Device.of(metric["options"].get(lookup.DEVICE, device)).precision)
        built = lookup.metric(metric["name"], **place, **{**settings, lookup.DEVICE: device})
    several = len(answers.predictions)
    return score_answers(
        answers.golds * several,
        [pred for preds in answers.predictions.values() for pred in preds],
        built,
        calibration=calibration,
        question=None if answers.questions is None else answers.questions * several,
        progress=progress,
        cache=cache,
    )


def _columns(scores: Scores, names: Sequence[str], of_column: bool, n: int) -> dict[str, list[Any]]:
    """Return the new columns of n systems by their names, system by system."""
    columns = [scores.values, scores.probabilities, scores.verdicts, np.where(scores.truncated, "yes", "no")]
    start, width = int(of_column), len(names) // n
    by_system = zip(*(np.split(column, n) for column in columns[start : start + width]), strict=True)
    return {name: part.tolist() for name, part in zip(names, chain.from_iterable(by_system), strict=True)}
