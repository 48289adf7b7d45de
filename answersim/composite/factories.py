"""Factories of the composite metrics. They receive the function of the catalog that builds the parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from answersim import arguments
from answersim.errors import unknown
from answersim.neural.factories import check_extra
from answersim.profiles import PROFILES
from answersim.signature import escaped, unescaped
from answersim.text import language
from answersim.types import Metric

FITTED = ("embedded", "strong")  # profiles that weights were fitted for
STAGES = "typed,recall,answersim"
TYPED_OPTIONS = ("choices", "tolerance", "units")  # of typed+NAME
# The parts of ``answersim``. Its weights are for these, in this order.
PARTS = ("sas-answers", "bertscore-names", "recall", "containment")


def weights_file(profile: str | None) -> Path:
    """Return the file of the weights that were fitted for this profile. Raise LookupError if there are none."""
    profile = profile or FITTED[0]
    if profile not in PROFILES:
        raise unknown("profile of weights", profile, PROFILES)
    if profile not in FITTED:
        raise LookupError(
            f"the weights of answersim were fitted for the profiles {' and '.join(FITTED)}; there are none for "
            f"{profile!r}"
        )
    return Path(__file__).parent / "weights" / f"{profile}.json"


def answersim(
    part: Callable[..., Metric],
    /,
    *,
    lang: str,
    profile: str | None,
    precision: str = "fp32",
    device: str = "auto",
    batch_tokens: int = 8192,
) -> Metric:
    """Build ``answersim``, the learned ensemble.

    Args:
        part: A function that builds a part from its name, a language, a profile and the options of its network.
        lang: The language of the answers.
        profile: "embedded", which None means, or "strong"; the weights were fitted for no other.
        precision: The precision of the networks.
        device: Where the networks run.
        batch_tokens: The maximum number of tokens that go through a network at a time.
    """
    path = weights_file(profile)
    check_extra("answersim")
    from answersim.composite.ensemble import AnswerSimilarity, read_weights

    weights = read_weights(path)
    running: dict[str, Any] = {"precision": precision, "device": device, "batch_tokens": batch_tokens}
    parts = tuple(part(name, lang, profile, **running) for name in weights.parts)
    return AnswerSimilarity(parts, weights, language(lang))


def typed(
    base: Metric, lang: str, choices: Any = (), tolerance: float | str | None = None, units: str | None = None
) -> Metric:
    """Build ``typed+NAME``.

    Args:
        base: The metric of this name.
        lang: The language of the answers.
        choices: The texts of the options of a multiple-choice question, also as a JSON list or as a signature has it.
        tolerance: Of numbers and formulas, see ``answersim.typed.compare_math``. If it or ``units`` is given, the other
            one is its default.
        units: Likewise.

    Raises:
        TypeError, ValueError: If an option has another type or value.
    """
    from answersim.composite.typed import TypedMetric
    from answersim.typed.api import math_options

    if isinstance(choices, str) and choices.startswith(("[", escaped("["))):
        choices = json.loads(choices if choices.startswith("[") else unescaped(choices))
    listed = tuple(arguments.texts("choices", choices or ()))
    given = tolerance is not None or units is not None
    options = math_options("exact" if tolerance is None else tolerance, units or "optional") if given else None
    return TypedMetric(base, language(lang), listed, options)


def cascade(
    part: Callable[..., Metric],
    calls: Callable[[str], bool],
    /,
    *,
    lang: str,
    profile: str | None,
    stages: str | Sequence[str | Metric] = STAGES,
    low: float | str | Sequence[float] = 0.05,
    high: float | str | Sequence[float] = 0.95,
    calibrations: Any = None,
    precision: str = "fp32",
    device: str = "auto",
    batch_tokens: int = 8192,
    **services: Any,
) -> Metric:
    """Build ``cascade``.

    Args:
        part: A function that builds a stage from its name, a language, a profile and the options of networks and
            services. A stage gets those that it accepts.
        calls: Whether the metric of this name calls a service.
        lang: The language of the answers.
        profile: The profile of the stages that are named.
        stages: Names or built metrics, the least expensive first, or a text of names separated by commas. "typed"
            stands for the rules of ``answersim.typed`` alone.
        low: The probability up to which a stage decides that a pair is different. Give one number for all stages, or
            one for each stage except the rules and the last one, also as a text of numbers separated by commas.
        high: The probability from which on a stage decides that a pair is equivalent. Give it as ``low``.
        calibrations: By the name of a stage, its calibration, the file of one, or "none" if the score is a probability.
            Also a text "NAME=FILE,NAME=FILE". By default, the shipped calibrations of the metric. A stage with two
            calibrations, made without and with questions, has a list of them.
        precision: The precision of the networks.
        device: Where the networks run.
        batch_tokens: The maximum number of tokens that go through a network at a time.
        **services: The options of stages that call a service, such as ``base_url`` and ``model`` of a judge.

    Raises:
        TypeError: If options of a service are given, but no named stage calls one.
        LookupError: If no metric has the name of a stage, no calibration ships for it, or ``calibrations`` names none.
        ValueError: If there are no stages, a name occurs twice, the last stage is the rules, or a cut is outside its
            range.
    """
    from answersim.composite.cascade import Cascade
    from answersim.composite.stages import EVERY, RULES, Stage, calibrated, calibrations_of

    listed = _listed_stages(stages)
    code = language(lang)
    given = calibrations_of(calibrations)
    running: dict[str, Any] = {"precision": precision, "device": device, "batch_tokens": batch_tokens}
    names = [stage if isinstance(stage, str) else stage.signature.split("|", 1)[0] for stage in listed]
    if wrong := [name for name in given if name not in names or name == RULES]:
        raise unknown("calibrated stage", str(wrong[0]), [name for name in names if name != RULES])
    asked = [option for option in services if option != "totals"]
    if asked and not any(isinstance(stage, str) and stage != RULES and calls(stage) for stage in listed):
        raise TypeError(_no_service(asked[0], names, listed))
    own = [i for i, name in enumerate(names[:-1]) if name != RULES]
    of_cuts = [names[i] for i in own]
    lows, highs = _cuts("low", low, of_cuts, 0.0, 0.5), _cuts("high", high, of_cuts, 0.5, 1.0)
    cuts = dict(zip(own, zip(lows, highs, strict=True), strict=True))
    built: list[Stage] = []
    for i, (name, stage) in enumerate(zip(names, listed, strict=True)):
        if stage == RULES:
            built.append(Stage(name, None, *EVERY, lang=code))
            continue
        metric = part(stage, lang, profile, **running, **services) if isinstance(stage, str) else stage
        last = i == len(listed) - 1
        built.append(calibrated(name, metric, given.get(name), cuts.get(i, EVERY), last=last))
    return Cascade(tuple(built), code)


def _no_service(option: str, names: Sequence[str], stages: Sequence[str | Metric]) -> str:
    """Return the message for an option of a service that no stage accepts."""
    built = next((name for name, stage in zip(names, stages, strict=True) if not isinstance(stage, str)), None)
    remedy = (
        "add a stage that does, such as a judge at the end: stages="
        f"{','.join([*names, 'judge'])} (on the command line --option stages=...)"
        if built is None
        else f"give the options to the metric {built!r} when you build it"
    )
    return f"{option} is given, but no stage of the cascade ({', '.join(names)}) calls a service; {remedy}"


def _listed_stages(stages: Any) -> list[str | Metric]:
    if isinstance(stages, str):
        return [name.strip() for name in stages.split(",") if name.strip()]
    listed = arguments.listed("stages", stages, "names or metrics")
    for stage in listed:
        if isinstance(stage, type) or not isinstance(stage, (str, Metric)):
            raise TypeError(f"stages contains {arguments.shown(stage)}, but a stage is a name or a metric")
    return listed


def _cuts(name: str, given: Any, stages: Sequence[str], least: float, most: float) -> list[float]:
    """Return one cut for each of these stages. With cuts outside 0 to 1, such as -1 and 2, no pair is decided."""
    n = len(stages)
    values: list[Any] = given.split(",") if isinstance(given, str) else given
    if isinstance(given, (int, float)):
        values = [given] * n
    listed = arguments.listed(name, values, "numbers")
    if len(listed) == 1 and n != 1:
        listed = listed * n
    if len(listed) != n:
        raise ValueError(
            f"{name} has {len(listed)} cuts, but the stages with cuts are {', '.join(stages) or 'none'} (all but "
            f"'typed' and the last one); give one number for all, or {n}"
        )
    numbers = [arguments.finite(name, float(value) if isinstance(value, str) else value) for value in listed]
    for number in numbers:
        if not (number >= least if most == 1.0 else number <= most):
            rule = "at least 0.5" if most == 1.0 else "at most 0.5"
            raise ValueError(f"{name} is {number}, but it must be {rule}")
    return numbers
