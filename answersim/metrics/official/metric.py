"""``official:NAME``: the rule of a benchmark as a metric."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from answersim._base.arguments import shown
from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
from answersim._base.golds import StructuredGold
from answersim._base.signature import Stored, computed_once, signature
from answersim.answers.extraction.extractor import NAMES
from answersim.answers.text.tokens import BY_LANGUAGE
from answersim.metrics.official.api import fields_of, score, value_of
from answersim.metrics.official.latex_equality import check_installed
from answersim.metrics.official.raised import or_raises
from answersim.metrics.official.registry import Profile
from answersim.metrics.official.registry import profile as profile_of
from answersim.types import OFFICIAL, Capabilities, Definition, Metric, Pair


@dataclass(frozen=True)
class OfficialMetric(Stored):
    """A number of a benchmark's own rule, for each pair.

    If a row has several gold answers, the best one counts. Some rules get all of them at once (``joint_golds``),
    because their number is not the best of the numbers of each. Profiles with structured gold answers read objects
    and nested lists, also as JSON text, such as '["Tom Brady", "Peyton Manning"]' for drop. A text that is not JSON is
    one answer.
    """

    profile: str  # the name of the profile
    part: str  # the number of its result
    settings: tuple[tuple[str, Any], ...] = ()  # further fields of the rule, as (name, value)

    @property
    def capabilities(self) -> Capabilities:
        """Whether the number is a verdict, and whether the rule reads structures, or all alternatives at once."""
        rule = profile_of(self.profile)
        joint = "joint" in rule.traits
        is_verdict = rule.is_verdict(self.part) and not dict(self.settings).get("format_score")
        return Capabilities(
            scale="binary" if is_verdict else "any",
            structured_golds=rule.input == "structured" or joint,
            joint_golds=joint,
        )

    @property
    def reads_marks(self) -> bool:
        """Whether the rule finds the final answer by a mark, so that it is wrong on answers without the mark."""
        return "marked" in profile_of(self.profile).traits and dict(self.settings).get("mode") != "pair"

    @computed_once
    def signature(self) -> str:
        """The profile with the commit of the owner's code, the part if it is not the first, and the settings.

        That of ``official:minerva`` has the version of sympy, which decides what is equal.
        """
        rule = profile_of(self.profile)
        setting = {} if self.part == rule.parts[0] else {"part": self.part}
        sympy = {"sympy": check_installed()} if self.profile == "minerva" else {}
        return signature(rule.cited, revision=rule.revision, **setting, **sympy, **dict(self.settings))

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return one number per pair, in order, shape (n,)."""
        rule, settings = profile_of(self.profile), dict(self.settings)
        column = np.empty(len(pairs), dtype=np.float64)
        for i, (gold, pred) in enumerate(pairs):
            result = self._result(rule, gold, pred, settings)
            try:
                column[i] = value_of(result, self.part)
            except ValueError as error:
                mark, remedy = _FORMS.get(rule.name, ("", ""))
                why, form = (f", which has no {mark!r}", f": {remedy}") if mark not in gold else ("", "")
                raise ValueError(
                    f"official:{rule.name}, pair {i + 1}: {error} for the gold answer {shown(gold)}{why}, and the "
                    f"prediction {shown(pred)}; give the gold answer in the form of the benchmark{form}"
                ) from error
        return column

    def _result(self, rule: Profile, gold: str, pred: str, settings: dict[str, Any]) -> Any:
        if rule.input != "structured":
            golds = json.loads(gold) if isinstance(gold, StructuredGold) else [gold]
            return or_raises(rule.score, golds, pred, **settings)
        parsed = _parsed(gold)
        if isinstance(gold, StructuredGold) and "aliases" in rule.traits and isinstance(parsed[0], str):
            parsed = [parsed]  # alternatives: one answer with aliases
        golds, more = _GOLDS.get(rule.name, _one)(parsed)
        answer = _parsed(pred) if "lists" in rule.traits else pred
        return score(rule.name, golds, answer if isinstance(answer, (list, int, float)) else pred, **more, **settings)


# What the owner's code finds a gold answer by, and how to give one.
_FORMS = json.loads(Path(__file__).with_name("forms.json").read_text(encoding="utf-8"))["marks"]
_KEEP_MARKS = ("last-line", "reasoning")  # rules of extraction


def _parsed(text: str) -> Any:
    """Return the JSON list, object or number in a text, else the text."""
    if text.lstrip()[:1] not in "[{" or not text.strip():
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _listed(gold: Any) -> list[Any]:
    return gold if isinstance(gold, list) else [gold]


def _one(gold: Any) -> tuple[list[Any], dict[str, Any]]:
    return _listed(gold), {}


def _spans(gold: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the spans of one answer: of a list, a list in a list, or the object of one list."""
    spans = gold["spans"] if isinstance(gold, dict) else gold
    return _one(spans[0] if isinstance(spans, list) and len(spans) == 1 and isinstance(spans[0], list) else spans)


def _drop(gold: Any) -> tuple[list[Any], dict[str, Any]]:
    golds = [{"spans": spans} if isinstance(spans, list) else spans for spans in _listed(gold)]
    return golds, {"mode": "question" if golds and isinstance(golds[0], dict) else "pair"}


def _lmeval_drop(gold: Any) -> tuple[list[Any], dict[str, Any]]:
    golds = _drop(gold)[0]
    golds = golds if golds and isinstance(golds[0], dict) else [{"spans": golds}]
    return [{"number": "", "date": {"day": "", "month": "", "year": ""}, **answer} for answer in golds], {}


def _aliases(gold: Any) -> tuple[list[Any], dict[str, Any]]:
    return [[answer] if isinstance(answer, str) else answer for answer in _listed(gold)], {}


def _qampari(gold: Any) -> tuple[list[Any], dict[str, Any]]:
    golds = [
        answer if isinstance(answer, dict) else {"answer_text": aliases[0], "aliases": aliases}
        for answer, aliases in zip(_listed(gold), _aliases(gold)[0], strict=True)
    ]
    return golds, {}


def _tatqa(gold: Any) -> tuple[list[Any], dict[str, Any]]:
    if isinstance(gold, dict):
        more = {key: gold[key] for key in ("scale", "answer_type", "pred_scale") if key in gold}
        return gold["golds"], more
    return [_listed(gold)], {"answer_type": "span"}


_GOLDS: dict[str, Callable[[Any], tuple[list[Any], dict[str, Any]]]] = {
    "drop": _drop,
    "quoref": _spans,
    "lmeval_drop": _lmeval_drop,
    "asqa_str_em": _aliases,
    "alce_str_em": _aliases,
    "alce_qampari": _aliases,
    "qampari": _qampari,
    "tatqa": _tatqa,
}


def official_profile(name: str) -> Profile:
    """Return the profile of ``official:NAME``. Raise LookupError if there is none."""
    return profile_of(name.removeprefix(OFFICIAL))


def build(name: str, *, lang: str, profile: str | None, part: str | None = None, **options: Any) -> Metric:
    """Build ``official:NAME``.

    ``lang``: the language of the answers. It selects the prefix of simple_evals_mgsm, and nothing else. ``part``: the
    number of the result that is returned; the first of ``Profile.parts`` if None.
    """
    rule = official_profile(name)
    if profile not in (None, *BY_LANGUAGE):
        raise LookupError(f"{name} has no profile {profile!r}: the rule of a benchmark has one form; leave it out")
    if not rule.parts or rule.input == "reply":
        why = "it has texts and no number (see minerva)" if not rule.parts else "it reads the reply of a judge"
        raise LookupError(
            f"{name} is no metric of gold answer and prediction: {why}; use "
            f"answersim.metrics.official.score({rule.name!r}, ...)"
        )
    if rule.name == "minerva":
        check_installed()
    if part is not None and part not in rule.parts:
        raise unknown(f"part of {name}", part, rule.parts)
    allowed = options_of(name)
    for option in options:
        if option not in allowed:
            raise TypeError(str(unknown(f"option of {name}", option, allowed)))
    if "lang" in fields_of(rule):
        options["lang"] = lang
    return OfficialMetric(rule.name, part or rule.parts[0], tuple(sorted(options.items())))


def check_extraction(metric: Metric, rule: str) -> None:
    """Raise ValueError if this rule of extraction cuts off the mark by which the metric finds the answer."""
    if isinstance(metric, OfficialMetric) and metric.reads_marks and rule in NAMES and rule not in _KEEP_MARKS:
        raise ValueError(
            f"extract is {rule!r}, but official:{metric.profile} reads the final answer itself, by a mark that "
            f"{rule!r} cuts off; leave extract= (--extract) out"
        )


def options_of(name: str) -> tuple[str, ...]:
    """Return the options of ``official:NAME``: the part, and the fields of its rule that a pair does not contain.

    >>> options_of("official:math")
    ('part', 'mode')
    """
    rule = official_profile(name)
    of_pairs = ("lang", "human_answers", "context", "scale", "answer_type", "pred_scale")
    fixed = ("mode",) if rule.name == "drop" else ()
    return ("part", *(field for field in fields_of(rule) if field not in (*of_pairs, *fixed)))


def definition(name: str) -> Definition:
    """Return what ``official:NAME`` is."""
    rule = official_profile(name)
    full = f"{OFFICIAL}{rule.name}"
    return Definition(full, "lexical", f"{rule.benchmark}: {rule.rule}", rule.source, partial(build, full))
