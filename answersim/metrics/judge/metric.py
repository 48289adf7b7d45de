"""The judge as a metric: request the missing replies, read the verdicts, and return one number per pair."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim._base.arguments import is_unicode
from answersim._base.arrays import FloatArray
from answersim._base.errors import shortened, warn_user
from answersim._base.runtime.progress import bar
from answersim._base.signature import computed_once, signature
from answersim.metrics.judge.client import Answered, Client, Failure, JudgeError, Request
from answersim.metrics.judge.parsing import Outcome, parse, unparsed
from answersim.metrics.judge.prompts import Prompt
from answersim.metrics.judge.record import Entry, Question, Record
from answersim.metrics.judge.settings import ERROR, MEAN, PARAMETERS
from answersim.metrics.judge.usage import Cost, JudgeUsage, Prices, Tokens, UsageTotal
from answersim.stats.reducers import reduced
from answersim.types import Capabilities, Pair, Scale

REVISION = 4  # raise it when a number changes; it is signed
_SHOWN = 5  # unparsed replies in a message


class UnparsedError(ValueError):
    """Replies of a judge contain no verdict that was offered. All replies are in the record.

    Attributes:
        pairs: The positions of their pairs in the call, from 0.
    """

    def __init__(self, message: str, pairs: tuple[int, ...] = ()) -> None:
        super().__init__(message, pairs)  # both, so that it can be pickled
        self.pairs = pairs

    def __str__(self) -> str:
        return str(self.args[0])


class MissingReplyError(LookupError):
    """The record lacks replies, and no request may be sent.

    Attributes:
        count: How many are missing.
        missing: The judge and the request of each of them.
    """

    def __init__(self, message: str, count: int = 0, missing: tuple[tuple[Judge, Question], ...] = ()) -> None:
        super().__init__(message, count, missing)
        self.count, self.missing = count, missing

    def __str__(self) -> str:
        return str(self.args[0])


class ModelWarning(UserWarning):
    """The replies behind the scores came from several models, because the server changed the model behind a name."""


@dataclass(frozen=True)
class Judge:
    """A language model that decides whether an answer is right, or a panel of several: 0 to 1 per pair.

    The same request is sent once, because its reply is in the record. Scores depend on the record only, so the same
    record gives the same scores. A reply without a verdict never counts as a verdict. It ends the call with an error
    after all replies were recorded, or has the score that the user chose for such replies.
    """

    prompt: Prompt  # the prompt. Its name and hash are signed.
    model: str  # the name of the model that is requested; the models of a panel, separated by commas
    parameters: str = PARAMETERS  # further members of each request, as canonical JSON
    repeats: int = 1  # how often each pair is requested from each model
    reduce: str = MEAN  # how the replies about a pair become one score; see ``answersim.stats.reducers``
    # the name that the server must return for the model, or None. Other replies are not used.
    returned: str | None = None
    unparsed: str | float = ERROR  # "error", or the number that an unparsed reply counts as, from 0 to 1
    # the client for the server; None if no request may be sent
    client: Client | None = field(default=None, compare=False)
    record: Record = field(default_factory=Record, compare=False, repr=False)  # the replies so far
    prices: Prices | None = field(default=None, compare=False, repr=False)  # the price table for the usage, or None
    totals: UsageTotal = field(default_factory=UsageTotal, compare=False, repr=False)  # the usage of all calls so far

    @computed_once
    def signature(self) -> str:
        """For example ``judge|prompt:equivalent/0123456789ab|model:m|parameters:{"temperature":0}|...|rev:1``."""
        return signature("judge", self, revision=REVISION)

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities for planning and cache: it needs all pairs at once, calls a service, and keeps a record."""
        scale: Scale = "binary" if self.prompt.is_binary else "any"
        return Capabilities(batches_all=True, reads_questions=self.reads_questions, cost="remote", scale=scale)

    @property
    def models(self) -> list[str]:
        """The models that are requested: one, or those of the panel."""
        return self.model.split(",")

    @property
    def reads_questions(self) -> bool:
        """Whether the prompt has a place for the question."""
        return self.prompt.reads_questions

    @property
    def where(self) -> str:
        """The place of the replies, for messages."""
        return "in memory" if self.record.path is None else f"in {self.record.path}"

    @property
    def usage(self) -> JudgeUsage:
        """The usage of all calls so far."""
        return self.totals.usage

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        """Return one number per pair, in order, shape (n,). Errors are those of ``judge``, and ``UnparsedError``."""
        judged, usage = self.judge(pairs, questions)
        self.totals.add(usage)
        lacking = tuple(i for i, outcomes in enumerate(judged) if reason_of(outcomes))
        if lacking and self.unparsed == ERROR:
            raise self._unparsed(judged, pairs, lacking)
        scores = [[float(self.unparsed) if of.score is None else of.score for of in of_pair] for of_pair in judged]
        return reduced(np.array(scores).T, self.reduce) if scores else np.empty(0)

    def not_attempted(
        self, rows: Sequence[tuple[Any, str]], questions: Sequence[str] | None = None
    ) -> NDArray[np.bool_] | None:
        """Return for each row whether the judge graded it as not attempted, shape (n,); None if it has no such grade.

        The replies are those of the scores, which are recorded, so that no request is repeated. Of several replies the
        majority counts, and of several gold answers one is enough. ``rows``: the gold answer or a sequence of them, and
        the prediction, of each row.
        """
        if not any(map(_is_not_attempted, self.prompt.scores)):
            return None
        expanded = [
            (i, Pair(gold, pred))
            for i, (golds, pred) in enumerate(rows)
            for gold in ([golds] if isinstance(golds, str) else golds)
        ]
        asked_questions = None if questions is None else [questions[i] for i, _ in expanded]
        judged, _ = self.judge([pair for _, pair in expanded], asked_questions)
        not_attempted = np.zeros(len(rows), dtype=bool)
        for (i, _), outcomes in zip(expanded, judged, strict=True):
            declined = sum(_is_not_attempted(outcome.verdict) for outcome in outcomes)
            not_attempted[i] |= 2 * declined > len(outcomes)
        return not_attempted

    def judge(
        self, pairs: Sequence[Pair], questions: Sequence[str] | None = None
    ) -> tuple[list[tuple[Outcome, ...]], JudgeUsage]:
        """Return the outcomes of the replies about each pair, in order, and the usage.

        The replies of a pair are those of each model in turn, in either order, all repetitions.

        Raise MissingReplyError if the record lacks replies and there is no server. It is raised before any request.
        Raise JudgeError if the server did not answer requests. Its replies so far are in the record. Raise
        BlockingIOError if another process is writing the record, MissingExtraError if httpx is missing.
        """
        rows = rows_of(pairs, questions)
        requests_of = {row: self._asked(*row) for row in dict.fromkeys(rows)}
        unique = list(dict.fromkeys(request for requests in requests_of.values() for request in requests))
        self.record.read(create=self.client is not None)
        missing = self._missing(unique)
        sent, new = 0, frozenset[str]()
        if missing and self.client is None:
            raise self._not_recorded(missing, pairs, [requests_of[row] for row in rows])
        if missing:
            with self.record.writing():
                missing = self._missing(unique)  # another process may have written some of them
                try:
                    sent, new = self._ask(missing, self.client)
                except BaseException:
                    self._partial(unique, frozenset(request.key for request in missing))
                    raise
        by_key = {request.key: self._entry(request) for request in unique}
        by_row = {row: tuple(self._outcome(by_key[request.key]) for request in requests_of[row]) for row in requests_of}
        usage = self._usage([*by_row.values()], [(request, by_key[request.key]) for request in unique], new, sent)
        self._check_models(list(by_key.values()))
        return [by_row[row] for row in rows], usage

    def _asked(self, question: str, gold: str, pred: str) -> list[Question]:
        """Return the requests for one pair: for each model, all repetitions in one order, then in the other order."""
        texts = [(gold, pred), (pred, gold)] if self.prompt.order == "both" else [(gold, pred)]
        return [
            Question(self.prompt.fingerprint, model, self.parameters, question, *order, repeat)
            for model in self.models
            for order in texts
            for repeat in range(self.repeats)
        ]

    def _missing(self, requests: Sequence[Question]) -> list[Question]:
        return [request for request in requests if self.record.get(request.key, self.returned) is None]

    def _entry(self, request: Question) -> Entry:
        entry = self.record.get(request.key, self.returned)
        if entry is None:  # the server returned another model than the one that is required
            stored = self.record.get(request.key)
            name = "" if stored is None else stored.reply.model
            raise JudgeError(
                f"the server returned the model {name!r} for {request.model!r}, but returned= requires "
                f"{self.returned!r}; all replies are {self.where}"
            )
        return entry

    def _ask(self, missing: Sequence[Question], client: Client | None) -> tuple[int, frozenset[str]]:
        """Request these replies and record each one as it arrives. Return how many were sent, and their keys."""
        assert client is not None
        flags = {entry.structured for entry in self.record.entries() if entry.request.model in self.models}
        if client.schema.accepted is None and flags == {False}:  # the server refused a schema before
            client.schema.accepted = False
        requests = [self.request(question) for question in missing]
        new: set[str] = set()
        with bar(len(missing), "judge", "reply") as progress_bar:

            def receive(answered: Answered) -> None:
                question = missing[answered.position]
                details = {
                    "messages": requests[answered.position].body["messages"],
                    "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
                    "seconds": round(answered.seconds, 3),
                }
                self.record.append(Entry(question, answered.raw, answered.structured), details)
                new.add(question.key)
                progress_bar.update(1)

            failures, sent = client.ask_all(requests, receive)
        if len(new) < len(missing):
            raise self._unanswered(failures, len(missing), len(new))
        return sent, frozenset(new)

    def request(self, question: Question) -> Request:
        """Return the body of a request."""
        messages = self.prompt.messages(question.question, question.gold, question.pred)
        body: Mapping[str, Any] = {"model": question.model, "messages": messages, **json.loads(self.parameters)}
        return Request(body, self.prompt.response_format())

    def _outcome(self, entry: Entry) -> Outcome:
        """Return the outcome of a reply. What it quotes from its request does not count."""
        reply = entry.reply
        if reply.refusal and not reply.text:
            return unparsed("the model refused")
        request = entry.request
        others = (request.gold, request.question)
        return parse(reply.text, self.prompt.scores, request.pred, others, complete=reply.complete)

    def _partial(self, requests: Sequence[Question], missing: frozenset[str]) -> None:
        """Add the replies before an error to the usage."""
        entries = [(request, entry) for request in requests if (entry := self.record.get(request.key)) is not None]
        new = frozenset(request.key for request, _ in entries) & missing
        self.totals.add(self._usage([], entries, new, len(new)))

    def _usage(
        self,
        judged: Sequence[Sequence[Outcome]],
        entries: Sequence[tuple[Question, Entry]],
        new: frozenset[str],
        sent: int,
    ) -> JudgeUsage:
        outcomes = [outcome for of_row in judged for outcome in of_row]
        verdicts = [outcome.verdict for outcome in outcomes if outcome.score is not None]
        several = [of_row for of_row in judged if len(of_row) > 1]
        tokens = [(entry.reply.input_tokens or 0, entry.reply.output_tokens or 0) for _, entry in entries]
        return JudgeUsage(
            pairs=len(judged),
            replies=len(entries),
            asked=len(new),
            sent=sent,
            unparsed=sum(outcome.score is None for outcome in outcomes),
            verdicts={**dict.fromkeys(self.prompt.scores, 0), **Counter(verdicts)},
            models=dict(Counter(entry.reply.model for _, entry in entries)),
            tokens=Tokens(*map(sum, zip(*tokens, strict=True))),
            cost=self._cost(entries, new),
            several=len(several),
            disputed=sum(len({outcome.verdict for outcome in outcomes}) > 1 for outcomes in several),
            unrecorded=len(entries) if self.record.path is None else 0,
        )

    def _cost(self, entries: Sequence[tuple[Question, Entry]], new: frozenset[str]) -> Cost:
        if self.prices is None:
            return Cost()
        prices = [(request.key, self.prices.of(request.model, entry.reply)) for request, entry in entries]
        known = {key: price for key, price in prices if price is not None}
        now = [price for key, price in known.items() if key in new]
        return Cost(math.fsum(known.values()), math.fsum(now), len(prices) - len(known), self.prices.currency)

    def _check_models(self, entries: Sequence[Entry]) -> None:
        """Warn if the replies of one requested model came from several models."""
        for model in self.models:
            returned = dict.fromkeys(entry.reply.model for entry in entries if entry.request.model == model)
            if len(names := list(filter(None, returned))) > 1:
                warn_user(
                    ModelWarning(
                        f"the replies of {model!r} came from {len(names)} models ({', '.join(names)}), so the scores "
                        "are not those of one model; name the model to use: returned="
                    )
                )

    def _not_recorded(
        self, missing: Sequence[Question], pairs: Sequence[Pair], needed: Sequence[Sequence[Question]]
    ) -> MissingReplyError:
        lacking = set(missing)
        at = next(i for i, requests in enumerate(needed) if lacking.intersection(requests))
        gold, pred = pairs[at]
        total = len({request for requests in needed for request in requests})
        return MissingReplyError(
            f"{len(missing):,} of {total:,} replies are not {self.where}; the first one is of pair {at + 1} (gold "
            f"{shortened(gold)!r}, prediction {shortened(pred)!r}), prompt {self.prompt.fingerprint}, model "
            f"{self.model!r}, parameters {self.parameters}. Nothing is scored. Check these settings and the question, "
            f"or use a server: replay=False with base_url=",
            len(missing),
            tuple((self, request) for request in missing),
        )

    def _unanswered(self, failures: Sequence[Failure], n_requests: int, answered: int) -> JudgeError:
        state = f"{answered:,} replies are {self.where}, and are not requested again"
        if self.record.path is None:
            state += "; give record=FILE to keep them"
        most = Counter(failure.reason for failure in failures).most_common(3)
        why = "; ".join(f"{count:,} x {reason}" for reason, count in most) or "the run was stopped"
        return JudgeError(f"{n_requests - answered:,} of {n_requests:,} requests have no reply: {why}. {state}")

    def _unparsed(
        self, judged: Sequence[Sequence[Outcome]], pairs: Sequence[Pair], lacking: tuple[int, ...]
    ) -> UnparsedError:
        listing = "; ".join(
            f"pair {i + 1} (prediction {shortened(pairs[i][1])!r}): {reason_of(judged[i])}" for i in lacking[:_SHOWN]
        )
        more = f"; and {len(lacking) - _SHOWN:,} more" if len(lacking) > _SHOWN else ""
        return UnparsedError(
            f"{len(lacking):,} of {len(judged):,} pairs have no verdict, because a reply could not be parsed: {listing}"
            f"{more}. All replies are {self.where}. An unparsed reply is not wrong: leave these pairs out, choose "
            "another prompt or model, or set its score: unparsed='unsure', or a number from 0 to 1 (on the command "
            "line --option unparsed=unsure)",
            lacking,
        )


def rows_of(pairs: Sequence[Pair], questions: Sequence[str] | None) -> list[tuple[str, str, str]]:
    """Return question, gold answer and candidate of each pair."""
    if questions is not None and len(questions) != len(pairs):
        raise ValueError(f"{len(pairs)} pairs have {len(questions)} questions; give one per pair, '' for none")
    questions = [""] * len(pairs) if questions is None else questions
    rows = [(question, gold, pred) for question, (gold, pred) in zip(questions, pairs, strict=True)]
    for i, row in enumerate(rows):
        if not all(map(is_unicode, row)):
            raise ValueError(f"pair {i + 1} contains half a surrogate pair, which cannot be sent; repair the text")
    return rows


def reason_of(outcomes: Iterable[Outcome]) -> str:
    """Return why a pair has no score: the reason of its first unparsed reply; "" if all replies have a verdict."""
    return next((outcome.reason for outcome in outcomes if outcome.score is None), "")


def _is_not_attempted(grade: str) -> bool:
    return grade.replace("_", " ").lower() == "not attempted"
