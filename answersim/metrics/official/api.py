"""Score one question, or make the table of many, by the rule of a benchmark."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from answersim._base.arguments import shown
from answersim._base.errors import unknown
from answersim.metrics.official.raised import OWNERS, or_raises
from answersim.metrics.official.registry import PROFILES, Profile, profile
from answersim.metrics.official.squad_rules import added


def profiles() -> tuple[str, ...]:
    """Return the names of all profiles.

    >>> "drop" in profiles()
    True
    """
    return tuple(PROFILES)


def score(name: str, golds: Any, pred: Any, **fields: Any) -> dict[str, Any]:
    """Score a prediction exactly as the owner of a benchmark does.

    Args:
        name: One of ``profiles()``.
        golds: The gold answers, in the form of the benchmark: see ``docs/official.md``. A text stands for a list of one
            text, except where the benchmark's gold answers have a structure.
        pred: The prediction, or the reply of the judge.
        fields: Further fields of the rule, such as ``scale=`` of tatqa.

    Returns:
        The numbers and texts that the owner's code computes, by name. Where that code raises an exception, the value,
        or the whole result, is ``{"raises": NAME}`` with the name of the exception.

    Raises:
        LookupError: If there is no such profile.
        TypeError: If the rule has no such field, or gold answers have the wrong type.

    >>> score("drop", ["5"], "-5", mode="pair")
    {'em': 1.0, 'f1': 1.0}
    >>> score("gaia", ["1,000"], "1000")
    {'correct': False}
    """
    rule = PROFILES[name] if name in PROFILES else profile(name)
    if fields:
        allowed = fields_of(rule)
        for field in fields:
            if field not in allowed:
                raise TypeError(str(unknown(f"field of {rule.name}", field, allowed)))
    if type(golds) is not list:
        golds = _listed(rule, golds)
    try:  # ``or_raises`` in place: its call takes a fifth of the time of the rule of GSM8K
        return rule.score(golds, pred, **fields) if fields else rule.score(golds, pred)
    except OWNERS as error:
        return {"raises": type(error).__name__}


def _listed(rule: Profile, golds: Any) -> Any:
    """Return gold answers as the owner's list. A text is the only gold answer of a rule that compares texts."""
    if isinstance(golds, str):
        return [golds] if rule.input in ("texts", "one text") else golds
    if not isinstance(golds, (list, tuple)):
        raise TypeError(f"golds is {shown(golds)}, but it must be a list of gold answers")
    return list(golds)


@lru_cache(maxsize=64)
def fields_of(rule: Profile) -> tuple[str, ...]:
    """Return the fields of a rule beside gold answers and prediction."""
    parameters = inspect.signature(rule.score).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)


def aggregate(name: str, results: Any, **settings: Any) -> dict[str, Any]:
    """Return the row that the owner's script prints for many questions.

    Args:
        name: One of ``profiles()``.
        results: The questions: mappings with "golds", "pred" and the further fields of the rule. "pred" is None for a
            missing prediction. For profiles whose table needs scores only, the results of ``score`` will do, with None
            for a missing prediction. For coqa stories, for quac dialogues. A mapping with one of the keys "questions",
            "stories" and "dialogues" is read together with the settings beside it.
        settings: Settings of the owner's script: ``na_prob_thresh`` (squad2), ``cot`` (alce_qampari), ``min_f1``
            (quac).

    Returns:
        The numbers by name, x 100 where the owner multiplies. Profiles without a table of their own have the means of
        their numbers.

    Raises:
        LookupError: If there is no such profile.
        ValueError: If there are no questions, or a table needs the questions and got results.
        TypeError: If the table has no such setting.

    >>> answered = {"golds": ["Rome"], "pred": "rome"}
    >>> aggregate("squad", [answered, {"golds": ["Oslo"], "pred": None}])
    {'exact_match': 50.0, 'f1': 50.0}
    """
    rule = profile(name)
    if isinstance(results, Mapping):
        key = next((key for key in ("questions", "stories", "dialogues") if key in results), None)
        if key is None:
            raise ValueError("results has none of the keys 'questions', 'stories' and 'dialogues'; give a list")
        inside = {field: value for field, value in results.items() if field not in (key, "out")}
        return aggregate(name, results[key], **{**inside, **settings})
    rows = list(results)
    if not rows:
        raise ValueError("results is empty, but a table needs at least one question")
    allowed = () if rule.table is None else tuple(inspect.signature(rule.table).parameters)[2:]
    for setting in settings:
        if setting not in allowed:
            raise TypeError(str(unknown(f"setting of the table of {rule.name}", setting, allowed)))
    if "questions" in rule.traits and not all(_is_question(row) for row in rows):
        raise ValueError(f"the table of {rule.name} needs the questions; give mappings with golds and pred")
    scored = [None if "nested" in rule.traits else _scored(rule, row) for row in rows]
    if (table := rule.table) is None:
        return _means(rule, scored)
    row: dict[str, Any] = or_raises(table, rows, scored, **settings)
    return row


def _is_question(row: Any) -> bool:
    return isinstance(row, Mapping) and "golds" in row


def _scored(rule: Profile, row: Any) -> dict[str, Any] | None:
    if row is None or not _is_question(row):
        return row
    if row.get("pred") is None and "none" not in rule.traits:
        return None
    fields = {field: row[field] for field in fields_of(rule) if field in row}
    result = score(rule.name, row["golds"], row["pred"], **fields)
    if "raises" in result:
        raise ValueError(
            f"the code of {rule.name} raises {result['raises']} for gold answers {shown(row['golds'])} and the "
            f"prediction {shown(row['pred'])}; correct this question"
        )
    return result


def _means(rule: Profile, scored: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    numbers = [{number: value_of(result, number) if result else 0.0 for number in rule.parts} for result in scored]
    return {number: added(row[number] for row in numbers) / len(numbers) for number in rule.parts}


def value_of(result: Mapping[str, Any], number_name: str) -> float:
    """Return a part of a result as a number. None (no letter was found) is 0."""
    value = result.get(number_name, result.get("raises"))
    if isinstance(value, Mapping):
        value = value.get("score", value.get("raises"))
    if isinstance(value, str):
        raise ValueError(f"the owner's code raises {value}")
    return 0.0 if value is None else float(value)
