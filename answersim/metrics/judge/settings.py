"""The options of a judge, with their defaults: what ``answersim.metric("judge", ...)`` accepts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answersim._base.arguments import between, number_or_text, shown, whole
from answersim._base.errors import unknown

if TYPE_CHECKING:
    from answersim.metrics.judge.prompts import Prompt
    from answersim.metrics.judge.usage import Prices

DEFAULT = "equivalent"  # the prompt
ERROR, UNSURE = "error", "unsure"  # what an unparsed reply leads to, besides a number
MEAN = "mean"  # how several replies become one score
PARAMETERS = '{"temperature":0}'


@dataclass(frozen=True, kw_only=True)
class Transport:
    """How requests are sent, and what they cost. It changes no number."""

    timeout: float = 60.0  # the maximum number of seconds that one response may take
    attempts: int = 6  # how often a request is sent before it fails
    concurrency: int = 16  # the maximum number of requests at a time
    rate: float | None = None  # the maximum number of requests per minute; None for no limit
    backoff: float = 0.5  # the seconds before the first repetition. They double with each further one.
    # a price table or its file, for the usage. See ``answersim.metrics.judge.usage``.
    prices: Prices | Mapping[str, Any] | str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        """Check the numbers. Raise ValueError if one is outside its range, TypeError if it is none."""
        between("timeout", self.timeout, 0, 86400)
        whole("attempts", self.attempts, 1)
        whole("concurrency", self.concurrency, 1, 1000)
        if self.rate is not None:
            between("rate", self.rate, 0, 1_000_000)
        between("backoff", self.backoff, 0, 3600)

    @classmethod
    def of(cls, value: Transport | Mapping[str, Any] | str | None) -> Transport:
        """Return the transport that is given, as a mapping or as text.

        >>> Transport.of("timeout=5,rate=60") == Transport(timeout=5, rate=60)
        True
        """
        if value is None or isinstance(value, Transport):
            return value or cls()
        if isinstance(value, str):
            parts = [item.partition("=") for item in value.split(",")]
            if not all(equals for _, equals, _ in parts):
                raise ValueError(f"transport is {value!r}, but it must be NAME=VALUE,... such as timeout=60,rate=100")
            value = {name.strip(): number_or_text(value.strip()) for name, _, value in parts}
        if not isinstance(value, Mapping):
            raise TypeError(f"transport is {shown(value)}, but it must be a mapping, such as {{'timeout': 60}}")
        names = [item.name for item in fields(cls)]
        if strange := [name for name in value if name not in names]:
            raise unknown("setting of transport", str(strange[0]), names)
        return cls(**value)


@dataclass(frozen=True, kw_only=True)
class JudgeSettings:
    """The options of a judge. They are checked when it is built.

    Attributes:
        base_url: The address of the server up to ``/chat/completions``, such as http://localhost:8000/v1. Its key is in
            the environment variable ANSWERSIM_JUDGE_KEY.
        model: The model to request. Several models, as a list or separated by commas, form a panel.
        record: The file that all requests and replies are written to, and looked up in.
        replay: Whether no request may be sent: a reply that the record lacks is an error.
        prompt: The name of a prompt, or a file. See ``answersim.metrics.judge.prompts``.
        parameters: Further members of each request, as a mapping or JSON. The default is a temperature of 0.
        repeats: How often each pair is requested from each model.
        reduce: How the replies about a pair become one score: "mean", "majority", "max" or "min". See
            ``answersim.stats.reducers``.
        returned: The name that the server must return for the model.
        unparsed: What a reply without a verdict leads to: "error", "unsure" (which counts as .5), or a number.
        transport: How requests are sent, as ``Transport``, a mapping, or text such as "timeout=60,rate=100".
    """

    base_url: str | None = None
    model: str | Sequence[str] | None = None
    record: str | os.PathLike[str] | None = None
    replay: bool = False
    prompt: Prompt | str | Path = DEFAULT
    parameters: str | Mapping[str, Any] = PARAMETERS
    repeats: int = 1
    reduce: str = MEAN
    returned: str | None = None
    unparsed: str | float = ERROR
    transport: Transport | Mapping[str, Any] | str | None = None


OPTIONS = tuple(item.name for item in fields(JudgeSettings))
PLACES = ("base_url", "record", "replay", "transport")  # they change no number: neither signed, nor in a calibration
