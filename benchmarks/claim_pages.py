"""The pages of claims: an overview with verdicts and findings per paper, and one page per paper with every claim."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from benchmarks.claim_papers import COMPUTED, PAPERS, RECORDED, UNTESTED, ClaimRow, Headline, Paper
from benchmarks.tables import Cell, Column, Table, render

OVERVIEW = "claims.md"
COLUMNS = ("claim", "verdict", "ours", "95 %", "p (questions)", "p (trainings)", "published", "same test?",
           "same training data?", "details")  # fmt: skip
SAS_COLUMNS = ("claim", "verdict", "difference", "95 %", "p", "verdict of ours", "ours", "ours 95 %", "ours p",
               "published", "same test?")  # fmt: skip


def pages(rows: Mapping[str, Sequence[ClaimRow]]) -> dict[str, str]:
    """Return the pages in Markdown by file name: the overview, and one page per paper.

    Args:
        rows: The claims and controls by the name of the paper.
    """
    details = {f"claims-{paper.page}.md": detail_page(paper, rows[paper.name]) for paper in PAPERS}
    return {OVERVIEW: overview(rows), **details}


def overview(rows: Mapping[str, Sequence[ClaimRow]]) -> str:
    """Return the first page: what the verdicts mean, a count of them per paper, and the main findings."""
    claims = {name: [row for row in of_paper if not is_control(row)] for name, of_paper in rows.items()}
    ranking = [row for name, of_paper in claims.items() for row in of_paper if name != PAPERS[0].name]
    parts = [TITLE, _total(ranking), INTRODUCTION, "## Verdicts by paper", "", _verdict_table(claims).rstrip(), NOTES]
    for paper in PAPERS:
        parts += ["", f"## [{paper.title}](claims-{paper.page}.md)", ""]
        parts += [f"- {finding(headline, rows[paper.name])}" for headline in paper.headlines]
    return "\n".join(parts) + "\n"


def finding(headline: Headline, rows: Iterable[ClaimRow]) -> str:
    """Return what the tests of a main claim came to, in one or two sentences.

    Raises:
        LookupError: If no row tests it.
    """
    tested = [row for row in rows if headline.selects(row)]
    if not tested:
        raise LookupError(f"no claim on the result pages tests {headline.text!r}; correct its pairs or statement")
    counted = Counter((row.verdict, bool(row.limit)) for row in tested)
    holds, opposite = counted["holds", False], counted["opposite", False]
    weak = [f"{counted[verdict, True]} {word}" for verdict, word in (("holds", "for it"), ("opposite", "against it"))
            if counted[verdict, True]]  # fmt: skip
    if weak:
        weak = [f"significant in these trainings only: {', '.join(weak)}"]
    undecided = counted["undecided", False]
    numbers = ", ".join([f"{holds} hold", f"{opposite} opposite", f"{undecided} undecided", *weak])
    ranges = f"ours {_range(_numbers(row.ours for row in tested))}"
    if published := _numbers(row.published for row in tested):
        ranges += f", published {_range(published)}"
    sets = ", ".join(dict.fromkeys(row.dataset.partition(",")[0] for row in tested))
    tests = "1 test" if len(tested) == 1 else f"{len(tested)} tests"
    return f"**{_lead(holds, opposite, len(tested))}: {headline.text}.** {tests} on {sets}: {numbers}; {ranges}."


def _lead(holds: int, opposite: int, n: int) -> str:
    """Return the verdict on a claim of which some tests hold and some are opposite.

    >>> _lead(3, 0, 3), _lead(1, 0, 3), _lead(0, 2, 3), _lead(1, 1, 3), _lead(0, 0, 3)
    ('Confirmed', 'Confirmed in part', 'Contradicted in part', 'Mixed', 'Not decided')
    """
    if holds and opposite:
        return "Mixed"
    if not holds and not opposite:
        return "Not decided"
    return ("Confirmed" if holds else "Contradicted") + ("" if n in (holds, opposite) else " in part")


def _total(rows: Sequence[ClaimRow]) -> str:
    """Return a paragraph on all claims about ranking systems."""
    tested = [row for row in rows if row.verdict != UNTESTED]
    counted = Counter(row.verdict for row in tested if not row.limit)
    signs, beside = same_sign(tested), inside(tested)
    return (
        f"Of {len(rows)} claims on ranking systems, {len(tested)} could be tested here: {counted['holds']} hold, "
        f"{counted['opposite']} are opposite, {sum(bool(row.limit) for row in tested)} are significant in these "
        f"trainings only, and {counted['undecided']} are undecided. Our difference has the sign of the published one "
        f"in {signs[0]} of {signs[1]} cases, and our interval contains the published one in {beside[0]}."
    )


def _verdict_table(claims: Mapping[str, Sequence[ClaimRow]]) -> str:
    header = ("paper", "claims", "hold", "opposite", "these trainings: hold, opposite", "undecided", "not tested",
              "sign as published", "published in our interval")  # fmt: skip
    lines: list[tuple[Cell, ...]] = []
    for paper in PAPERS:
        link = f"[{paper.title}](claims-{paper.page}.md)"
        if paper.name == PAPERS[0].name:
            for origin, what in ((RECORDED, "the scores of its models"), (COMPUTED, "our metrics")):
                of_origin = [row for row in claims[paper.name] if row.scores == origin]
                lines.append((f"{link}, {what}", *_counts(of_origin, compared=origin == COMPUTED)))
        else:
            lines.append((link, *_counts(claims[paper.name])))
    shown = render([Table("", tuple(map(Column, header)), tuple(lines))], [], "markdown")
    return shown.split("\n", 2)[2]  # without a title


def _counts(rows: Sequence[ClaimRow], compared: bool = True) -> tuple[Cell, ...]:
    counted = Counter((row.verdict, bool(row.limit)) for row in rows)
    signs, beside = same_sign(rows), inside(rows)
    return (
        len(rows),
        counted["holds", False],
        counted["opposite", False],
        f"{counted['holds', True]}, {counted['opposite', True]}",
        counted["undecided", False],
        counted[UNTESTED, True],
        f"{signs[0]} of {signs[1]}" if compared else "",
        f"{beside[0]} of {beside[1]}" if compared else "",
    )


def same_sign(rows: Iterable[ClaimRow]) -> tuple[int, int]:
    """Return in how many rows our difference has the sign of the published one, and how many have both."""
    both = [
        (ours, published) for row in rows for ours in _numbers([row.ours]) for published in _numbers([row.published])
    ]
    return sum(ours * published > 0 for ours, published in both), len(both)


def inside(rows: Iterable[ClaimRow]) -> tuple[int, int]:
    """Return in how many rows our interval contains the published difference, and how many have both."""
    both = [(_ends(row.interval), value) for row in rows if row.interval for value in _numbers([row.published])]
    return sum(low <= value <= high for (low, high), value in both), len(both)


def _ends(interval: str) -> tuple[float, float]:
    """Return the ends of a printed interval.

    >>> _ends("[-0.015, 0.002]")
    (-0.015, 0.002)
    """
    low, _, high = interval.strip("[]").partition(", ")
    return float(low), float(high)


def _numbers(cells: Iterable[str]) -> list[float]:
    """Return the first number of each cell that has one.

    >>> _numbers(["+0.022 (0.916, 0.894)", "", "0.000"])
    [0.022, 0.0]
    """
    return [float(cell.partition(" ")[0]) for cell in cells if cell]


def _range(numbers: Sequence[float]) -> str:
    """Return the lowest and the highest of these differences.

    >>> _range([0.022, -0.01]), _range([0.5])
    ('-0.010 to +0.022', '+0.500')
    """
    low, high = f"{min(numbers):+.3f}", f"{max(numbers):+.3f}"
    return low if low == high else f"{low} to {high}"


def is_control(row: ClaimRow) -> bool:
    """Return whether a row is a control of ours and no claim of a paper."""
    return row.source.startswith("control of ")


def detail_page(paper: Paper, rows: Sequence[ClaimRow]) -> str:
    """Return the page of one paper: one line per claim, data set and measure; then our controls."""
    is_sas = paper.name == PAPERS[0].name
    note = f"\n{paper.note}\n" if paper.note else ""
    head = f"# Claims: {paper.title}\n\n{DETAILS}{note}\n"
    tables = list(_sas_tables(rows) if is_sas else _ranking_tables(rows))
    return head + render(tables, [], "markdown")


def _ranking_tables(rows: Sequence[ClaimRow]) -> Iterator[Table]:
    ordered = [*(row for row in rows if not is_control(row)), *(row for row in rows if is_control(row))]
    sources = list(dict.fromkeys(row.source for row in ordered))
    by_source = sorted(ordered, key=lambda row: sources.index(row.source))
    for source, group in groupby(by_source, key=lambda row: row.source):
        lines = [
            (row.sentence, f"{row.verdict} ({row.limit})" if row.limit else row.verdict, *row[8:16]) for row in group
        ]
        yield Table(_title(source), tuple(map(Column, COLUMNS)), tuple(lines))


def _title(source: str) -> str:
    """Return the title of a table.

    >>> _title("SCAN, Table 5"), _title("control of it, man: many members?"), _title("control of SCAN: rate?")
    ('SCAN, Table 5', 'Control: man: many members?', 'Control: rate?')
    """
    return re.sub(r"^control of \w+(, |: )", "Control: ", source)


def _sas_tables(rows: Sequence[ClaimRow]) -> Iterator[Table]:
    """Yield a table per statement: each line has the verdict by the recorded and by the computed scores."""
    recorded = [row for row in rows if row.scores == RECORDED]
    computed = {claim_key(row): row for row in rows if row.scores == COMPUTED}
    for statement, group in groupby(recorded, key=lambda row: row.source):
        lines = []
        for row in group:
            ours = computed[claim_key(row)]
            four = (ours.verdict, ours.ours, ours.interval, ours.p)
            lines.append(
                (row.sentence, row.verdict, row.ours, row.interval, row.p, *four, row.published, row.same_test)
            )
        yield Table(statement, tuple(map(Column, SAS_COLUMNS)), tuple(lines))


def claim_key(row: ClaimRow) -> tuple[str, ...]:
    """Return what identifies a claim of the SAS paper, whichever scores test it."""
    return (row.source, row.better, row.dataset, row.measure)


TITLE = "# The claims of the five papers\n"
INTRODUCTION = """
A claim is one sentence, "A is better than B", on one data set by one measure.
Each paper has a page with one line per claim. `python -m benchmarks.claims --output docs/claims.md` writes all of these
pages from the [result pages](../benchmarks/results) and the [published numbers](../benchmarks/published_numbers.csv).
"""
NOTES = """
- **Hold** and **opposite**: p < .05 over questions (Fisher's randomization test, Holm within the table of the paper and
  the measure) and over trainings. **These trainings**: significant over questions only, or there is a single training.
  **Undecided**: all else. It is no evidence that two systems are equal.
- **Sign as published, published in our interval**: of the claims for which the paper prints both numbers.
- **No claim on a ranking system was tested with the published encoder and training data.** Ours are small networks on
  MiniLM; see [rankers.md](rankers.md).
- **Not tested**: claims on Tax (private). YahooCQA is a 3 % sample, and FiQA has 190 of 6,648 training questions. In
  both, the splits have no text in common. TREC DL 2019 stands in for MS MARCO. Comparisons with systems that are not
  implemented here are not counted.
- **WikiQA is counted twice for ADDAX**: with the 237 questions of the clean test, and with the 243 of the paper, which
  contain them.
- The SAS paper is judged twice: by the recorded scores of its own models, and by our metrics. Its findings below are of
  the former."""
DETAILS = f"""`python -m benchmarks.claims` writes this page. [The overview]({OVERVIEW}) explains the verdicts. A
difference is the first side minus the other. Published numbers follow their difference in parentheses. An empty cell
means that the paper has no such pair of numbers.
"""
