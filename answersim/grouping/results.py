"""The result of many samples per question: groups of answers, and what follows from them for each system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from answersim.stats.resampling import Estimate
from answersim.text_tables import Result, TextTable, counted, number

SHOWN = 10  # questions that are printed


class AnswerGroup(NamedTuple):
    """Samples that mean the same.

    Attributes:
        answer: The most frequent spelling; "" if no answer could be read.
        n: The number of samples.
        right: Whether the group is right; None if the gold answer cannot be read.
        abstains: Whether these samples answer nothing. They are one group, which votes like any other.
        spellings: All answers of the group, the most frequent first.
    """

    answer: str
    n: int
    right: bool | None
    abstains: bool
    spellings: tuple[str, ...]


class QuestionGroups(NamedTuple):
    """The groups of one question.

    Attributes:
        system: The system.
        question: The question, or what the samples have in common.
        golds: The gold answers; empty if none can be read.
        n: The number of samples.
        groups: The largest group first.
        distinct: The number of groups, without abstentions.
        entropy: The semantic entropy, in nats.
        conflicts: Equal pairs that are in two groups, because joining them would join different answers.
    """

    system: str
    question: str
    golds: tuple[str, ...]
    n: int
    groups: tuple[AnswerGroup, ...]
    distinct: int
    entropy: float
    conflicts: int


class SamplesRow(NamedTuple):
    """The samples of one system: means over questions, with intervals.

    Attributes:
        system: The system.
        questions: The number of questions.
        samples: The number of samples.
        distinct: The number of distinct answers per question.
        entropy: The semantic entropy per question, in nats.
        abstained: The share of samples that answer nothing.
    """

    system: str
    questions: int
    samples: int
    distinct: Estimate
    entropy: Estimate
    abstained: Estimate


class AtK(NamedTuple):
    """What k samples of a system achieve, over questions that have at least k.

    Attributes:
        system: The system.
        k: The number of samples.
        questions: The number of questions.
        majority: The probability that the largest group of k samples is right (maj@k).
        passed: The probability that at least one of k samples is right (pass@k).
    """

    system: str
    k: int
    questions: int
    majority: Estimate
    passed: Estimate


@dataclass(frozen=True)
class SampleGroups(Result):
    """The groups of equal answers of all questions, and maj@k and pass@k of each system.

    Attributes:
        name: The name of the data.
        signature: What decides which answers are equal.
        rows: One per system.
        at: One per system and k.
        questions: The groups, by system and question.
        level: The coverage of the intervals.
        notes: Remarks for the reader: what decides, and what was left out.
    """

    name: str
    signature: str
    rows: tuple[SamplesRow, ...]
    at: tuple[AtK, ...]
    questions: tuple[QuestionGroups, ...]
    level: float
    notes: tuple[str, ...] = ()

    def summary(self) -> list[str]:
        """Return a sentence per system, with the largest k."""
        lines = []
        for row in self.rows:
            size = f"{row.system}: {counted(row.samples, 'sample')} of {counted(row.questions, 'question')}"
            last = [at for at in self.at if at.system == row.system][-1:]
            scores = [f"maj@{at.k} {_shown(at.majority)}, pass@{at.k} {_shown(at.passed)}" for at in last]
            lines.append("; ".join([size, *scores, f"{number(row.distinct.value)} distinct answers per question"]))
        return lines

    def tables(self, shown: int = SHOWN) -> Iterator[TextTable]:
        """Yield a table by system and k, one by system, and the questions with the highest entropy."""
        at = [(a.system, str(a.k), f"{a.questions:,}", _shown(a.majority), _shown(a.passed)) for a in self.at]
        if at:
            yield TextTable("The majority and the best of k samples", (*_AT, "maj@k", "pass@k"), tuple(at))
        rows = [
            (r.system, f"{r.questions:,}", f"{r.samples:,}", *map(_shown, (r.distinct, r.entropy, r.abstained)))
            for r in self.rows
        ]
        yield TextTable("Distinct answers", _ROW, tuple(rows))
        if shown:
            found = sorted(self.questions, key=lambda question: -question.entropy)[:shown]
            yield TextTable("The questions with the highest entropy", _QUESTION, tuple(map(_line, found)))

    def footer(self) -> list[str]:
        """Return what decides, the intervals and the notes."""
        return [self.signature, f"{self.level:.0%} intervals over questions", *self.notes]

    def records(self) -> list[dict[str, Any]]:
        """Return one record per system, question and group."""
        return [
            {
                "system": question.system,
                "question": question.question,
                "gold": " | ".join(question.golds),
                "samples": question.n,
                "distinct": question.distinct,
                "entropy": question.entropy,
                "answer": group.answer,
                "n": group.n,
                "right": group.right,
                "abstains": group.abstains,
                "spellings": " | ".join(group.spellings),
            }
            for question in self.questions
            for group in question.groups
        ]


_AT = ("system", "k", "questions")
_ROW = ("system", "questions", "samples", "distinct answers", "semantic entropy", "abstained")
_QUESTION = ("question", "gold", "samples", "distinct", "entropy", "answers")


def _shown(estimate: Estimate) -> str:
    return f"{number(estimate.value)} [{number(estimate.low)}, {number(estimate.high)}]"


def _line(question: QuestionGroups) -> tuple[str, ...]:
    answers = ", ".join(f"{group.n} x {group.answer or '(none)'}" for group in question.groups[:3])
    golds = " or ".join(question.golds)
    numbers = (f"{question.n:,}", str(question.distinct), number(question.entropy))
    return (question.question[:60], golds[:40], *numbers, answers[:80])
