"""One page with the claims of the five papers: what holds here, with the published numbers beside ours.

    python -m benchmarks.claims
    python -m benchmarks.claims --output docs/claims.md

Our numbers are read from the tables of claims on the result pages in ``benchmarks/results``. The published numbers are
in ``benchmarks/published_numbers.csv``. Nothing is computed anew, so the page is made in a second.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from benchmarks.options import write_out
from benchmarks.ranking_claims import CLAIMS
from benchmarks.tables import Column, Table, render

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SAS_PAGE = "sas-paper-claims.md"
HEADING = "what the papers claim"
SAS_HEADING = "The SAS paper's claims, by "
VERDICTS = {"yes": "holds", "opposite": "opposite", "not shown": "undecided", "does not hold": "opposite"}
PAPERS = {
    "SCAN": "SCAN (spurious correlations, answer selection)",
    "ADDAX": "ADDAX (discriminative features, hashing denoiser)",
    "Gupta & Carvalho 2019": "Adversarial committees (Gupta & Carvalho 2019)",
    "Xu et al. 2019": "GGSA (Xu et al. 2019)",
}


class Source(NamedTuple):
    """One table of claims on a result page.

    Attributes:
        page: The file in ``benchmarks/results``.
        title: The start of the heading of the table.
        published: The data set of the published numbers.
        same_test: Whether the test set is that of the papers; "" if this depends on the paper (``WIKIQA``).
        same_training: Whether the training data are those of the papers.
    """

    page: str
    title: str
    published: str
    same_test: str
    same_training: str


_CANDIDATES = "no: 43 of 500 candidates"
_SAMPLE = ("no: 239 questions, other negatives", "no: 1,272 questions")
_MINI = (_CANDIDATES, "no: 1,000 of 12,887 questions")
_SMALL = (_CANDIDATES, "no: 300 of 12,887 questions")
SOURCES = (
    Source("wikiqa.md", "WikiQA", "wikiqa", "", "same questions"),
    Source("wikiqa-sweeps.md", "WikiQA", "wikiqa", "", "same questions"),
    Source("selqa.md", "SelQA", "selqa", "yes", "no: part of dev"),
    Source("antique.md", "ANTIQUE", "antique", "yes (judged pools)", "no: 267 questions"),
    Source("trecdl19.md", "TREC DL 2019", "msmarco", "no: 43 questions of TREC", "no: WikiQA"),
    Source("yahoocqa-disjoint.md", "YahooCQA", "yahooqa", *_SAMPLE),
    Source("yahoocqa-disjoint-one-seed.md", "YahooCQA", "yahooqa", *_SAMPLE),
    Source("insuranceqa.md", "InsuranceQA, reduced, test1", "insuranceqa-test1", *_MINI),
    Source("insuranceqa.md", "InsuranceQA, reduced, test2", "insuranceqa-test2", *_MINI),
    Source("insuranceqa-committee.md", "InsuranceQA, reduced, test1", "insuranceqa-test1", *_SMALL),
    Source("insuranceqa-committee.md", "InsuranceQA, reduced, test2", "insuranceqa-test2", *_SMALL),
    Source("insuranceqa-sweeps.md", "InsuranceQA, reduced, test1", "insuranceqa-test1", *_MINI),
    Source("insuranceqa-sweeps.md", "InsuranceQA, reduced, test2", "insuranceqa-test2", *_MINI),
)
WIKIQA = {  # which test questions a paper keeps; ours are the 237 with both kinds of answers
    "SCAN": "yes (237 questions)",
    "ADDAX": "no: 243 questions",
    "Gupta & Carvalho 2019": "not known (5.8k pairs)",
}
NOT_THERE = "not in the paper"
_WITHDRAWN = "[withdrawn](rankers.md#withdrawn-results), not tested"
UNTESTED = {  # published data sets without a result page here, or with one that lacks some of the systems
    "yahooqa": ("YahooCQA", "not run here"),
    "fiqa": ("FiQA", _WITHDRAWN),
    "tax": ("Tax (private)", "not run here"),
}
COLUMNS = ("claim", "source", "data set", "measure", "verdict", "ours", "95 %", "p", "p (trainings)", "published",
           "same test?", "same training data?", "details")  # fmt: skip
SAS_COLUMNS = ("claim", "set", "rows", "compared", "by", "scores", "verdict", "ours", "95 %", "p", "published")

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
    """Return the paper of the source of a claim; "" for a control of ours.

    >>> paper_of("Xu et al. 2019, Table 2"), paper_of("control of SCAN: weights?")
    ('Xu et al. 2019', '')
    """
    return next((paper for paper in PAPERS if source.startswith(paper)), "")


def ranking_rows(paper: str, published: Published, results: Path = RESULTS) -> Iterator[tuple[str, ...]]:
    """Yield one line per claim of this paper, data set and measure: tested claims, then those that were not tested.

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
            key = (row["source"], row["better"], row["than"], source.title, row["measure"])
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
                    start = (f"{claim.better} > {claim.other}", claim.source, title, measure, state)
                    yield (*start, "", "", "", "", numbers, "", "", "")


def _claims_table(text: str, title: str) -> list[dict[str, str]]:
    name = next(
        (line.strip("*") for line in text.splitlines() if line.startswith(f"**{title}") and HEADING in line), ""
    )
    return rows_below(text, name or f"{title}: {HEADING}")


def _tested(row: Mapping[str, str], source: Source, published: Published) -> tuple[str, ...]:
    verdict, _, limit = row["holds"].partition(", ")
    paper = paper_of(row["source"])
    numbers = _beside(published, paper, source.published, row["measure"], row["better"], row["than"])
    in_paper = any(key[:2] == (paper, source.published) for key in published)
    same_training = source.same_training + ("; no ASNQ" if paper == "SCAN" else "")
    return (
        f"{row['better']} > {row['than']}",
        row["source"],
        source.title,
        row["measure"],
        VERDICTS[verdict] + (f" ({limit})" if limit else ""),
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


def sas_rows(published: Published, results: Path = RESULTS) -> Iterator[tuple[str, ...]]:
    """Yield one line per claim of the SAS paper and origin of the scores."""
    text = (results / SAS_PAGE).read_text(encoding="utf-8")
    for origin in ("recorded", "computed"):
        for row in rows_below(text, f"{SAS_HEADING}{origin}"):
            verdict = VERDICTS.get(row["verdict"], "undecided" if row["verdict"] == "not decidable" else "holds")
            higher, _, lower = row["asked as"].partition(" > ")
            numbers = ""
            if row["by"] == "kendall":
                more = ", no digits" if lower.endswith(", no digits") else ""
                place = f"{row['set']} {row['rows']}"
                one = published.get(("SAS paper", place, "kendall", higher))
                two = published.get(("SAS paper", place + more, "kendall", lower.removesuffix(more)))
                numbers = "" if one is None or two is None else f"{one - two:+.3f} ({one:.3f}, {two:.3f})"
            yield (row["claim"], row["set"], row["rows"], row["asked as"], row["by"], origin, verdict, row["+"],
                   row["95 %"], row["p (Holm)"], numbers)  # fmt: skip


def page(results: Path = RESULTS) -> str:
    """Return the page as Markdown."""
    published = published_numbers()
    tables = [_table(title, COLUMNS, list(ranking_rows(paper, published, results))) for paper, title in PAPERS.items()]
    tables.insert(0, _table("The SAS paper", SAS_COLUMNS, list(sas_rows(published, results))))
    return INTRODUCTION + "\n" + render(tables, [], "markdown")


def _table(title: str, columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    return Table(title, tuple(map(Column, columns)), tuple(rows))


INTRODUCTION = """# The claims of the five papers

`python -m benchmarks.claims --output docs/claims.md` writes this page from the [result pages](../benchmarks/results)
and from the [published numbers](../benchmarks/published_numbers.csv).

- **Verdict.** "Holds" and "opposite" need p < .05 over questions (Fisher's randomization test, Holm within the table of
  the paper and the measure) and p < .05 over trainings. "These trainings" means that only the first p is significant,
  "one training" that there is one training per system. All other claims are undecided, which is no evidence that two
  systems are equal.
- **Ours and published** are differences, the better system minus the other. The published numbers of both follow in
  parentheses. An empty cell means that the paper has no such pair of numbers.
- **No claim on a ranking system was tested with the published encoder and training data.** Ours are small networks on
  MiniLM; see [rankers.md](rankers.md). SAS claims: "recorded" scores are those of the models of the paper on the
  published rows. "Computed" scores are those of the embedded models. p is over rows, and there are no further
  trainings. "Opposite" includes a claim that two coefficients are close, if they are not. Tables 2 and 3 are printed
  with two or three digits in the paper. Our three digits are recomputed from its recorded scores and round to them.
- **Not tested**: published claims on Tax and MS MARCO (TREC DL 2019 stands in for the latter), comparisons with systems
  that are not implemented here, and FiQA, whose reduced set leaks from train to test
  ([withdrawn](rankers.md#withdrawn-results)). YahooCQA is a 3 % sample whose splits have no text in common.
"""


def main(output: Annotated[Path | None, typer.Option(help="A file, instead of the terminal.")] = None) -> None:
    """The claims of the five papers on one page."""
    write_out(page(), output)


if __name__ == "__main__":
    typer.run(main)
