"""Every metric that has a name: what it computes, what stands behind it in each profile, how it is built."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answersim.checkpoints import MODELS_VARIABLE, Checkpoint, find, has_weights
from answersim.concurrency import importing
from answersim.errors import CheckpointNotFoundError, LanguageWarning, MissingExtraError, unknown
from answersim.lexical.bleu import bleu, bleu_paper, bleu_words
from answersim.lexical.exact_match import exact_match
from answersim.lexical.f1 import f1
from answersim.lexical.recall import containment, recall
from answersim.lexical.rouge_l import rouge_l, rouge_words
from answersim.lexical.token_metric import TokenMetric
from answersim.text import PROFILES as TEXT_PROFILES
from answersim.text import Words, language, words
from answersim.types import Metric

if TYPE_CHECKING:
    from answersim.lexical.meteor import Order
    from answersim.neural.transformer import Transformer

ENTRY_POINTS = "answersim.metrics"
PROFILES = ("embedded", "paper")
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


def entry(name: str) -> Entry:
    """What is known of this name, ours or a plug-in's; LookupError with the nearest known name for any other."""
    if name in ENTRIES:
        return ENTRIES[name]
    build = _plugin(name)
    told = (inspect.getdoc(build) or "a metric of an installed plug-in").splitlines()[0]
    return Entry(name, "plug-in", told, f"{build.__module__}.{build.__qualname__}", build)


def metric(name: str, *, lang: str = "en", profile: str | None = None, **options: Any) -> Metric:
    """The metric of this name: called with pairs it returns one number a pair, shape (n,).

    Args:
        name: One of ``names()``, or of an installed plug-in (entry points of the group ``answersim.metrics``).
        lang: The language of the answers, an ISO 639-1 code.
        profile: "embedded" (default) or "paper": the weights behind neural metrics, and for lexical ones the words of
            the language or the paper's own. For lexical metrics also "squad" and "unicode" (see ``answersim.text``).
        options: Settings of this metric, such as ``layer=`` or ``model=``; an unknown one is an error that lists them.

    Raises:
        LookupError: No metric, profile or language has this name.
        TypeError: The metric has no such option.
        MissingExtraError, CheckpointNotFoundError, ChecksumError: What a neural metric needs is missing or damaged.

    >>> float(metric("f1")([("National Football League", "the Football League")])[0])
    0.8
    """
    if not isinstance(name, str):
        raise TypeError(f"a metric is asked for by its name, not by {name!r}; known: {', '.join(ENTRIES)}")
    language(lang)  # a mistyped language is an error for every metric, also for those that do not use it
    build, allowed = _factory(name), options_of(name)
    if wrong := [option for option in options if option not in allowed]:
        has = f"its options are {', '.join(allowed)}" if allowed else "it has none"
        why = f": {', '.join(RUNNING)} are for metrics that run a network" if wrong[0] in RUNNING else ""
        raise TypeError(f"the metric {name!r} has no option {wrong[0]!r}; {has}{why}")
    return build(lang=lang, profile=profile, **options)


def options_of(name: str) -> tuple[str, ...]:
    """The settings that the metric of this name takes, besides ``lang`` and ``profile``.

    >>> options_of("f1"), options_of("meteor")
    ((), ('alpha', 'beta', 'gamma', 'order', 'words'))
    """
    return tuple(
        each.name
        for each in inspect.signature(_factory(name)).parameters.values()
        if each.kind is each.KEYWORD_ONLY and each.name not in ("lang", "profile")
    )


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
            raise TypeError(
                f"{option} is {given[option]!r}, but {asked_for}; leave it out, or ask for a neural metric too"
            )
    return taken


def names_that_read_questions() -> tuple[str, ...]:
    """The metrics that ship and, as they come, read the question beside the two answers."""
    return tuple(name for name in ENTRIES if reads_question(name))


def reads_question(name: str, lang: str = "en", profile: str | None = None) -> bool:
    """Whether the weights behind this metric, or behind a part of it, were trained to read the question too."""
    from answersim.neural.adapter import reads_question as trained_so

    parts = ENTRIES[name].parts if name in ENTRIES else ()
    behind = _behind_name(name, lang, profile) if name in WEIGHTS else None
    own = behind is not None and behind.adapter is not None and trained_so(behind.adapter)
    return own or any(reads_question(part, lang, profile) for part in parts)


def _factory(name: str) -> Callable[..., Metric]:
    return ENTRIES[name].build if name in ENTRIES else _plugin(name)


def _plugin(name: str) -> Callable[..., Metric]:
    """The factory that an installed package offers under this name; it can never shadow a name of ours."""
    found = {each.name: each for each in entry_points(group=ENTRY_POINTS)}
    if name not in found:
        raise unknown("metric", name, [*ENTRIES, *found])
    return found[name].load()


def _answer_words(name: str, similarity: Callable[..., float]) -> Callable[..., Metric]:
    def build(*, lang: str, profile: str | None) -> Metric:
        return TokenMetric(name, words(lang, profile), similarity)

    return build


def _rouge_l(*, lang: str, profile: str | None) -> Metric:
    return TokenMetric("rouge-l", rouge_words(lang, profile), rouge_l)


def _bleu(*, lang: str, profile: str | None) -> Metric:
    _check_text_profile(profile)
    return TokenMetric("bleu", bleu_words(lang), bleu)


def _bleu_paper(*, lang: str, profile: str | None) -> Metric:
    _check_text_profile(profile)
    return TokenMetric("bleu-paper", Words("white-space", str.split), bleu_paper)


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

    _check_text_profile(profile)
    if profile == "paper":  # it gave METEOR the gold answer as hypothesis, and had the words of NLTK 3.6
        order = order or "pred-gold"
        words = words or ("nltk-2021" if language(lang) == "en" else None)
    return Meteor(language(lang), alpha, beta, gamma, order or "gold-pred", words)


def _check_text_profile(profile: str | None) -> None:
    if profile not in (None, *TEXT_PROFILES):
        raise unknown("profile", profile, TEXT_PROFILES)


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
    if language(lang) != "en" and profile == "embedded":
        warnings.warn(
            f"the weights of the profile 'embedded' are English; {name} is weak in {lang!r}. "
            "Choose others with profile='paper' (English and German) or model=",
            LanguageWarning,
            stacklevel=6,
        )
    return found


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
        return replace(behind, adapter=Path(os.path.abspath(Path(adapter).expanduser())))
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
        if isinstance(chosen, bool) or not isinstance(chosen, int) or not 0 <= chosen <= encoder.layers:
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
    from answersim.combined.model import AnswerSimilarity, read_weights

    found = read_weights()
    how: dict[str, Any] = {"precision": precision, "device": device, "batch_tokens": batch_tokens}
    return AnswerSimilarity(tuple(combined_part(part, lang, **how) for part in found.parts), found)


def combined_part(name: str, lang: str = "en", **how: Any) -> Metric:
    """A part of ``answersim``.

    Args:
        name: One of ``COMBINED_PARTS``.
        lang: Of the answers.
        **how: Options of neural metrics, such as ``precision``; lexical ones have none of them.
    """
    return metric(name, lang=lang, **(how if ENTRIES[name].kind == "neural" else {}))


ENTRIES: dict[str, Entry] = {
    each.name: each
    for each in (
        Entry(
            "em",
            "lexical",
            "exact match of the normalised answers, 0 or 1",
            "Rajpurkar et al. 2018, SQuAD v2 evaluation script",
            _answer_words("em", exact_match),
        ),
        Entry(
            "f1",
            "lexical",
            "harmonic mean of token precision and recall, 0 to 1",
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
            "does the normalised gold answer stand in the normalised prediction, 0 or 1",
            "answer-string accuracy of open-domain question answering",
            _answer_words("containment", containment),
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
            "ours; see answersim.combined.model",
            _answersim,
            COMBINED_PARTS,
        ),
    )
}
