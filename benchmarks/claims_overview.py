"""The overview of the claims of the five papers: verdicts by paper, and what the tests of each main claim came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scipy.stats import binomtest

from benchmarks.ranking_claims import SURE
from benchmarks.tables import Cell, Table, markdown

SAS = "SAS paper"
NOT_TESTED = "not tested"
RECORDED, COMPUTED = "recorded", "computed"
RESULTS = ("confirmed", "confirmed in part", "mixed", "contradicted in part", "contradicted", "not decided")


class ClaimRow(NamedTuple):
    """A claim on one data set by one measure, tested or not. All numbers are as printed on the result page."""

    paper: str  # the paper
    source: str  # its table, or the question of a control of ours. For the SAS paper the statement and its section.
    better: str  # the side that is claimed to be better
    other: str  # the other side; "below .5" if the claim is a bound
    set: str  # the title of the data set
    measure: str  # the measure, or the coefficient and the rows
    # "holds", "opposite", "undecided" or "not tested"; ", these trainings" or ", one training" follows if it is
    # significant over questions only
    verdict: str
    difference: str = ""  # our difference, the better side minus the other
    low: str = ""  # the lower end of its 95 % interval
    high: str = ""  # the upper end
    p: str = ""  # p over questions after Holm; "" if the interval decides
    # p over trainings, by a t-test that is paired by seed if the systems share a training or its start
    p_trainings: str = ""
    p_welch: str = ""  # p over trainings by Welch's test, where the other one is paired
    published: str = ""  # the published difference
    published_better: str = ""  # the published number of the better side
    published_other: str = ""  # the published number of the other side
    scores: str = ""  # the origin of the scores, for claims of the SAS paper: "recorded" or "computed"
    same_test: str = ""  # whether the test set is that of the paper
    same_training: str = ""  # whether the training data are those of the paper
    run: str = ""  # the result page in ``benchmarks/results``
    same_as: str = ""  # the source of an earlier row that compares the same systems on the same set by the same measure
    at_chance: str = ""  # the systems that did not learn: not above a random order

    @property
    def is_counted(self) -> bool:
        """Whether the overview counts it: it is no repetition, and both systems learned."""
        return not self.same_as and not self.at_chance

    @property
    def is_control(self) -> bool:
        """Whether this is a control of ours and no claim of a paper."""
        return self.source.startswith("control of ")


class Finding(NamedTuple):
    """A main claim of a paper, and the rows that test it.

    Attributes:
        text: The claim.
        pairs: The pairs (better, other) of systems that it compares.
        statement: For the SAS paper, the start of the source of its rows.
    """

    text: str
    pairs: tuple[tuple[str, str], ...] = ()
    statement: str = ""

    def selects(self, row: ClaimRow) -> bool:
        """Return whether this row tests the claim."""
        if self.statement:
            return row.source.startswith(self.statement) and row.scores == RECORDED
        return (row.better, row.other) in self.pairs and row.verdict != NOT_TESTED


def _networks(better: str, other: str = "") -> tuple[tuple[str, str], ...]:
    return tuple((network + better, network + other) for network in ("match-pyramid", "dmn", "man"))


def _order(*ends: str) -> tuple[tuple[str, str], ...]:
    pairs = (("man", "dmn"), ("dmn", "match-pyramid"), ("man", "match-pyramid"))
    return tuple((better + end, other + end) for end in ends for better, other in pairs)


def _both(better: str, other: str) -> tuple[tuple[str, str], ...]:
    return ((better, other), (f"{better}-att", f"{other}-att"))


def _losses(*names: str) -> tuple[tuple[str, str], ...]:
    pairs = [(name, f"{name}-pointwise") for name in names]
    return (*pairs, *((other, better) for better, other in pairs))


PAPERS: Mapping[str, tuple[Finding, ...]] = {
    SAS: (
        Finding(
            "without a common word, trained BERTScore agrees better with annotators than SAS",
            statement="BERTScore trained outperforms SAS",
        ),
        Finding("with a common word, SAS agrees best", statement="... and better than the others with some overlap"),
        Finding("training on names improves the bi-encoder", statement="Training on names improves"),
        Finding("lexical metrics agree less than every semantic one", statement="Lexical metrics show considerably"),
    ),
    "SCAN": (
        Finding("SCAN ranks better than TANDA", (("scan-rate-1", "tanda"),)),
        Finding("TANDA ranks better than plain fine-tuning", (("tanda", "ce-plain"),)),
        Finding("each part of SCAN helps", (("scan-rate-1", "scan-wo-fd"), ("scan-rate-1", "scan-rate-1-wo-ld"))),
        Finding(
            "SCAN is more robust than TANDA to damaged training data",
            (("scan-rate-1-perturbed", "tanda-perturbed"), ("scan-rate-1-noisy", "tanda-noisy")),
        ),
    ),
    "ADDAX": (
        Finding("ADDAX ranks better than late interaction", (("addax", "late-interaction"),)),
        Finding(
            "each part of ADDAX helps",
            tuple(("addax", f"addax-{part}") for part in ("wo-mags", "wo-hw", "wo-hd", "att-mags")),
        ),
    ),
    "Gupta & Carvalho 2019": (
        Finding("MAN ranks better than DMN, and DMN better than Match Pyramid", _order("", "-adv", "-adv-k5")),
        Finding("adversarial training helps", _networks("-adv")),
        Finding("adversarial training helps with K = 5 and the epoch by dev", _networks("-adv-k5")),
        Finding("a committee of adversarial states is better than the plain network", _networks("-advcom")),
        Finding("a committee of adversarial states is better than a single one", _networks("-advcom", "-adv")),
        Finding(
            "adversarial training is better than longer ordinary training (our control)",
            (*_networks("-adv", "-ckpt"), *_networks("-adv-k5", "-ckpt-k5")),
        ),
    ),
    "Xu et al. 2019": (
        Finding("GGSA ranks better than an LSTM", _both("ggsa", "qa-lstm")),
        Finding("GGSA ranks better than global self-attention", _both("ggsa", "global")),
        Finding("interaction (iGGSA) helps", _both("iggsa", "ggsa")),
        Finding(
            "multihop attention composes iGGSA best", (("iggsa-multihop", "iggsa"), ("iggsa-multihop", "iggsa-att"))
        ),
        Finding(
            "multihop attention composes iGGSA best, with three times as many epochs",
            (("iggsa-multihop-long", "iggsa"), ("iggsa-multihop-long", "iggsa-att")),
        ),
        Finding(
            "attention composes better than the maximum",
            tuple((f"{name}-att", name) for name in ("qa-lstm", "global", "ggsa", "iggsa")),
        ),
        Finding(
            "the pairwise loss has the higher P@1, and the pointwise loss the higher MRR",
            _losses("ggsa", "ggsa-att", "iggsa", "iggsa-att"),
        ),
    ),
}


def overview(rows: Sequence[ClaimRow]) -> str:
    """Return the page in Markdown: how the claims were tested, the verdicts by paper, and the main findings."""
    claims = [row for row in rows if not row.is_control and row.is_counted]
    ranking = [row for row in claims if row.paper != SAS]
    lines = sorted(
        (finding(paper, main, rows) for paper, findings in PAPERS.items() for main in findings),
        key=lambda line: RESULTS.index(str(line[0])),
    )
    columns = ("result", "claim", "paper", "tests", "hold", "opposite", "these trainings: hold, opposite", "undecided",
               "ours", "published")  # fmt: skip
    return PAGE.format(
        total=_total(ranking),
        left_out=_left_out([row for row in rows if not row.is_control]),
        welch=_welch([row for row in ranking if row.p_welch]),
        verdicts=_plain(_verdict_table(claims)),
        findings=_plain(Table.of("", columns, lines)),
    )


def _plain(table: Table) -> str:
    return markdown(table).split("\n", 2)[2].strip()  # without a title


def finding(paper: str, main: Finding, rows: Iterable[ClaimRow]) -> tuple[Cell, ...]:
    """Return the line of a main claim: what its tests came to, and the ranges of the differences.

    Raise LookupError if no row tests it.
    """
    tested = [row for row in rows if row.paper == paper and main.selects(row) and row.is_counted]
    if not tested:
        raise LookupError(f"no claim on the result pages tests {main.text!r}; correct its pairs or statement")
    holds, opposite, weak, undecided, _ = _counts(tested)
    ranges = [_range([float(cell) for cell in cells if cell])
              for cells in ([row.difference for row in tested], [row.published for row in tested])]  # fmt: skip
    numbers = (len(tested), holds, opposite, weak, undecided)
    return (result(holds, opposite, len(tested)), main.text, paper, *numbers, *ranges)


def result(holds: int, opposite: int, n: int) -> str:
    """Return the result for a claim of which some tests hold and some are opposite.

    >>> result(3, 0, 3), result(1, 0, 3), result(0, 2, 3), result(1, 1, 3), result(0, 0, 3)
    ('confirmed', 'confirmed in part', 'contradicted in part', 'mixed', 'not decided')
    """
    if holds and opposite:
        return "mixed"
    if not holds and not opposite:
        return "not decided"
    return ("confirmed" if holds else "contradicted") + ("" if n in (holds, opposite) else " in part")


def _counts(rows: Iterable[ClaimRow]) -> tuple[int, int, str, int, int]:
    """Return how many hold, are opposite, are one of both in these trainings only, are undecided, and not tested."""
    counted: Counter[tuple[str, bool]] = Counter()
    for row in rows:
        verdict, limited, _ = row.verdict.partition(", ")
        counted[verdict, bool(limited)] += 1
    weak = f"{counted['holds', True]}, {counted['opposite', True]}"
    holds, opposite = counted["holds", False], counted["opposite", False]
    return holds, opposite, weak, counted["undecided", False], counted[NOT_TESTED, False]


def same_sign(rows: Iterable[ClaimRow]) -> tuple[int, int]:
    """Return in how many rows our difference has the sign of the published one, and how many have both."""
    both = [(float(row.difference), float(row.published)) for row in rows if row.difference and row.published]
    return sum(ours * published > 0 for ours, published in both), len(both)


def inside(rows: Iterable[ClaimRow]) -> tuple[int, int]:
    """Return in how many rows our interval contains the published difference, and how many have both."""
    both = [row for row in rows if row.low and row.published]
    return sum(float(row.low) <= float(row.published) <= float(row.high) for row in both), len(both)


def _total(rows: Sequence[ClaimRow]) -> str:
    """Return a paragraph on all claims about ranking systems."""
    holds, opposite, weak, undecided, untested = _counts(rows)
    signs, beside = same_sign(rows), inside(rows)
    p = binomtest(*signs).pvalue if signs[1] else float("nan")
    return (
        f"Of {len(rows)} claims on ranking systems, {len(rows) - untested} could be tested here: {holds} hold, "
        f"{opposite} are opposite, {sum(map(int, weak.split(', ')))} are significant in these trainings only, and "
        f"{undecided} are undecided. Our difference has the sign of the published one in {signs[0]} of {signs[1]} "
        f"cases (a coin: p {p:.2f}; the claims are correlated), and our interval contains the published one in "
        f"{beside[0]}."
    )


def _left_out(claims: Sequence[ClaimRow]) -> str:
    """Return how many claims are not counted, and why."""
    same, chance = sum(bool(row.same_as) for row in claims), sum(bool(row.at_chance) for row in claims)
    return (
        f"**Not counted**: {same} rows that repeat a comparison of another table of their paper (`same_as`), and "
        f"{chance} rows with a network that did not learn, which is not above a random order (`at_chance`)."
    )


def _welch(rows: Sequence[ClaimRow]) -> str:
    """Return what changes if no seeds are paired."""
    weaker = [row for row in rows if row.verdict in ("holds", "opposite") and not float(row.p_welch) < SURE]
    weak = [row for row in rows if row.verdict.endswith(", these trainings")]
    stronger = [row for row in weak if float(row.p_welch) < SURE]
    return (
        f"p over trainings is paired by seed in {len(rows)} rows, in which both systems share a training or its start. "
        f"By Welch's test (`p_welch`), {len(weaker)} of their claims that hold or are opposite would be of these "
        f"trainings only, and {len(stronger)} would no longer be limited to them."
    )


def _verdict_table(claims: Sequence[ClaimRow]) -> Table:
    columns = ("paper", "claims", "hold", "opposite", "these trainings: hold, opposite", "undecided", "not tested",
               "sign as published", "published in our interval")  # fmt: skip
    return Table.of("", columns, _verdict_lines(claims))


def _verdict_lines(claims: Sequence[ClaimRow]) -> Iterator[tuple[Cell, ...]]:
    for paper in PAPERS:
        for origin, words in (
            ((RECORDED, ", recorded scores"), (COMPUTED, ", our metrics")) if paper == SAS else (("", ""),)
        ):
            rows = [row for row in claims if row.paper == paper and row.scores == origin]
            compared = (
                ("", "")
                if origin == RECORDED
                else tuple("{} of {}".format(*count) for count in (same_sign(rows), inside(rows)))
            )
            yield (paper + words, len(rows), *_counts(rows), *compared)


def _range(numbers: Sequence[float]) -> str:
    """Return the lowest and the highest of these differences.

    >>> _range([0.022, -0.01]), _range([0.5]), _range([])
    ('-0.010 to +0.022', '+0.500', '')
    """
    if not numbers:
        return ""
    low, high = f"{min(numbers):+.3f}", f"{max(numbers):+.3f}"
    return low if low == high else f"{low} to {high}"


PAGE = """# The claims of the five papers

    $ python -m benchmarks.claims

{total}

A claim is "A is better than B" on one data set by one measure. [claims.csv](../benchmarks/results/claims.csv) has one
row per claim: our difference with its interval and p, the published numbers, the verdict, and the result page of the
run. The site shows it as a table with filters. The command makes it and this page from the [result
pages](../benchmarks/results) and the [published numbers](../benchmarks/published_numbers.csv).

## Verdicts by paper

{verdicts}

- **Hold** and **opposite**: p < 0.05 over questions (Fisher's randomization test, Holm within the table of the paper
  and the measure) and over trainings. **These trainings**: significant over questions only, or there is a single
  training. **Undecided**: all else. It is no evidence that two systems are equal.
- **Over trainings**: {welch}
- {left_out}
- **No claim on a ranking system was tested with the published encoder and training data.** Ours are small networks on
  MiniLM ([rankers.md](../benchmarks/results/rankers.md)). See the columns `same_test` and `same_training`.
- **Not tested**: claims on Tax (private), and comparisons with systems that are not implemented here. YahooCQA is a 3 %
  sample (1,272 training questions, at which most pointwise networks stay at chance), and FiQA has 190 of 6,648 training
  questions. TREC DL 2019 stands in for MS MARCO.
- **WikiQA is counted twice for ADDAX**: with the 237 questions of the clean test, and with the 243 of the paper.
- **The SAS paper is judged twice**: by the recorded scores of its own models, which the findings below use, and by our
  metrics, which were trained on other data. A difference is of two coefficients with the labels, and p is over rows. If
  p is empty, the interval decides whether two coefficients are within 0.05.

## Main findings

Differences are those of all tests of a claim, from the lowest to the highest.

{findings}
"""
