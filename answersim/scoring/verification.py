"""Recompute scores from a signature: build the metric that it names and compare its scores with recorded ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from answersim import arguments
from answersim.answers.reader import Answers, read_answers
from answersim.answers.stacked import StackedAnswers, stacked
from answersim.catalog import lookup
from answersim.checkpoints.search import find
from answersim.composite.extracted import OPTIONS as EXTRACTION
from answersim.errors import (
    CheckpointNotFoundError,
    ChecksumError,
    LanguageWarning,
    MissingExtraError,
    deferred_warnings,
    warn_user,
)
from answersim.profiles import WEIGHTS, find_weights
from answersim.scoring.metrics import signed
from answersim.scoring.score import score_pairs
from answersim.signature import asks_question
from answersim.text import LANGUAGES
from answersim.text_tables import Result
from answersim.types import FloatArray, Metric

# larger than the differences of single precision between machines; lexical metrics agree to the last digit
TOLERANCE = 1e-5
_REVISIONS = ("rev", "v")  # the parts for revisions; scores are compared in spite of a difference
_MODEL_PARTS = ("encoder", "scorer")
_PROFILES = (None, "paper", "squad", "unicode")  # tried for every metric
_SHOWN = 5


class Part(NamedTuple):
    """A part of a signature that differs here; "(none)" if one side lacks it."""

    key: str
    signed: str
    here: str


class Rebuilt(NamedTuple):
    """The metric that is nearest to a signature, its name in this installation, and the remaining differences."""

    name: str  # the name of the metric here
    metric: Metric  # the metric
    differing: tuple[Part, ...]  # the parts in which ``signature`` differs from the requested one
    signature: str  # the signature of the scores, with questions if the requested one contains ``question:yes``


class Mismatch(NamedTuple):
    """A row of the table, counted from 1, in which the recorded score differs from the computed one."""

    row: int
    recorded: float
    computed: float


@dataclass(frozen=True)
class Verification(Result):
    """The result of scoring again.

    Attributes:
        signature: The signature to verify.
        here: The signature of the metric that was built here.
        differing: The parts in which the two differ.
        n: The number of rows that were scored again. It is 0 if more than the version differs, because other numbers
            are then expected.
        tolerance: The largest difference that counts as equal.
        largest: The largest difference of a recorded and a computed score; nan if nothing was scored.
        mismatches: The rows that differ by more than the tolerance, the largest difference first.
    """

    signature: str
    here: str
    differing: tuple[Part, ...]
    n: int
    tolerance: float
    largest: float
    mismatches: tuple[Mismatch, ...]

    @property
    def equal(self) -> bool:
        """Whether the numbers were reproduced by the same metric, of this or of another version."""
        return self.n > 0 and not self.mismatches

    def summary(self) -> list[str]:
        """Return the result for the user: one line first, then the parts and rows that differ."""
        if self.equal:
            first = f"equal: {self.n} scores, largest difference {self.largest:.1e} (tolerance {self.tolerance:g})"
        elif self.n:
            first = f"different: {len(self.mismatches)} of {self.n} scores differ by more than {self.tolerance:g}"
        else:
            first = "not scored again: no metric here has this signature; the nearest one differs in"
        output = [first]
        output += (f"  {part.key}: signed {part.signed}, here {part.here}" for part in self.differing)
        for row, recorded, computed in self.mismatches[:_SHOWN]:
            output.append(f"  row {row}: recorded {recorded!r}, computed {computed!r}")
        if len(self.mismatches) > _SHOWN:
            output.append(f"  and {len(self.mismatches) - _SHOWN} more rows")
        if {part.key for part in self.differing} & set(_MODEL_PARTS):
            output.append("  if you have the signed weights, name their folder with model= or adapter=")
        return [*output, f"  metric here: {self.here}"]


def parts(signature: str) -> tuple[str, dict[str, str]]:
    """Split a signature into its name and its parts by key.

    Raise ValueError if it is not a signature: it has no parts, or one without a key.

    >>> parts("f1|text:en|rev:1")
    ('f1', {'text': 'en', 'rev': '1'})
    """
    name, *rest = arguments.text("signature", signature).strip().split("|")
    by_key = dict(part.partition(":")[::2] for part in rest)
    if not name or not by_key or "" in by_key or any(":" not in part for part in rest):
        raise ValueError(
            f"{signature!r} is not a signature; one looks like 'f1|text:en|rev:1' and is printed by answersim score"
        )
    return name, by_key


def rebuild(signature: str, *, lang: str | None = None, **options: Any) -> Rebuilt:
    """Build the metric of this signature, or the nearest one that can be built here.

    ``lang``: the language of the answers; by default from the signature, else "en". ``options``: settings that a
    signature does not contain: ``model=`` or ``adapter=`` (it contains their fingerprint, not their folder),
    ``baseline=``, ``idf=``. Raise ValueError if it is not a signature, LookupError if there is no metric of this name.
    Raise CheckpointNotFoundError, MissingExtraError or ChecksumError if the weights in the signature are not available.

    >>> rebuild("f1|text:squad|rev:1").metric.signature
    'f1|text:squad|rev:1'
    >>> rebuild("f1|text:en|rev:9").differing
    (Part(key='rev', signed='9', here='1'),)
    """
    head, signed_parts = parts(signature)
    _check_options(head, options)
    options = _of_record(head, signed_parts, options)
    candidates: list[Rebuilt] = []
    failures: list[Exception] = []
    for candidate in _candidates(head, signed_parts, asks_question(signature), lang, options, failures):
        candidates.append(candidate)
        if not candidate.differing:
            return candidate
    named = [failure for failure in failures if _about(failure, signed_parts)]
    same_weights = any(not {part.key for part in candidate.differing} & set(_MODEL_PARTS) for candidate in candidates)
    if named and not same_weights:
        raise named[0]
    if not candidates:
        if failures:
            raise failures[0]
        raise LookupError(
            f"no metric here has a signature that begins with {head!r}; known names: {', '.join(lookup.names())}"
        )
    return min(candidates, key=lambda candidate: len(candidate.differing))


def verify(
    signature: str,
    data: Any,
    score: str | Sequence[str] | None = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    tolerance: float = TOLERANCE,
    lang: str | None = None,
    progress: bool = True,
    **options: Any,
) -> Verification:
    """Verify that recorded scores are those of the metric in a signature.

    Args:
        signature: The signature of the scores.
        data: What ``answersim.read_answers`` reads or returns, with the recorded scores.
        score: The column of the scores, each a finite number; by default the name at the start of the signature. Of
            one table with several columns of predictions, one column per system.
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers. Of several gold answers in one value, the best counts.
        question: The column of the questions ("" for none), if the signature contains ``question:yes``; else none may
            be given.
        id: The column that identifies a row. It is "id" for several tables.
        tolerance: The largest difference that counts as equal, finite and at least 0.
        lang: The language of the answers, if the signature does not contain it.
        progress: Whether long work may show a progress bar.
        options: As of ``rebuild``.

    Returns:
        Whether the scores are equal, the rows that differ, and, if no metric here has this signature, the parts in
        which the nearest one differs.

    Raises:
        ValueError, LookupError: As ``rebuild`` and ``answersim.read_answers``. Also if a score is not a finite number,
            or questions are given or missing contrary to the signature.

    >>> data = {"gold": ["Rome"], "pred": ["in Rome"]}
    >>> data |= {"f1": [2 / 3], "mine": [0.7]}
    >>> verify("f1|text:en|rev:1", data).equal
    True
    >>> verify("f1|text:en|rev:1", data, "mine").summary()[1]
    '  row 1: recorded 0.7, computed 0.6666666666666666'
    """
    signature = arguments.text("signature", signature, "f1|text:en|rev:1")
    if not 0 <= arguments.number("tolerance", tolerance) < math.inf:
        raise ValueError(f"tolerance is {tolerance}, but it must be a finite number of 0 or more ({TOLERANCE:g})")
    answers, recorded = _recorded(
        read_answers(data, pred=pred, gold=gold, question=question, id=id), score, parts(signature)[0]
    )
    _check_questions(signature, any(answers.questions or ()))
    rebuilt = rebuild(signature, lang=lang, **options)
    here = rebuilt.signature
    if any(part.key not in _REVISIONS for part in rebuilt.differing):
        return Verification(signature, here, rebuilt.differing, 0, tolerance, float("nan"), ())
    pairs = list(zip(answers.golds, answers.preds, strict=True))
    scored = score_pairs(pairs, [rebuilt.metric], question=answers.questions, progress=progress)
    computed = scored[rebuilt.metric.signature].values
    gaps = np.abs(computed - recorded)
    return Verification(
        *(signature, here, rebuilt.differing, len(pairs), tolerance, float(gaps.max())),
        tuple(_mismatches(gaps, recorded, computed, tolerance, answers.numbers)),
    )


def _recorded(answers: Answers, score: str | Sequence[str] | None, default: str) -> tuple[StackedAnswers, FloatArray]:
    """Return the answers of all systems, and their recorded scores, shape (n,)."""
    columns = arguments.names("score", default if score is None else score)
    if not columns:
        raise ValueError(f"score is {score!r}, but it must name the column of the scores, one for each system")
    try:
        rows = stacked(answers, own={"score": columns})
    except LookupError as error:
        if score is not None or f"{default!r}" not in str(error):
            raise
        raise LookupError(f"{error}; name the column of the scores with --score (score=)") from None
    return rows, np.array(rows.numbers_in(columns[0]))


def _check_questions(signature: str, has_questions: bool) -> None:
    """Raise ValueError unless questions are given exactly if the signature contains ``question:yes``."""
    if asks_question(signature) and not has_questions:
        raise ValueError(
            f"{signature!r} contains 'question:yes': its scores were made with questions, but no question is given; "
            "give them with question= (on the command line: --question COLUMN)"
        )
    if has_questions and not asks_question(signature):
        raise ValueError(
            f"{signature!r} has no part 'question:yes': its scores were made without questions, but questions are "
            "given; leave the questions out"
        )


def _mismatches(
    gaps: FloatArray, recorded: FloatArray, computed: FloatArray, tolerance: float, numbers: Sequence[int]
) -> Iterator[Mismatch]:
    for i in np.argsort(-gaps, kind="stable"):
        if not gaps[i] <= tolerance:  # nan is never equal
            yield Mismatch(numbers[i], float(recorded[i]), float(computed[i]))


def _candidates(
    head: str,
    signed_parts: dict[str, str],
    has_questions: bool,
    lang: str | None,
    options: dict[str, Any],
    failures: list[Exception],
) -> Iterator[Rebuilt]:
    """Yield every metric that could have this signature, built with the settings in the signature."""
    for name in _names(head):
        allowed = lookup.accepted_options(name)
        if any(option not in allowed for option in options):
            continue
        settings = {key: value for key, value in _settings(name, signed_parts).items() if key not in options}
        for profile in chain(_PROFILES, _profiles_here(name, failures)):
            for code in _languages(lang, signed_parts):
                try:
                    metric = _built(name, code, profile, settings, options)
                except (CheckpointNotFoundError, MissingExtraError, ChecksumError, FileNotFoundError) as error:
                    failures.append(error)
                except (LookupError, ValueError, TypeError) as error:
                    if profile is None and lookup.entry(name).kind == lookup.REMOTE:
                        failures.append(error)
                    continue  # a profile that this metric does not have
                else:
                    line = signed(metric, has_questions)
                    opens, here = parts(line)
                    if opens == head:
                        yield Rebuilt(name, metric, _differing(signed_parts, here), line)


def _profiles_here(name: str, failures: list[Exception]) -> Iterator[str]:
    """Yield the further profiles whose weights of this metric are on this machine. Nothing is downloaded."""
    for profile in WEIGHTS.get(name, {}):
        if profile in (*_PROFILES, "embedded"):
            continue
        weights = find_weights(name, "en", profile)
        try:
            if weights is not None:
                find(weights.model, network=False, revision=weights.revision)
                yield profile
        except (CheckpointNotFoundError, MissingExtraError, ChecksumError) as error:
            failures.append(error)


def _of_record(head: str, signed_parts: Mapping[str, str], options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with those of a replay, if the metric calls a service: a verification calls no service.

    Raise ValueError if no record is given.
    """
    stages = [stage for stage in signed_parts.get("stages", "").split(",") if stage]
    if not any(map(lookup.calls_service, stages or _names(head))):
        return options
    if not {"record", "verdicts"} & options.keys():
        raise ValueError(
            f"{head} calls a service, and its scores are verified from its recorded replies; name the record: "
            f"record=FILE "
            "(on the command line --record FILE), or verdicts=FILE (--option verdicts=FILE)"
        )
    return options | ({"replay": True} if "record" in options else {})


def _check_options(head: str, options: Mapping[str, Any]) -> None:
    """Raise TypeError for an option that no metric with such a signature accepts."""
    names = _names(head)
    for option in options:
        if not any(option in lookup.accepted_options(name) for name in names):
            allowed = sorted({setting for name in names for setting in lookup.accepted_options(name)})
            raise TypeError(
                f"{option} is given, but {', '.join(names)} has no such option; "
                + (f"its options are {', '.join(allowed)}" if allowed else "it has none")
            )


def _built(name: str, lang: str, profile: str | None, settings: dict[str, Any], options: dict[str, Any]) -> Metric:
    """Build the metric with the settings in the signature, or without them if it does not accept them."""
    with deferred_warnings() as deferred:
        try:
            metric = lookup.metric(name, lang=lang, profile=profile, **settings, **options)
        except CheckpointNotFoundError:
            raise
        except (LookupError, ValueError, TypeError):
            if lookup.entry(name).kind == lookup.REMOTE:
                raise  # its signature contains all settings
            metric = lookup.metric(name, lang=lang, profile=profile, **options)
    for warning in deferred:
        if not isinstance(warning, LanguageWarning):  # the languages are candidates, not a choice of the user
            warn_user(warning)
    return metric


def _names(head: str) -> list[str]:
    """Return the names of metrics whose signatures can start with this word."""
    kinds = {"cross-encoder": "sas", "bertscore": "bertscore-", "bi-encoder": "bi-encoder"}
    if head.startswith(lookup.TYPED):
        return [f"{lookup.TYPED}{name}" for name in _names(head.removeprefix(lookup.TYPED))]
    if head.startswith(lookup.OFFICIAL):
        return [head.partition("@")[0]]
    names = [name for name in lookup.names() if name == head or (head in kinds and name.startswith(kinds[head]))]
    if names:
        return names
    lookup.entry(head)  # a plug-in, or a LookupError with the nearest known name
    return [head]


def _settings(name: str, signed: dict[str, str]) -> dict[str, Any]:
    """Return the options of this metric in the signature, in the type of the value."""
    allowed = (*lookup.options_of(name), *EXTRACTION)
    settings: dict[str, Any] = {}
    for key, value in signed.items():
        if key in EXTRACTION:
            settings[key] = value
        elif key in allowed and value not in ("no", "none"):
            settings[key] = True if value == "yes" else arguments.number_or_text(value)
    if "precision" in allowed and "/" in (model := _model(signed)):
        settings["precision"] = model.rsplit("/", 1)[1]
    return {key: value for key, value in settings.items() if key not in ("idf", "baseline")}


def _languages(lang: str | None, signed: dict[str, str]) -> list[str]:
    if lang is not None:
        return [lang]
    codes = [signed[key] for key in ("lang", "text") if signed.get(key) in LANGUAGES]
    codes += [signed["rules"].partition(".")[0]] if "rules" in signed else []
    return codes[:1] or ["en", "de"]


def _differing(signed: dict[str, str], here: dict[str, str]) -> tuple[Part, ...]:
    keys = dict.fromkeys([*signed, *here])
    return tuple(
        Part(key, signed.get(key, "(none)"), here.get(key, "(none)"))
        for key in keys
        if signed.get(key) != here.get(key)
    )


def _about(failure: Exception, signed: dict[str, str]) -> bool:
    """Return whether this error is about the weights in the signature."""
    name = _model(signed).rpartition("/")[0].split("@")[0].split("/")[-1]  # without precision, hash and owner
    return bool(name) and name in str(failure)


def _model(signed: dict[str, str]) -> str:
    """Return the weights in a signature; "" if there are none."""
    return next((signed[part] for part in _MODEL_PARTS if part in signed), "")
