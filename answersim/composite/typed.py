"""``typed+NAME``: any metric, overruled if the rules of ``answersim.typed`` decide."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from answersim.composite.claims import REVISION as CLAIMS_REVISION
from answersim.composite.claims import bounded
from answersim.composite.names import TYPED
from answersim.golds import ChoiceGold, choices_of
from answersim.planning import Composite
from answersim.signature import computed_once, escaped, with_part
from answersim.text import language
from answersim.typed.api import REVISION, compare_checked, rules_of
from answersim.typed.math.formula import Options
from answersim.types import Capabilities, FloatArray, Metric, Pair, capabilities, of_parts

# Equal values score at least 1 and different ones at most 0, the ends of every scale here, so that the rules overrule
# each metric in the same way. A pair without an opinion keeps the number of the base metric.
HIGH, LOW = 1.0, 0.0
# The highest score of a prediction that only mentions the gold answer, or is another formula: below the share of its
# words that a right answer has.
DOUBTFUL = 0.3


@dataclass(frozen=True)
class TypedMetric(Composite):
    """A base metric, overruled if gold answer and prediction are typed values.

    Equal values score at least 1, different values at most 0, and all other pairs have the number of the base metric,
    so there is always a number. It is at most ``DOUBTFUL`` if the prediction only mentions the gold answer, such as a
    long list (see ``claims``). The base metric gets the answers without markup (see ``markup.visible``), unless it
    calls a service. The score never decreases when the score of the base metric increases. The rules read no question,
    but the base metric may.
    """

    base: Metric  # the metric of the pairs without a verdict
    lang: str = "en"  # the language of the answers, an ISO 639-1 code
    choices: tuple[str, ...] = ()  # the texts of the options, if all pairs belong to one multiple-choice question
    # the tolerance and the units of numbers and formulas. See ``answersim.typed.compare_math``.
    options: Options | None = None

    @property
    def parts(self) -> tuple[Metric]:
        """The base metric."""
        return (self.base,)

    @computed_once
    def signature(self) -> str:
        """The signature of the base metric with ``typed+``, the language and revisions of the rules, and options."""
        rules = f"rules:{rules_of(self.lang)}.{REVISION}|claims:{CLAIMS_REVISION}"
        if self.choices:
            rules += f"|choices:{escaped(json.dumps(self.choices, ensure_ascii=False))}"
        if self.options is not None:
            rules += f"|tolerance:{self.options.tolerance}|units:{self.options.units}"
        signed = with_part(self.base.signature, rules)
        return f"{TYPED}{signed}"

    @computed_once
    def capabilities(self) -> Capabilities:
        """The capabilities of the base metric, without its encoder, which it runs itself."""
        combined = of_parts(self.parts)
        return combined._replace(visible_text=combined.cost != "remote", scale=capabilities(self.base).scale)

    def __post_init__(self) -> None:
        """Check the language."""
        language(self.lang)

    def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray]) -> FloatArray:
        """Return one number per pair from the numbers of the base metric, shape (n,)."""
        (scores,) = columns
        if self.choices:
            pairs = [Pair(ChoiceGold(gold, self.choices), pred) for gold, pred in pairs]
        verdicts = opinions(pairs, self.lang, self.options)
        raised = np.where(verdicts == 1.0, np.maximum(scores, HIGH), bounded(pairs, scores, DOUBTFUL, self.lang))
        return np.where(verdicts == 0.0, np.minimum(raised, LOW), raised)


def opinions(pairs: Sequence[Pair], lang: str = "en", options: Options | None = None) -> FloatArray:
    """Return the verdict of the rules for each pair, shape (n,): 1 for equal, 0 for different, nan for no opinion.

    >>> opinions([Pair("11", "eleven"), Pair("1987", "1978"), Pair("North Korea", "South Korea")])
    array([ 1.,  0., nan])
    """
    rules = rules_of(lang)
    verdicts = (
        compare_checked(gold, pred, rules, choices=choices_of(gold), options=options).opinion for gold, pred in pairs
    )
    return np.fromiter((np.nan if value is None else value for value in verdicts), np.float64, len(pairs))
