"""The command rank: read questions and candidates, write their ranking."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from answersim._base.io import output_files
from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.option_groups import command
from rankers import api, queries
from rankers.commands.options import Device, Folder, TextColumns
from rankers.evaluation import runs
from rankers.models.combinations import fused
from rankers.modules import devices
from rankers.settings import DEFAULT
from rankers.systems import catalog
from rankers.training.definitions import Untrained

if TYPE_CHECKING:
    from rankers.queries import Queries
    from rankers.types import Ranker

PROGRAM = "rankers"


@command
def rank(
    file: Annotated[
        Path,
        typer.Argument(
            help="Questions: one row per candidate (question, candidate) or per question (candidates, a list). Ids are "
            "kept: question_id or qid, candidate_id or docid; in a row per question also id, and candidate_ids. Or a "
            "TREC run, whose first 100 documents are ranked again."
        ),
    ],
    columns: TextColumns,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A folder, the name of a published ranker, a system of `rankers list`, or a cross-encoder or "
            f"bi-encoder that `rankers fetch` has downloaded. Default: {DEFAULT}. If repeated, the rankings are "
            "fused by reciprocal ranks."
        ),
    ] = None,
    folder: Folder = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The output file: csv, tsv, jsonl, parquet or trec. By default, JSON lines are printed.",
        ),
    ] = None,
    texts: Annotated[
        Path | None, typer.Option(help="The texts of a TREC run's documents by id (jsonl, csv, tsv).")
    ] = None,
    topics: Annotated[
        Path | None, typer.Option("--queries", help="The texts of a TREC run's questions by id (jsonl, csv, tsv).")
    ] = None,
    device: Device = None,
    top: Annotated[int | None, typer.Option(help="How many candidates of each question are written.", min=1)] = None,
) -> None:
    """Rank the candidates of each question, the best first."""
    with user_errors(PROGRAM):
        if output is None and not file.exists():  # with an output, its place is checked first
            raise FileNotFoundError(f"no file at {file}; give a table of questions and candidates, or a TREC run")
        if output is not None:
            queries.check_output(output)
            output_files.refuse_overwriting_input([file], output)
        table = _read(file, texts, topics, columns.named())
        for notice in (*table.questions.notes, *queries.check_holds(table, output)):
            typer.echo(f"{PROGRAM}: {notice}", err=True)
        models = model or [DEFAULT]
        name = "+".join("-".join(Path(each).name.split()) for each in models)
        run = runs.run(fused([ranker(each, folder, device) for each in models]), table.questions, name)
        run = run if top is None else queries.best(run, top)
        if output is not None:
            queries.write(run, table, output)
            return
        for row in queries.ranking(run, table):
            typer.echo(queries.line(row))


def _read(file: Path, texts: Path | None, topics: Path | None, columns: Mapping[str, str]) -> Queries:
    """Return the questions of a table, or of a TREC run with these texts."""
    if not any(suffix.lower() in queries.TREC for suffix in file.suffixes):
        if texts or topics:
            raise ValueError(f"--texts and --queries belong to a TREC run, but {file} is a table; leave them out")
        return queries.read(file, columns)
    if columns:
        raise ValueError(f"--{min(columns).replace('_', '-')} is a column of a table, but {file} is a TREC run")
    if texts is None or topics is None:
        raise ValueError(f"{file}: a TREC file has ids only; give --texts and --queries")
    return queries.read_run(file, texts, topics)


def ranker(model: str, folder: Path | None = None, device: str | None = None) -> Ranker:
    """Return the ranker of a name or a folder, or of a system that was trained in ``folder``."""
    if folder is not None:
        if model in catalog.ENCODERS:
            if not (folder / model / catalog.MODEL).is_dir():
                raise FileNotFoundError(f"{folder} contains no finished training of {model}; train it first")
            return api.resolve(folder / model / catalog.MODEL, device=device)
        if isinstance(catalog.system(model), Untrained):
            raise ValueError(f"{model} is not trained, so --folder would be ignored; leave it out")
        from rankers.systems.publishing import load_trained

        return load_trained(model, folder, devices.resolve(device))
    if model.startswith((".", "~", os.sep)) and not Path(model).is_dir():
        return api.load(model)  # its error names the places
    return api.resolve(model, device=device)
