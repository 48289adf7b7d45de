"""``answersim judge``: batch files with the requests of a judge, and their replies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.catalog import lookup
from answersim.commands.expansion import GroupedCommand, Use, command
from answersim.commands.options import (
    SYSTEMS,
    JudgeOptions,
    MetricOptions,
    ReadingOptions,
    ResultOptions,
    RunOptions,
    options_of,
)

app = typer.Typer(
    help="Ask a judge through batch files of OpenAI or vLLM. To score with one: answersim score FILE -m judge.",
    no_args_is_help=True,
)


@app.command(cls=GroupedCommand)
@command
def requests(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table of answers.")],
    reading: Annotated[
        ReadingOptions, Use(without=("id", "group", "references"), several=SYSTEMS.several, notes=SYSTEMS.notes)
    ],
    metric: Annotated[MetricOptions, Use(notes={"metric": "One with a judge. Default: judge."})],
    judge: Annotated[
        JudgeOptions, Use(only=("model", "record", "prompt"), notes={"record": "It is created if it is missing."})
    ],
    result: Annotated[
        ResultOptions, Use(only=("output",), notes={"output": "The batch file; NAME-2 ... if it is full."})
    ],
    run: RunOptions,
    again: Annotated[
        bool, typer.Option("--again", help="Also write requests of earlier batch files that have no reply.")
    ] = False,
    no_schema: Annotated[
        bool, typer.Option("--no-schema", help="For servers that refuse response_format: without a JSON schema.")
    ] = False,
    most: Annotated[int, typer.Option(min=1, help="The maximum number of requests of a file.")] = 50_000,
) -> None:
    """Write the requests that a judge needs and its record lacks, for a batch run of OpenAI or vLLM.

    Only the pairs that reach the judge of a cascade are asked about, and nothing is asked twice.
    """
    from answersim.judge.batches import Outbox
    from answersim.scoring.judge_batches import write_judge_requests

    if judge.record is None or result.output is None:
        missing = "--record" if judge.record is None else "--output"
        raise ValueError(
            f"{missing} is missing; give the record of the judge and the batch file: --record FILE -o FILE"
        )
    data = reading.received([path], result.output)
    name = metric.one() or "judge"
    options = options_of([name], metric, run, judge)[name]
    with Outbox(judge.record).opened():  # it creates the record
        built = lookup.metric(name, **metric.place, **options, replay=True)
    written = write_judge_requests(
        reading.answers(data),
        built,
        judge.record,
        result.output,
        again=again,
        schema=not no_schema,
        most=most,
        cache=run.store([name]),
        progress=run.progress,
    )
    for line in written.summary():
        typer.echo(line)


@app.command(cls=GroupedCommand)
@command
def replies(
    paths: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Output and error files of batch runs.")],
    judge: Annotated[JudgeOptions, Use(only=("record",), notes={"record": "That of 'judge requests'."})],
) -> None:
    """Read the replies of batch runs into the record, so that --replay finds them.

    Failed requests are in the next batch file again. Replies may be partial, and the same file may be read twice.
    """
    from answersim.judge.batches import Outbox

    if judge.record is None:
        raise ValueError("--record is missing; give the record of 'judge requests': --record FILE")
    outbox = Outbox(judge.record)
    with outbox.opened():
        received = outbox.receive(paths)
    for line in received.summary():
        typer.echo(line)
