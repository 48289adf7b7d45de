"""The commands list, fetch and export: systems by use, published models, a split of a corpus as files."""

from __future__ import annotations

from typing import Annotated

import typer

from answersim._base.io import files
from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.option_groups import command
from answersim._base.runtime.terminal import text_table
from answersim._base.text_tables import TextTable
from rankers.commands import training
from rankers.commands.options import NewFolder, TableColumns
from rankers.data.beir import write_beir
from rankers.evaluation import runs
from rankers.evaluation.qrels import qrels_of
from rankers.models import published
from rankers.systems import catalog

PROGRAM = "rankers"


def list_systems(
    all_: Annotated[bool, typer.Option("--all", help="Also the systems of the papers, by paper.")] = False,
    ablations: Annotated[
        bool, typer.Option("--ablations", help="Only the ablations, controls and sweeps of the papers.")
    ] = False,
) -> None:
    """List the systems by their use."""
    with user_errors(PROGRAM):
        if ablations:
            rows = tuple((name, catalog.summary(name)) for name in catalog.names() if name not in catalog.shown_names())
            typer.echo("\n".join(text_table(TextTable("", ("system", "what it is"), rows))))
            return
        groups = {use: dict(systems) for use, systems in catalog.MAIN.items()}
        if all_:
            listed = {f"papers: {paper}": systems for paper, systems in catalog.OF_PAPERS.items()}
            listed["Baselines"] = catalog.BASELINES
            groups |= {use: {name: catalog.summary(name) for name in systems} for use, systems in listed.items()}
        if installed := catalog.plugin_names():
            groups["Of installed packages"] = dict.fromkeys(installed, "")
        width = max(len(name) for systems in groups.values() for name in systems)
        for use, systems in groups.items():
            typer.echo(f"{use}:")
            for name, what in systems.items():
                typer.echo(f"  {name:{width}}  {what}".rstrip())
            typer.echo("")
        if not all_:
            n = sum(map(len, catalog.OF_PAPERS.values()))
            typer.echo(f"papers: {n} systems, none shown to be better than the default: {PROGRAM} list --all")


def fetch(
    name: Annotated[
        str | None,
        typer.Argument(help="A published cross-encoder or bi-encoder. Default: list the pinned ones."),
    ] = None,
) -> None:
    """Download a published model once. Then `rankers rank --model NAME` needs no network."""
    with user_errors(PROGRAM):
        if name is None:
            for model, entry in published.PUBLISHED.items():
                typer.echo(f"{model:42}  {entry.summary}")
            return
        typer.echo(published.by_name(name, network=True).signature)
        typer.echo(f"rank with it: {PROGRAM} rank --model {published.full_name(name)} FILE -o OUT")


QRELS, POOLS = "qrels.trec", "pools.jsonl"


@command
def export(
    data: Annotated[str, typer.Argument(help="A corpus, or a table of question, candidate and label.")],
    output: NewFolder,
    columns: TableColumns,
    split: Annotated[str, typer.Option(help="The split of the corpus.")] = "test",
) -> None:
    """Write questions as a BEIR folder, qrels and a file to rank. The files are qrels.trec and pools.jsonl."""
    with user_errors(PROGRAM):
        questions = training.questions(data, split, None, columns.named())
        rows = [
            {
                "question_id": question.id,
                "question": question.text,
                "candidates": [candidate.text for candidate in question.candidates],
                "candidate_ids": [candidate.id for candidate in question.candidates],
            }
            for question in questions
        ]
        for name in (QRELS, POOLS):
            if (output / name).exists():
                raise FileExistsError(f"{output / name} exists already; give another folder, or remove it")
        write_beir(questions, output)
        runs.write_qrels(qrels_of(questions).grades, output / QRELS)
        files.write(files.Table(tuple(rows[0]), rows), output / POOLS)
        hint = f" (rankers evaluate --relevant {questions.relevant})" if questions.relevant > 1 else ""
        typer.echo(f"{output}: {len(questions):,} questions; grades from {questions.relevant} on are relevant{hint}")
