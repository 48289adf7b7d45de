"""``typed+NAME``: any metric, overruled if the rules of ``answersim.answers.typed`` decide."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from answersim._base import arguments
from answersim._base.arrays import FloatArray
from answersim._base.golds import ChoiceGold
from answersim._base.signature import computed_once, escaped, unescaped, with_part
from answersim.answers.relation import Relation
from answersim.answers.text.tokens import language
from answersim.answers.typed.api import math_options, signed_rules
from answersim.answers.typed.math.formula import Options
from answersim.metrics.composite.relations import held, relations
from answersim.metrics.planning import Composite
from answersim.types import TYPED, Capabilities, Definition, Example, Metric, Pair, capabilities, of_parts

# Equal values score at least 1 and different ones at most 0, the ends of every scale here, so that the rules overrule
# each metric in the same way. A pair without an opinion keeps the number of the base metric.
HIGH, LOW = 1.0, 0.0
NEAR = 0.9  # the lowest score of a near value
DOUBTFUL = 0.3  # the highest score if shared words prove nothing, as in another order
OPTIONS = ("choices", "tolerance", "units")
_LEAST = {"equal": HIGH, "near": NEAR}


@dataclass(frozen=True)
class TypedMetric(Composite):
    """A base metric, overruled if gold answer and prediction are typed values.

    Equal answers score at least 1, different ones at most 0, and all other pairs have the number of the base metric, so
    there is always a number (see ``answersim.answers.relation``). A near value, such as a rounded one or one without
    its unit, scores at least ``NEAR``. The same words in another order, the gold answer beside another value, a percent
    sign that one lacks, and answers to a letter that choose none score at most ``DOUBTFUL``. The base metric gets the
    answers without markup (see ``markup.visible``), unless it calls a service. The score never decreases when the score
    of the base metric increases. The rules read the question, and the base metric may.
    """

    base: Metric  # the metric of the pairs without a verdict
    lang: str = "en"  # the language of the answers, an ISO 639-1 code
    choices: tuple[str, ...] = ()  # the texts of the options, if all pairs belong to one multiple-choice question
    # the tolerance and the units of numbers and formulas. See ``answersim.answers.typed.compare_math``.
    options: Options | None = None

    @computed_once
    def parts(self) -> tuple[Metric]:
        """The base metric."""
        return (self.base,)

    @computed_once
    def signature(self) -> str:
        """The signature of the base metric with ``typed+``, the language and revisions of the rules, and options."""
        rules = f"rules:{signed_rules(self.lang)}"
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
        is_visible, scale = combined.cost != "remote", capabilities(self.base).scale
        return combined._replace(visible_text=is_visible, scale=scale, reads_questions=True, reads_choices=True)

    def __post_init__(self) -> None:
        """Check the language."""
        language(self.lang)

    def combine(
        self, pairs: Sequence[Pair], columns: Sequence[FloatArray], questions: Sequence[str] | None = None
    ) -> FloatArray:
        """Return one number per pair from the numbers of the base metric, shape (n,)."""
        if self.choices:
            pairs = [Pair(ChoiceGold(gold, self.choices), pred) for gold, pred in pairs]
        return self.related(pairs, columns, relations(pairs, questions, self.lang, self.options))

    def related(self, pairs: Sequence[Pair], columns: Sequence[FloatArray], related: Sequence[Relation]) -> FloatArray:
        """Return the same for pairs with these relations."""
        (scores,) = columns
        least, most = np.full(len(related), -np.inf), np.full(len(related), np.inf)
        for i, relation in enumerate(related):
            least[i] = _LEAST.get(relation.relation, -np.inf)
            if relation.relation == "different":
                most[i] = LOW
            elif held(relation):
                most[i] = DOUBTFUL
        return np.minimum(np.maximum(scores, least), most)


def build(
    base: Metric, lang: str, choices: Any = (), tolerance: float | str | None = None, units: str | None = None
) -> Metric:
    """Build ``typed+NAME``.

    Args:
        base: The metric of this name.
        lang: The language of the answers.
        choices: The texts of the options of a multiple-choice question, also as a JSON list or as a signature has it.
        tolerance: Of numbers and formulas, see ``answersim.answers.typed.compare_math``. If it or ``units`` is given,
            the other one is its default.
        units: Likewise.

    Raises:
        TypeError, ValueError: If an option has another type or value.
    """
    if isinstance(choices, str) and choices.startswith(("[", escaped("["))):
        choices = json.loads(choices if choices.startswith("[") else unescaped(choices))
    listed = tuple(arguments.texts("choices", choices or ()))
    has_options = tolerance is not None or units is not None
    options = math_options("exact" if tolerance is None else tolerance, units or "optional") if has_options else None
    return TypedMetric(base, language(lang), listed, options)


def definition(base: Definition) -> Definition:
    """Return what ``typed+NAME`` is, from the definition of the metric NAME."""
    return Definition(
        f"{TYPED}{base.name}",
        "lexical" if base.kind == "lexical" else "composite",
        f"{base.name}; 1 and 0 where the rules of answersim.answers.typed find equal and different values",
        f"ours (answersim.answers.typed); {base.source}",
        build,
        parts=(base.name,),
        formula=f"""score = 1 if the answers are equal values
score = 0 if they are different values
score = {base.name} otherwise""",
        range=base.range if base.range == "-1 to 1" else "0 to 1",
        one_on_itself=base.one_on_itself,
        reads_questions=base.reads_questions,
        languages="all, by `lang=`; the rules read values in words in en de fr es it pt nl ru zh ja",
        examples=(
            Example("eleven", "11", 1.0),
            Example("11 June 2020", "June 11, 2020", 1.0),
            Example("5 km", "5 m", 0.0),
        ),
    )
