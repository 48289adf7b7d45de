"""The definitions of benchmarks side by side on the answers of systems: one word, several numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim._base.arguments import shown
from answersim._base.arrays import FloatArray
from answersim._base.golds import StructuredGold
from answersim._base.text_tables import Result, TextTable, counted, flat, with_interval
from answersim.answers.tables.reader import read_answers
from answersim.answers.tables.table import Answers
from answersim.answers.text.tokens import english_words
from answersim.evaluation.data.labeled import read_csv
from answersim.metrics.lexical.recall import containment
from answersim.metrics.official.api import value_of
from answersim.metrics.official.drop import spans_of
from answersim.metrics.official.metric import OfficialMetric
from answersim.metrics.official.raised import or_raises
from answersim.metrics.official.registry import PROFILES, Profile, profile
from answersim.stats.intervals.clustered_means import ClusteredMeans
from answersim.stats.intervals.resampling import Bootstrap, Estimate, bootstrap_settings
from answersim.types import Pair

OURS = "answersim:containment"  # as whole words in a row, which no owner has


class Definition(NamedTuple):
    """A number of a profile, and the word that papers use for it."""

    word: str
    profile: str
    number: str  # of the profile

    @property
    def name(self) -> str:
        """The name of the metric with its part, such as ``official:drop`` or ``official:triviaqa, f1``."""
        if self.profile == OURS:
            return OURS
        first = PROFILES[self.profile].parts[0] == self.number
        return f"official:{self.profile}" + ("" if first else f", {self.number}")


# What is computed of a gold answer with aliases and a short prediction, by the word that papers use.
_TABLE = Path(__file__).parents[1] / "data" / "official_definitions.csv"
DEFINITIONS = tuple(Definition(**row) for row in read_csv(_TABLE))
USUAL = ("exact match", "F1", "containment")


class OfficialRow(NamedTuple):
    """A definition with its number for each system, in percent."""

    word: str  # the word that papers use: "exact match", "F1", "containment" or "prefix"
    name: str  # the metric, with its part if it is not the first
    values: dict[str, Estimate]  # by system: the mean in percent with its interval over questions


class Disagreement(NamedTuple):
    """Two definitions of one word that differ for a system by more than the interval of either."""

    word: str
    system: str
    highest: str
    high: float
    lowest: str
    low: float

    def __str__(self) -> str:
        return (
            f"{self.word} of {self.system}: {self.high:.1f} ({self.highest}) or {self.low:.1f} ({self.lowest}); papers "
            f"call both {self.word}"
        )


@dataclass(frozen=True)
class OfficialTable(Result):
    """All definitions on the answers of some systems."""

    name: str  # the name of the data
    systems: tuple[str, ...]  # the names of the systems
    n: int  # the number of questions
    rows: tuple[OfficialRow, ...]  # one per definition
    disagreements: tuple[Disagreement, ...]  # one per word and system where it applies, the largest difference first
    # by word, the definitions whose order of the systems differs from that of the first definition
    orders: dict[str, tuple[str, ...]]
    level: float  # the coverage of the intervals

    def __str__(self) -> str:
        return "\n".join(self.summary())

    def summary(self) -> list[str]:
        """Return where definitions disagree, and which ones order the systems differently."""
        lines = [str(disagreement) for disagreement in self.disagreements]
        lines += [
            f"the order of the systems by {word} depends on the definition: {', '.join(names)} differ from the first"
            for word, names in self.orders.items()
            if names
        ]
        if len({row.word for row in self.rows}) == len(self.rows):  # nothing to compare
            return [f"{counted(len(self.rows), 'definition')} on {counted(self.n, 'question')}"]
        return lines or ["no two definitions of one word differ by more than their intervals"]

    def tables(self) -> Iterator[TextTable]:
        """Yield a table per word."""
        for word, rows in _by_word(self.rows):
            lines = [(row.name, *(with_interval(row.values[name], ".1f") for name in self.systems)) for row in rows]
            yield TextTable(f"{word}, %", ("definition", *self.systems), tuple(lines))

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per definition and system."""
        return [
            {"word": row.word, "definition": row.name, "system": system, **flat(value)}
            for row in self.rows
            for system, value in row.values.items()
        ]


def official_table(
    data: Any,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    profiles: Sequence[str] | None = None,
    bootstrap: Bootstrap = Bootstrap(),
) -> OfficialTable:
    """Compute the official definitions of exact match, F1 and containment for each system.

    If a row has several gold answers, the best one counts, as in the owners' scripts that take aliases. The scripts of
    hotpotqa, gaia and drop take one gold answer; the best of several counts here too. Of a structured gold answer (an
    object of DROP, or aliases in a list), drop and asqa_str_em read the structure, and the others its texts.
    ``profiles``: the names of the profiles; None for those of the usual words, ("all",) for all definitions.
    ``bootstrap``: the coverage of the intervals. Nothing is resampled. Raise LookupError if there is no such column or
    profile, or a profile has no definition for short answers. Raise ValueError if values are not answers, or a
    definition of texts gets several spans or answers of one question.

    >>> table = official_table({"gold": ["U.S."], "pred": ["US"]}, profiles=["squad", "triviaqa"])
    >>> [(row.name, row.values["pred"].value) for row in table.rows if row.word == "exact match"]
    [('official:squad', 100.0), ('official:triviaqa', 0.0)]
    """
    level = bootstrap_settings(bootstrap).level
    chosen = _chosen(profiles)
    answers = read_answers(data, pred=pred, gold=gold, question=question, id=id)
    n = len(answers.ids)
    groups = answers.questions if answers.groups is None else answers.groups
    means = ClusteredMeans(np.arange(n) if groups is None else groups, level)
    numbers = {system: _numbers(chosen, answers, system) for system in answers.predictions}
    rows = tuple(
        OfficialRow(
            definition.word,
            definition.name,
            {system: means.of(columns_of[definition]).times(100) for system, columns_of in numbers.items()},
        )
        for definition in chosen
    )
    systems = tuple(answers.predictions)
    return OfficialTable(
        answers.name, systems, n, rows, tuple(_disagreements(rows, systems)), _orders(rows, systems), level
    )


def _chosen(profiles: Sequence[str] | None) -> tuple[Definition, ...]:
    if profiles is None:
        return tuple(definition for definition in DEFINITIONS if definition.word in USUAL)
    if list(profiles) == ["all"]:
        return DEFINITIONS
    names = [profile(name).name for name in profiles]
    known = list(dict.fromkeys(definition.profile for definition in DEFINITIONS))
    for name in names:
        if name not in known:
            raise LookupError(_elsewhere(PROFILES[name]))
    return tuple(definition for definition in DEFINITIONS if definition.profile in names)


def _elsewhere(known: Profile) -> str:
    """Return why a profile is not in this table, and how to score with it."""
    if known.input == "reply" or not known.parts:
        call = f"answersim.metrics.official.score({known.name!r}, ...) in Python"
    else:
        call = f"answersim evaluate FILE -m official:{known.name}"
    return (
        f"official:{known.name} is no definition of exact match, F1 or containment of short answers, which this table "
        f"compares; score with it by: {call}"
    )


def _numbers(chosen: Sequence[Definition], answers: Answers, system: str) -> dict[Definition, FloatArray]:
    """Return the number of each definition for each answer of a system, from 0 to 1, shape (n,)."""
    columns = {definition: np.empty(len(answers.ids)) for definition in chosen}
    for i, (gold, pred) in enumerate(zip(answers.golds, answers.predictions[system], strict=True)):
        golds = _texts(gold)
        results: dict[str, Any] = {}
        for definition, column in columns.items():
            name, number = definition.profile, definition.number
            if isinstance(gold, StructuredGold) and name in _READERS:
                value = OfficialMetric(name, number)([Pair(gold, pred)])[0]
            elif not golds:
                raise ValueError(
                    f"the gold answer {shown(gold)} has several spans or answers, which {definition.name} cannot "
                    f"read; name profiles that read them: {', '.join(_READERS)}"
                )
            elif name == OURS:
                value = max(containment(english_words(text), english_words(pred)) for text in golds)
            else:
                if name not in results:
                    results[name] = _results(name, golds, pred)
                value = max(value_of(result, number) for result in results[name])
            column[i] = value / _SCALES.get((name, number), 1.0)
    return columns


def _texts(gold: Any) -> list[str]:
    """Return the alternative texts of a gold answer. It is empty for several spans or answers of one question."""
    if not isinstance(gold, StructuredGold):
        return [gold] if isinstance(gold, str) else list(gold)
    answers = json.loads(gold)
    if isinstance(answers, dict):
        answers = answers.get("golds", [answers])
    elif len(answers) == 1 and isinstance(answers[0], list):  # aliases of one answer
        return [str(text) for text in answers[0]]
    spans = [spans_of(answer) if isinstance(answer, dict) else [str(answer)] for answer in answers]
    single = all(len(texts) == 1 for texts in spans) and not any(isinstance(answer, list) for answer in answers)
    return [text for texts in spans for text in texts] if single else []


_READERS = ("drop", "asqa_str_em")  # definitions that read structures
_SCALES = {("asqa_str_em", "str_em"): 100.0}  # x 100 in the owner's code


def _results(name: str, golds: list[str], pred: str) -> list[Mapping[str, Any]]:
    """Return the results of a profile: of all gold answers at once if it takes aliases, else of each."""
    known = PROFILES[name]
    if name == "asqa_str_em":
        return [or_raises(known.score, [golds], pred)]
    if name == "drop":
        return [or_raises(known.score, [{"spans": [gold]} for gold in golds if gold], pred)]
    if known.input == "texts":
        return [or_raises(known.score, golds, pred)]
    return [or_raises(known.score, [gold], pred) for gold in golds]


def _by_word(rows: Sequence[OfficialRow]) -> list[tuple[str, list[OfficialRow]]]:
    return [(word, [row for row in rows if row.word == word]) for word in dict.fromkeys(row.word for row in rows)]


def _disagreements(rows: Sequence[OfficialRow], systems: Sequence[str]) -> list[Disagreement]:
    disagreements = []
    for word, of_word in _by_word(rows):
        for system in systems:
            values = {row.name: row.values[system] for row in of_word}
            high, low = (pick(values, key=lambda name: values[name].value) for pick in (max, min))
            top, bottom = values[high], values[low]
            if bottom.value < top.low and top.value > bottom.high:
                disagreements.append(Disagreement(word, system, high, top.value, low, bottom.value))
    return sorted(disagreements, key=lambda disagreement: disagreement.low - disagreement.high)


def _orders(rows: Sequence[OfficialRow], systems: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return by word the definitions that order the systems differently from the first definition of the word."""

    def order(row: OfficialRow) -> list[str]:
        return sorted(systems, key=lambda system: -row.values[system].value)

    return {
        word: tuple(row.name for row in of_word if order(row) != order(of_word[0]))
        for word, of_word in (_by_word(rows) if len(systems) > 1 else ())
    }
