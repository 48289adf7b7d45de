"""The requests of a judge as batch files: what the scores of a file need, and nothing that was asked before."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from answersim._base import arguments
from answersim._base.errors import deferred_warnings
from answersim._base.text_tables import Result, counted
from answersim.answers.tables.table import Answers
from answersim.metrics.judge.batches import MOST, BatchFiles, Outbox, Waiting, request_line
from answersim.metrics.judge.metric import MissingReplyError, UnparsedError
from answersim.scoring.cache import CacheLike
from answersim.scoring.score import score_answers
from answersim.types import Metric


@dataclass(frozen=True)
class BatchRequests(Result):
    """What was written to batch files."""

    written: int  # the requests in the files
    waiting: int  # the requests that are needed, but are in earlier files already
    rows: int  # the rows that were read
    unparsed: int  # the pairs that have a reply without a verdict
    files: tuple[str, ...]  # the files, none if there is no request

    def summary(self) -> list[str]:
        """Return the counts in sentences."""
        where = f" in {', '.join(self.files)}" if self.files else "; all replies are in the record or waited for"
        lines = [f"{counted(self.written, 'request')} for {counted(self.rows, 'row')}{where}"]
        if self.waiting:
            lines.append(f"{self.waiting:,} more are in earlier batch files and are not asked twice")
        if self.unparsed:
            lines.append(f"{counted(self.unparsed, 'pair')} have a reply without a verdict; see unparsed=")
        return lines


def write_judge_requests(
    answers: Answers,
    metric: Metric,
    record: str | PathLike[str],
    output: str | PathLike[str],
    *,
    again: bool = False,
    schema: bool = True,
    cache: CacheLike | None = None,
    progress: bool = True,
) -> BatchRequests:
    """Write the requests that the scores of a file need and the record lacks, in the format of OpenAI and vLLM.

    If the metric has several judges, each one is a round: write, run the batch, read the replies, write again.
    ``metric``: a judge, or a metric with one, built with ``replay=True`` and this record. ``output``: the batch file.
    Further ones are ``NAME-2``, ``NAME-3`` ... ``again``: whether requests in earlier batch files that have no reply
    are written again, such as after a batch was lost. ``schema``: whether the requests have a JSON schema.
    """
    progress = arguments.flag("progress", progress)
    outbox, path = Outbox(record), Path(arguments.path("output", output))
    needed: dict[str, Waiting] = {}
    waited: set[str] = set()
    missing: Sequence[Any] = ()
    unparsed = 0
    with outbox.opened():
        with ExitStack() as stack:
            batches = BatchFiles(path, MOST, stack)
            try:
                with deferred_warnings():
                    score_answers(answers, [metric], progress=progress, cache=cache)
            except MissingReplyError as error:
                missing = error.missing
            except UnparsedError as error:
                unparsed = len(error.pairs)
            for judge, request in missing:
                if request.key in needed:
                    continue
                if request.key in outbox.requests and not again:
                    waited.add(request.key)
                    continue
                body = judge.request(request)
                needed[request.key] = Waiting(request, body.body["messages"], schema)
                batches.write(request_line(request, body, schema))
        outbox.requests |= needed
        outbox.save()
    return BatchRequests(len(needed), len(waited), len(answers.ids), unparsed, tuple(map(str, batches.paths)))
