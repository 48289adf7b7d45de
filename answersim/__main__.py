"""The command line: parse, one library call, print."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from answersim import catalog, files
from answersim.commands.calibrate import calibrate
from answersim.commands.correlate import correlate
from answersim.commands.layers import layers
from answersim.commands.report import report
from answersim.commands.shared import Language, Profile, answers, print_table, questions_of, setting
from answersim.commands.verdict import verdict
from answersim.commands.verify import verify
from answersim.complaints import complaints, said
from answersim.signature import VERSION
from answersim.training.commands import app as train_app
from answersim.types import Scores

app = typer.Typer(
    name="answersim",
    help="How close is a predicted answer to the gold answer in meaning, and how was that number made?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
data_app = typer.Typer(help="The paper's labelled sets: which are here, and how to get them.", no_args_is_help=True)
app.add_typer(data_app, name="data")
app.add_typer(train_app, name="train")


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(VERSION)
        raise typer.Exit


@app.command()
def score(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table, or a text file with one gold answer a line.")],
    pred_path: Annotated[
        Path | None, typer.Argument(metavar="PRED_FILE", help="A text file with one prediction a line.")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", "-m", help="A metric, or several with commas; may be repeated.")
    ] = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    question: Annotated[str | None, typer.Option(help="The column of questions, for a metric that reads them.")] = None,
    split_gold: Annotated[
        str | None, typer.Option(help="A separator between several references in one gold value.")
    ] = None,
    lang: Language = "en",
    profile: Profile = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="A setting NAME=VALUE of the one metric; may be repeated.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table here, with one column a metric.")
    ] = None,
    prefix: Annotated[str, typer.Option(help="Goes before the names of the new columns.")] = "",
    progress: Annotated[bool, typer.Option(help="Show bars on a terminal.")] = True,
) -> None:
    """Score a table of answers (CSV, TSV, JSONL, Parquet) or two text files, line by line."""
    from answersim.scoring import score_pairs

    with complaints():
        names = list(dict.fromkeys(name.strip() for each in (metric or ["em,f1"]) for name in each.split(",")))
        settings = dict(setting(each) for each in option or [])
        if settings and len(names) > 1:
            raise ValueError(f"--option is for one metric at a time, but {len(names)} were asked for")
        if split_gold == "":
            raise ValueError("--split-gold is empty; give the text that separates references, such as '|'")
        table, golds, preds = answers(path, pred_path, gold, pred)
        questions = questions_of(table, path, pred_path, question)
        if output:  # what cannot be written is said before any work
            files.check_new(table, [f"{prefix}{name}" for name in names])
            files.check_writable(output, table)
        built = {name: catalog.metric(name, lang=lang, profile=profile, **settings) for name in names}
        if split_gold:
            golds = [each.split(split_gold) if isinstance(each, str) else each for each in golds]
        pairs = list(zip(golds, preds, strict=True))
        scored = score_pairs(pairs, list(built.values()), questions=questions, progress=progress)
        columns = {name: scored[each.signature] for name, each in built.items()}
        if output:
            files.write(
                table.extended({f"{prefix}{name}": each.values.tolist() for name, each in columns.items()}), output
            )
        _summary(columns, output)


@app.command("list")
def list_() -> None:
    """List the metrics that have a name."""
    with complaints():
        print_table(
            ("metric", "kind", "what it computes"),
            [(each.name, each.kind, each.summary) for each in map(catalog.entry, catalog.names())],
        )


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="The name of a metric.")], lang: Language = "en", profile: Profile = None
) -> None:
    """Show what a metric computes, from which paper, on which weights, and its signature."""
    with complaints():
        entry = catalog.entry(name)
        lines = {"metric": entry.name, "computes": entry.summary, "source": entry.source}
        if entry.kind == "neural":
            behind = catalog.weights(name, lang, profile)
            layer = "" if behind.layer is None else f", layer {behind.layer}"
            adapter = "" if behind.adapter is None else f", adapter {behind.adapter.name}"
            order = "" if behind.order is None else f", order {behind.order}"
            lines["weights"] = f"{behind.model}{layer}{adapter}{order} (profile {profile or 'embedded'})"
        if entry.parts:
            lines["parts"] = ", ".join(entry.parts)
        if catalog.reads_question(name, lang, profile):
            lines["question"] = "read where it is given"
        lines["options"] = ", ".join(catalog.options_of(name)) or "none"
        try:
            lines["signature"] = catalog.metric(name, lang=lang, profile=profile).signature
        except (ImportError, LookupError, OSError, ValueError) as error:
            if entry.kind not in ("neural", "combined"):
                raise
            lines["signature"] = f"not to be had here: {said(error)}"  # weights or an extra are missing or damaged
        for key, value in lines.items():
            typer.echo(f"{key:<10} {value}")


@data_app.command("list")
def data_list() -> None:
    """List the labelled sets and whether they are here."""
    from answersim.data import datasets

    with complaints():
        print_table(
            ("set", "here", "what it is"),
            [(each, "yes" if datasets.present(each) else "no", datasets.about(each)) for each in datasets.names()],
        )


@data_app.command("fetch")
def data_fetch(
    names: Annotated[
        list[str] | None, typer.Argument(help="The sets to fetch; all of them when none is named.")
    ] = None,
    progress: Annotated[bool, typer.Option(help="Show bars on a terminal.")] = True,
) -> None:
    """Fetch the paper's sets from its public repository into the user's cache, checked by SHA-256."""
    from answersim.data.fetch import FILES, fetch
    from answersim.progress import bar
    from answersim.progress import progress as shown

    with complaints(), shown(progress):
        wanted = names or list(FILES)
        for name in wanted:
            with bar(0, name, "B") as line:

                def tell(file: object, here: int, size: int | None, line: Any = line) -> None:
                    line.total = size
                    line.update(here - line.n)

                for each in fetch([name], progress=tell):
                    typer.echo(f"{'fetched' if each.brought else 'was here'}  {each.path}")


app.command()(calibrate)
app.command()(correlate)
app.command()(layers)
app.command()(report)
app.command()(verdict)
app.command()(verify)


def main() -> None:
    """Run the command line; what the user can mend ends it with one line and exit status 2."""
    app()


def _summary(columns: dict[str, Scores], output: Path | None) -> None:
    print_table(
        ("metric", "n", "mean", "95 % interval"),
        [
            (name, str(len(each)), f"{each.mean:.4f}", "{:.4f} .. {:.4f}".format(*each.ci()))
            for name, each in columns.items()
        ],
    )
    typer.echo()
    for name, each in columns.items():
        typer.echo(f"{name}: {each.signature}")
    typer.echo(f"scores of every row: {output}" if output else "to keep the scores of every row: --output FILE")


if __name__ == "__main__":
    main()
