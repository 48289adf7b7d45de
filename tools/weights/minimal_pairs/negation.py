"""States that exclude each other: an assertion, and the denial of its opposite."""

from __future__ import annotations

from random import Random

from tools.weights.minimal_pairs.family import Family, draw
from tools.weights.tables import table

_TEXTS = table(__file__, "negation")
# Subject, and two adjectives of which exactly one applies to it.
STATES = _TEXTS["states"]
# {s} the subject, {a} what applies, {b} what does not: all ways to state the same.
STATED = _TEXTS["stated"]
ASKED = {"en": "Is {s} {a}?", "de": "Ist {s} {a}?", "zh": "{s}是{a}吗？", "ja": "{s}は{a}ですか？"}
AFFIRMED = _TEXTS["affirmed"]


def family(rng: Random, language: str) -> Family | None:
    """Return a family about one of two states that exclude each other."""
    subject, a, b = rng.choice(STATES[language])
    if rng.random() < 0.5:
        a, b = b, a
    slots = {"s": subject, "S": subject[0].upper() + subject[1:], "a": a, "b": b}
    if rng.random() < 0.3:
        forms = [[form.format(**slots) for form in side] for side in zip(*AFFIRMED[language], strict=True)]
        return draw(rng, forms, ASKED[language].format(**slots))
    exchanged = slots | {"a": b, "b": a}
    texts = [[form.format(**values) for form in STATED[language]] for values in (slots, exchanged)]
    return draw(rng, texts)
