"""``Reward``: rules, then recall, then an encoder decide whether completions give the gold answer."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from answersim._base.arguments import between, finite, flag, shown
from answersim._base.errors import ReadingWarning, unknown, warn_user
from answersim._base.signature import Stored, signature
from answersim.answers.extraction.extractor import extractor
from answersim.answers.text.scripts import is_unread
from answersim.answers.text.tokens import language
from answersim.answers.typed.api import math_options, signed_rules
from answersim.answers.typed.math.formula import Tolerance
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import VerdictRule, verdict_rule
from answersim.metrics.catalog import lookup
from answersim.scoring.batching import OF_ALL_ROWS, Batcher, Best, Row, batcher
from answersim.scoring.metrics import checked_metric, default_for, signed
from answersim.scoring.reward.reading import LONGEST_PLAIN, Answer, Gold, read_answer, read_gold
from answersim.scoring.reward.results import NO_MARK, RewardResult, RewardRow, Verdict
from answersim.scoring.reward.rules import REVISION, Opinion, Policy, decide, unanswered
from answersim.scoring.score import build
from answersim.types import OFFICIAL, TYPED, Metric, capabilities, reads_questions

LEAST = 20  # rows from which on the share of gold answers that cannot be read is checked
MOST_COUNTED = 1000  # rows of small batches that are added up; then older ones count half
PER_LIMIT = 100  # rows for which ``limit`` seconds are allowed


class UnreadableGoldError(ValueError):
    """Too many gold answers of a batch cannot be read, so that the rewards would teach nothing."""


class _Texts(NamedTuple):
    """What is equal for equal rows, which are decided once."""

    gold: Gold
    completion: str
    question: str


class _Batch(NamedTuple):
    """A batch that the rules have read."""

    rows: list[_Texts | None]  # the rows; None for one without a completion
    first: dict[_Texts, int]  # the position of each different row
    done: dict[_Texts, RewardRow]  # what is decided
    left: dict[_Texts, tuple[Answer, Row]]  # the answers that the rules leave open, and the texts for the metric
    metric: Batcher | None  # the metric with its batches; None if no row is left
    start: float  # when it began, by time.monotonic

    @property
    def open_rows(self) -> list[Row]:
        """The texts for the metric, in order."""
        return [row for _, row in self.left.values()]


class _Tally:
    """The rows of small batches, and how many of their gold answers could not be read."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rows = self.unreadable = 0


@dataclass(frozen=True)
class Reward(Stored):
    """A reward for training: 1 if a completion gives the gold answer, else 0, and never a silent 0.

    Each row is decided by the first of these stages that can: the final answer is read out; rules (the relation of both
    answers, see ``answersim.answers.relation``); recall (the gold answer, if the question and a list of frames explain
    every other word); then a metric, which scores the rows that are left in one pass. The metric sees only a single
    phrase that neither contains the gold answer nor offers alternatives. Everything else is 0, with a reason. The
    object is immutable, can be pickled, and works in threads and in forked and spawned processes. It uses no signals
    and starts no processes. Calls at the same time share the batches of the metric.

    The time is bounded, because each rule reads a bounded text in linear time, the clock is checked between rows and
    between the gold answers of a row, and a call waits for the metric no longer than ``limit`` states. It cannot
    interrupt a function of one's own as ``extract``, or a metric of one's own that holds the interpreter.

    Attributes:
        metric: None for rules, recall and the default metric ``answersim``; "rules" for rules and recall without an
            encoder; else the name of one metric, or a metric, which then decides alone.
        extract: The rule for the final answer, as in ``answersim.score``; None reads the completion as it is.
        binary: Whether rewards are 0 and 1. If False, the last stage gives its probability, or its score if it has no
            calibration.
        unreadable: The reward of a row that has none: None, or a number for hosts that accept no None. The verdict of
            such a row is "unreadable" (its gold answer) or "undecided" (the time was over, or the rules neither accept
            nor refuse it, such as the same words in another order, or a phrase with another word).
        limit: The seconds allowed for each started 100 rows that a call has to wait for: its own, and those of other
            callers that are before it. Loading a model does not count.
        most_unreadable: The share of gold answers that cannot be read above which a call raises an error. It is checked
            from 20 rows on. The rows of smaller batches are added up.
        least: The probability from which a metric after the rules gives the reward 1. Below it and above 1 - ``least``,
            the verdict is "unsure". A metric that decides alone has the verdicts of ``evaluate``.
        near: What a value near the gold answer is: "right", "undecided" or "wrong". None: "right" if it only lacks a
            unit, or is rounded to the digits of the gold answer, else "undecided".
        tolerance: The tolerance of numbers and formulas, as of ``answersim.answers.typed.compare_math``.
        lang: The language of the answers, an ISO 639-1 code.
        profile: The profile of a metric given by name.
        calibration: The calibration of the metric, as in ``answersim.score``.
        options: Options of a metric given by name.
    """

    metric: str | Metric | None = None
    extract: Any = "auto"
    binary: bool = True
    unreadable: float | None = None
    limit: float = 5.0
    most_unreadable: float = 0.5
    least: float = 0.9
    near: Literal["right", "undecided", "wrong"] | None = None
    tolerance: Tolerance | None = None
    lang: str = "en"
    profile: str | None = None
    calibration: CalibrationLike | None = ANY
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the settings without loading anything.

        Raises:
            LookupError: If there is no such metric, language or rule of extraction.
            TypeError, ValueError: If a setting has another type or value.
        """
        if isinstance(self.metric, str):
            known = ("rules", *lookup.ENTRIES, *lookup.ALIASES, *lookup.plug_ins())
            if self.metric.startswith((TYPED, OFFICIAL)):
                lookup.entry(self.metric)
            elif self.metric not in known:
                raise unknown("metric", self.metric, known)
        elif self.metric is not None:
            checked_metric(self.metric)
        extractor(self.extract)
        flag("binary", self.binary)
        if self.unreadable is not None:
            finite("unreadable", self.unreadable)
        if finite("limit", self.limit) <= 0:
            raise ValueError(f"limit is {self.limit}, but it must be a number of seconds above 0")
        between("most_unreadable", self.most_unreadable, 0, 1, ends=True)
        between("least", self.least, 0.5, 1)
        if self.near not in (None, "right", "undecided", "wrong"):
            raise ValueError(f"near is {shown(self.near)}, but it must be 'right', 'undecided', 'wrong' or None")
        if self.tolerance is not None:
            math_options(self.tolerance, "optional")
        language(self.lang)

    @property
    def staged(self) -> bool:
        """Whether rules decide before the metric."""
        return self.metric is None or self.metric == "rules"

    @cached_property
    def built(self) -> Metric | None:
        """The metric of the last stage, built on first use; None without one."""
        if self.metric == "rules":
            return None
        metric = default_for(self.calibration) if self.metric is None else self.metric
        lang = self.lang if isinstance(metric, str) and metric not in lookup.remote_names() else None
        return build(metric, lang, self.profile, self.options)

    @cached_property
    def signature(self) -> str:
        """What decides the rewards: stages, extraction, revisions of the rules, and the metric."""
        rule = extractor(self.extract)
        used: dict[str, Any] = {}
        if self.staged:
            rules = signed_rules(self.lang)
            used = {"rules": rules, "least": self.least}
            used |= {} if self.near is None else {"near": self.near}
            used |= {} if self.tolerance is None else {"tolerance": self.tolerance}
        name = "none" if self.built is None else self.built.signature.split("|", 1)[0]
        digest = "none" if self.built is None else sha256(self.built.signature.encode()).hexdigest()[:12]
        return signature(
            "reward",
            revision=REVISION,
            stages="+".join(["rules", "recall"] * self.staged + [name] * (self.built is not None)),
            extract="none" if rule is None else rule.signed.partition(":")[2],
            binary=self.binary,
            **used,
            metric=digest,
            lang=self.lang,
        )

    def __call__(self, golds: Any, preds: Any, question: Any = None, choices: Any = None) -> RewardResult:
        """Return the rewards of a batch.

        Args:
            golds: One per completion: a text, a number, or a list of those that are all correct.
            preds: The completions, texts. None, which is no completion, has no reward.
            question: One per completion, or None. A metric that reads questions gets them, and an answer that only
                repeats its question is wrong.
            choices: One per completion, or None: the texts of the options A, B, ... of a multiple-choice question, as
                the column "choices" of ``read_answers``. An answer that chooses no option, or several, is wrong.

        Raises:
            TypeError: If an argument is a single text, or a completion is no text.
            ValueError: If the numbers of entries differ.
            UnreadableGoldError: If more than ``most_unreadable`` of the gold answers cannot be read.
            MissingExtraError, CheckpointNotFoundError: If the metric cannot be loaded.
        """
        batch = self._read(golds, preds, question, choices)
        return self._finished(batch, batch.metric.score_within(batch.open_rows, self._allowed) if batch.metric else [])

    async def score_async(self, golds: Any, preds: Any, question: Any = None, choices: Any = None) -> RewardResult:
        """Return the rewards of a batch from an event loop, and do not block it. See the call.

        Another thread reads the answers. No thread waits for the metric, so that any number of calls share its batches.
        """
        read = await asyncio.to_thread(self._read, golds, preds, question, choices)
        bests = await read.metric.score_within_async(read.open_rows, self._allowed) if read.metric else []
        return self._finished(read, bests)

    def _read(self, golds: Any, preds: Any, question: Any, choices: Any) -> _Batch:
        """Return what is decided without the metric, and the rows that it has to score."""
        rows = self._checked(golds, preds, question, choices)
        self._check_golds(rows)
        first = {row: i for i, row in reversed([*enumerate(rows)]) if row is not None}  # equal rows are decided once
        if self.built is not None and capabilities(self.built).cost == "model" and first:
            batcher(self.built).load()
        start = time.monotonic()
        first = dict(reversed(first.items()))
        done, left = self._decided(first, start)
        if self.built is None or not left:
            return _Batch(rows, first, done, {}, None, start)
        return _Batch(rows, first, done, left, batcher(self.built), start)

    def _finished(self, batch: _Batch, bests: Sequence[Best | BaseException | None]) -> RewardResult:
        """Return the result of a batch with the numbers of the metric. An error that holds for all rows is raised."""
        errors = [result for result in bests if isinstance(result, BaseException)]
        for error in errors:
            if isinstance(error, OF_ALL_ROWS) or (len(errors) == len(bests) > 1):
                raise error
        done = dict(batch.done)
        for (row, (answer, texts)), result in zip(batch.left.items(), bests, strict=True):
            late = self._late(row, batch.first[row])
            done[row] = late if result is None else self._of_metric(answer, texts, result)
        missing = RewardRow(self.unreadable, "undecided", "extraction", "", NO_MARK, "there is no completion")
        decided = [missing if row is None else done[row] for row in batch.rows]
        return RewardResult(tuple(decided), self.signature, time.monotonic() - batch.start)

    def _checked(self, golds: Any, preds: Any, question: Any, choices: Any) -> list[_Texts | None]:
        """Return the rows with their gold answers read; None for a row without a completion."""
        columns = {"golds": _column("golds", golds), "preds": _column("preds", preds)}
        others = {"question": question, "choices": choices}
        columns |= {name: _column(name, values) for name, values in others.items() if values is not None}
        if len({len(column) for column in columns.values()}) > 1:
            sizes = ", ".join(f"{name} has {len(column)}" for name, column in columns.items())
            raise ValueError(f"{sizes} entries, but each completion needs one of each; nothing is repeated to fit")
        questions = columns.get("question", [""] * len(columns["preds"]))
        options = columns.get("choices", [()] * len(columns["preds"]))
        known: dict[str, Gold] = {}  # of texts without options
        rows: list[_Texts | None] = []
        given_rows = zip(columns["golds"], columns["preds"], questions, options, strict=True)
        for i, (gold, pred, question_text, listed) in enumerate(given_rows):
            if pred is not None and not isinstance(pred, str):
                raise TypeError(f"preds[{i}] is {shown(pred)}, but a completion is a text; an adapter reads messages")
            is_plain = type(gold) is str and not columns.get("choices")
            read = known.get(gold) if is_plain else None
            read = read_gold(gold, listed) if read is None else read
            if is_plain:
                known[gold] = read
            rows.append(
                None if pred is None else _Texts(read, pred, question_text if isinstance(question_text, str) else "")
            )
        if any(gold.is_list_in_text for gold in known.values()):
            more = "all of them correct; put a text that only looks like a list into a list"
            warn_user(ReadingWarning("golds", "lists in texts are read as several gold answers", 0, 0, more), once=True)
        return rows

    def _check_golds(self, rows: Sequence[_Texts | None]) -> None:
        """Raise UnreadableGoldError if too many gold answers cannot be read. Small batches are added up."""
        bad = [(i, row.gold.problem) for i, row in enumerate(rows) if row is not None and row.gold.problem]
        n, unreadable = len(rows), len(bad)
        if n < LEAST:
            tally = self._tally
            with tally.lock:
                tally.rows += n
                tally.unreadable += unreadable
                n, unreadable = tally.rows, tally.unreadable
                if n >= MOST_COUNTED:
                    tally.rows, tally.unreadable = n // 2, unreadable // 2
        if n >= LEAST and bad and unreadable > self.most_unreadable * n:
            raise UnreadableGoldError(
                f"{unreadable} of {n} gold answers cannot be read, but most_unreadable is {self.most_unreadable:g} "
                f"(row {bad[0][0]}: {bad[0][1]}); check the column of the gold answers"
            )

    def _decided(
        self, rows: Mapping[_Texts, int], start: float
    ) -> tuple[dict[_Texts, RewardRow], dict[_Texts, tuple[Answer, Row]]]:
        """Return what the rules decide, and the answers that they leave open. The rows have their positions."""
        done: dict[_Texts, RewardRow] = {}
        left: dict[_Texts, tuple[Answer, Row]] = {}
        has_question = self.built is not None and reads_questions(self.built)
        until = start + self._allowed(len(rows))
        rule = extractor(self.extract)
        read = cache(lambda completion, longest: read_answer(completion, rule, longest))
        opinion_of = cache(partial(self._opinion, until))  # outputs of one prompt often give one answer
        for row, i in rows.items():
            if row.gold.problem:
                done[row] = RewardRow(self.unreadable, "unreadable", "gold", "", NO_MARK, row.gold.problem)
                continue
            if time.monotonic() > until:
                done[row] = self._late(row, i)
                continue
            longest = max(LONGEST_PLAIN, 3 * max(map(len, row.gold.texts)))
            answer = read(row.completion, longest)
            opinion, golds = opinion_of(row.gold, row.question, answer)
            if opinion is None:
                done[row] = self._late(row, i)
            elif opinion.outcome == "open":
                question = row.question if has_question else ""
                left[row] = answer, Row(golds, answer.text, question, row.gold.choices)
            else:
                done[row] = self._row(opinion, answer)
        return done, left

    def _opinion(
        self, until: float, stated: Gold, question: str, answer: Answer
    ) -> tuple[Opinion | None, tuple[str, ...]]:
        """Return the opinion about all gold answers, None if the time is over, and those that they leave open."""
        if not self.staged:
            return Opinion("open" if not answer.problem else "wrong", "extraction", answer.problem), stated.texts
        if problem := unanswered(answer, question):
            return Opinion("wrong", "extraction", problem), ()
        opinions: list[Opinion] = []
        for gold in stated.texts:
            if opinions and time.monotonic() > until:
                return None, ()
            opinions.append(decide(gold, answer, question, self.lang, self._policy, stated.choices))
            if opinions[-1].outcome == "right":
                return opinions[-1], ()
        golds = tuple(g for g, opinion in zip(stated.texts, opinions, strict=True) if opinion.outcome == "open")
        if golds and self.built is not None:
            able = capabilities(self.built)
            if able.cost == "model":
                golds = tuple(g for g in golds if not is_unread(g, answer.text, latin=able.latin_only))
            if not golds:
                return Opinion("undecided", "rules", "no network here can read these letters or symbols"), ()
            return next(opinion for opinion in opinions if opinion.outcome == "open"), golds
        if golds:
            return Opinion("wrong", "rules", "no rule finds the answers equal, and there is no metric to ask"), ()
        return next((opinion for opinion in opinions if opinion.outcome == "undecided"), opinions[0]), ()

    def _row(self, opinion: Opinion, answer: Answer) -> RewardRow:
        """Return the row that an opinion of the rules decides."""
        mark = answer.rule or NO_MARK
        if opinion.outcome == "undecided":
            return RewardRow(self.unreadable, "undecided", opinion.stage, answer.text, mark, opinion.reason)
        verdict: Verdict = "right" if opinion.outcome == "right" else "wrong"
        return RewardRow(float(verdict == "right"), verdict, opinion.stage, answer.text, mark, opinion.reason)

    @property
    def _policy(self) -> Policy:
        options = None if self.tolerance is None else math_options(self.tolerance, "optional")
        return Policy(self.near, options)

    def _of_metric(self, answer: Answer, row: Row, result: Best | BaseException) -> RewardRow:
        metric = self.built
        assert metric is not None
        name = metric.signature.split("|", 1)[0]
        mark = answer.rule or NO_MARK
        if isinstance(result, BaseException):
            return RewardRow(self.unreadable, "undecided", name, answer.text, mark, f"{name} raised: {result}"[:500])
        rule = self._rule(metric, bool(row.question))
        verdicts = rule.answer_verdicts([result.value], [answer.text])
        probabilities = rule.probabilities([result.value], [answer.text])
        if verdicts is None:
            if self.binary:
                raise ValueError(f"binary is True, but {rule.sentence}")
            return RewardRow(result.value, "unsure", name, answer.text, mark, f"{name} {result.value:.4f}, no verdict")
        if probabilities is not None and probabilities[0] != probabilities[0]:
            reason = f"{name} {result.value:.4f}, no verdict for fewer than {rule.least_words} words"
            return RewardRow(self.unreadable, "undecided", name, answer.text, mark, reason)
        verdict: Verdict = str(verdicts[0])  # type: ignore[assignment] # "right", "wrong" or "unsure"
        number = result.value if probabilities is None else float(probabilities[0])
        shown_number = f"{name} {result.value:.4f}" + ("" if probabilities is None else f", probability {number:.2f}")
        score = float(verdict == "right") if self.binary else number
        return RewardRow(score, verdict, name, answer.text, mark, shown_number)

    def _rule(self, metric: Metric, has_question: bool) -> VerdictRule:
        """Return the rule of the verdicts of the metric."""
        if has_question not in self._rules:
            of_scores = signed(metric, has_question)
            scale = capabilities(metric).scale
            rule = verdict_rule(of_scores, scale=scale, calibration=self.calibration)
            strict = self.staged and rule.basis in ("calibration", "probability")
            self._rules[has_question] = replace(rule, low=1 - self.least, high=self.least) if strict else rule
        return self._rules[has_question]

    @cached_property
    def _rules(self) -> dict[bool, VerdictRule]:
        return {}

    @property
    def _tally(self) -> _Tally:
        return self._tallies.setdefault(os.getpid(), _Tally())  # a fork may copy the lock while a thread holds it

    @cached_property
    def _tallies(self) -> dict[int, _Tally]:
        return {}

    def _allowed(self, rows: int) -> float:
        """Return the seconds for this many rows."""
        return self.limit * max(1, -(-rows // PER_LIMIT))

    def _late(self, row: _Texts, i: int) -> RewardRow:
        at = f"row {i} ({shown(row.completion[:80])})"
        reason = f"the time of the batch was over before {at}; raise limit={self.limit:g}"
        return RewardRow(self.unreadable, "undecided", "time", "", NO_MARK, reason)


def _column(name: str, values: Any) -> list[Any]:
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is {shown(values)}, but it must be a list with one entry per completion")
    return values.tolist() if hasattr(values, "tolist") else list(values)
