"""Where human labels are read from: a sheet, a table with ids, a column of the answers, or labels by id."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any

from answersim._base.arguments import shown
from answersim._base.io import files
from answersim.answers.tables import sources, system_columns
from answersim.answers.tables.sources import Source, rows_by_id
from answersim.answers.tables.table import Answers
from answersim.evaluation.labels import sheets
from answersim.evaluation.labels.human_labels import (
    FEWEST_LABELS,
    INCLUSION,
    LABEL,
    STRATUM,
    SYSTEM,
    HumanLabels,
    Label,
    SystemLabels,
    aligned,
    label_of,
)
from answersim.evaluation.labels.sheets import KEY, Sheet

_REMEDY = (
    "labels are found by the ids of the answers: give a sheet of 'answersim label', a table with the columns 'id' and "
    "'label', the labels by id ({'q1': 1}), or the name of a column of the answers"
)


def label_columns(labels: Any) -> tuple[str, ...]:
    """Return the columns of the answers that contain these labels; () for other labels."""
    values = labels.values() if isinstance(labels, Mapping) else _listed(labels)
    names = [value for value in values if _is_column(value)]
    return tuple(dict.fromkeys((*names, INCLUSION, STRATUM))) if names else ()


def system_labels(
    labels: Any, answers: Answers, *, grades: bool = False, least: int = FEWEST_LABELS
) -> dict[str, SystemLabels]:
    """Return the labels of each system that has any.

    Args:
        labels: The sheet that ``answersim label`` wrote, beside its plan; a table with the ids of the answers, the
            column "label" and, if they were not drawn with equal probabilities, "inclusion"; labels by id; the name of
            a column of the answers, or one per system of one table; ``HumanLabels``; or several of these, in a list or
            by the name of the system. A table may have a column "system" too.
        answers: The answers.
        grades: Whether labels are any finite numbers, and not from 0 to 1.
        least: The smallest number of labels of a system.
    """
    parts = _by_system(labels, answers)
    if not parts:
        raise ValueError(f"labels is {shown(labels)}, which has none; {_REMEDY}")
    read: list[HumanLabels] = []
    for system, value in parts:
        if system is not None and _is_column(value):
            read.append(_of_column(value, system, answers, grades))
        else:
            read += _of_source(value, system, list(answers.predictions), answers.columns.id or "id", grades)
    return aligned(read, answers, least)


def read_labels(labels: Any, id_: str = "id") -> HumanLabels:
    """Return the labels of one system that are not in a column of its answers. See ``system_labels``."""
    sources = _of_source(labels, None, [], id_, False)
    if len(sources) > 1:
        raise ValueError(f"{sources[0].name} has labels of {len(sources)} systems; give those of one")
    return sources[0]


def _by_system(labels: Any, answers: Answers) -> list[tuple[str | None, Any]]:
    """Return the parts of the labels with the system of each, None if it is not stated."""
    systems = list(answers.predictions)
    if (
        isinstance(labels, Mapping)
        and labels
        and set(labels) <= set(systems)
        and not any(map(_is_label, labels.values()))
    ):
        return [(str(system), source) for system, source in labels.items()]
    if isinstance(labels, Mapping) and any(map(_is_source, labels.values())):
        unknown = next(name for name in labels if name not in systems)
        raise LookupError(f"labels are given for {unknown!r}, but the systems are: {', '.join(systems)}")
    parts = _listed(labels)
    if parts and all(map(_is_column, parts)):
        names = system_columns.by_system(answers, "label", parts)
        held = {system: name for system, name in names.items() if answers.tables[system].has(name)}
        return [*(held or names).items()]  # a table need not have labels if another one has
    return [(None, source) for source in parts]


def _listed(labels: Any) -> list[Any]:
    is_list = isinstance(labels, (list, tuple)) and not isinstance(labels, (files.Table, Source))
    return list(labels) if is_list else [labels]


def _is_column(value: Any) -> bool:
    """Return whether this is the name of a column: a text that is not the name of a table."""
    return isinstance(value, str) and Path(value).suffix.lower() not in files.READABLE


def _is_label(value: Any) -> bool:
    return value is None or isinstance(value, Real)


def _is_source(value: Any) -> bool:
    """Return whether this contains labels, and is none."""
    return isinstance(value, (HumanLabels, Sheet, Mapping)) or (sources.is_table(value) and not _is_column(value))


def _of_column(column: str, system: str, answers: Answers, grades: bool) -> HumanLabels:
    cells = {column: system_columns.own_column(answers, system, column, "labels")}
    table = answers.tables[system]
    cells |= {name: table.values(name) for name in (INCLUSION, STRATUM) if table.has(name)}
    places = [f"{system}, {answers.place(i)}" for i in range(len(answers.ids))]
    return HumanLabels(_labels(cells, column, answers.ids, places, grades), system, f"the column {column!r}")


def _of_source(value: Any, system: str | None, systems: Sequence[str], id_: str, grades: bool) -> list[HumanLabels]:
    if isinstance(value, (HumanLabels, Sheet)):
        human_labels = value.labels if isinstance(value, Sheet) else value
        return [human_labels if system is None else replace(human_labels, system=system)]
    if isinstance(value, Mapping) and (LABEL not in value or _is_label(value[LABEL]) or isinstance(value[LABEL], str)):
        columns = {id_: list(value), LABEL: list(value.values())}
        return _of_source(columns, system, systems, id_, grades)
    if not _is_source(value):
        raise TypeError(f"labels are {shown(value)}, but {_REMEDY}")
    source = sources.read(value, "the labels")
    is_sheet = KEY in source.table.columns and sources.is_file(value)
    if is_sheet and (sheets.plan_path(Path(value)).is_file() or not source.has(id_)):
        return _of_source(sheets.read(Path(value)), system, systems, id_, grades)
    for name in (LABEL, id_):
        if not source.has(name):
            columns_held = ", ".join(source.table.columns)
            raise LookupError(f"{source.path} has no column {name!r} (its columns are: {columns_held}), but {_REMEDY}")
    return _of_table(source, system, systems, id_, grades)


def _of_table(source: Source, system: str | None, systems: Sequence[str], id_: str, grades: bool) -> list[HumanLabels]:
    """Return the labels of a table with ids, by the column "system" if there is one and no system is stated."""
    rows: dict[str | None, list[int]] = {system: list(range(len(source.table.rows)))}
    if system is None and source.has(SYSTEM):
        rows = {}
        for row, owner in enumerate(map(str, source.values(SYSTEM))):
            if systems and owner not in systems:
                raise LookupError(
                    f"{source.path} has labels of the system {owner!r}, but the systems are: {', '.join(systems)}"
                )
            rows.setdefault(owner, []).append(row)
    human_labels = []
    for of_system, at in rows.items():
        rows_of_system = Source(source.table.at(at), source.path)
        held = {name: rows_of_system.values(name) for name in (LABEL, INCLUSION, STRATUM) if rows_of_system.has(name)}
        places = [f"{source.path}, row {row + 1}" for row in at]
        labels = _labels(held, LABEL, list(rows_by_id(rows_of_system, id_)), places, grades)
        human_labels.append(HumanLabels(labels, of_system, str(source.path)))
    return human_labels


def _labels(
    columns: Mapping[str, Sequence[Any]], label: str, ids: Sequence[str], places: Sequence[str], grades: bool
) -> dict[str, Label]:
    """Return the labels in these columns by id, without the rows that have none."""
    nothing = [None] * len(ids)
    cells = zip(columns[label], columns.get(INCLUSION, nothing), columns.get(STRATUM, nothing), places, strict=True)
    labels = {key: label_of(*row, grades=grades) for key, row in zip(ids, cells, strict=True)}
    return {key: label for key, label in labels.items() if not math.isnan(label.value)}
