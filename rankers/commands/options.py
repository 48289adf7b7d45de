"""The options that several commands share, each with one meaning, and lists of names that they read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from answersim._base.runtime.option_groups import OptionGroup, option

Device = Annotated[str | None, typer.Option(help="cpu, cuda ... Default: a GPU if there is one.")]
Folder = Annotated[Path | None, typer.Option(help="The folder in which the system was trained.")]
NewFolder = Annotated[Path, typer.Option("--output", "-o", help="The folder to create.")]
RELEVANT = "The lowest grade that counts as relevant. Default: that of the corpus, or 1."
Relevant = Annotated[int | None, typer.Option(help=RELEVANT)]
Seed = Annotated[int, typer.Option(help="The random seed.", min=0)]


@dataclass(frozen=True)
class TextColumns(OptionGroup):
    """The columns of a table without labels, if they have other names."""

    heading: ClassVar[str] = "Columns of a table"

    question: str | None = option(None, "The column of the questions. Default: question.")
    candidate: str | None = option(None, "The column of the candidates. Default: candidate.")
    question_id: str | None = option(None, "The column of the ids of questions. Default: question_id, qid ...")
    candidate_id: str | None = option(None, "The column of the ids of candidates. Default: candidate_id, docid ...")

    def named(self) -> dict[str, str]:
        """Return the names that were given, by role."""
        return {role: name for role, name in asdict(self).items() if name is not None}


@dataclass(frozen=True)
class TableColumns(TextColumns):
    """The columns of a labeled table, if they have other names."""

    label: str | None = option(None, "The column of the labels: 0 is not relevant. Default: label.")
    golds: str | None = option(None, "The column of gold answers for metrics. Default: the relevant candidates.")


def names_in(texts: Iterable[str] | None) -> list[str]:
    """Split lists of names at spaces and commas that are not within parentheses."""
    return [name for text in texts or () for name in re.split(r"[\s,]+(?![^(]*\))", text) if name]
