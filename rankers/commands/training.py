"""The commands train and publish: from labeled questions to a trained ranker, and on to a folder for other users."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.option_groups import command
from answersim._base.runtime.terminal import text_table
from rankers import api
from rankers.commands.options import Device, NewFolder, Relevant, Seed, TableColumns
from rankers.data import labeled
from rankers.data.catalog import corpora
from rankers.settings import parsed
from rankers.systems import catalog
from rankers.training.definitions import Untrained

if TYPE_CHECKING:
    from rankers.types import Questions

PROGRAM = "rankers"


@command
def train(
    name: Annotated[str, typer.Argument(help="A system of `rankers list`.")],
    data: Annotated[str, typer.Option(help="A corpus, or a file of question, candidate, label (csv, jsonl, parquet).")],
    folder: Annotated[Path, typer.Option(help="The folder of trainings. An interrupted training resumes there.")],
    columns: TableColumns,
    dev: Annotated[
        str | None,
        typer.Option(
            help="The questions that are measured after each epoch; most systems keep the best one. Default: the dev "
            "split of the corpus."
        ),
    ] = None,
    preset: Annotated[str | None, typer.Option(help="smoke (seconds), cpu (minutes) or paper. Default: cpu.")] = None,
    seed: Seed = 0,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="SETTING=VALUE, such as epochs=3. May be repeated.")
    ] = None,
    encoder: Annotated[
        str | None, typer.Option(help="The encoder, a name or a folder, in every place of one. Default: the preset's.")
    ] = None,
    relevant: Relevant = None,
    device: Device = None,
) -> None:
    """Train a system on these questions. An interrupted training resumes, and a finished one is not repeated."""
    with user_errors(PROGRAM):
        overrides, is_encoder = parsed(set_ or []), name in catalog.ENCODERS
        if not is_encoder and isinstance(catalog.system(name), Untrained):
            raise ValueError(f"{name} is not trained: use it by its name, 'rankers rank --model {name}'")
        for source in filter(None, (data, dev)):
            labeled.check_source(source)
        if dev is None and data not in corpora():
            raise ValueError(f"{data} has no dev split; give questions to measure after each epoch with --dev")
        if dev is not None and Path(data).is_file() and Path(dev).exists() and Path(dev).samefile(data):
            raise ValueError(
                f"--dev {dev} is the same as --data {data}; give other questions than those of the training"
            )
        from rankers.systems import encoders, fit

        is_first = encoders.is_first_process()
        fitted = api.fit(
            name,
            data,
            dev,
            folder=folder,
            encoder=encoder,
            columns=columns.named() or None,
            relevant=relevant,
            preset=preset or "cpu",
            seed=seed,
            overrides=overrides,
            log=_log if is_first else None,
            device=device,
        )
        if not is_first:
            return
        if not is_encoder:
            history, spent = fit.history(folder, fitted.folder.name), fit.seconds(folder, fitted.folder.name)
            typer.echo(f"{fitted.folder}: {history['parameters']:,} parameters, {spent:.0f} s of training")
        for table in fitted.tables():
            typer.echo("\n".join(text_table(table)))
        _log(str(fitted))
        place = folder / name / catalog.MODEL if is_encoder else f"{name} --folder {folder}"
        typer.echo(f"rank with it: rankers rank --model {place} FILE -o OUT")


@command
def publish(
    name: Annotated[str, typer.Argument(help="The system that was trained.")],
    folder: Annotated[Path, typer.Option(help="The folder of its training.")],
    output: NewFolder,
    license: Annotated[str, typer.Option(help="The license of the weights.")] = "",
    note: Annotated[str, typer.Option(help="A line for the card.")] = "",
) -> None:
    """Copy a finished training to a new folder with a card. The name of the folder is that of the ranker."""
    with user_errors(PROGRAM):
        from rankers.systems import publishing

        if name in catalog.ENCODERS:
            publishing.publish_encoder(name, folder, output, license=license, note=note)
            typer.echo(f"{output}: loads with sentence-transformers, and by rankers rank --model {output}")
        else:
            ranker = publishing.publish(name, folder, output, license=license, note=note)
            typer.echo(f"{output}: {ranker.signature}")


def _log(line: str) -> None:
    typer.echo(f"{PROGRAM}: {line}", err=True)


def questions(
    text: str, split: str, relevant: int | None = None, columns: Mapping[str, str] | None = None
) -> Questions:
    """Return a split of a corpus, or the questions of a labeled table. Errors are those of ``rankers.data.questions``.

    The columns of a table that are not read are printed.
    """
    given = columns if columns and text not in corpora() else None
    return labeled.questions(
        text,
        split=split,
        columns=given,
        relevant=relevant,
        notice=lambda line: typer.echo(f"{PROGRAM}: {line}", err=True),
    )
