"""``answersim report``: the study of a table's metrics as one HTML page that needs no network."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from answersim import files
from answersim.cli_errors import user_errors
from answersim.commands.shared import (
    BatchTokens,
    Cache,
    Delimiter,
    Device,
    Encoding,
    Language,
    Precision,
    Profile,
    cache_for,
    listed,
)
from answersim.detection import reading

_SINGLE = ("gold", "pred", "question", "cut", "title", "lang", "profile", "precision", "resamples", "seed")


def report(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table with labels.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")] = Path("report.html"),
    label: Annotated[
        list[str] | None, typer.Option(help="The column of labels; several raters with commas, or repeated.")
    ] = None,
    metrics: Annotated[
        list[str] | None, typer.Option("--metrics", "-m", help="Metrics to compute, with commas; may be repeated.")
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(help="Columns with scores of other tools; all further columns of numbers if not given."),
    ] = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    question: Annotated[str | None, typer.Option(help="The column of questions, if there is one.")] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Subsets by a column, or by: length, question, lang. May be repeated.")
    ] = None,
    cut: Annotated[
        float | None, typer.Option(help="Labels of at least this are equivalent; the highest label if not given.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading; the name of the file if not given.")] = None,
    lang: Language = "en",
    profile: Profile = None,
    resamples: Annotated[int, typer.Option(min=1, help="For the intervals.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of all that is drawn.")] = 0,
    device: Device = None,
    precision: Precision = None,
    batch_tokens: BatchTokens = None,
    cache: Cache = True,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    progress: Annotated[bool, typer.Option(help="Show bars on a terminal.")] = True,
) -> None:
    """Write the study of a table as one HTML page: agreement, reliability, errors, and all pairs to search and sort."""
    with user_errors(), reading(encoding, delimiter):
        path = files.received(path)
        files.check_readable(path)
        _check_writable(output)
        files.refuse_overwriting_input(path, output)
        from answersim.agreement.study import correlate
        from answersim.checkpoints import sha256
        from answersim.judgments import judgments
        from answersim.report.page import page, ready

        ready()
        subsets, raters = listed(by), listed(label) or ["label"]
        judged = judgments(
            path,
            label=raters if len(raters) > 1 else raters[0],
            gold=gold,
            pred=pred,
            question=question,
            columns=[name for name in subsets if name not in ("length", "question", "lang")],
            scores=None if scores is None else listed(scores),
            metrics=listed(metrics),
            lang=lang,
            profile=profile,
            device=device,
            precision=precision,
            batch_tokens=batch_tokens,
            progress=progress,
            cache=cache_for(listed(metrics), cache),
        )
        agreement = correlate(judged, by=subsets, resamples=resamples, rng=seed, tests=("bootstrap",))
        html = page(
            judged,
            agreement,
            title=title,
            cut=cut,
            command=_command(locals()),
            metadata={"file": path.name, "SHA-256 of the file": sha256(path)},
        )
        with files.replacing(output) as draft:
            draft.write_text(html, encoding="utf-8", errors="replace", newline="\n")
    typer.echo(f"written: {output} ({output.stat().st_size / 1e6:.1f} MB, {len(judged):,} pairs)")


def _check_writable(output: Path) -> None:
    if output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--output is {output}, but a report is an HTML file; give a name that ends in .html")
    if output.is_dir() or not output.resolve().parent.is_dir():
        raise FileNotFoundError(f"{output} cannot be written: it is a folder, or there is no folder to write it in")


def _command(values: dict[str, object]) -> str:
    """Return the command line for the same page, without options that have their default."""
    defaults = {"gold": "gold", "pred": "pred", "lang": "en", "resamples": 1000, "seed": 0}
    words = ["answersim", "report", str(values["path"])]
    for name in ("label", "metrics", "scores", "by", *_SINGLE):
        value = values[name]
        if value is not None and value != defaults.get(name):
            words += [f"--{name}", ",".join(listed(value)) if isinstance(value, list) else str(value)]
    return shlex.join([*words, "--output", str(values["output"])])
