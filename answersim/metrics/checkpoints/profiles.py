"""Tables only: which weights a neural metric uses, by profile and language."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from answersim._base.errors import unknown
from answersim.answers.text.tokens import language

PROFILES = ("embedded", "paper", "strong", "multilingual", "modern", "words")
ENGLISH = ("embedded", "strong", "modern")  # profiles whose weights were made for English alone
MULTILINGUAL = "multilingual"  # the profile of every language but English, if its weights are installed
WORDS = "words"  # without a network: words and values alone

MINILM = "all-MiniLM-L6-v2"
MPNET = "all-mpnet-base-v2"
E5 = "e5-small-q4"  # multilingual-e5-small in 4 bits, see ``checkpoints.packed``
T_SYSTEMS = "T-Systems-onsite/cross-en-de-roberta-sentence-transformer"
SHIPPED = Path(__file__).parents[1] / "neural" / "adapters"
SAS_ADAPTER = SHIPPED / "sas-minilm"
NAMES_ADAPTER = SHIPPED / "names-minilm"
SAS_MPNET_ADAPTER = SHIPPED / "sas-mpnet"
SAS_ANSWERS_ADAPTER = SHIPPED / "sas-answers-minilm"
SAS_ANSWERS_MPNET_ADAPTER = SHIPPED / "sas-answers-mpnet"
ANSWERS_ADAPTER = SHIPPED / "answers-minilm"
SAS_ANSWERS_E5_ADAPTER = SHIPPED / "sas-answers-e5"  # also of sas: it learned similarity and judgments
# a name of this project: the weights of the paper have none
NAMES_PAPER = "cross-en-de-roberta-sentence-transformer-names"


@dataclass(frozen=True)
class Weights:
    """The weights that a neural metric uses in a profile."""

    model: str  # the name of a checkpoint
    # the layer whose token states are compared; None if the metric has no such choice, or for the default layer of the
    # model
    layer: int | None = None
    adapter: Path | None = None  # a folder with an adapter that is merged into the weights, or None
    order: str | None = None  # the order in which a cross-encoder reads the answers, if it is not "gold-pred"
    # whether the checkpoint is published on the hub. If not, it exists only as a folder of its owner.
    public: bool = True
    # the revision that is requested from the hub, if the model is not one of ``checkpoints.PINNED``. None means the
    # newest one.
    revision: str | None = None
    # whether this project never ran these weights, only small random ones of their architecture
    never_run: bool = False


_MODERN = Weights(
    "Alibaba-NLP/gte-modernbert-base", revision="e7f32e3c00f91d699e8c43b53106206bcc72bb22", never_run=True
)

# By metric, profile and language; "*" is for every language without an entry.
WEIGHTS: dict[str, dict[str, dict[str, Weights]]] = {
    "bi-encoder": {
        "embedded": {"*": Weights(MINILM)},
        "strong": {"*": Weights(MPNET)},
        "multilingual": {"*": Weights(E5)},
        "modern": {"*": _MODERN},
        "paper": {"en": Weights(T_SYSTEMS), "de": Weights(T_SYSTEMS)},
    },
    "bertscore-vanilla": {
        "embedded": {"*": Weights(MINILM, layer=2)},
        "strong": {"*": Weights(MPNET, layer=2)},
        "multilingual": {"*": Weights(E5, layer=2)},
        "modern": {"*": replace(_MODERN, layer=4)},  # of 22
        "paper": {
            "en": Weights("bert-base-uncased", layer=2),
            "de": Weights("deepset/gelectra-base", layer=2),
        },
    },
    "bertscore-trained": {
        "embedded": {"*": Weights(MINILM, layer=6)},
        "strong": {"*": Weights(MPNET, layer=12)},
        "multilingual": {"*": Weights(E5, layer=12)},
        "modern": {"*": replace(_MODERN, layer=22)},
        "paper": {"en": Weights(T_SYSTEMS, layer=12), "de": Weights(T_SYSTEMS, layer=12)},
    },
    "sas": {
        "embedded": {"*": Weights(MINILM, adapter=SAS_ADAPTER, order="mean")},
        "strong": {"*": Weights(MPNET, adapter=SAS_MPNET_ADAPTER, order="mean")},
        "multilingual": {"*": Weights(E5, adapter=SAS_ANSWERS_E5_ADAPTER, order="mean")},
        "modern": {"*": Weights("dleemiller/ModernCE-base-sts", never_run=True)},  # the revision to pin is unknown
        "paper": {
            "en": Weights("cross-encoder/stsb-roberta-large"),
            "de": Weights("deepset/gbert-large-sts"),
        },
    },
    "bi-encoder-names": {
        "embedded": {"*": Weights(MINILM, adapter=NAMES_ADAPTER)},
        "paper": {code: Weights(NAMES_PAPER, public=False) for code in ("en", "de")},
    },
    "bertscore-names": {
        "embedded": {"*": Weights(MINILM, layer=6, adapter=NAMES_ADAPTER)},
        "paper": {code: Weights(NAMES_PAPER, layer=12, public=False) for code in ("en", "de")},
    },
    "sas-answers": {
        "embedded": {"*": Weights(MINILM, adapter=SAS_ANSWERS_ADAPTER)},
        "strong": {"*": Weights(MPNET, adapter=SAS_ANSWERS_MPNET_ADAPTER)},
        "multilingual": {"*": Weights(E5, adapter=SAS_ANSWERS_E5_ADAPTER)},
    },
    "bi-encoder-answers": {"embedded": {"*": Weights(MINILM, adapter=ANSWERS_ADAPTER)}},
    "bertscore-answers": {"embedded": {"*": Weights(MINILM, layer=6, adapter=ANSWERS_ADAPTER)}},
}


def weights(name: str, lang: str = "en", profile: str | None = None) -> Weights:
    """Return the weights of this neural metric in this profile.

    Raise LookupError if there is no such profile, or it has no weights of this metric for the language.
    """
    profile = profile or "embedded"
    if profile not in PROFILES:
        raise unknown("profile of weights", profile, PROFILES)
    chosen = find_weights(name, lang, profile)
    if chosen is None:
        others = ", ".join(WEIGHTS[name].get(profile, {}))
        english = " or profile='embedded', which is English" if profile == MULTILINGUAL else ""
        raise LookupError(
            f"the profile {profile!r} has no {name}"
            + (f" for the language {lang!r}, only for {others}" if others else "")
            + f"; choose the weights with model={english}"
        )
    return chosen


def find_weights(name: str, lang: str, profile: str | None) -> Weights | None:
    """Return the weights of this neural metric in this profile, or None if it has none for the language."""
    by_language = WEIGHTS[name].get(profile or "embedded", {})
    return by_language.get(language(lang), by_language.get("*"))
