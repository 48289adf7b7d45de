"""The options of a judge, with their defaults: what ``answersim.metric("judge", ...)`` accepts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the modules of the judge are imported when one is built
    from answersim.judge.prompts import Prompt
    from answersim.judge.usage import Prices, UsageTotal

DEFAULT = "equivalent"  # the prompt
ERROR, UNSURE = "error", "unsure"  # what an unparsed reply leads to, besides a number
EACH, ALL = "each", "all"  # the gold answers of a row that one request has
PARAMETERS = '{"temperature":0}'


@dataclass(frozen=True, kw_only=True)
class JudgeSettings:
    """The options of a judge. They are checked when it is built.

    Attributes:
        base_url: The address of the server up to ``/chat/completions``, such as http://localhost:8000/v1. Its key is in
            the environment variable ANSWERSIM_JUDGE_KEY.
        model: The model to request. Several models, as a list or separated by commas, form a panel.
        record: The file that all requests and replies are written to, and looked up in.
        replay: Whether no request may be sent: a reply that the record lacks is an error.
        prompt: The name of a prompt, or a file. See ``answersim.judge.prompts``.
        parameters: Further members of each request, as a mapping or JSON. The default is a temperature of 0.
        repeats: How often each pair is requested. The score is the mean.
        swap: Whether a symmetric prompt is requested in both orders. The score is the mean.
        returned: The name that the server must return for the model.
        arbiter: The model that decides if a panel disagrees.
        unparsed: What a reply without a verdict leads to: "error", "unsure" (which counts as .5), or a number.
        golds: "each": one request per gold answer, of which the best counts. "all": one request with all gold answers
            of a row. It is signed.
        verdicts: A table of verdicts that were recorded elsewhere, instead of a server; see
            ``answersim.judge.recorded``.
        columns: The columns of this table, if they have unusual names.
        prices: A price table, for the usage. See ``answersim.judge.usage``.
        totals: What the usage of all calls is added to, such as one for several judges. Default: a new one.
        concurrency: The maximum number of requests at a time.
        rate: The maximum number of requests per minute.
        timeout: The maximum number of seconds that one response may take.
        attempts: How often a request is sent before it fails.
        backoff: The seconds before the first repetition.
    """

    base_url: str | None = None
    model: str | Sequence[str] | None = None
    record: str | os.PathLike[str] | None = None
    replay: bool = False
    prompt: Prompt | str | Path = DEFAULT
    parameters: str | Mapping[str, Any] = PARAMETERS
    repeats: int = 1
    swap: bool = False
    returned: str | None = None
    arbiter: str | None = None
    unparsed: str | float = ERROR
    golds: str = EACH
    verdicts: str | os.PathLike[str] | None = None
    columns: Mapping[str, str] | None = None
    prices: Prices | Mapping[str, Any] | str | os.PathLike[str] | None = None
    totals: UsageTotal | None = None
    concurrency: int = 16
    rate: float | None = None
    timeout: float = 60.0
    attempts: int = 6
    backoff: float = 0.5


OPTIONS = tuple(item.name for item in fields(JudgeSettings))
PLACES = (  # options that change no number: they are not signed, and not stored in a calibration
    *("base_url", "record", "replay", "prices", "totals"),
    *("concurrency", "rate", "timeout", "attempts", "backoff"),
)
# those that a judge refuses if it replays a table of verdicts
OF_REQUESTS = "base_url model record replay prompt parameters repeats swap returned arbiter golds".split()
