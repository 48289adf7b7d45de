"""The options of metrics that call a service, the same for all commands, and the receipt of what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from answersim.catalog import lookup

BaseUrl = Annotated[
    str | None,
    typer.Option(
        help="For a judge: the address of the server up to /chat/completions, such as http://localhost:8000/v1. Its "
        "key is in $ANSWERSIM_JUDGE_KEY."
    ),
]
Model = Annotated[
    str | None, typer.Option(help="For a judge: the model. Several models, separated by commas, form a panel.")
]
RecordFile = Annotated[
    Path | None, typer.Option("--record", help="For a judge: the file that records all requests and replies.")
]
Replay = Annotated[
    bool, typer.Option("--replay", help="For a judge: send no requests. A reply that the record lacks is an error.")
]
PromptName = Annotated[
    str | None,
    typer.Option(
        "--prompt", help="For a judge: the prompt: equivalent (default), grades, nuggets, entailment, same, or a file."
    ),
]

OPTIONS = ("base_url", "model", "record", "replay", "prompt")  # the parameters of a command


def judge_options(
    names: Sequence[str],
    settings: Mapping[str, Any],
    base_url: str | None,
    model: str | None,
    record: Path | None,
    replay: bool,
    prompt: str | None,
) -> dict[str, dict[str, Any]]:
    """Return for each metric, by name, the given options that it accepts.

    Args:
        names: The metrics that are used together. A metric that calls no service gets no options.
        settings: The settings given by --option.
        base_url: The address of the server.
        model: The model, or several with commas.
        record: The record.
        replay: Whether no request is sent.
        prompt: The name of a prompt, or a file.

    Raises:
        TypeError: If an option is given, but none of the metrics calls a service.
        ValueError: If --option gives one of them too.
        LookupError: If no metric has one of these names.
    """
    every = {"base_url": base_url, "model": model, "record": record, "replay": replay or None, "prompt": prompt}
    given = {
        name: str(value) if isinstance(value, Path) else value for name, value in every.items() if value is not None
    }
    if twice := [name for name in given if name in settings]:
        raise ValueError(f"{twice[0]} is given by --option and by --{twice[0].replace('_', '-')}; give it once")
    asking = [name for name in names if lookup.calls_service(name)]
    if given and not asking:
        first = next(iter(given))
        hint = "; the weights of a neural metric are --option model=NAME" if first == "model" else ""
        raise TypeError(
            f"--{first.replace('_', '-')} is given, but {', '.join(names)} calls no service{hint}; leave it out, or "
            "add -m judge"
        )
    return {name: dict(given) if name in asking else {} for name in names}


def without_places(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that determine the scores, without the addresses and files of this machine."""
    from answersim.judge.factories import PLACES

    return {name: value for name, value in options.items() if name not in PLACES}


def show_judge(lines: Mapping[str, str], prompt: str | None, record: Path | None) -> None:
    """Print the prompt of a judge and how to cite it. With a record, summarize its content.

    Args:
        lines: The lines that are printed before.
        prompt: The name of a prompt, or a file; by default the default prompt.
        record: The record, or None.
    """
    from answersim.judge import citation
    from answersim.judge.factories import DEFAULT
    from answersim.judge.prompts import find_prompt
    from answersim.text_tables import printable

    found = find_prompt(DEFAULT if prompt is None else prompt)
    rows = [*lines.items(), *citation.description(found)]
    rows += [] if record is None else citation.citation(record)
    for name, text in rows:
        typer.echo(printable(f"{name:<10} {text}"))
    if record is None:
        for line in citation.messages(found):
            typer.echo(line)


@contextmanager
def receipt() -> Iterator[None]:
    """Print what the judges did inside the block to standard error, also after an interruption."""
    from answersim.judge.usage import JudgeUsage, receipts

    with receipts() as collected:
        try:
            yield
        finally:
            if collected:
                with suppress(OSError):  # standard error is full or closed
                    for line in sum(collected, JudgeUsage()).summary():
                        typer.echo(f"judge: {line}", err=True)
