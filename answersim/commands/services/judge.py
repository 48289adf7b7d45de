"""``answersim judge``: batch files with the requests of a judge, and their replies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim._base.runtime.option_groups import GroupedCommand, Use, command
from answersim.commands import options
from answersim.metrics.catalog import lookup
from answersim.metrics.judge.batches import Outbox
from answersim.scoring.tables.judge_batches import write_judge_requests

app = typer.Typer(
    help="Ask a judge through batch files of OpenAI or vLLM. To score with one: answersim score FILE -m judge.",
    no_args_is_help=True,
)


@app.command(cls=GroupedCommand)
@command
def requests(
    path: Annotated[Path, "A table of answers."],
    reading: Annotated[options.Reading, options.systems("id group references")],
    scoring: Annotated[
        options.Scoring,
        Use(
            without="base_url replay",
            first="model record prompt",
            metric="One with a judge. Default: judge.",
            record="It is created if missing.",
        ),
    ],
    result: Annotated[options.Result, Use("output", output="The batch file; NAME-2 ... if it is full.")],
    again: Annotated[bool, "Also write requests of earlier batch files that have no reply."] = False,
    no_schema: Annotated[bool, "For servers that refuse response_format: without a JSON schema."] = False,
) -> None:
    """Write the requests that a judge needs and its record lacks, for a batch run of OpenAI or vLLM.

    Nothing is asked twice.
    """
    if scoring.record is None or result.output is None:
        missing = "--record" if scoring.record is None else "--output"
        raise ValueError(
            f"{missing} is missing; give the record of the judge and the batch file: --record FILE -o FILE"
        )
    data = reading.received([path], result.output)
    name = scoring.one() or "judge"
    with Outbox(scoring.record).opened():  # it creates the record
        built = lookup.metric(name, **scoring.place, **scoring.options_of([name])[name], replay=True)
    written = write_judge_requests(
        reading.answers(data),
        built,
        scoring.record,
        result.output,
        again=again,
        schema=not no_schema,
        cache=scoring.cache,
        progress=scoring.progress,
    )
    for line in written.summary():
        typer.echo(line)


@app.command(cls=GroupedCommand)
@command
def replies(
    paths: Annotated[list[Path], "Output and error files of batch runs."],
    judge: Annotated[options.Judge, Use("record", first="record", record="That of 'judge requests'.")],
) -> None:
    """Read the replies of batch runs into the record, so that --replay finds them.

    Failed requests are in the next batch file again. Replies may be partial, and the same file may be read twice.
    """
    if judge.record is None:
        raise ValueError("--record is missing; give the record of 'judge requests': --record FILE")
    outbox = Outbox(judge.record)
    with outbox.opened():
        received = outbox.receive(paths)
    for line in received.summary():
        typer.echo(line)
