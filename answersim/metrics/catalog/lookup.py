"""The catalog of all named metrics: what each one computes, its source, and how it is built.

An installed package can offer further metrics, called plug-ins, as entry points of the group ``answersim.metrics``. In
its ``pyproject.toml``::

    [project.entry-points."answersim.metrics"]
    length-ratio = "mypackage.metrics:length_ratio"

The contract of an entry point:

* Its name is the name of the metric. It must differ from the names and aliases here, and from those of other plug-ins.
* It points to a function (or a class) that takes the keyword arguments ``lang`` (an ISO 639-1 code) and ``profile`` (a
  string or None). Further keyword-only parameters with defaults are the options of the metric.
* The function returns a metric: see ``answersim.types.Metric``, and ``answersim.metrics.testing.check_metric`` for a
  test. Its ``signature`` is one line that names every setting that can change a number, such as
  ``length-ratio|unit:word|v:1``. It must not begin with the name of another metric.
* The first line of its docstring is shown by ``answersim show``.

A plug-in that breaks the contract raises ``PluginError`` when it is used. The other metrics stay usable.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from answersim._base import arguments
from answersim._base.device import Device
from answersim._base.errors import LanguageWarning, MissingExtraError, PluginError, unknown, warn_user
from answersim.answers.extraction import extractor
from answersim.answers.text import language
from answersim.metrics.catalog import built_metrics
from answersim.metrics.checkpoints.search import ALIASES as MODELS
from answersim.metrics.checkpoints.search import PINNED, install, is_here
from answersim.metrics.composite import extracted
from answersim.metrics.composite import factories as composite
from answersim.metrics.composite import names as names_of_composites
from answersim.metrics.judge import factories as judging
from answersim.metrics.lexical import exact_match, f1, recall
from answersim.metrics.lexical import factories as lexical
from answersim.metrics.neural import factories as neural
from answersim.metrics.neural.engines.choice import engine
from answersim.metrics.official import metric as official
from answersim.metrics.profiles import E5, ENGLISH, MULTILINGUAL, WEIGHTS, WORDS, find_weights
from answersim.types import Metric

ENTRY_POINTS = "answersim.metrics"
DEFAULT_METRIC = "answersim"  # it scores if no metric is named
ALIASES = {"bertscore": "bertscore-trained", "typed": "typed+recall"}
TYPED = names_of_composites.TYPED
OFFICIAL = official.OFFICIAL
COMBINED_PARTS = composite.PARTS
_PLAIN = frozenset(
    (one, other) for one in (str, type(None)) for other in (str, type(None))
)  # types of a key of ``_LIGHT``
_MOST_LIGHT = 1024
_KEYS = (str, int, float, bool, type(None), Device)  # the types of options by which a metric is found again
REMOTE = "remote"  # the kind of metrics that call a service
DEVICE = "device"  # the option of every metric that runs a network, and of no other


@dataclass(frozen=True)
class Entry:
    """The description of a metric and its factory; ``parts`` are the names of the metrics in a composite."""

    name: str
    kind: str
    summary: str
    source: str
    build: Callable[..., Metric]
    parts: tuple[str, ...] = ()


# Lexical metrics without options, by name, language and profile of the request, to find them without any check.
_LIGHT: dict[tuple[str, str | None, str | None], tuple[Entry, Metric]] = {}


def names() -> tuple[str, ...]:
    """Return the names of all metrics of this package that run here, in the order of the tables of the paper.

    Each of them can be built without options. Those of ``remote_names()`` call a service, which options must name.

    >>> names()[:4]
    ('em', 'f1', 'recall', 'containment')
    """
    return tuple(name for name, entry in ENTRIES.items() if entry.kind != REMOTE)


def remote_names() -> tuple[str, ...]:
    """Return the names of the metrics of this package that call a service.

    >>> remote_names()
    ('judge',)
    """
    return tuple(name for name, entry in ENTRIES.items() if entry.kind == REMOTE)


def plug_ins() -> tuple[str, ...]:
    """Return the names of the metrics that installed packages offer, in order. They are checked only when used."""
    return tuple(dict.fromkeys(point.name for point in _points() if not _is_taken(point.name)))


def aliases_of(name: str) -> tuple[str, ...]:
    """Return the other names of this metric.

    >>> aliases_of("bertscore-trained")
    ('bertscore',)
    """
    return tuple(alias for alias, full in ALIASES.items() if full == name)


def entry(name: str) -> Entry:
    """Return the entry of this name, from this package or a plug-in. Raise LookupError for any other name.

    >>> entry("typed+f1").kind, entry("typed+f1").parts
    ('lexical', ('f1',))
    """
    name = ALIASES.get(name, name)
    if name in ENTRIES:
        return ENTRIES[name]
    if name.startswith(TYPED):
        return _typed_entry(name)
    if name.startswith(OFFICIAL):
        return _official_entry(name)
    build = _plugin(name)
    summary = (inspect.getdoc(build) or "a metric of an installed plug-in").splitlines()[0]
    place = f"{getattr(build, '__module__', '?')}.{getattr(build, '__qualname__', type(build).__name__)}"
    return Entry(name, "plug-in", summary, place, build)


def metric(name: str, *, lang: str | None = None, profile: str | None = None, **options: Any) -> Metric:
    """Return the metric of this name. Called with pairs, it returns one number per pair, shape (n,).

    Args:
        name: One of ``names()``, an alias, or the name of an installed plug-in (see the docstring of this module). The
            prefix ``typed+`` selects the same metric, overruled if both answers are typed values. The prefix
            ``official:`` selects a number of the rule of a benchmark (see ``answersim.metrics.official``).
        lang: The language of the answers, an ISO 639-1 code; "en" if None.
        profile: "embedded" or "paper": the weights behind neural metrics, and for lexical metrics the tokenizer of the
            language or of the paper. None means "embedded" for English, and "multilingual" for every other language;
            if its weights are not installed, ``answersim`` compares words and values alone ("words"). For some neural
            metrics also "strong" and "modern" (see ``answersim.metrics.profiles``), which change no lexical metric;
            and for most lexical ones "squad" and "unicode" (see ``answersim.answers.text``). It is an error with a
            metric that lacks this profile, and together with ``model=``.
        options: Settings of this metric, such as ``layer=`` or ``model=``. The error for an unknown one lists them.
            Every metric has ``extract=``, the rule that reads the final answer out of predictions ("auto", "boxed", an
            expression ...; see ``answersim.answers.extraction``), and ``extract_gold=``, the same for gold answers.

    Raises:
        LookupError: If no metric, profile or language has this name, or the metric does not have the profile.
        TypeError: If the metric has no such option, an option has the wrong type, or both profile and model are given.
        PluginError: If an installed plug-in breaks its contract.
        MissingExtraError, CheckpointNotFoundError, ChecksumError: If a package or the weights of a neural metric are
            missing or damaged.

    >>> pairs = [("National Football League", "the Football League")]
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
    if extracted.OPTIONS[0] in options or extracted.OPTIONS[1] in options:
        return _extracted(name, lang, profile, options)
    lang = "en" if lang is None else lang
    language(lang)  # a mistyped language is an error for every metric, also for those that do not use it
    if profile is not None:
        profile = arguments.text("profile", profile, "paper")
    full = ALIASES.get(name, name)
    if full.startswith(TYPED):
        own = {option: options.pop(option) for option in composite.TYPED_OPTIONS if option in options}
        built = composite.typed(metric(_base(full), lang=lang, profile=profile, **options), lang, **own)
        return _kept(key, _base(full), built)
    if full.startswith(OFFICIAL):
        return official.build(full, lang=lang, profile=profile, **options)
    allowed = accepted_options(full)
    if wrong := [option for option in options if option not in allowed]:
        has = f"its options are {', '.join(allowed)}" if allowed else "it has none"
        why = ": a device is for metrics that run a network" if wrong[0] == DEVICE else ""
        raise TypeError(f"the metric {name!r} has no option {wrong[0]!r}; {has}{why}")
    if full not in ENTRIES:
        return _plugged(full, lang, profile, options)
    checked = {option: _checked(full, option, value) for option, value in options.items()}
    if profile is not None and checked.get("model") is not None and ENTRIES[full].kind != REMOTE:
        raise TypeError(
            f"model is {checked['model']!r} and profile is {profile!r}, but either names the weights of {name}; give "
            "one of them"
        )
    if checked.get("model") is None:
        profile = selected_profile(full, lang, profile, warn=True)
        _warn_language(full, language(lang), profile)
    built = _reused(full, lang, profile, checked)
    return _kept(key, full, built)


def _kept(key: Any, base: str, built: Metric) -> Metric:
    """Return a metric that was built, and find it again at once if it is lexical and has no options."""
    if key is not None and base in ENTRIES and ENTRIES[base].kind == "lexical":
        if len(_LIGHT) >= _MOST_LIGHT:
            _LIGHT.clear()
        _LIGHT[key] = ENTRIES[base], built
    return built


def _extracted(name: str, lang: str | None, profile: str | None, options: Mapping[str, Any]) -> Metric:
    """Return a metric on final answers; the metric itself if neither rule is given."""
    base = metric(
        name,
        lang=lang,
        profile=profile,
        **{option: value for option, value in options.items() if option not in extracted.OPTIONS},
    )
    rule, of_gold = (extractor(options.get(option)) for option in extracted.OPTIONS)
    if rule is not None:
        return extracted.ExtractedMetric(base, rule, of_gold)
    if of_gold is not None:
        raise TypeError("extract_gold is given without extract, the rule for predictions; give both")
    return base


def _base(name: str) -> str:
    """Return the name of the metric in ``typed+NAME``. Raise LookupError if that is a name of the same form."""
    base = ALIASES.get(name.removeprefix(TYPED), name.removeprefix(TYPED))
    if base.startswith(TYPED):
        raise LookupError(f"the metric {name!r} would be overruled twice by the same rules; use {base!r}")
    return base


def _typed_entry(name: str) -> Entry:
    """Return the entry of ``typed+NAME``."""
    base = entry(_base(name))
    kind = "lexical" if base.kind == "lexical" else "composite"
    summary = f"{base.name}; 1 and 0 where the rules of answersim.answers.typed find equal and different values"
    return Entry(
        f"{TYPED}{base.name}",
        kind,
        summary,
        f"ours (answersim.answers.typed); {base.source}",
        _by_name(name),
        (base.name,),
    )


def _official_entry(name: str) -> Entry:
    """Return the entry of ``official:NAME``."""
    found = official.official_profile(name)
    return Entry(f"{OFFICIAL}{found.name}", "lexical", f"{found.benchmark}: {found.rule}", found.source, _by_name(name))


def _by_name(name: str) -> Callable[..., Metric]:
    def build(*, lang: str, profile: str | None, **options: Any) -> Metric:
        return metric(name, lang=lang, profile=profile, **options)

    return build


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
    """Return the metric with these settings that was built before if it is still up to date, else build it.

    The key is the whole request. The metric also depends on the entry, on the weights of the profile, and on their
    files.
    """
    entry = ENTRIES[name]

    def build() -> Metric:
        return entry.build(lang=lang, profile=profile, **options)

    settings = _as_key(options)
    if settings is None or entry.kind == REMOTE:  # it depends on a prompt, a record and a service
        return build()
    if entry.kind == "lexical":
        return built_metrics.reuse((name, lang, profile, settings), entry, build)
    of_profile = tuple(
        find_weights(part, lang, _part_profile(part, lang, profile))
        for part in parts_of(name, profile) or (name,)
        if part in WEIGHTS
    )
    files = [options["baseline"]] if options.get("baseline") is not None else []
    if entry.parts:
        files.append(os.fspath(composite.weights_file(profile)))
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
    if name.startswith(OFFICIAL):
        return official.options_of(name)
    own = composite.TYPED_OPTIONS if ALIASES.get(name, name).startswith(TYPED) else ()
    return (*_options(_factory(name)), *own)


def accepted_options(name: str) -> tuple[str, ...]:
    """Return ``options_of`` a metric, and those of every metric."""
    return (*options_of(name), *extracted.OPTIONS)


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
    if ENTRIES[name].kind == REMOTE:  # its factory checks all
        return value
    if option not in _CHECKS or (value is None and _options(ENTRIES[name].build)[option] is None):
        return value
    return _CHECKS[option](option, value)


def network_options(names: Iterable[str], device: str | Device | None = None) -> dict[str, dict[str, Device]]:
    """Return, for each metric, the option of its network: the device, or none.

    ``names``: the metrics that are used together. Raise TypeError if a device is given, but none of the metrics runs a
    network. Raise LookupError if no metric or device has one of these names, ValueError as ``Device.of``.

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
    return tuple(name for name in names() if reads_question(name))


def reads_question(name: str, lang: str = "en", profile: str | None = None) -> bool:
    """Return whether the weights of this metric, or of a part of it, were trained to read the question too."""
    from answersim.metrics.neural.adapter import reads_question as trained_so

    name = ALIASES.get(name, name)
    if name.startswith(TYPED):
        return reads_question(_base(name), lang, profile)
    profile = selected_profile(name, lang, profile)
    if name.startswith(OFFICIAL):
        return False
    if name in ENTRIES and ENTRIES[name].kind == REMOTE:
        return True  # their default prompt has a place for it
    parts = parts_of(name, profile) if name in ENTRIES else ()
    weights = find_weights(name, lang, profile) if name in WEIGHTS else None
    reads = weights is not None and weights.adapter is not None and trained_so(weights.adapter)
    return reads or any(reads_question(part, lang, profile) for part in parts)


def _factory(name: str) -> Callable[..., Metric]:
    """Return the factory of a metric. For ``typed+NAME``, this is the factory of the base, with the same options."""
    name = ALIASES.get(name, name)
    if name.startswith(TYPED):
        name = _base(name)
    known = ENTRIES.get(name)
    if name.startswith(OFFICIAL):
        return entry(name).build
    return _plugin(name) if known is None else known.build


def _is_taken(name: str) -> bool:
    """Return whether no plug-in can have this name."""
    return name in ENTRIES or name in ALIASES or name.startswith((TYPED, OFFICIAL))


def _points() -> list[EntryPoint]:
    return list(entry_points(group=ENTRY_POINTS))


def clashes() -> dict[str, str]:
    """Return the plug-ins that cannot be used because of their name: the origin of each by its name."""
    return {point.name: _origin(point) for point in _points() if _is_taken(point.name)}


def _plugin(name: str) -> Callable[..., Metric]:
    """Return the checked factory that an installed package offers under this name. It never shadows a built-in name."""
    points = [point for point in _points() if point.name == name]
    if not points:
        raise unknown("metric", name, [*ENTRIES, *ALIASES, *plug_ins()])
    if len({point.value for point in points}) > 1:
        raise PluginError(
            f"{len(points)} plug-ins are called {name!r}: {', '.join(map(_origin, points))}; uninstall all but one"
        )
    point = points[0]
    try:
        build = point.load()
    except (Exception, SystemExit) as error:  # the import of another package may raise anything
        raise _broken(point, f"cannot be imported ({type(error).__name__}: {error})", "install it again") from error
    must = "a function that takes lang= and profile= and returns a metric"
    if not callable(build):
        raise _broken(point, f"is {arguments.shown(build)}", f"it must be {must}")
    try:
        parameters = inspect.signature(build)
    except (TypeError, ValueError) as error:
        raise _broken(point, f"has parameters that cannot be read ({error})", f"it must be {must}") from error
    try:
        parameters.bind(lang="en", profile=None)
    except TypeError as error:
        raise _broken(point, f"has the parameters {parameters} ({error})", f"it must be {must}") from error
    return build


def _plugged(name: str, lang: str, profile: str | None, options: Mapping[str, Any]) -> Metric:
    """Return the metric of a plug-in, checked."""
    build = _plugin(name)
    point = next(point for point in _points() if point.name == name)
    try:
        built = build(lang=lang, profile=profile, **options)
        signed = getattr(built, "signature", None)
    except (Exception, SystemExit) as error:
        keywords = ", ".join(f"{key}={value!r}" for key, value in {"lang": lang, "profile": profile, **options}.items())
        raise _broken(point, f"failed for {keywords}", f"{type(error).__name__}: {error}") from error
    if isinstance(built, type) or not isinstance(built, Metric):
        raise _broken(
            point,
            f"returned {arguments.shown(built)}",
            "it must return a metric: an object with a signature that is called with pairs",
        )
    if not isinstance(signed, str) or not signed.strip() or len(signed.splitlines()) != 1:
        raise _broken(
            point,
            f"returned a metric with the signature {arguments.shown(signed)}",
            f"a signature is one line of text, such as '{name}|v:1'",
        )
    begins = signed.partition("|")[0].strip()
    if _is_taken(begins) and not type(built).__module__.startswith("answersim."):
        raise _broken(
            point,
            f"returned a metric with the signature {signed!r}, which begins with the name of a metric of answersim",
            f"its scores would be used as those of {begins}; begin the signature with {name!r}",
        )
    return built


def _origin(point: EntryPoint) -> str:
    """Return the target of an entry point and the package that it belongs to."""
    package = getattr(point, "dist", None)
    return point.value if package is None else f"{point.value} of the package {package.name} {package.version}"


def _broken(point: EntryPoint, what: str, remedy: str) -> PluginError:
    return PluginError(f"the plug-in {point.name!r} ({_origin(point)}) {what}; {remedy}")


def selected_profile(name: str, lang: str | None, profile: str | None, *, warn: bool = False) -> str | None:
    """Return the profile of the weights of a metric for a language. A profile that is given is never replaced.

    ``warn``: whether to warn that the weights for other languages than English are not installed.
    """
    code = language(lang or "en")
    known = ENTRIES.get(ALIASES.get(name, name))
    if profile is not None or code == "en" or known is None or not (known.parts or known.name in WEIGHTS):
        return profile
    if not known.parts or is_installed(MULTILINGUAL):
        return MULTILINGUAL
    if warn:
        why = f"{known.name} compares words and values alone in {code!r}, because no weights for it are installed"
        warn_user(LanguageWarning(f"{why}: {install(PINNED[MODELS[E5]])}"), once=True)
    return WORDS


def parts_of(name: str, profile: str | None) -> tuple[str, ...]:
    """Return the names of the metrics in a composite metric with the weights of a profile; () for any other metric."""
    found = entry(name)
    return composite.parts_of(profile) if found.name in ENTRIES and found.parts else found.parts


def is_installed(profile: str) -> bool:
    """Return whether this machine has an engine and all weights of ``answersim`` in a profile."""
    if not composite.weights_file(profile).is_file():
        return False
    try:
        engine(DEFAULT_METRIC)
    except MissingExtraError:
        return False
    behind = [find_weights(part, "en", profile) for part in composite.parts_of(profile) if part in WEIGHTS]
    return all(
        weights is not None and is_here(weights.model) and (weights.adapter is None or weights.adapter.is_dir())
        for weights in behind
    )


def _warn_language(name: str, code: str, profile: str | None) -> None:
    """Warn once per place if the weights of this metric were not made for the language of the answers."""
    combined = bool(ENTRIES[name].parts)
    profile = profile or "embedded"
    if code == "en" or profile not in ENGLISH or not (combined or name in WEIGHTS):
        return
    ways = ["no profile, or profile='multilingual'"] if combined or MULTILINGUAL in WEIGHTS[name] else []
    ways += [] if combined else ["a model= for that language"]
    what = f"the weights of the profile {profile!r} are English; {name} is weak in {code!r}"
    warn_user(LanguageWarning(f"{what}. Better: {' or '.join(ways)}"), once=True)


_SAS_PAPER = "Mustafazade & Ebbinghaus 2022"

TRAINED_ON_NAMES = (
    Entry(
        "bi-encoder-names",
        "neural",
        "cosine of sentence vectors by an encoder trained further on personal names, -1 to 1",
        f"{_SAS_PAPER}, sections 3.2 and 4, Table 2",
        neural.bi_encoder("bi-encoder-names"),
    ),
    Entry(
        "bertscore-names",
        "neural",
        "bounded BERTScore F1 of the last layer of an encoder trained further on personal names",
        f"Zhang et al. 2020; {_SAS_PAPER}, sections 3.2 and 4, Table 2",
        neural.bertscore("bertscore-names"),
    ),
)

TRAINED_ON_ANSWERS = (
    Entry(
        "sas-answers",
        "neural",
        "is the prediction right? a cross-encoder trained further on judged answers, with their questions, 0 to 1",
        "ours; Risch et al. 2021",
        neural.cross_encoder("sas-answers"),
    ),
    Entry(
        "bi-encoder-answers",
        "neural",
        "cosine of sentence vectors by an encoder trained further on answers, names, numbers and words, -1 to 1",
        "ours; as Reimers & Gurevych 2019, with the loss of Su 2022 (CoSENT)",
        neural.bi_encoder("bi-encoder-answers"),
    ),
    Entry(
        "bertscore-answers",
        "neural",
        "bounded BERTScore F1 of the last layer of an encoder trained further on answers, names, numbers and words",
        "ours; Zhang et al. 2020",
        neural.bertscore("bertscore-answers"),
    ),
)


def build_part(name: str, lang: str = "en", profile: str | None = None, *, device: str | Device = Device()) -> Metric:
    """Return a part of ``answersim``.

    ``lang``: the language of the answers. A part gives no warning about it; the whole does. ``profile``: the profile of
    the whole. A part for which it has no weights has those of "embedded". ``device``: where a neural part runs.
    """
    if ENTRIES[name].kind != "neural":
        return _reused(name, lang, None, {})
    return _reused(name, lang, _part_profile(name, lang, profile), {DEVICE: Device.of(device)})


def _part_profile(name: str, lang: str, profile: str | None) -> str | None:
    """Return the profile that selects the weights of a part of a combined metric."""
    if profile == MULTILINGUAL:  # no part has English weights then
        return profile
    return profile if name in WEIGHTS and find_weights(name, lang, profile) is not None else None


ENTRIES: dict[str, Entry] = {
    item.name: item
    for item in (
        Entry(
            "em",
            "lexical",
            "exact match of the normalized answers, 0 or 1; the SQuAD rule drops signs and points, so -5 matches 5; "
            "with profile=squad as official:squad, squad2, musique, hotpotqa",
            "Rajpurkar et al. 2018, SQuAD v2 evaluation script",
            lexical.answer_tokens("em", exact_match.exact_match, exact_match.REVISION, "binary", reference=True),
        ),
        Entry(
            "f1",
            "lexical",
            "harmonic mean of token precision and recall, 0 to 1; tokens as of em; with profile=squad, it equals the "
            "F1 of official:squad2 and musique",
            "Rajpurkar et al. 2018, SQuAD v2 evaluation script",
            lexical.answer_tokens("f1", f1.f1, f1.REVISION, reference=True),
        ),
        Entry(
            "recall",
            "lexical",
            "share of the tokens of the gold answer that the prediction contains, 0 to 1; for answers in full "
            "sentences",
            "the recall inside the F1 of SQuAD (Rajpurkar et al. 2018)",
            lexical.answer_tokens("recall", recall.recall, recall.REVISION),
        ),
        Entry(
            "containment",
            "lexical",
            "does the prediction contain the gold answer, as whole words in a row after normalization, 0 or 1",
            "answer-string accuracy of open-domain question answering",
            lexical.answer_tokens(
                "containment", recall.containment, recall.CONTAINMENT_REVISION, "binary", match="words"
            ),
        ),
        Entry(
            "bleu",
            "lexical",
            "sentence BLEU with effective order and exponential smoothing, 0 to 1",
            "Papineni et al. 2002; Post 2018 (sacrebleu)",
            lexical.bleu,
        ),
        Entry(
            "bleu-paper",
            "lexical",
            "BLEU-4 as the SAS paper recorded it: white-space tokens, no smoothing, gold as hypothesis; mostly 0",
            f"Papineni et al. 2002; {_SAS_PAPER}, Tables 2 and 3",
            lexical.bleu_paper,
        ),
        Entry(
            "rouge-l",
            "lexical",
            "F-measure of the longest common subsequence of words, 0 to 1",
            "Lin 2004 (rouge_score)",
            lexical.rouge_l,
        ),
        Entry(
            "meteor",
            "lexical",
            "words aligned by form, stem and WordNet synonym, with a penalty for fragments, 0 to 1",
            "Banerjee & Lavie 2005; Lavie & Agarwal 2007 (NLTK)",
            lexical.meteor,
        ),
        Entry(
            "bi-encoder",
            "neural",
            "cosine of the sentence vectors of the two answers, -1 to 1",
            f"Reimers & Gurevych 2019; {_SAS_PAPER}, section 4",
            neural.bi_encoder("bi-encoder"),
        ),
        Entry(
            "bertscore-vanilla",
            "neural",
            "bounded BERTScore F1 of layer 2 of a general encoder",
            f"Zhang et al. 2020; {_SAS_PAPER}, section 4",
            neural.bertscore("bertscore-vanilla"),
        ),
        Entry(
            "bertscore-trained",
            "neural",
            "bounded BERTScore F1 of the last layer of an encoder trained for sentence similarity",
            f"Zhang et al. 2020; {_SAS_PAPER}, section 4",
            neural.bertscore("bertscore-trained"),
        ),
        Entry(
            "sas",
            "neural",
            "semantic answer similarity by a cross-encoder that reads both answers at once, 0 to 1",
            f"Risch et al. 2021; {_SAS_PAPER}, section 4",
            neural.cross_encoder("sas"),
        ),
        *TRAINED_ON_NAMES,
        *TRAINED_ON_ANSWERS,
        Entry(
            "answersim",
            "composite",
            "probability of a small monotone model of lexical and neural scores, fitted on judged answers, 0 to 1",
            "ours; see answersim.metrics.composite.ensemble",
            partial(composite.answersim, build_part),
            COMBINED_PARTS,
        ),
        Entry(
            "judge",
            REMOTE,
            "is the prediction right? the verdict of a language model on a server, or of its record, 0 to 1",
            "ours; any server with the /chat/completions of OpenAI, see answersim.metrics.judge",
            judging.judge,
        ),
    )
}
