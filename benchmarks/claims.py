"""The table of claims of the five papers, with the published numbers beside ours, and its overview.

    python -m benchmarks.claims

It writes ``benchmarks/results/claims.csv``, one row per claim, data set, measure and origin of the scores, and
``docs/claims.md``, which ``benchmarks.claims_overview`` lays out. Our numbers are those of the tables of claims on the
result pages, which ``benchmarks.ranking`` and ``benchmarks.correlations`` make from the archived runs and scores. The
published numbers are in ``benchmarks/published_numbers.csv``. Nothing is computed anew, so this takes a second.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from benchmarks.claims_overview import COMPUTED, NOT_TESTED, PAPERS, RECORDED, SAS, WITHDRAWN, ClaimRow, overview
from benchmarks.ranking_claims import CLAIMS
from benchmarks.tables import save
from rankers.systems.scan import MOVING

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
TABLE = RESULTS / "claims.csv"
OVERVIEW = ROOT / "docs" / "claims.md"
SAS_PAGE = "sas-paper-claims.md"
HEADING = "what the papers claim"
SAS_HEADING = "Claims of the SAS paper, by "
SETS = {"squad": "SQuAD", "nq-open": "NQ-open", "germanquad": "GermanQuAD"}
DIGITS = ", no digits"
VERDICTS = {
    "yes": "holds",
    "opposite": "opposite",
    "not shown": "undecided",
    "does not hold": "opposite",
    "not decidable": "undecided",
}


class Source(NamedTuple):
    """One table of claims on a result page."""

    page: str  # the file in ``benchmarks/results``
    title: str  # the start of the heading of the table
    published: str  # the data set of the published numbers
    same_test: str  # whether the test set is that of the papers; "" if this depends on the paper (``WIKIQA``)
    same_training: str  # whether the training data are those of the papers
    # what is said of the trainings after the name of the data set, if another page has the same systems
    settings: str = ""
    # the end of the names of systems whose training failed here, so that every claim on them is withdrawn
    failed: str = ""

    @property
    def dataset(self) -> str:
        """The data set as claims name it."""
        return f"{self.title}, {self.settings}" if self.settings else self.title


# Their MLP does not learn at the learning rate of the other networks, and was not trained again at a lower one.
POINTWISE = "-pointwise"
_CANDIDATES = "no: 43 of 500 candidates"
_SAMPLE = ("no: 239 questions, other negatives", "no: 1,272 questions")
_MINI = (_CANDIDATES, "no: 1,000 of 12,887 questions")
_SMALL = (_CANDIDATES, "no: 300 of 12,887 questions")
SOURCES = (
    Source("wikiqa.md", "WikiQA", "wikiqa", "", "same questions"),
    Source("wikiqa-controls.md", "WikiQA", "wikiqa", "", "same questions"),
    Source("wikiqa-committee-k.md", "WikiQA", "wikiqa", "", "same questions"),
    Source("wikiqa-equation-5.md", "WikiQA", "wikiqa", "", "same questions"),
    Source("wikiqa-sweeps.md", "WikiQA", "wikiqa", "", "same questions"),
    Source("wikiqa-no-all.md", "WikiQA, 243 questions", "wikiqa", "yes (243 questions)", "same questions"),
    Source("selqa.md", "SelQA", "selqa", "yes", "no: part of dev"),
    Source("antique.md", "ANTIQUE", "antique", "yes (judged pools)", "no: 267 questions"),
    Source("trecdl19.md", "TREC DL 2019", "msmarco", "no: 43 questions of TREC", "no: WikiQA"),
    Source("yahoocqa-disjoint.md", "YahooCQA", "yahooqa", *_SAMPLE, failed=POINTWISE),
    Source("yahoocqa-disjoint-one-seed.md", "YahooCQA", "yahooqa", *_SAMPLE, failed=POINTWISE),
    Source("yahoocqa-disjoint-paper.md", "YahooCQA", "yahooqa", *_SAMPLE, "published settings", failed=POINTWISE),
    Source("fiqa-disjoint.md", "FiQA", "fiqa", "no: 92 questions", "no: 190 of 6,648 questions"),
    Source("insuranceqa.md", "InsuranceQA, reduced, test1", "insuranceqa-test1", *_MINI),
    Source("insuranceqa.md", "InsuranceQA, reduced, test2", "insuranceqa-test2", *_MINI),
    Source("insuranceqa-committee.md", "InsuranceQA, reduced, test1", "insuranceqa-test1", *_SMALL),
    Source("insuranceqa-committee.md", "InsuranceQA, reduced, test2", "insuranceqa-test2", *_SMALL),
    Source("insuranceqa-multihop.md", "InsuranceQA, reduced, test1", "insuranceqa-test1", *_MINI),
    Source("insuranceqa-sweeps.md", "InsuranceQA, reduced, test1", "insuranceqa-test1", *_MINI),
    Source("insuranceqa-multihop.md", "InsuranceQA, reduced, test2", "insuranceqa-test2", *_MINI),
    Source("insuranceqa-sweeps.md", "InsuranceQA, reduced, test2", "insuranceqa-test2", *_MINI),
)
WIKIQA = {  # which test questions a paper keeps; ours are the 237 with both kinds of answers
    "SCAN": "yes (237 questions)",
    "ADDAX": "no: 243 questions",
    "Gupta & Carvalho 2019": "not known (5.8k pairs)",
}
CHANCE = 0.02  # a trained system that is above a random order by no more than this did not learn
UNTESTED = {"yahooqa": "YahooCQA", "fiqa": "FiQA", "tax": "Tax (private)"}  # with systems that were not trained here
CONTROLS = {  # the start of the source of a control of ours, and the paper that it is about
    "control of it": "Gupta & Carvalho 2019",
    "control of SCAN": "SCAN",
    "control of ADDAX": "ADDAX",
    "control of GGSA": "Xu et al. 2019",
}

Key = tuple[str, str, str, str]  # paper, data set, measure, system
Published = Mapping[Key, float]


def published_numbers(path: Path = ROOT / "benchmarks" / "published_numbers.csv") -> Published:
    """Return the published numbers by paper, data set, measure and system."""
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            (row["paper"], row["dataset"], row["measure"], row["system"]): float(row["value"])
            for row in csv.DictReader(lines)
        }


def rows_below(text: str, heading: str) -> list[dict[str, str]]:
    """Return the rows of the Markdown table below the first bold line with this text, by column.

    Raise LookupError if no bold line has this text.
    """
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("**") and heading in line), None)
    if start is None:
        raise LookupError(f"no table is called {heading!r}; make the page again")
    table = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip().strip("|").split(" | ")])
    return [dict(zip(table[0], cells, strict=True)) for cells in table[2:]]


def paper_of(source: str) -> str:
    """Return the paper of the source of a claim, or of the control of one; "" if there is none.

    >>> paper_of("Xu et al. 2019, Table 2"), paper_of("control of it, man: many members?"), paper_of("other")
    ('Xu et al. 2019', 'Gupta & Carvalho 2019', '')
    """
    names = {name: name for name in PAPERS} | CONTROLS
    return next((paper for start, paper in names.items() if source.startswith(start)), "")


def ranking_rows(paper: str, published: Published) -> Iterator[ClaimRow]:
    """Yield one row per claim of this paper, data set and measure: tested claims and controls, then untested claims.

    A measure counts if the paper reports it. If the paper has no numbers for a data set, the first measure is listed.
    """
    seen: set[tuple[str, ...]] = set()
    first: dict[tuple[str, ...], str] = {}
    for source in SOURCES:
        text = (RESULTS / source.page).read_text(encoding="utf-8")
        tested, chance = _claims_table(text, source.title), at_chance(text, source.title)
        reported = {measure for name, dataset, measure, _ in published if (name, dataset) == (paper, source.published)}
        measures = list(dict.fromkeys(row["measure"] for row in tested))
        shown = [measure for measure in measures if measure in reported] or measures[:1]
        for row in tested:
            key = (row["source"], row["better"], row["than"], source.dataset, row["measure"])
            if paper_of(row["source"]) == paper and row["measure"] in shown and key not in seen:
                seen |= {key, (*key[:3], source.published, row["measure"])}
                same = first.setdefault((row["better"], row["than"], source.dataset, row["measure"]), row["source"])
                yield _tested(paper, row, source, published)._replace(
                    same_as="" if same == row["source"] else same,
                    at_chance=", ".join(row[side] for side in ("better", "than") if row[side] in chance),
                )
    for dataset, title in UNTESTED.items():
        for claim in CLAIMS:
            if paper_of(claim.source) != paper:
                continue
            for measure in ("P@1", "nDCG@5", "MRR"):
                numbers = _beside(
                    published, *((paper, dataset, measure, _in_paper(side)) for side in (claim.better, claim.other))
                )
                is_tested = (claim.source, claim.better, claim.other, dataset, measure) in seen
                if any(numbers) and not is_tested and (not claim.measures or measure in claim.measures):
                    start = (paper, claim.source, claim.better, claim.other, title, measure)
                    yield ClaimRow(*start, NOT_TESTED, *("", "", "", "", "", ""), *numbers)


def _claims_table(text: str, title: str) -> list[dict[str, str]]:
    name = next(
        (line.strip("*") for line in text.splitlines() if line.startswith(f"**{title}") and HEADING in line), ""
    )
    return rows_below(text, name or f"{title}: {HEADING}")


def at_chance(text: str, title: str) -> frozenset[str]:
    """Return the trained systems of a page whose first measure is at most ``CHANCE`` above that of a random order.

    A page without a random order has none.
    """
    lines = text.splitlines()
    heading = next((line.strip("*") for line in lines if line.startswith(f"**{title}") and line.endswith(")**")), "")
    rows = rows_below(text, heading) if heading else []
    means = {
        row["system"]: float(value.partition("±")[0])
        for row in rows
        for column, value in row.items()
        if column == next(name for name in row if name.startswith("ranking "))
    }
    if "random" not in means:
        return frozenset()
    trained = [row["system"] for row in rows if row["parameters"]]
    return frozenset(system for system in trained if means[system] <= means["random"] + CHANCE)


def _tested(paper: str, row: Mapping[str, str], source: Source, published: Published) -> ClaimRow:
    verdict, comma, limit = row["holds"].partition(", ")
    place = (paper, source.published, row["measure"])
    in_paper = any(key[:2] == place[:2] for key in published)
    same_training = source.same_training + ("; no ASNQ" if paper == "SCAN" else "")
    failed = bool(source.failed) and any(row[side].endswith(source.failed) for side in ("better", "than"))
    return ClaimRow(
        paper,
        row["source"],
        row["better"],
        row["than"],
        source.dataset,
        row["measure"],
        WITHDRAWN if failed else VERDICTS[verdict] + comma + limit,
        row["difference"],
        *_ends(row["95 %"]),
        row["p (Holm)"],
        row["p (seeds)"],
        row.get("p (Welch)", ""),  # of a page that was made before, none
        *_beside(published, *((*place, _in_paper(row[side])) for side in ("better", "than"))),
        "",
        (source.same_test or WIKIQA[paper]) if in_paper else "not in the paper",
        same_training if in_paper else "not in the paper",
        source.page,
    )


def _in_paper(system: str) -> str:
    """Return the system whose published numbers stand beside ours: for SCAN at another rate, SCAN."""
    return "scan" if system == MOVING else system


def _ends(interval: str) -> tuple[str, str]:
    """Return the ends of a printed interval.

    >>> _ends("[-0.015, 0.002]")
    ('-0.015', '0.002')
    """
    low, _, high = interval.strip("[]").partition(", ")
    return low, high


def _beside(published: Published, better: Key, other: Key) -> tuple[str, str, str]:
    """Return the difference of two published numbers and both of them, or "" three times if one is missing."""
    one, two = (published.get(key) for key in (better, other))
    return ("", "", "") if one is None or two is None else (f"{one - two:+.3f}", f"{one:.3f}", f"{two:.3f}")


def sas_rows(published: Published) -> Iterator[ClaimRow]:
    """Yield one row per claim of the SAS paper and origin of the scores."""
    text = (RESULTS / SAS_PAGE).read_text(encoding="utf-8")
    for origin in (RECORDED, COMPUTED):
        for row in rows_below(text, f"{SAS_HEADING}{origin}"):
            compared, subset = row["tested as"], f"{row['set']} {row['rows']}"
            sign = " < " if " < " in compared else " > "
            better, _, other = compared.partition(sign)
            more = DIGITS if other.endswith(DIGITS) else ""
            numbers = _beside(
                published,
                (SAS, subset, row["coefficient"], better),
                (SAS, subset + more, row["coefficient"], other.removesuffix(more)),
            )
            yield ClaimRow(
                SAS,
                row["claim"],
                better,
                f"below {other}" if sign == " < " else other,
                SETS[row["set"]],
                f"{row['coefficient']}, {row['rows']}",
                VERDICTS.get(row["verdict"], row["verdict"]),
                row["difference"],
                *_ends(row["95 %"]),
                row["p (Holm)"],
                "",
                "",
                *numbers,
                origin,
                "no: the paper used another state of the data" if DIGITS in compared else "yes",
                "",
                SAS_PAGE,
            )


def claim_rows() -> list[ClaimRow]:
    """Return all rows of the table, by paper; the claims of a paper are before our controls."""
    published = published_numbers()
    rows = [*sas_rows(published), *(row for paper in PAPERS if paper != SAS for row in ranking_rows(paper, published))]
    return sorted(rows, key=lambda row: (list(PAPERS).index(row.paper), row.is_control))


def as_csv(rows: Sequence[ClaimRow]) -> str:
    """Return the rows as CSV with a header."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(ClaimRow._fields)
    table.writerows(rows)
    return text.getvalue()


def main(
    table: Annotated[Path, typer.Option(help="The file for the table.")] = TABLE,
    output: Annotated[Path, typer.Option(help="The file for the overview.")] = OVERVIEW,
) -> None:
    """Write the table of the claims of the five papers, and its overview."""
    rows = claim_rows()
    save(as_csv(rows), table)
    save(overview(rows), output)


if __name__ == "__main__":
    typer.run(main)
