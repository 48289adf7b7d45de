"""Human labels of some answers by id: what a label is, and the labels of a system as columns of its answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.text_tables import Result, counted
from answersim.answers.tables.sources import listed_ids
from answersim.answers.tables.system_columns import is_open, number_of
from answersim.answers.tables.table import Answers
from answersim.stats.few_labels.stratified import INCLUSION as INCLUSION
from answersim.stats.few_labels.stratified import LEAST_INCLUSION
from answersim.stats.few_labels.stratified import STRATUM as STRATUM

LABEL, SYSTEM = "label", "system"
FEWEST_LABELS = 10  # for an interval
WORDS = {"y": 1.0, "yes": 1.0, "true": 1.0, "right": 1.0, "correct": 1.0}
WORDS |= {"n": 0.0, "no": 0.0, "false": 0.0, "wrong": 0.0, "incorrect": 0.0}


class Label(NamedTuple):
    """The label of one answer, and how the answer was drawn."""

    value: float  # from 0 (not correct) to 1 (correct); nan if the answer was drawn and nobody labeled it
    inclusion: float = math.nan  # the probability of the answer to be drawn; nan if it is not known
    stratum: float = math.nan  # the stratum that it was drawn from; nan if it is not known


class Texts(NamedTuple):
    """What an annotator saw of an answer."""

    question: str | None  # None if it was not shown
    gold: str
    pred: str | None  # None if labels of other predictions for the same question count


@dataclass(frozen=True)
class HumanLabels(Result):
    """The human labels of one system by id: the one shape that every analysis reads labels into.

    Attributes:
        labels: By the id of the answer, or by the number of its row from 1 if the table has no ids.
        system: The name of the system; None if it is not stated.
        name: What the labels are called in messages, such as their file.
        texts: Of a sheet, the texts that were labeled, by id. The labels are then of the system that has these texts.
        table: Of a sheet, how many rows the table has that it was drawn from; else None.
    """

    labels: Mapping[str, Label]
    system: str | None = None
    name: str = "labels"
    texts: Mapping[str, Texts] = field(default_factory=dict, repr=False)
    table: int | None = None

    def summary(self) -> list[str]:
        """Return how many answers have a label."""
        n = sum(not math.isnan(label.value) for label in self.labels.values())
        of_system = "" if self.system is None else f" of {self.system}"
        return [f"{self.name}: {counted(n, 'label')}{of_system}, {len(self.labels) - n:,} drawn without a label"]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per label, None for what is not known."""
        return [
            {"system": self.system, "id": key}
            | {name: None if math.isnan(value) else value for name, value in zip(_COLUMNS, label, strict=True)}
            for key, label in self.labels.items()
        ]

    def owners(self, answers: Answers) -> list[str]:
        """Return the systems whose answers these are: of a sheet, those with its texts; else the stated or only one.

        Raises:
            LookupError: If the answers lack an id.
            ValueError: If the sheet was drawn from another table, no system has its texts, or it is unclear which
                system the labels belong to.
        """
        places = {key: i for i, key in enumerate(answers.ids)}
        if missing := [key for key in self.labels if key not in places]:
            raise LookupError(
                f"{self.name} has labels for {listed_ids(missing)}, but the answers have no such rows (or they were "
                "left out); give the labels of these answers (--id names the column of ids), or remove those rows"
            )
        if self.table not in (None, rows := len(answers.ids) + len(answers.left_out)):
            raise ValueError(
                f"{self.name} was drawn from a table of {self.table:,} rows, but this table has {rows:,}; give the "
                "answers that it was drawn from"
            )
        systems = list(answers.predictions) if self.system is None else [self.system]
        if self.texts and answers.golds:  # texts are not read with recorded scores
            differing = {system: self._differing(answers, system, places) for system in systems}
            if all(differing.values()):
                raise ValueError(
                    f"{self.name}, {next(iter(differing.values()))}; give the same answers and the same columns that "
                    "the sheet was drawn from"
                )
            return [system for system, flaw in differing.items() if not flaw]
        if len(systems) > 1:
            raise ValueError(
                f"{self.name}: it is unclear which system these labels belong to ({', '.join(systems)}); add a column "
                f"{SYSTEM!r}, or give them by the name of the system (labels={{name: ...}}, --labels NAME=FILE)"
            )
        return systems

    def _differing(self, answers: Answers, system: str, places: Mapping[str, int]) -> str:
        """Return the first text that is not the one that was labeled; empty if there is none."""
        for key, texts in self.texts.items():
            i = places[key]
            question = None if answers.questions is None else answers.questions[i]
            held = Texts(question, shown(answers.golds[i]), answers.predictions[system][i])
            for name, mine, labeled in zip(Texts._fields, held, texts, strict=True):
                if None not in (mine, labeled) and mine != labeled:
                    return (
                        f"id {key!r}: its texts are not those that were labeled (the {name} of {system} is "
                        f"{str(mine)[:60]!r}, but the sheet has {str(labeled)[:60]!r})"
                    )
        return ""


_COLUMNS = (LABEL, INCLUSION, STRATUM)  # the columns of a table of labels, and of the records


class SystemLabels(NamedTuple):
    """The labels of a system, one per answer, nan for none; and how the answers were drawn, nan for the others."""

    labels: FloatArray
    inclusion: FloatArray | None = None  # the probability of each answer to be drawn; None if it is not known
    strata: FloatArray | None = None  # the stratum of each; None if it is not known of all labeled answers

    @property
    def n_open(self) -> int:
        """How many answers were drawn and have no label."""
        return 0 if self.inclusion is None else int((np.isnan(self.labels) & ~np.isnan(self.inclusion)).sum())


def aligned(parts: Iterable[HumanLabels], answers: Answers, least: int = FEWEST_LABELS) -> dict[str, SystemLabels]:
    """Return the labels of each system that has any, in the order of its answers.

    ``least``: the smallest number of labels of a system. Raise the errors of ``HumanLabels.owners``, and ValueError if
    an answer is labeled twice, a system has fewer labels, or some labels have no probability.
    """
    by_system: dict[str, dict[str, Label]] = {}
    for human_labels in parts:
        for system in human_labels.owners(answers):
            labels = by_system.setdefault(system, {})
            if twice := labels.keys() & human_labels.labels.keys():
                raise ValueError(
                    f"{counted(len(twice), 'answer')} of {system} labeled twice, such as that of id {min(twice)!r}; "
                    "give one label per answer"
                )
            labels |= human_labels.labels
    return {
        system: _columns(system, by_system[system], answers.ids, least)
        for system in answers.predictions
        if system in by_system
    }


def _columns(system: str, labels: Mapping[str, Label], ids: Sequence[str], least: int) -> SystemLabels:
    nothing = Label(math.nan)
    values, inclusion, strata = np.array([labels.get(key, nothing) for key in ids], dtype=np.float64).reshape(-1, 3).T
    labeled = ~np.isnan(values)
    if (n := int(labeled.sum())) < least:
        raise ValueError(
            f"{system} has {counted(n, 'label')}, but at least {least} are needed; label more answers ('answersim "
            "label' chooses them)"
        )
    if np.isnan(inclusion[labeled]).all():
        return SystemLabels(values)
    if without := int(np.isnan(inclusion[labeled]).sum()):
        raise ValueError(
            f"{without:,} of the {n:,} labels of {system} have no inclusion probability; give one for each labeled "
            "answer, or for none"
        )
    return SystemLabels(values, inclusion, None if np.isnan(strata[labeled]).any() else strata)


def shown(value: Any) -> str:
    """Return a cell as an annotator sees it: several gold answers with "or" between."""
    texts = value if isinstance(value, list) else [value]
    return " or ".join("" if text is None else str(text) for text in texts)


def value_of(value: Any, where: str, *, grades: bool = False) -> float:
    """Return a label as a number, nan if the cell is empty.

    ``where``: the place of the label, for messages. ``grades``: whether every finite number is a label.
    """
    if is_open(value):
        return math.nan
    number = WORDS.get(str(value).strip().lower())
    if number is None:
        number = number_of(value)
    if number is None or not (math.isfinite(number) if grades else 0 <= number <= 1):
        rule = "a finite number" if grades else "1 (correct), 0 (not correct), a grade between"
        raise ValueError(
            f"{where}: the label is {str(value)[:40]!r}, but a label is {rule}, one of {', '.join(WORDS)}, or empty"
        )
    return number


def label_of(value: Any, inclusion: Any, stratum: Any, where: str, *, grades: bool = False) -> Label:
    """Return the label in the cells of a row. Raise ValueError if one of them is no label, probability or stratum."""
    number = value_of(value, where, grades=grades)
    if math.isnan(number):
        return Label(number)
    share, layer = number_of(inclusion), number_of(stratum)
    if share is None or not (math.isnan(share) or LEAST_INCLUSION <= share <= 1):
        raise ValueError(
            f"{where}: the inclusion probability is {str(inclusion)[:40]!r}, but it must be from {LEAST_INCLUSION:g} "
            "to 1"
        )
    if layer is None or math.isinf(layer):
        raise ValueError(f"{where}: the stratum is {str(stratum)[:40]!r}, but it must be a number")
    return Label(number, share, layer)
