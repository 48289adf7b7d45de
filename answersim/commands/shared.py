"""The common parts of the commands: options with the same meaning, the reader of settings, the printing of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from answersim.catalog import lookup
from answersim.io import files
from answersim.scoring.cache import ScoreCache, default

Language = Annotated[str, typer.Option(help="Language of the answers, an ISO 639-1 code.")]
Profile = Annotated[
    str | None,
    typer.Option(
        help="The profile, which selects weights and tokenizers: embedded (default), paper, strong, multilingual or "
        "modern. For lexical metrics also squad."
    ),
]

Device = Annotated[
    str | None, typer.Option(help="The device of networks: auto (default, a GPU if there is one), cpu, cuda or mps.")
]
Precision = Annotated[
    str | None, typer.Option(help="The precision of networks, which is signed: fp32 (default), bf16 or fp16.")
]
BatchTokens = Annotated[int | None, typer.Option(help="The maximum number of tokens per batch. Default: 8192.")]


Unsure = Annotated[
    float, typer.Option(help="Half the width of the band of probabilities around .5 in which a verdict is 'unsure'.")
]
MinPrecision = Annotated[
    float | None,
    typer.Option(
        help="The share of correct verdicts among the right (equivalent) answers that the calibration must promise, "
        "such as 0.95. More answers are then unsure, never fewer."
    ),
]
CalibrationName = Annotated[
    str,
    typer.Option(
        "--calibration",
        "-c",
        help="What decides which answers are right: a file of 'answersim calibrate', or the name of a shipped "
        "calibration. Default: the shipped one of the metric.",
    ),
]
Cut = Annotated[float | None, typer.Option(help="The score from which an answer is right, instead of a calibration.")]
Preds = Annotated[
    list[str] | None,
    typer.Option(
        "--pred",
        help="The column of predictions. For several systems in one table, separate columns with commas or repeat the "
        "option.",
    ),
]
IdColumn = Annotated[
    str | None, typer.Option("--id", help="The column that identifies a row. Default for several files: id.")
]
References = Annotated[Path | None, typer.Option(help="For several files: the table with gold answers and questions.")]
SplitGold = Annotated[str | None, typer.Option(help="A separator between several references in one gold value.")]
Question = Annotated[
    str | None,
    typer.Option(help="The column of questions: intervals are then over questions, and metrics that can read it do."),
]
Extract = Annotated[
    str | None,
    typer.Option(
        help="Read the final answer out of each prediction by a rule: auto, boxed, answer-tag, hash, final, last-line, "
        "last-number, choice, reasoning, or a regular expression with one group. A suffix :empty or :error states what "
        "happens without one; by default, the whole text is read."
    ),
]
ExtractGold = Annotated[str | None, typer.Option(help="The same for gold answers, such as hash for GSM8K.")]
Encoding = Annotated[
    str | None, typer.Option(help="The encoding of text files, such as cp1252 or utf-16. By default, it is detected.")
]
MetricOptions = Annotated[
    list[str] | None, typer.Option("--option", help="A setting NAME=VALUE of the metric. May be repeated.")
]
Delimiter = Annotated[
    str | None, typer.Option(help="The delimiter of CSV and TSV, such as ';' or tab. By default, it is detected.")
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out rows without a gold answer or a prediction, and count them.")
]
Cache = Annotated[bool, typer.Option(help="Store the scores of neural metrics on disk and reuse them.")]


def cache_for(names: Iterable[str], wanted: bool) -> ScoreCache | None:
    """Return the cache of the command line if it is wanted and one of these metrics has scores that are stored.

    Args:
        names: The names of the metrics. An unknown name is reported when the metric is built.
        wanted: Whether --no-cache is not given.
    """
    kinds = {lookup.entry(name).kind for name in names} if wanted else set()
    return default() if kinds - {"lexical"} else None


def network_options(
    names: Sequence[str], settings: Mapping[str, Any], device: str | None, precision: str | None, tokens: int | None
) -> dict[str, dict[str, Any]]:
    """Return the options of networks by metric. Raise ValueError if --option gives one too, TypeError if none fits."""
    options = lookup.network_options(names, device, precision, tokens)
    if twice := [option for given in options.values() for option in given if option in settings]:
        raise ValueError(f"{twice[0]} is given by --option and by --{twice[0].replace('_', '-')}; give it once")
    return options


def refuse_given(context: typer.Context, names: Sequence[str], why: str) -> None:
    """Raise ValueError if one of these options is given on the command line, because it would have no effect.

    Args:
        context: The context of the command.
        names: The parameters of the command.
        why: The end of the message: why it has no effect, and what to do.
    """
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            raise ValueError(f"{option_of(context, name)} is given, but {why}")


def check_result(output: Path | None, suffixes: Sequence[str]) -> None:
    """Check before any work that a result can be written to this file. ValueError or FileNotFoundError if not."""
    if output is None:
        return
    if output.suffix.lower() not in suffixes:
        raise ValueError(f"{output} has the suffix {output.suffix!r}; a result is written as: {', '.join(suffixes)}")
    if output.is_dir() or not output.resolve().parent.is_dir():
        raise FileNotFoundError(f"{output} cannot be written: it is a folder, or there is no folder to write it in")


def write_result(output: Path, form: Callable[[str], str]) -> None:
    """Write a result to a file. The function returns its text in the form of a suffix, such as ".md"."""
    with files.atomic_write(output) as draft:
        draft.write_text(form(output.suffix.lower()), encoding="utf-8")


def option_of(context: typer.Context, name: str) -> str:
    """Return how a parameter of the command is given on the command line, such as "--id"."""
    options = next((item.opts for item in context.command.params if item.name == name), [f"--{name}"])
    return next((option for option in options if option.startswith("--")), options[0])


def listed(values: Sequence[str] | None) -> list[str]:
    """Return the names in options that may be repeated and may contain several names with commas, each name once.

    White space around commas is not part of a name. A value without a comma is a name as it is, because a column may be
    called " name".

    >>> listed(["f1, em", "f1", " name", ""]), listed(None)
    (['f1', 'em', ' name'], [])
    """
    names = (name.strip() if "," in value else name for value in values or () for name in value.split(","))
    return list(dict.fromkeys(filter(None, names)))


def metric_settings(option: Sequence[str] | None, names: Sequence[str]) -> dict[str, Any]:
    """Return the settings of --option. Raise ValueError if there are some and they are not for a single metric."""
    if option and len(names) != 1:
        raise ValueError(f"--option is for one metric at a time, but {len(names)} were given")
    return dict(setting(item) for item in option or [])


def setting(text: str) -> tuple[str, Any]:
    """Split NAME=VALUE into the name and the value: a whole number, a decimal number, or text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ValueError(f"--option {text!r} is not a setting; write NAME=VALUE, for example layer=3")
    if name in ("lang", "profile"):
        raise ValueError(f"--option {text!r} duplicates another option; write --{name} {value}")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def extraction(extract: str | None, extract_gold: str | None) -> dict[str, str]:
    """Return the options of a metric on final answers; empty without one."""
    given = {"extract": extract, "extract_gold": extract_gold}
    return {option: rule for option, rule in given.items() if rule is not None}


def print_table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table. Without a terminal, it is as wide as necessary and lines have no white space at the end."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*header, box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for row in lines:
        table.add_row(*row)
    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        console.print(table)
        return
    console = Console(highlight=False, markup=False, emoji=False, width=200)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        typer.echo(line.rstrip())
