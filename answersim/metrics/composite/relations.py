"""What rules say about pairs, for metrics that combine it with numbers: relations, and what no network can read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import repeat

from answersim._base.errors import UnreadScriptWarning, warn_user
from answersim._base.golds import choices_of
from answersim.answers.extraction.extractor import looks_like_output
from answersim.answers.reading import Reading, read
from answersim.answers.relation import Relation, relate
from answersim.answers.typed.comparison import equal
from answersim.answers.typed.math.formula import Options
from answersim.types import Pair

# Why there is no relation that a network could replace.
_HELD = frozenset(("order", "symbol", "sign", "percent", "alternatives", "several", "substitution", "incomplete"))


def relations(
    pairs: Sequence[Pair], questions: Iterable[str] | None, lang: str, options: Options | None = None
) -> list[Relation]:
    """Return how each prediction relates to its gold answer: see ``answersim.answers.relation.relate``.

    Equal texts are equal before anything is read out of them.

    >>> [relation.relation for relation in relations([Pair("1/2", "0.5"), Pair("12 kg", "12 lb")], None, "en")]
    ['equal', 'different']
    """
    rows = zip(pairs, questions or repeat(""), strict=False)
    return [_relation(gold, pred, question, lang, options) for (gold, pred), question in rows]


def _relation(gold: str, pred: str, question: str, lang: str, options: Options | None) -> Relation:
    if str.__eq__(gold, pred) and not choices_of(gold):
        return equal("the answer is the same text", "text")
    of_gold = _read(str.__str__(gold), lang, looks_like_output(gold))
    return relate(of_gold, _read(pred, lang, True), question, lang=lang, choices=choices_of(gold), options=options)


@lru_cache(maxsize=1 << 12)
def _read(text: str, lang: str, marks: bool) -> Reading:
    return read(text, lang=lang, marks=marks)


def held(relation: Relation) -> bool:
    """Return whether neither words nor networks can decide a pair without a relation.

    It has the same words or items in another order, other symbols or signs, or a percent sign that one lacks. A word is
    replaced by another one, or items are missing. It names the gold answer and other values. Or the gold answer is the
    letter of an option.
    """
    return relation.relation == "none" and (relation.rule in _HELD or relation.kind == "choice")


def warn_of_scripts(name: str) -> None:
    """Warn once that networks judged none of some pairs."""
    text = (
        f"the weights of {name} know Latin letters only: for answers in other scripts, or with other symbols, words "
        "and rules decide, and all of them are unsure unless the rules find them equal or different; name another "
        "language with lang= (--lang)"
    )
    warn_user(UnreadScriptWarning(text), once=True)
