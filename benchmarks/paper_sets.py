"""The sets of the SAS paper and the probes: their subsets, and the recorded and computed scores of metrics."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from decimal import ROUND_DOWN, Decimal
from enum import Enum
from typing import NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import ChecksumError, LanguageWarning, MissingExtraError
from answersim.evaluation.agreement.subsets import paper_subsets
from answersim.evaluation.data import LabeledPairs, load
from answersim.evaluation.data.datasets import RECORDED, RECORDED_FILES, locate
from answersim.metrics.catalog.lookup import entry
from answersim.metrics.checkpoints.search import sha256
from answersim.types import Metric

PAPER_SETS = ("squad", "nq-open", "germanquad")
PROBES = ("probe", "probe-de")
SHIPPED = ("evouna", *PROBES)
TITLES = {
    "evouna": "EVOUNA, 300 answers of five systems, judged right or wrong",
    "squad": "SQuAD",
    "nq-open": "NQ-open",
    "germanquad": "GermanQuAD",
    "probe": "Probe, English (near misses by design)",
    "probe-de": "Probe, German (near misses by design)",
}
# The table of the paper with a set, and the table with its numbers experiment.
TABLES = {"squad": "Table 2", "nq-open": "Table 2", "germanquad": "Table 3"}
NUMBER_TABLES = {"nq-open": "Table 7", "squad": "Table 8"}
# METEOR supports English only; the paper omits it for German.
OMITTED = {("germanquad", "meteor")}

# With 1,000 resamples, p is at least .001. Holm multiplies p by the number of metrics, so differences get more.
RESAMPLES, MORE_RESAMPLES, SEED = 1000, 5000, 0
RESAMPLED = "95 %: percentile bootstrap, {:,} resamples of the rows, seed {}"

NO_DIGITS, CATEGORY = ", no digits", "category: "
WITH_DIGITS = ", with digits"  # of a number that Table 7 or 8 prints for all rows
NOT_REPRODUCED = (
    "'recorded' beside 'published': the printed numbers of Tables 7 and 8 do not follow from the released rows in any "
    "of the 32 cells; the column 'with' also differs from Table 2 of the paper, which has the same rows"
)

_PLACES = Decimal("1e-16")

Mask = NDArray[np.bool_]


class Scored(NamedTuple):
    """The scores of one metric for all pairs of a data set, shape (n,), recorded or computed."""

    metric: str
    scores: str
    values: FloatArray
    signature: str


class Scores(str, Enum):
    """The origin of the scores."""

    computed = "computed"
    recorded = "recorded"
    both = "both"


def scores_of(name: str, metrics: Sequence[str], scores: Scores, profile: str) -> tuple[LabeledPairs, list[Scored]]:
    """Return the labeled pairs of this data set, and their scores by these metrics, recorded and computed."""
    data = load(name, cleaning="recorded")  # a probe has the same rows with each
    data = data.where(~np.isnan(data.labels))
    scored: list[Scored] = []
    wanted = [metric for metric in metrics if (name, metric) not in OMITTED]
    if not wanted:
        say(f"{name}: {', '.join(metrics)} is left out, as in the paper: it knows English words")
    if scores is not Scores.computed:
        scored += recorded(data, wanted)
    if scores is not Scores.recorded:
        scored += computed(data, wanted, profile)
    return data, in_order(scored, metrics)


def recorded(data: LabeledPairs, metrics: Iterable[str]) -> list[Scored]:
    """Return the scores of these metrics that the paper recorded. Their signature has the file name and its hash."""
    columns = [metric for metric in metrics if metric in data.recorded]
    if not columns:
        return []
    path = locate(data.name, RECORDED_FILES[data.name])
    signature = f"recorded|{path.name}|sha256:{sha256(path)[:12]}"
    return [Scored(metric, "recorded", data.recorded[metric], signature) for metric in columns]


def computed(data: LabeledPairs, metrics: Iterable[str], profile: str) -> list[Scored]:
    """Compute the scores of our metrics. One that cannot be built is left out, with the reason on stderr."""
    built: dict[str, Metric] = {}
    like_paper: set[str] = set()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for name in metrics:
            if name in RECORDED and name not in answersim.names():
                continue  # recorded only
            if data.name in PAPER_SETS and _is_lexical(name):
                like_paper.add(name)
            # "embedded" is the default: other languages than English have the weights of "multilingual" then
            words: str | None = "paper" if name in like_paper else None if profile == "embedded" else profile
            if name.removeprefix("typed+") == "bleu":
                words = None  # it is not a metric of the paper, and has one tokenizer only
            try:
                built[name] = answersim.metric(name, lang=data.lang, profile=words)
            except (MissingExtraError, LookupError, ChecksumError, FileNotFoundError) as error:
                say(f"{data.name}: {name} is left out: {error}")
        by_signature = answersim.score_pairs(data.pairs, list(built.values()))
    # The warning that the weights are English applies to all metrics of a profile, and is printed once.
    lines = {
        warning.category if warning.category is LanguageWarning else str(warning.message): warning
        for warning in reversed(caught)
    }
    for warning in reversed(lines.values()):
        say(f"{data.name}: {warning.message}")
    scored = [
        Scored(name, "computed", by_signature[metric.signature].values, metric.signature)
        for name, metric in built.items()
    ]
    return [as_written(column) if column.metric in like_paper else column for column in scored]


def _is_lexical(name: str) -> bool:
    """Return whether this is a lexical metric of this package, possibly overruled by rules."""
    try:
        return entry(name).kind == "lexical"
    except LookupError:
        return False


def as_written(scored: Scored) -> Scored:
    """Truncate scores after 16 decimal places, as in the tables of the paper, and add this to the signature.

    Equal scores that were computed in two ways differ in the last places. Truncation therefore decides which scores are
    tied, and the third digit of rho and tau: the tau of ROUGE-L on NQ-open, F1 != 0, is .381 as computed and .377 as
    published.
    """
    cut = [Decimal(repr(value)).quantize(_PLACES, ROUND_DOWN) for value in scored.values.tolist()]
    return scored._replace(
        values=np.array(cut, dtype=np.float64), signature=f"{scored.signature}|decimals:{-_PLACES.adjusted()}"
    )


def subsets(data: LabeledPairs) -> dict[str, Mask]:
    """Return the subsets of a data set in the order of the tables, as masks of shape (n,).

    These are the two of Tables 2 and 3. The English sets of the paper also have both without the rows whose gold answer
    contains a digit (Tables 7 and 8). The probe has its categories.
    """
    parts = paper_subsets(data)
    if data.name in NUMBER_TABLES:
        plain = np.array([re.search(r"\d", pair.gold) is None for pair in data.pairs], dtype=bool)
        parts |= {f"{name}{NO_DIGITS}": mask & plain for name, mask in parts.items()}
    if data.name in PROBES and data.categories is not None:
        categories = np.array(data.categories)
        parts |= {f"{CATEGORY}{name}": categories == name for name in dict.fromkeys(data.categories)}
    return parts


def in_order(scored: Iterable[Scored], metrics: Sequence[str]) -> list[Scored]:
    """Sort by metric, recorded before computed."""
    return sorted(scored, key=lambda column: (metrics.index(column.metric), column.scores != "recorded"))


def say(line: str) -> None:
    """Print one line to stderr. The tables go to stdout."""
    typer.echo(line, err=True)
