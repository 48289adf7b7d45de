"""Every metric that has a name: what it computes, what stands behind it in each profile, how it is built.

An installed package can offer further metrics, called plug-ins, as entry points of the group ``answersim.metrics``. In
its ``pyproject.toml``::

    [project.entry-points."answersim.metrics"]
    length-ratio = "mypackage.metrics:length_ratio"

The contract of an entry point:

* Its name is the name of the metric. It must differ from the names and aliases here, and from those of other plug-ins.
* It points to a function (or a class) that takes the keyword arguments ``lang`` (an ISO 639-1 code) and ``profile`` (a
  string or None). Further keyword-only parameters with defaults are the options of the metric.
* The function returns a metric: see ``answersim.types.Metric``, and ``answersim.testing.check_metric`` for a test. Its
  ``signature`` is one line that names every setting that can change a number, such as ``length-ratio|unit:word|v:1``.
* The first line of its docstring is shown by ``answersim list``.

A plug-in that breaks the contract raises ``PluginError`` when it is used. The other metrics stay usable.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answersim import arguments
from answersim.checkpoints import MODELS_VARIABLE, Checkpoint, find, has_weights
from answersim.concurrency import importing
from answersim.errors import (
    CheckpointNotFoundError,
    LanguageWarning,
    MissingExtraError,
    PluginError,
    unknown,
    warn_user,
)
from answersim.lexical.bleu import bleu, bleu_paper, bleu_words
from answersim.lexical.exact_match import exact_match
from answersim.lexical.f1 import f1
from answersim.lexical.recall import containment, recall
from answersim.lexical.rouge_l import rouge_l, rouge_words
from answersim.lexical.token_metric import TokenMetric
from answersim.text import PROFILES as TEXT_PROFILES
from answersim.text import Tokenizer, language, tokenizer
from answersim.types import Metric

if TYPE_CHECKING:
    from answersim.lexical.meteor import Order
    from answersim.neural.transformer import Transformer

ENTRY_POINTS = "answersim.metrics"
PROFILES = ("embedded", "paper")
ALIASES = {"bertscore": "bertscore-trained"}
RUNNING = ("device", "precision", "batch_tokens")  # options of every metric that runs a network, and of no other

MINILM = "all-MiniLM-L6-v2"
T_SYSTEMS = "T-Systems-onsite/cross-en-de-roberta-sentence-transformer"
SHIPPED = Path(__file__).parent / "neural" / "adapters"
SAS_ADAPTER = SHIPPED / "sas-minilm"
NAMES_ADAPTER = SHIPPED / "names-minilm"
ANSWERS_ADAPTER = SHIPPED / "answers-minilm"
NAMES_PAPER = "cross-en-de-roberta-sentence-transformer-names"  # our name: the paper's own weights have none


@dataclass(frozen=True)
class Weights:
    """What stands behind a neural metric in a profile.

    Attributes:
        model: The name of a checkpoint.
        layer: Whose token states are compared; None for metrics without a choice, or for the model's own.
        adapter: A folder with an adapter that is added into the weights.
        order: In which order a cross-encoder reads the answers, where it is not "gold-pred".
        public: Whether the checkpoint can be had on the hub; else only its owner has it, in a folder.
    """

    model: str
    layer: int | None = None
    adapter: Path | None = None
    order: str | None = None
    public: bool = True


# By metric, profile and language; "*" serves every language that has no entry of its own.
WEIGHTS: dict[str, dict[str, dict[str, Weights]]] = {
    "bi-encoder": {
        "embedded": {"*": Weights(MINILM)},
        "paper": {"en": Weights(T_SYSTEMS), "de": Weights(T_SYSTEMS)},
    },
    "bertscore-vanilla": {
        "embedded": {"*": Weights(MINILM, layer=2)},
        "paper": {
            "en": Weights("bert-base-uncased", layer=2),
            "de": Weights("deepset/gelectra-base", layer=2),
        },
    },
    "bertscore-trained": {
        "embedded": {"*": Weights(MINILM, layer=6)},
        "paper": {"en": Weights(T_SYSTEMS, layer=12), "de": Weights(T_SYSTEMS, layer=12)},
    },
    "sas": {
        "embedded": {"*": Weights(MINILM, adapter=SAS_ADAPTER, order="mean")},
        "paper": {
            "en": Weights("cross-encoder/stsb-roberta-large"),
            "de": Weights("deepset/gbert-large-sts"),
        },
    },
    "bi-encoder-names": {
        "embedded": {"*": Weights(MINILM, adapter=NAMES_ADAPTER)},
        "paper": {each: Weights(NAMES_PAPER, public=False) for each in ("en", "de")},
    },
    "bertscore-names": {
        "embedded": {"*": Weights(MINILM, layer=6, adapter=NAMES_ADAPTER)},
        "paper": {each: Weights(NAMES_PAPER, layer=12, public=False) for each in ("en", "de")},
    },
    "bi-encoder-answers": {"embedded": {"*": Weights(MINILM, adapter=ANSWERS_ADAPTER)}},
    "bertscore-answers": {"embedded": {"*": Weights(MINILM, layer=6, adapter=ANSWERS_ADAPTER)}},
}


@dataclass(frozen=True)
class Entry:
    """A metric's name and what a reader wants to know of it; ``parts`` are the names that a combined one is made of."""

    name: str
    kind: str
    summary: str
    source: str
    build: Callable[..., Metric]
    parts: tuple[str, ...] = ()


def names() -> tuple[str, ...]:
    """The names of all metrics that ship, in the order of the paper's tables.

    >>> names()[:4]
    ('em', 'f1', 'recall', 'containment')
    """
    return tuple(ENTRIES)


def plug_ins() -> tuple[str, ...]:
    """Return the names of the metrics that installed packages offer, in order; whether they work shows when used."""
    return tuple(dict.fromkeys(each.name for each in _points() if each.name not in _taken()))


def aliases_of(name: str) -> tuple[str, ...]:
    """Return the other names of this metric.

    >>> aliases_of("bertscore-trained")
    ('bertscore',)
    """
    return tuple(alias for alias, full in ALIASES.items() if full == name)


def entry(name: str) -> Entry:
    """What is known of this name, ours or a plug-in's; LookupError with the nearest known name for any other."""
    name = ALIASES.get(name, name)
    if name in ENTRIES:
        return ENTRIES[name]
    build = _plugin(name)
    told = (inspect.getdoc(build) or "a metric of an installed plug-in").splitlines()[0]
    place = f"{getattr(build, '__module__', '?')}.{getattr(build, '__qualname__', type(build).__name__)}"
    return Entry(name, "plug-in", told, place, build)


def metric(name: str, *, lang: str | None = None, profile: str | None = None, **options: Any) -> Metric:
    """The metric of this name: called with pairs it returns one number a pair, shape (n,).

    Args:
        name: One of ``names()``, an alias, or the name of an installed plug-in (see this module's docstring).
        lang: The language of the answers, an ISO 639-1 code; "en" if None.
        profile: "embedded" (which None means) or "paper": the weights behind neural metrics, and for lexical ones the
            words of the language or the paper's own. For most lexical metrics also "squad" and "unicode" (see
            ``answersim.text``). A metric without this profile refuses it, and so does one with a ``model=``.
        options: Settings of this metric, such as ``layer=`` or ``model=``; an unknown one is an error that lists them.

    Raises:
        LookupError: No metric, profile or language has this name, or the metric does not have the profile.
        TypeError: The metric has no such option, an option has the wrong type, or both profile and model are given.
        PluginError: An installed plug-in does not keep its contract.
        MissingExtraError, CheckpointNotFoundError, ChecksumError: What a neural metric needs is missing or damaged.

    >>> float(metric("f1")([("National Football League", "the Football League")])[0])
    0.8
    """
    if not isinstance(name, str):
        raise TypeError(
            f"a metric is asked for by its name, not by {arguments.shown(name)}; known: {', '.join(ENTRIES)}"
        )
    lang = "en" if lang is None else lang
    language(lang)  # a mistyped language is an error for every metric, also for those that do not use it
    if profile is not None:
        profile = arguments.text("profile", profile, "paper")
    full = ALIASES.get(name, name)
    allowed = options_of(full)
    if wrong := [option for option in options if option not in allowed]:
        has = f"its options are {', '.join(allowed)}" if allowed else "it has none"
        why = f": {', '.join(RUNNING)} are for metrics that run a network" if wrong[0] in RUNNING else ""
        raise TypeError(f"the metric {name!r} has no option {wrong[0]!r}; {has}{why}")
    if full not in ENTRIES:
        return _plugged(full, lang, profile, options)
    checked = {option: _checked(full, option, value) for option, value in options.items()}
    if profile is not None and checked.get("model") is not None:
        raise TypeError(
            f"model is {checked['model']!r} and profile is {profile!r}, but either names the weights of {name}; give "
            "one of them"
        )
    if checked.get("model") is None:
        _warn_language(full, language(lang), profile)
    return ENTRIES[full].build(lang=lang, profile=profile, **checked)


def options_of(name: str) -> tuple[str, ...]:
    """The settings that the metric of this name takes, besides ``lang`` and ``profile``.

    >>> options_of("f1"), options_of("meteor")
    ((), ('alpha', 'beta', 'gamma', 'order', 'words'))
    """
    return tuple(_options(_factory(name)))


def _options(build: Callable[..., Metric]) -> dict[str, Any]:
    """The options that this factory takes, and their defaults."""
    return {
        each.name: each.default
        for each in inspect.signature(build).parameters.values()
        if each.kind is each.KEYWORD_ONLY and each.name not in ("lang", "profile")
    }


# What the values of options are; those of METEOR are checked there.
_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("pooling", "precision", "device", "measure", "order", "activation", "words"), arguments.text),
    **dict.fromkeys(("model", "adapter", "baseline"), arguments.path),
    **dict.fromkeys(("max_length", "layer", "batch_tokens"), arguments.whole),
    "idf": arguments.texts,
}


def _checked(name: str, option: str, value: Any) -> Any:
    """The value of an option in its own type; None stands for what the option is without it, where that is None."""
    if option not in _CHECKS or (value is None and _options(ENTRIES[name].build)[option] is None):
        return value
    return _CHECKS[option](option, value)


def running(
    names: Iterable[str],
    device: str | None = None,
    precision: str | None = None,
    batch_tokens: int | None = None,
) -> dict[str, dict[str, Any]]:
    """The options of each of these metrics, by name, that say how networks run: those given that the metric takes.

    Args:
        names: The metrics that are asked for together; those that run no network stay as they are.
        device: Where networks run: "auto" (a GPU where there is one), "cpu", "cuda" or "mps". It is not signed.
        precision: Of their numbers: "fp32", "bf16" or "fp16". It changes digits, so it is signed.
        batch_tokens: Most tokens that go through a network at a time. It is not signed.

    Raises:
        TypeError: One is given, but none of the metrics takes it.
        LookupError: No metric has one of these names.

    >>> running(["f1", "sas"], precision="bf16")
    {'f1': {}, 'sas': {'precision': 'bf16'}}
    """
    asked = dict(zip(RUNNING, (device, precision, batch_tokens), strict=True))
    given = {option: value for option, value in asked.items() if value is not None}
    taken = {name: {option: given[option] for option in options_of(name) if option in given} for name in names}
    for option in given:
        if not any(option in options for options in taken.values()):
            asked_for = f"{', '.join(taken)} runs no network" if taken else "no metric is asked for by name"
            value = given[option]
            told = repr(value) if isinstance(value, (str, int)) else arguments.shown(value)
            raise TypeError(f"{option} is {told}, but {asked_for}; leave it out, or ask for a neural metric too")
    return taken


def names_that_read_questions() -> tuple[str, ...]:
    """The metrics that ship and, as they come, read the question beside the two answers."""
    return tuple(name for name in ENTRIES if reads_question(name))


def reads_question(name: str, lang: str = "en", profile: str | None = None) -> bool:
    """Whether the weights behind this metric, or behind a part of it, were trained to read the question too."""
    from answersim.neural.adapter import reads_question as trained_so

    name = ALIASES.get(name, name)
    parts = ENTRIES[name].parts if name in ENTRIES else ()
    behind = _behind_name(name, lang, profile) if name in WEIGHTS else None
    own = behind is not None and behind.adapter is not None and trained_so(behind.adapter)
    return own or any(reads_question(part, lang, profile) for part in parts)


def _factory(name: str) -> Callable[..., Metric]:
    name = ALIASES.get(name, name)
    return ENTRIES[name].build if name in ENTRIES else _plugin(name)


def _taken() -> tuple[str, ...]:
    """The names that no plug-in can have."""
    return (*ENTRIES, *ALIASES)


def _points() -> list[EntryPoint]:
    return list(entry_points(group=ENTRY_POINTS))


def clashes() -> dict[str, str]:
    """Return the plug-ins that cannot be used because of their name: by the name, where they come from."""
    return {each.name: _origin(each) for each in _points() if each.name in _taken()}


def _plugin(name: str) -> Callable[..., Metric]:
    """The factory that an installed package offers under this name, checked; it can never shadow a name of ours."""
    points = [each for each in _points() if each.name == name]
    if not points:
        raise unknown("metric", name, [*ENTRIES, *ALIASES, *plug_ins()])
    if len({each.value for each in points}) > 1:
        raise PluginError(
            f"{len(points)} plug-ins are called {name!r}: {', '.join(map(_origin, points))}; uninstall all but one"
        )
    point = points[0]
    try:
        build = point.load()
    except (Exception, SystemExit) as error:  # the code of another package may do anything when it is imported
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
    """The metric of a plug-in, checked."""
    build = _plugin(name)
    point = next(each for each in _points() if each.name == name)
    try:
        built = build(lang=lang, profile=profile, **options)
        signed = getattr(built, "signature", None)
    except (Exception, SystemExit) as error:
        asked = ", ".join(f"{key}={value!r}" for key, value in {"lang": lang, "profile": profile, **options}.items())
        raise _broken(point, f"failed for {asked}", f"{type(error).__name__}: {error}") from error
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
    return built


def _origin(point: EntryPoint) -> str:
    """Where a plug-in comes from: what its entry point names, and the package that has the entry point."""
    package = getattr(point, "dist", None)
    return point.value if package is None else f"{point.value} of the package {package.name} {package.version}"


def _broken(point: EntryPoint, what: str, remedy: str) -> PluginError:
    return PluginError(f"the plug-in {point.name!r} ({_origin(point)}) {what}; {remedy}")


def _answer_words(name: str, similarity: Callable[..., float], **settings: str) -> Callable[..., Metric]:
    def build(*, lang: str, profile: str | None) -> Metric:
        return TokenMetric(name, tokenizer(lang, profile), similarity, tuple(settings.items()))

    return build


def _rouge_l(*, lang: str, profile: str | None) -> Metric:
    return TokenMetric("rouge-l", rouge_words(lang, profile), rouge_l)


def _bleu(*, lang: str, profile: str | None) -> Metric:
    _check_profile("bleu", profile, TEXT_PROFILES)
    return TokenMetric("bleu", bleu_words(lang, profile), bleu)


def _bleu_paper(*, lang: str, profile: str | None) -> Metric:
    _check_profile("bleu-paper", profile, ("embedded", "paper"))
    return TokenMetric("bleu-paper", Tokenizer("white-space", str.split), bleu_paper)


def _meteor(
    *,
    lang: str,
    profile: str | None,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
    order: Order | None = None,
    words: str | None = None,
) -> Metric:
    from answersim.lexical.meteor import Meteor

    _check_profile("meteor", profile, ("embedded", "paper", "squad"))
    if profile == "squad" and language(lang) == "en":
        words = words or "nltk-3.10"
    if profile == "paper":  # it gave METEOR the gold answer as hypothesis, and had the words of NLTK 3.6
        order = order or "pred-gold"
        words = words or ("nltk-2021" if language(lang) == "en" else None)
    return Meteor(language(lang), alpha, beta, gamma, order or "gold-pred", words)


def _check_profile(name: str, profile: str | None, own: tuple[str, ...], hint: str = "") -> None:
    """LookupError for a profile that does not exist, or that this metric does not have."""
    if profile not in (None, *TEXT_PROFILES):
        raise unknown("profile", profile, TEXT_PROFILES)
    if profile not in (None, *own):
        raise LookupError(
            f"{name} has no profile {profile!r}, only {', '.join(own)}: its tokens are those of its source; leave "
            f"the profile out{hint}"
        )


def weights(name: str, lang: str = "en", profile: str | None = None) -> Weights:
    """What stands behind this neural metric in this profile; LookupError where it has none for the language."""
    profile = profile or "embedded"
    if profile not in PROFILES:
        raise unknown("profile of weights", profile, PROFILES)
    found = _behind_name(name, lang, profile)
    if found is None:
        others = ", ".join(WEIGHTS[name].get(profile, {}))
        raise LookupError(
            f"the profile {profile!r} has no {name}"
            + (f" for the language {lang!r}, only for {others}" if others else "")
            + "; choose the weights with model="
        )
    return found


def _warn_language(name: str, code: str, profile: str | None) -> None:
    """Warn once a place if the weights behind this metric were not made for the language of the answers."""
    combined = bool(ENTRIES[name].parts)
    if code == "en" or profile not in (None, "embedded") or not (combined or name in WEIGHTS):
        return
    ways = []
    others = [name] if name in WEIGHTS else [part for part in ENTRIES[name].parts if part in WEIGHTS]
    of_paper = [each for each in others if (behind := _in_paper(each, code)) and behind.public]
    if combined:
        ways = [f"{each} with profile='paper'" for each in of_paper[:1]]
        ways.append("a neural metric with a model= for that language")
    else:
        ways = ["profile='paper'"] if of_paper else []
        ways.append("a model= for that language")
    what = f"the weights of the profile 'embedded' are English; {name} is weak in {code!r}"
    warn_user(LanguageWarning(f"{what}. Better: {' or '.join(ways)}"), once=True)


def _in_paper(name: str, code: str) -> Weights | None:
    return WEIGHTS[name].get("paper", {}).get(code)


def _behind_name(name: str, lang: str, profile: str | None) -> Weights | None:
    by_language = WEIGHTS[name].get(profile or "embedded", {})
    return by_language.get(language(lang), by_language.get("*"))


def _behind(
    name: str,
    lang: str,
    profile: str | None,
    model: str | os.PathLike[str] | None,
    adapter: str | os.PathLike[str] | None,
) -> Weights:
    """What stands behind the metric: the named model and adapter, or those of the profile.

    An adapter alone takes the place of the profile's adapter; a model alone comes without any.
    """
    if model and (Path(model) / "adapter_config.json").is_file() and not (Path(model) / "config.json").is_file():
        raise ValueError(f"{os.fspath(model)} is an adapter, not a model; give it with adapter=, its base with model=")
    behind = Weights(os.fspath(model)) if model else weights(name, lang, profile)
    if adapter is not None:
        # Made absolute, since its folder's name is signed and "." is no name.
        return replace(behind, adapter=Path(os.path.abspath(arguments.expanded(adapter))))
    if behind.adapter is not None and not behind.adapter.is_dir():
        raise FileNotFoundError(
            f"{name} ships with an adapter, but this installation has no folder {behind.adapter}: "
            "install answersim again, or give your own with adapter= or a model of your own with model="
        )
    return behind


def _checkpoint(name: str, behind: Weights) -> Checkpoint:
    """The folder of weights; the error for weights that nobody published says who can have them."""
    if behind.public:
        return find(behind.model)
    home = os.environ.get(MODELS_VARIABLE)
    folder = Path(home) / behind.model if home else None
    if folder is not None and has_weights(folder):
        return find(folder.absolute())
    where = f"{folder}: no weights there" if folder else "not set"
    raise CheckpointNotFoundError(
        f"no weights for {behind.model!r}, the paper's model trained on names: they were never published on a hub. "
        f"Tried: ${MODELS_VARIABLE} ({where}). To mend it: put your copy into ${MODELS_VARIABLE}/{behind.model}, name "
        f"its folder with model=, or take the profile 'embedded', whose {name} ships"
    )


def _encoder(name: str, behind: Weights, how: Mapping[str, Any]) -> Transformer:
    """The text encoder on these weights; MissingExtraError where the extra is not installed."""
    _need_neural()
    from answersim.neural.transformer import Transformer

    return Transformer(checkpoint=_checkpoint(name, behind), adapter=behind.adapter, **how)


def _need_neural() -> None:
    from importlib.util import find_spec

    for module in ("torch", "transformers"):
        if find_spec(module) is None:
            raise MissingExtraError("a neural metric", "embedded", module)
    with importing("answersim.neural.transformer"):
        import answersim.neural.transformer  # noqa: F401 # torch and transformers, by one thread


def _bi_encoder(name: str) -> Callable[..., Metric]:
    def build(
        *,
        lang: str,
        profile: str | None,
        model: str | os.PathLike[str] | None = None,
        adapter: str | os.PathLike[str] | None = None,
        pooling: str | None = None,
        max_length: int | None = None,
        precision: str = "fp32",
        device: str = "auto",
        batch_tokens: int = 8192,
    ) -> Metric:
        behind = _behind(name, lang, profile, model, adapter)
        encoder = _encoder(name, behind, {"precision": precision, "device": device, "batch_tokens": batch_tokens})
        from answersim.neural.bi_encoder import bi_encoder
        from answersim.sentence_folder import POOLINGS

        if pooling not in (None, *POOLINGS):
            raise unknown("pooling", pooling, POOLINGS)
        return bi_encoder(encoder, pooling, _length(max_length, encoder.max_length))

    return build


def _bertscore(name: str) -> Callable[..., Metric]:
    def build(
        *,
        lang: str,
        profile: str | None,
        model: str | os.PathLike[str] | None = None,
        adapter: str | os.PathLike[str] | None = None,
        layer: int | None = None,
        measure: str = "bounded-f1",
        idf: Any = None,
        baseline: str | os.PathLike[str] | None = None,
        max_length: int | None = None,
        precision: str = "fp32",
        device: str = "auto",
        batch_tokens: int = 8192,
    ) -> Metric:
        behind = _behind(name, lang, profile, model, adapter)
        encoder = _encoder(name, behind, {"precision": precision, "device": device, "batch_tokens": batch_tokens})
        from answersim.neural.bertscore import (
            BertScore,
            default_layer,
            inverse_document_frequencies,
            read_baseline,
        )

        chosen = layer if layer is not None else behind.layer
        if chosen is None:
            chosen = default_layer(encoder, behind.model)
        if not 0 <= chosen <= encoder.layers:
            raise ValueError(f"layer is {chosen!r}, but {behind.model} has the layers 0 to {encoder.layers}")
        return BertScore(
            encoder,
            chosen,
            _length(max_length, encoder.max_length) or encoder.max_length,
            measure,
            None if idf is None else inverse_document_frequencies(encoder, idf),
            None if baseline is None else read_baseline(os.fspath(baseline), chosen),
        )

    return build


def _sas(
    *,
    lang: str,
    profile: str | None,
    model: str | os.PathLike[str] | None = None,
    adapter: str | os.PathLike[str] | None = None,
    order: str | None = None,
    activation: str | None = None,
    precision: str = "fp32",
    device: str = "auto",
    batch_tokens: int = 8192,
) -> Metric:
    behind = _behind("sas", lang, profile, model, adapter)
    _need_neural()
    from answersim.neural.cross_encoder import CrossEncoder
    from answersim.neural.cross_encoder import activation as stated_activation
    from answersim.neural.transformer import PairTransformer

    checkpoint = _checkpoint("sas", behind)
    scorer = PairTransformer(
        checkpoint=checkpoint,
        adapter=behind.adapter,
        precision=precision,
        device=device,
        batch_tokens=batch_tokens,
    )
    if order is None:
        order = behind.order or "gold-pred"
    return CrossEncoder(scorer, order, activation or stated_activation(checkpoint))


def _length(asked: int | None, most: int) -> int | None:
    if asked is not None and not 3 <= asked <= most:
        raise ValueError(f"max_length is {asked}, but this encoder reads 3 to {most} tokens")
    return asked


_SAS_PAPER = "Mustafazade & Ebbinghaus 2022"

TRAINED_ON_NAMES = (
    Entry(
        "bi-encoder-names",
        "neural",
        "cosine of sentence vectors by an encoder trained further on names of people, -1 to 1",
        f"{_SAS_PAPER}, sections 3.2 and 4, Table 2",
        _bi_encoder("bi-encoder-names"),
    ),
    Entry(
        "bertscore-names",
        "neural",
        "bounded BERTScore F1 of the last layer of an encoder trained further on names of people",
        f"Zhang et al. 2020; {_SAS_PAPER}, sections 3.2 and 4, Table 2",
        _bertscore("bertscore-names"),
    ),
)

TRAINED_ON_ANSWERS = (
    Entry(
        "bi-encoder-answers",
        "neural",
        "cosine of sentence vectors by an encoder trained further on answers, names, numbers and words, -1 to 1",
        "ours; as Reimers & Gurevych 2019, with the loss of Su 2022 (CoSENT)",
        _bi_encoder("bi-encoder-answers"),
    ),
    Entry(
        "bertscore-answers",
        "neural",
        "bounded BERTScore F1 of the last layer of an encoder trained further on answers, names, numbers and words",
        "ours; Zhang et al. 2020",
        _bertscore("bertscore-answers"),
    ),
)


# What answersim is made of; its weights are for these, in this order.
COMBINED_PARTS = (
    *("sas", "bertscore-answers", "bi-encoder-answers", "bertscore-names", "bertscore-trained"),
    *("recall", "containment"),
)


def _answersim(
    *, lang: str, profile: str | None, precision: str = "fp32", device: str = "auto", batch_tokens: int = 8192
) -> Metric:
    if profile not in (None, "embedded"):
        if profile not in PROFILES:
            raise unknown("profile of weights", profile, PROFILES)
        raise LookupError(f"answersim's weights were fitted for the profile 'embedded'; there are none for {profile!r}")
    _need_neural()
    from answersim.composite.ensemble import AnswerSimilarity, read_weights

    found = read_weights()
    how: dict[str, Any] = {"precision": precision, "device": device, "batch_tokens": batch_tokens}
    return AnswerSimilarity(tuple(combined_part(part, lang, **how) for part in found.parts), found, language(lang))


def combined_part(name: str, lang: str = "en", **how: Any) -> Metric:
    """A part of ``answersim``.

    Args:
        name: One of ``COMBINED_PARTS``.
        lang: Of the answers.
        **how: Options of neural metrics, such as ``precision``; lexical ones have none of them.
    """
    if ENTRIES[name].kind != "neural":
        return metric(name, lang=lang)
    return ENTRIES[name].build(
        lang=lang, profile=None, **how
    )  # not by ``metric``: one warning of the language is enough


ENTRIES: dict[str, Entry] = {
    each.name: each
    for each in (
        Entry(
            "em",
            "lexical",
            "exact match of the normalized answers, 0 or 1; SQuAD's rule drops signs and points, so that -5 matches 5",
            "Rajpurkar et al. 2018, SQuAD v2 evaluation script",
            _answer_words("em", exact_match),
        ),
        Entry(
            "f1",
            "lexical",
            "harmonic mean of token precision and recall, 0 to 1; tokens as of em",
            "Rajpurkar et al. 2018, SQuAD v2 evaluation script",
            _answer_words("f1", f1),
        ),
        Entry(
            "recall",
            "lexical",
            "share of the gold answer's tokens that the prediction holds, 0 to 1; for answers in whole sentences",
            "the recall inside SQuAD's F1",
            _answer_words("recall", recall),
        ),
        Entry(
            "containment",
            "lexical",
            "does the prediction contain the gold answer, as whole words in a row after normalization, 0 or 1",
            "answer-string accuracy of open-domain question answering",
            _answer_words("containment", containment, match="words"),
        ),
        Entry(
            "bleu",
            "lexical",
            "sentence BLEU with effective order and exponential smoothing, 0 to 1",
            "Papineni et al. 2002; Post 2018 (sacrebleu)",
            _bleu,
        ),
        Entry(
            "bleu-paper",
            "lexical",
            "BLEU-4 as the SAS paper recorded it: white-space tokens, no smoothing, gold as hypothesis; mostly 0",
            f"Papineni et al. 2002; {_SAS_PAPER}, Tables 2 and 3",
            _bleu_paper,
        ),
        Entry(
            "rouge-l",
            "lexical",
            "F-measure of the longest common subsequence of words, 0 to 1",
            "Lin 2004 (rouge_score)",
            _rouge_l,
        ),
        Entry(
            "meteor",
            "lexical",
            "words aligned by form, stem and WordNet synonym, with a penalty for fragments, 0 to 1",
            "Banerjee & Lavie 2005; Lavie & Agarwal 2007 (NLTK)",
            _meteor,
        ),
        Entry(
            "bi-encoder",
            "neural",
            "cosine of the two answers' sentence vectors, -1 to 1",
            f"Reimers & Gurevych 2019; {_SAS_PAPER}, section 4",
            _bi_encoder("bi-encoder"),
        ),
        Entry(
            "bertscore-vanilla",
            "neural",
            "bounded BERTScore F1 of layer 2 of a general encoder",
            f"Zhang et al. 2020; {_SAS_PAPER}, section 4",
            _bertscore("bertscore-vanilla"),
        ),
        Entry(
            "bertscore-trained",
            "neural",
            "bounded BERTScore F1 of the last layer of an encoder trained for sentence similarity",
            f"Zhang et al. 2020; {_SAS_PAPER}, section 4",
            _bertscore("bertscore-trained"),
        ),
        Entry(
            "sas",
            "neural",
            "semantic answer similarity by a cross-encoder that reads both answers at once, 0 to 1",
            f"Risch et al. 2021; {_SAS_PAPER}, section 4",
            _sas,
        ),
        *TRAINED_ON_NAMES,
        *TRAINED_ON_ANSWERS,
        Entry(
            "answersim",
            "combined",
            "all evidence at once, lexical and neural, by a small monotone model fitted on judged answers, 0 to 1",
            "ours; see answersim.composite.ensemble",
            _answersim,
            COMBINED_PARTS,
        ),
    )
}
