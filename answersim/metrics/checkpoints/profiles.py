"""Which weights a neural metric uses, by profile and language: the rows of ``weights.csv``."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from answersim._base.errors import unknown
from answersim.answers.text.tokens import language

PROFILES = ("embedded", "paper", "strong", "multilingual", "modern", "words")
ENGLISH = ("embedded", "strong", "modern")  # profiles whose weights were made for English alone
MULTILINGUAL = "multilingual"  # the profile of every language but English, if its weights are installed
WORDS = "words"  # without a network: words and values alone

MINILM = "all-MiniLM-L6-v2"
E5 = "e5-small-q4"  # multilingual-e5-small in 4 bits, see ``checkpoints.packed``
T_SYSTEMS = "T-Systems-onsite/cross-en-de-roberta-sentence-transformer"
SHIPPED = Path(__file__).parents[1] / "neural" / "adapters"


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


def _read() -> dict[str, dict[str, dict[str, Weights]]]:
    by_metric: dict[str, dict[str, dict[str, Weights]]] = {}
    with Path(__file__).with_name("weights.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            of_profile = by_metric.setdefault(row["metric"], {}).setdefault(row["profile"], {})
            of_profile[row["lang"]] = Weights(
                row["model"],
                int(row["layer"]) if row["layer"] else None,
                SHIPPED / row["adapter"] if row["adapter"] else None,
                row["order"] or None,
                public=row["public"] != "no",
                revision=row["revision"] or None,
                never_run=row["never_run"] == "yes",
            )
    return by_metric


WEIGHTS = _read()
"""By metric, profile and language; "*" is for every language without an entry."""


def weights(name: str, lang: str = "en", profile: str | None = None) -> Weights:
    """Return the weights of this neural metric in this profile."""
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
