"""The result of many samples per question: groups of answers, and what follows from them for each system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from answersim._base.text_tables import Result, TextTable, counted, number
from answersim.stats.intervals.resampling import Estimate

SHOWN = 10  # questions that are printed


class AnswerGroup(NamedTuple):
    """Samples that mean the same."""

    answer: str  # the most frequent spelling; "" if no answer could be read
    n: int  # the number of samples
    right: bool | None  # whether the group is right; None if the gold answer cannot be read
    abstains: bool  # whether these samples answer nothing. They are one group, which votes like any other.
    spellings: tuple[str, ...]  # all answers of the group, the most frequent first


class QuestionGroups(NamedTuple):
    """The groups of one question."""

    system: str  # the system
    question: str  # the question, or what the samples have in common
    golds: tuple[str, ...]  # the gold answers; empty if none can be read
    n: int  # the number of samples
    groups: tuple[AnswerGroup, ...]  # the largest group first
    distinct: int  # the number of groups, without abstentions
    entropy: float  # the semantic entropy, in nats
    conflicts: int  # equal pairs that are in two groups, because joining them would join different answers


class SamplesRow(NamedTuple):
    """The samples of one system: means over questions, with intervals."""

    system: str  # the system
    questions: int  # the number of questions
    samples: int  # the number of samples
    distinct: Estimate  # the number of distinct answers per question
    entropy: Estimate  # the semantic entropy per question, in nats
    abstained: Estimate  # the share of samples that answer nothing


class AtK(NamedTuple):
    """What k samples of a system achieve, over questions that have at least k."""

    system: str  # the system
    k: int  # the number of samples
    questions: int  # the number of questions
    majority: Estimate  # the probability that the largest group of k samples is right (maj@k)
    passed: Estimate  # the probability that at least one of k samples is right (pass@k)


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
            questions = sorted(self.questions, key=lambda question: -question.entropy)[:shown]
            yield TextTable("The questions with the highest entropy", _QUESTION, tuple(map(_line, questions)))

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
