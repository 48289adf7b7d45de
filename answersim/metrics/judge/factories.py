"""Factory of the judge: from options to a judge that sends requests, or one that replays a record."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from typing import Any

from answersim._base.arguments import between, flag, path, shown, text, whole
from answersim._base.errors import unknown
from answersim.metrics.definitions import definition
from answersim.metrics.judge.client import KEY_VARIABLE, Client, checked_url, http_library
from answersim.metrics.judge.metric import Judge
from answersim.metrics.judge.prompts import find_prompt
from answersim.metrics.judge.record import Record, open_record
from answersim.metrics.judge.settings import ERROR, PARAMETERS, UNSURE, JudgeSettings, Transport
from answersim.metrics.judge.usage import read_prices
from answersim.stats.reducers import REDUCERS
from answersim.types import Metric

_OWN = ("model", "messages", "response_format", "stream", "n")  # members of a request that are set here
_NAME = re.compile(r"[^|\s,](?:[^|\n\r\t,]*[^|\s,])?")


def judge(*, lang: str, profile: str | None, **options: Any) -> Metric:
    """Build a judge.

    Args:
        lang: The language of the answers. The prompts are in English and compare answers in any language.
        profile: Must be None, because a judge has no local weights.
        **options: Those of ``JudgeSettings``.

    Raises:
        ValueError: If neither a server nor a record is given, or a setting is outside its range.
        TypeError: If a setting has the wrong type, or has no effect.
        LookupError, FileNotFoundError: If there is no such prompt, record, profile or file.
        MissingExtraError: If a server is given and httpx is not installed.
    """
    settings = JudgeSettings(**options)
    if profile is not None:
        raise LookupError(f"judge has no profile {profile!r}: its model runs on a server; leave the profile out")
    unparsed = _unparsed(settings.unparsed)
    replay, transport = flag("replay", settings.replay), Transport.of(settings.transport)
    file = None if settings.record is None else path("record", settings.record)
    client = _client(settings, transport, replay, file)
    prompt = find_prompt(settings.prompt)
    if text("reduce", settings.reduce, "mean") not in REDUCERS:
        raise unknown("reducer", settings.reduce, REDUCERS)
    replies = open_record(file)
    if replay:
        replies.read()
    models = _models(settings.model, replies if replay else None)
    if len(models) > 1 and settings.returned is not None:
        raise TypeError("returned is given, but the models of a panel return different names; leave it out")
    built = Judge(
        prompt,
        ",".join(models),
        _parameters(settings.parameters),
        whole("repeats", settings.repeats, 1, 1000),
        settings.reduce,
        None if settings.returned is None else _model("returned", settings.returned),
        unparsed,
        None if replay else client,
        replies,
        read_prices(transport.prices),
    )
    if not replay:
        http_library()  # an error now if it is missing
    return built


_OF_ALL = list(inspect.signature(judge).parameters.values())[:2]
_OF_JUDGES = list(inspect.signature(JudgeSettings).parameters.values())
judge.__signature__ = inspect.Signature([*_OF_ALL, *_OF_JUDGES])  # type: ignore[attr-defined] # what the catalog reads


def _client(settings: JudgeSettings, transport: Transport, replay: bool, record: str | None) -> Client:
    """Return the client. Raise ValueError if there is neither a server nor a record to replay."""
    base_url = settings.base_url
    if base_url is None and not replay:
        raise ValueError(
            "a judge needs a server: give base_url= and model= (on the command line --base-url and --model), and its "
            f"key in ${KEY_VARIABLE}; or replay a record: record=FILE and replay=True (--record FILE --replay)"
        )
    if replay and record is None:
        raise ValueError("replay is True, but there is no record to replay; name it: record=FILE (--record FILE)")
    return Client("" if base_url is None else checked_url(base_url), transport)


def _unparsed(value: Any) -> str | float:
    if isinstance(value, str):
        if value == UNSURE:
            return 0.5
        if value != ERROR:
            raise ValueError(f"unparsed is {value!r}, but it must be 'error', 'unsure', or a number from 0 to 1")
        return value
    return between("unparsed", value, 0, 1, ends=True)


def _models(model: Any, replayed: Record | None) -> list[str]:
    """Return the names of the models. If none is given, it is the only model of the replayed record."""
    if model is None:
        if replayed is None:
            raise ValueError("base_url is given without a model; name it: model= (--model)")
        names = dict.fromkeys(entry.request.model for entry in replayed.entries())
        if len(names) != 1:
            replies = f"replies to {', '.join(names)}" if names else "no replies"
            raise ValueError(f"the record {replayed.path} has {replies}; name the model: model= (--model)")
        return list(names)
    listed = [model] if isinstance(model, (str, int)) else list(model)
    models = [_model("model", name) for item in listed for name in str(item).split(",")]
    if len(set(models)) < len(models):
        raise ValueError(f"model is {', '.join(models)}, but the models of a panel differ; repeat one with repeats=")
    return models


def _model(name: str, entry: Any) -> str:
    """Return the name of a model. A name of digits may come from the command line as a number."""
    if isinstance(entry, int) and not isinstance(entry, bool):
        entry = str(entry)
    model = text(name, entry, "some-model").strip()
    if not _NAME.fullmatch(model) or not model.isprintable():
        raise ValueError(f"{name} is {shown(entry)}, but the name of a model has no '|', no comma and no line end")
    return model


def _parameters(parameters: Any) -> str:
    """Return the parameters as canonical JSON without the mark that separates the parts of a signature."""
    if isinstance(parameters, str):
        try:
            parameters = json.loads(parameters)
        except ValueError as error:
            raise ValueError(f"parameters is {shown(parameters)}, which is not JSON ({error})") from None
    if not isinstance(parameters, Mapping) or not all(isinstance(name, str) for name in parameters):
        raise TypeError(f"parameters is {shown(parameters)}, but it must be a mapping, such as {PARAMETERS}")
    if own := [name for name in _OWN if name in parameters]:
        raise ValueError(f"parameters contains {own[0]!r}, which a judge sets itself; leave it out")
    try:
        canonical = json.dumps(dict(parameters), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"parameters is {shown(parameters)}, which JSON cannot represent ({error})") from None
    return canonical.replace("|", "\\u007c")


JUDGE = definition("judge", judge)
