"""The claims of the five papers: what holds here, with the published numbers beside ours.

    python -m benchmarks.claims
    python -m benchmarks.claims --output docs/claims.md

The first command prints the overview. The second one writes it, and beside it one page per paper with every claim
(``claims-scan.md`` and so on). ``benchmarks.claim_pages`` has their layout.

Our numbers are read from the tables of claims on the result pages in ``benchmarks/results``. The published numbers are
in ``benchmarks/published_numbers.csv``. Nothing is computed anew, so the pages are made in a second.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from benchmarks import claim_pages
from benchmarks.claim_papers import COMPUTED, PAPERS, RECORDED, ClaimRow
from benchmarks.claim_papers import UNTESTED as NOT_TESTED
from benchmarks.claim_sentences import DIGITS, SETS, metric_sentence, ranking_sentence
from benchmarks.ranking_claims import CLAIMS
from benchmarks.tables import save

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SAS_PAGE = "sas-paper-claims.md"
HEADING = "what the papers claim"
SAS_HEADING = "Claims of the SAS paper, by "
VERDICTS = {"yes": "holds", "opposite": "opposite", "not shown": "undecided", "does not hold": "opposite"}


class Source(NamedTuple):
    """One table of claims on a result page.

    Attributes:
        page: The file in ``benchmarks/results``.
        title: The start of the heading of the table.
        published: The data set of the published numbers.
        same_test: Whether the test set is that of the papers; "" if this depends on the paper (``WIKIQA``).
        same_training: Whether the training data are those of the papers.
        settings: What is said of the trainings after the name of the data set, if another page has the same systems.
    """

    page: str
    title: str
    published: str
    same_test: str
    same_training: str
    settings: str = ""

    @property
    def dataset(self) -> str:
        """The data set as claims name it."""
        return f"{self.title}, {self.settings}" if self.settings else self.title


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
    Source("selqa-equation-5.md", "SelQA", "selqa", "yes", "no: part of dev"),
    Source("antique.md", "ANTIQUE", "antique", "yes (judged pools)", "no: 267 questions"),
    Source("trecdl19.md", "TREC DL 2019", "msmarco", "no: 43 questions of TREC", "no: WikiQA"),
    Source("yahoocqa-disjoint.md", "YahooCQA", "yahooqa", *_SAMPLE),
    Source("yahoocqa-disjoint-one-seed.md", "YahooCQA", "yahooqa", *_SAMPLE),
    Source("yahoocqa-disjoint-paper.md", "YahooCQA", "yahooqa", *_SAMPLE, "published settings"),
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
NOT_THERE = "not in the paper"
ANOTHER_STATE = "no: the paper used another state of the data"
UNTESTED = {  # published data sets without a result page here, or with one that lacks some of the systems
    "yahooqa": ("YahooCQA", "not run here"),
    "fiqa": ("FiQA", "not run here"),
    "tax": ("Tax (private)", "not run here"),
}
CONTROLS = {  # the start of the source of a control of ours, and the paper that it is about
    "control of it": "Gupta & Carvalho 2019",
    "control of SCAN": "SCAN",
    "control of ADDAX": "ADDAX",
    "control of GGSA": "Xu et al. 2019",
}

Published = Mapping[tuple[str, str, str, str], float]


def published_numbers(path: Path = HERE / "published_numbers.csv") -> dict[tuple[str, str, str, str], float]:
    """Return the published numbers by paper, data set, measure and system."""
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            (row["paper"], row["dataset"], row["measure"], row["system"]): float(row["value"])
            for row in csv.DictReader(lines)
        }


def rows_below(text: str, heading: str) -> list[dict[str, str]]:
    """Return the rows of the Markdown table below the first bold line with this text, by column.

    Raises:
        LookupError: If no bold line has this text.
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
    names = {paper.name: paper.name for paper in PAPERS} | CONTROLS
    return next((paper for start, paper in names.items() if source.startswith(start)), "")


def ranking_rows(paper: str, published: Published, results: Path = RESULTS) -> Iterator[ClaimRow]:
    """Yield one row per claim of this paper, data set and measure: tested claims and controls, then untested claims.

    A measure counts if the paper reports it. If the paper has no numbers for a data set, the first measure is listed.
    """
    seen: set[tuple[str, ...]] = set()
    for source in SOURCES:
        text = (results / source.page).read_text(encoding="utf-8")
        tested = _claims_table(text, source.title)
        reported = {measure for name, dataset, measure, _ in published if (name, dataset) == (paper, source.published)}
        measures = list(dict.fromkeys(row["measure"] for row in tested))
        shown = [measure for measure in measures if measure in reported] or measures[:1]
        for row in tested:
            key = (row["source"], row["better"], row["than"], source.dataset, row["measure"])
            if paper_of(row["source"]) == paper and row["measure"] in shown and key not in seen:
                seen |= {key, (*key[:3], source.published, row["measure"])}
                yield _tested(row, source, published)
    for dataset, (title, state) in UNTESTED.items():
        for claim in CLAIMS:
            if paper_of(claim.source) != paper:
                continue
            for measure in ("P@1", "nDCG@5", "MRR"):
                numbers = _beside(published, paper, dataset, measure, claim.better, claim.other)
                is_tested = (claim.source, claim.better, claim.other, dataset, measure) in seen
                if numbers and not is_tested and (not claim.measures or measure in claim.measures):
                    start = (claim.source, claim.better, claim.other, title, measure)
                    sentence = ranking_sentence(claim.better, claim.other, measure, title)
                    yield ClaimRow(*start, sentence, NOT_TESTED, state, published=numbers)


def _claims_table(text: str, title: str) -> list[dict[str, str]]:
    name = next(
        (line.strip("*") for line in text.splitlines() if line.startswith(f"**{title}") and HEADING in line), ""
    )
    return rows_below(text, name or f"{title}: {HEADING}")


def _tested(row: Mapping[str, str], source: Source, published: Published) -> ClaimRow:
    verdict, _, limit = row["holds"].partition(", ")
    paper = paper_of(row["source"])
    numbers = _beside(published, paper, source.published, row["measure"], row["better"], row["than"])
    in_paper = any(key[:2] == (paper, source.published) for key in published)
    same_training = source.same_training + ("; no ASNQ" if paper == "SCAN" else "")
    return ClaimRow(
        row["source"],
        row["better"],
        row["than"],
        source.dataset,
        row["measure"],
        ranking_sentence(row["better"], row["than"], row["measure"], source.dataset),
        VERDICTS[verdict],
        limit,
        row["difference"],
        row["95 %"],
        row["p (Holm)"],
        row["p (seeds)"],
        numbers,
        (source.same_test or WIKIQA[paper]) if in_paper else NOT_THERE,
        same_training if in_paper else NOT_THERE,
        f"[table](../benchmarks/results/{source.page})",
    )


def _beside(published: Published, paper: str, dataset: str, measure: str, better: str, other: str) -> str:
    """Return both published numbers and their difference, or "" if the paper does not have both."""
    one, two = (published.get((paper, dataset, measure, name)) for name in (better, other))
    return "" if one is None or two is None else f"{one - two:+.3f} ({one:.3f}, {two:.3f})"


def sas_rows(published: Published, results: Path = RESULTS) -> Iterator[ClaimRow]:
    """Yield one row per claim of the SAS paper and origin of the scores."""
    text = (results / SAS_PAGE).read_text(encoding="utf-8")
    for origin in (RECORDED, COMPUTED):
        for row in rows_below(text, f"{SAS_HEADING}{origin}"):
            verdict = VERDICTS.get(row["verdict"], "undecided" if row["verdict"] == "not decidable" else "holds")
            compared = row["tested as"]
            higher, _, lower = compared.partition(" > ")
            numbers = ""
            if row["coefficient"] == "kendall":
                more = DIGITS if lower.endswith(DIGITS) else ""
                place = f"{row['set']} {row['rows']}"
                one = published.get(("SAS paper", place, "kendall", higher))
                two = published.get(("SAS paper", place + more, "kendall", lower.removesuffix(more)))
                numbers = "" if one is None or two is None else f"{one - two:+.3f} ({one:.3f}, {two:.3f})"
            margin = "(within " in row["claim"]
            yield ClaimRow(
                row["claim"],
                compared,
                "",
                SETS[row["set"]],
                f"{row['coefficient']}, {row['rows']}",
                metric_sentence(compared, row["coefficient"], row["set"], row["rows"], margin),
                verdict,
                "",
                row["difference"],
                row["95 %"],
                row["p (Holm)"],
                "",
                numbers,
                ANOTHER_STATE if DIGITS in compared else "yes",
                scores=origin,
            )


def pages(results: Path = RESULTS) -> dict[str, str]:
    """Return all pages as Markdown by file name, the overview first."""
    published = published_numbers()
    rows: dict[str, list[ClaimRow]] = {
        paper.name: list(ranking_rows(paper.name, published, results)) for paper in PAPERS[1:]
    }
    return claim_pages.pages({PAPERS[0].name: list(sas_rows(published, results)), **rows})


def main(
    output: Annotated[
        Path | None,
        typer.Option(help="A file for the overview, instead of the terminal. The other pages are written beside it."),
    ] = None,
) -> None:
    """The claims of the five papers: an overview, and one page per paper."""
    made = pages()
    if output is None:
        typer.echo(made[claim_pages.OVERVIEW], nl=False)
        return
    for name, text in made.items():
        save(text, output if name == claim_pages.OVERVIEW else output.parent / name)


if __name__ == "__main__":
    typer.run(main)
