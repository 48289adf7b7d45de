"""Verdicts that another tool recorded in a table, as a judge that replays them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from answersim._base.arguments import expanded
from answersim._base.io import detection, files
from answersim._base.signature import computed_once, signature
from answersim.metrics.judge.metric import REVISION, CountedCalls, MissingReplyError, rows_of
from answersim.metrics.judge.parsing import Outcome, offered, stated, unparsed
from answersim.metrics.judge.settings import ERROR
from answersim.metrics.judge.usage import JudgeUsage, UsageTotal
from answersim.types import Capabilities, Pair, Scale

_OF_SYSTEMS = ("candidate_answer", "model_answer", "system_answer")
# The names of columns in use elsewhere, in lower case, in the order in which they are preferred.
COLUMNS: dict[str, tuple[str, ...]] = {
    "question": ("question", "query", "q", "prompt"),
    "gold": ("gold", "golds", "gold_answer", "golden_answer", "gold_answers", "reference", "references", "answers"),
    "pred": ("pred", "prediction", "candidate", *_OF_SYSTEMS, "output", "answer"),
    "verdict": ("verdict", "judgment", "judgement", "grade", "gpt4", "gpt-4", "judge", "decision", "label", "response"),
}
_HEADLESS = {3: ("question", "pred", "verdict"), 4: ("question", "gold", "pred", "verdict")}
_WORDS: tuple[dict[str, float], ...] = (  # families of words; the first one that finds a verdict in a text applies
    {"yes": 1.0, "no": 0.0},
    {"correct": 1.0, "incorrect": 0.0, "not attempted": 0.0},
    {"true": 1.0, "false": 0.0},
    {"right": 1.0, "wrong": 0.0},
    {"equivalent": 1.0, "not equivalent": 0.0, "different": 0.0},
)

Key: TypeAlias = "tuple[str | None, str | None, str]"
"""Question, gold answer and prediction, with None for a column that a table lacks."""


@dataclass(frozen=True)
class RecordedVerdicts(CountedCalls):
    """Verdicts from a table: 0 to 1 per pair.

    A pair has the verdict of the row with its question, gold answer and prediction. A table without gold answers or
    questions is searched by the other columns. White space at the ends of a text does not count.
    """

    fingerprint: str  # a hash of all texts and verdicts; signed
    unparsed: str | float = ERROR  # "error", or the score of a verdict that cannot be read
    path: Path = field(default=Path(), compare=False)  # the file
    rows: Mapping[Key, Outcome] = field(default_factory=dict, compare=False, repr=False)  # the outcome of each row
    totals: UsageTotal = field(default_factory=UsageTotal, compare=False, repr=False)  # the usage of all calls so far

    @computed_once
    def signature(self) -> str:
        """For example ``judge|verdicts:0123456789ab|unparsed:error|rev:1``."""
        return signature("judge", revision=REVISION, verdicts=self.fingerprint, unparsed=self.unparsed)

    @computed_once
    def capabilities(self) -> Capabilities:
        """The capabilities for planning: all verdicts are looked up in one call, so that what is missing is counted."""
        scale: Scale = "binary" if all(row.score in (0, 1, None) for row in self.rows.values()) else "any"
        return Capabilities(batches_all=True, reads_questions=self.reads_questions, cost="remote", scale=scale)

    @property
    def reads_questions(self) -> bool:
        """Whether the table has questions."""
        return any(question is not None for question, _, _ in self.rows)

    @property
    def grades(self) -> set[str]:
        """The verdicts in the table."""
        return {row.verdict for row in self.rows.values()}

    @property
    def where(self) -> str:
        """The place of the verdicts, for messages."""
        return f"in {self.path}"

    def judge(
        self, pairs: Sequence[Pair], questions: Sequence[str] | None = None
    ) -> tuple[list[tuple[Outcome, ...]], JudgeUsage]:
        """Return the verdict on each pair, in order, and the usage.

        Raise MissingReplyError if pairs have no verdict. Raise ValueError if rows that fit a pair disagree. This
        happens if questions are in the table and not given.
        """
        rows = rows_of(pairs, questions)
        has_questions = any(question for question, _, _ in rows)
        has_gold = any(gold is not None for _, gold, _ in self.rows)
        table = self.rows if has_questions or not self.reads_questions else self._without_questions(has_gold)
        keys = [
            (
                question.strip() if has_questions and self.reads_questions else None,
                str(gold).strip() if has_gold else None,
                pred.strip(),
            )
            for question, gold, pred in rows
        ]
        lacking = [i for i, key in enumerate(keys) if key not in table]
        if lacking:
            question, gold, pred = rows[lacking[0]]
            raise MissingReplyError(
                f"{len(lacking):,} of {len(rows):,} pairs have no verdict in {self.path}; the first one is pair "
                f"{lacking[0] + 1} (question {question[:60]!r}, gold {gold[:60]!r}, prediction {pred[:60]!r}). Texts "
                "must be equal to those that were judged",
                len(lacking),
            )
        judged: list[tuple[Outcome, ...]] = [(table[key],) for key in keys]
        used = [table[key] for key in dict.fromkeys(keys)]
        verdicts = [outcome.verdict for outcome in used if outcome.score is not None]
        counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
        missing = sum(outcome.score is None for outcome in used)
        return judged, JudgeUsage(pairs=len(used), replies=len(used), unparsed=missing, verdicts=counts)

    def _without_questions(self, has_gold: bool) -> Mapping[Key, Outcome]:
        if not has_gold:
            raise ValueError(
                f"{self.path} has verdicts by question and prediction, but no questions are given; name their column "
                "(question=, on the command line --question)"
            )
        table: dict[Key, Outcome] = {}
        for (_, gold, pred), outcome in self.rows.items():
            _add(table, (None, gold, pred), outcome, f"{self.path} without its questions")
        return table


def read_verdicts(
    path: str | os.PathLike[str],
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> dict[Key, Outcome]:
    """Read the verdicts in a table: CSV, TSV, JSON, JSON lines, Parquet or Excel.

    A verdict is a number from 0 to 1, a word such as "yes" or "incorrect", or a text that begins with one, such as
    "Yes, the candidate is correct. ...". A CSV or TSV file without a header has three columns (question, prediction,
    verdict) or four (question, gold answer, prediction, verdict). ``columns``: the columns of "question", "gold",
    "pred" and "verdict", if they have other names than usual. Raise FileNotFoundError or LookupError if there is no
    such file, or a column is missing. Raise ValueError if the table is empty, or two rows about the same texts
    disagree.
    """
    path = expanded(path)
    with detection.read_options(encoding, delimiter):
        table = files.read(path)
    names, rows = _columns(table, path, columns or {})
    if not rows:
        raise ValueError(f"{path} has no rows, so it contains no verdicts")
    verdicts: dict[Key, Outcome] = {}
    for i, row in enumerate(rows, start=1):
        where = f"{path}, row {i}"
        pred = _cell(row.get(names["pred"]), where, names["pred"])
        question = _cell(row.get(names["question"]), where, names["question"]) if "question" in names else None
        golds = _golds(row.get(names["gold"]), where, names["gold"]) if "gold" in names else [None]
        others = [text for text in (question, *golds) if text is not None]
        outcome = read_verdict(row.get(names["verdict"]), pred, others)
        for gold in golds:
            _add(verdicts, (question, gold, pred), outcome, where)
    return verdicts


def read_verdict(value: Any, pred: str = "", others: Sequence[str] = ()) -> Outcome:
    """Return the outcome of a cell: a number, a word, or free text, which is read as a reply: see ``parsing.parse``.

    ``others``: the gold answers and the question.

    >>> read_verdict("Yes, the candidate is correct. There is no doubt.")
    Outcome(verdict='yes', score=1.0, reason='')
    >>> read_verdict(0.5).score, read_verdict("The second one.").score
    (0.5, None)
    """
    if isinstance(value, bool):
        return Outcome("yes" if value else "no", float(value))
    if isinstance(value, (int, float)):
        return _number(float(value), str(value))
    if not isinstance(value, str) or not value.strip():
        return unparsed("the verdict is empty")
    try:
        return _number(float(value), value.strip())
    except ValueError:
        pass
    for words in _WORDS:
        outcome = offered(value, words)
        if outcome.score is None:
            outcome = stated(value, words, pred, others)
        if outcome.score is not None or outcome.contradicts:
            return outcome
    return unparsed(f"the text {value[:60]!r} states no verdict")


def _number(number: float, printed: str) -> Outcome:
    if not 0 <= number <= 1 or math.isnan(number):
        return unparsed(f"the verdict is {printed}, but it must be a number from 0 to 1")
    return Outcome({1.0: "yes", 0.0: "no"}.get(number, f"{number:g}"), number)


def recorded(
    path: str | os.PathLike[str],
    unparsed: str | float = ERROR,
    columns: Mapping[str, str] | None = None,
) -> RecordedVerdicts:
    """Return the judge that replays the verdicts of a table. See ``read_verdicts``."""
    rows = read_verdicts(path, columns)
    content = [[*key, outcome.verdict, outcome.score] for key, outcome in rows.items()]
    content.sort(key=lambda row: [str(cell) for cell in row])
    digest = sha256(json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return RecordedVerdicts(digest, unparsed, Path(path), rows)


def _columns(
    table: files.Table, path: Path, stated: Mapping[str, str]
) -> tuple[dict[str, str], list[Mapping[str, Any]]]:
    """Return the column of each role, and the rows. A table without a header gets the usual names."""
    if strange := [role for role in stated if role not in COLUMNS]:
        raise LookupError(f"verdicts has {strange[0]!r}; known are path, {', '.join(COLUMNS)}")
    for role, name in stated.items():
        if name not in table.columns:
            raise LookupError(f"{path} has no column {name!r} for {role!r}; it has {', '.join(table.columns)}")
    by_name = {name.strip().lower(): name for name in reversed(table.columns)}
    names = dict(stated)
    for role, usual in COLUMNS.items():
        free = [by_name[name] for name in usual if name in by_name and by_name[name] not in names.values()]
        if role not in names and free:
            names[role] = free[0]
    if {"pred", "verdict"} <= names.keys() and ("question" in names or "gold" in names):
        return names, list(table.rows)
    if not stated and len(table.columns) in _HEADLESS and read_verdict(table.columns[-1]).score is not None:
        roles = _HEADLESS[len(table.columns)]  # the first row was read as a header
        renamed = [dict(zip(roles, (row.get(name) for name in table.columns), strict=True)) for row in table.rows]
        return {role: role for role in roles}, [dict(zip(roles, table.columns, strict=True)), *renamed]
    raise LookupError(
        f"{path} has the columns {', '.join(table.columns)}, but verdicts need a prediction, a verdict, and a question "
        "or a gold answer; name them: verdicts={'path': ..., 'pred': ..., 'verdict': ..., 'question': ..., 'gold': ...}"
    )


def _cell(value: Any, where: str, name: str) -> str:
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        raise ValueError(f"{where}: {name!r} is {ascii(value)[:60]}, but it must be a text")
    return str(value).strip()


def _golds(value: Any, where: str, name: str) -> list[str | None]:
    """Return the gold answers of a cell: a text, a list, or a list in JSON."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError):  # an answer that starts with a bracket
            value = json.loads(value)
    if isinstance(value, (list, tuple)):
        return [_cell(gold, where, name) for gold in value]
    return [_cell(value, where, name)]


def _add(table: dict[Key, Outcome], key: Key, outcome: Outcome, where: str) -> None:
    before = table.setdefault(key, outcome)
    if before.score != outcome.score:
        question, gold, pred = key
        listing = ", ".join(
            f"{name} {value[:60]!r}"
            for name, value in (("question", question), ("gold", gold), ("prediction", pred))
            if value is not None
        )
        earlier, later = (verdict.verdict or "none" for verdict in (before, outcome))
        raise ValueError(
            f"{where}: two verdicts about the same texts disagree ({earlier} and {later}): {listing}. Keep one of the "
            "rows, or name a column that tells them apart"
        )
