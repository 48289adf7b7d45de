"""Factory of the judge: from options to a judge that sends requests, a judge that replays a record, or a panel."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from answersim.arguments import between, flag, path, shown, text, whole
from answersim.judge.settings import ALL, EACH, ERROR, OF_REQUESTS, PARAMETERS, UNSURE, JudgeSettings
from answersim.types import Metric

if TYPE_CHECKING:  # the modules of the judge are imported when one is built
    from answersim.judge.client import Client
    from answersim.judge.metric import Judge
    from answersim.judge.prompts import Prompt
    from answersim.judge.record import Record

_OWN = ("model", "messages", "response_format", "stream", "n")  # members of a request that are set here
_NAME = re.compile(r"[^|\s,](?:[^|\n\r\t,]*[^|\s,])?")


def judge(*, lang: str, profile: str | None, **options: Any) -> Metric:
    """Build a judge.

    Args:
        lang: The language of the answers. The prompts are in English and compare answers in any language.
        profile: Must be None, because a judge has no local weights.
        **options: Those of ``JudgeSettings``.

    Raises:
        ValueError: If neither a server nor a record nor verdicts are given, or a setting is outside its range.
        TypeError: If a setting has the wrong type, or has no effect.
        LookupError, FileNotFoundError: If there is no such prompt, record, profile or file.
        MissingExtraError: If a server is given and httpx is not installed.
    """
    settings = JudgeSettings(**options)
    if profile is not None:
        raise LookupError(f"judge has no profile {profile!r}: its model runs on a server; leave the profile out")
    counted = _unparsed(settings.unparsed)
    return _of_server(settings, counted) if settings.verdicts is None else _of_table(settings, counted)


_OF_ALL = list(inspect.signature(judge).parameters.values())[:2]
_OF_JUDGES = list(inspect.signature(JudgeSettings).parameters.values())
judge.__signature__ = inspect.Signature([*_OF_ALL, *_OF_JUDGES])  # type: ignore[attr-defined] # what the catalog reads


def _of_table(settings: JudgeSettings, unparsed: str | float) -> Metric:
    """Return the judge that replays a table of verdicts."""
    from answersim.judge.recorded import recorded

    defaults = JudgeSettings()
    if given := [name for name in OF_REQUESTS if getattr(settings, name) != getattr(defaults, name)]:
        raise TypeError(f"{given[0]} is given, but verdicts= replays a table without a server; leave one of them out")
    return recorded(path("verdicts", settings.verdicts), unparsed, settings.columns, settings.totals)


def _of_server(settings: JudgeSettings, unparsed: str | float) -> Metric:
    """Return the judge or the panel that sends requests, or replays a record of requests."""
    from answersim.judge.client import http_library
    from answersim.judge.metric import Judge
    from answersim.judge.record import open_record
    from answersim.judge.usage import UsageTotal, read_prices

    if settings.columns is not None:
        raise TypeError("columns is given, but it describes the table of verdicts=; give both, or neither")
    replay, swap = flag("replay", settings.replay), flag("swap", settings.swap)
    file = None if settings.record is None else path("record", settings.record)
    client = _client(settings, replay, file)
    prompt = _prompt(settings, swap)
    replies = open_record(file)
    if replay:
        replies.read()
    models = _models(settings.model, replies if replay else None)
    base = Judge(
        prompt,
        models[0],
        _parameters(settings.parameters),
        whole("repeats", settings.repeats, 1, 1000),
        swap,
        None if settings.returned is None else _model("returned", settings.returned),
        unparsed,
        None if replay else client,
        replies,
        read_prices(settings.prices),
        settings.totals or UsageTotal(),
    )
    if not replay:
        http_library()  # an error now if it is missing
    return _with_panel(base, models, settings)


def _client(settings: JudgeSettings, replay: bool, record: str | None) -> Client:
    """Return the client. Raise ValueError if there is neither a server nor a record to replay."""
    from answersim.judge.client import KEY_VARIABLE, Client, checked_url

    base_url, rate = settings.base_url, settings.rate
    if base_url is None and not replay:
        raise ValueError(
            "a judge needs a server: give base_url= and model= (on the command line --base-url and --model), and its "
            f"key in ${KEY_VARIABLE}; or replay a record: record=FILE and replay=True (--record FILE --replay); or "
            "give verdicts=FILE"
        )
    if replay and record is None:
        raise ValueError("replay is True, but there is no record to replay; name it: record=FILE (--record FILE)")
    return Client(
        "" if base_url is None else checked_url(base_url),
        between("timeout", settings.timeout, 0, 86400),
        whole("attempts", settings.attempts, 1),
        whole("concurrency", settings.concurrency, 1, 1000),
        None if rate is None else between("rate", rate, 0, 1_000_000),
        between("backoff", settings.backoff, 0, 3600),
    )


def _prompt(settings: JudgeSettings, swap: bool) -> Prompt:
    """Return the prompt. Raise ValueError if it contradicts the order of the answers or the number of gold answers."""
    from answersim.judge.prompts import find_prompt

    chosen, golds = find_prompt(settings.prompt), settings.golds
    if swap and chosen.order != "symmetric":
        raise ValueError(
            f"swap is True, but the two answers have different roles in the prompt {chosen.name!r}"
            + (", which is requested in both ways anyway" if chosen.order == "both" else "")
            + "; leave swap out, or use a symmetric prompt, such as 'same'"
        )
    if golds not in (EACH, ALL):
        raise ValueError(f"golds is {shown(golds)}, but it must be 'each' (one request per gold answer) or 'all'")
    if golds == ALL and not chosen.takes_several_golds:
        raise ValueError(
            f"golds is 'all', but the prompt {chosen.name!r} compares one answer with another, or lists the facts of "
            "one; leave golds out, or use a prompt with one verdict on the candidate, such as 'equivalent'"
        )
    return chosen


def _with_panel(base: Judge, models: Sequence[str], settings: JudgeSettings) -> Metric:
    """Return this judge, or a panel of judges if there are several models."""
    from answersim.judge.panel import Panel
    from answersim.judge.whole_rows import WholeRows

    arbiter = settings.arbiter
    judged: Judge | Panel = base
    if len(models) == 1 and arbiter is not None:
        raise TypeError("arbiter is given, but a single judge cannot disagree; give several models")
    if len(models) > 1:
        if settings.returned is not None:
            raise TypeError("returned is given, but the models of a panel return different names; leave it out")
        members = tuple(replace(base, model=name) for name in models)
        decides = None if arbiter is None else replace(base, model=_model("arbiter", arbiter))
        judged = Panel(members, decides, base.unparsed, base.totals)
    return WholeRows(judged) if settings.golds == ALL else judged


def _unparsed(value: Any) -> str | float:
    if isinstance(value, str):
        if value == UNSURE:
            return 0.5
        if value != ERROR:
            raise ValueError(f"unparsed is {value!r}, but it must be 'error', 'unsure', or a number from 0 to 1")
        return value
    return between("unparsed", value, 0, 1, ends=True)


def _models(given: Any, replayed: Record | None) -> list[str]:
    """Return the names of the models. If none is given, it is the only model of the replayed record."""
    if given is None:
        if replayed is None:
            raise ValueError("base_url is given without a model; name it: model= (--model)")
        names = dict.fromkeys(entry.asked.model for entry in replayed.entries())
        if len(names) != 1:
            found = f"replies to {', '.join(names)}" if names else "no replies"
            raise ValueError(f"the record {replayed.path} has {found}; name the model: model= (--model)")
        return list(names)
    listed = [given] if isinstance(given, (str, int)) else list(given)
    return [_model("model", name) for item in listed for name in str(item).split(",")]


def _model(name: str, given: Any) -> str:
    """Return the name of a model. A name of digits may come from the command line as a number."""
    if isinstance(given, int) and not isinstance(given, bool):
        given = str(given)
    model = text(name, given, "some-model").strip()
    if not _NAME.fullmatch(model) or not model.isprintable():
        raise ValueError(f"{name} is {shown(given)}, but the name of a model has no '|', no comma and no line end")
    return model


def _parameters(given: Any) -> str:
    """Return the parameters as canonical JSON without the mark that separates the parts of a signature."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError as error:
            raise ValueError(f"parameters is {shown(given)}, which is not JSON ({error})") from None
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"parameters is {shown(given)}, but it must be a mapping, such as {PARAMETERS}")
    if own := [name for name in _OWN if name in given]:
        raise ValueError(f"parameters contains {own[0]!r}, which a judge sets itself; leave it out")
    try:
        canonical = json.dumps(dict(given), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"parameters is {shown(given)}, which JSON cannot represent ({error})") from None
    return canonical.replace("|", "\\u007c")
