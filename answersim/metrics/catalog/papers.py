"""How to cite the package and its metrics in BibTeX: the papers that the source of a metric names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from answersim.metrics.catalog import lookup

_BIB = Path(__file__).with_name("papers.bib").read_text(encoding="utf-8")
ENTRIES = {entry.split("{")[1].split(",")[0]: f"@{entry.strip()}\n" for entry in _BIB.removeprefix("@").split("\n@")}
"""The entries of ``papers.bib`` by their keys: the first author and the year."""

PACKAGE, STUDY = "answersim2026", "mustafazade2022"  # the package, and the paper whose study it repeats


def bibtex(name: str) -> str:
    """Return BibTeX entries of the package, of the paper whose study it repeats, and of the papers of a metric.

    A metric that is made of others has the papers of its parts too. Raise LookupError if no metric has this name.

    >>> print(bibtex("rouge-l").split("@")[3])
    inproceedings{lin2004,
      title = {{ROUGE}: A Package for Automatic Evaluation of Summaries},
      author = {Lin, Chin-Yew},
      booktitle = {Text Summarization Branches Out},
      year = {2004},
      pages = {74--81},
      url = {https://aclanthology.org/W04-1013},
    }
    <BLANKLINE>
    """
    return "\n".join(ENTRIES[key] for key in dict.fromkeys((PACKAGE, STUDY, *papers(name))))


def papers(name: str) -> Iterator[str]:
    """Yield the keys of the papers that the sources of a metric and of its parts name, but for the study.

    >>> list(papers("sas"))
    ['risch2021']
    """
    entry = lookup.entry(name)
    yield from (key for key in keys(entry.source) if key in ENTRIES and key != STUDY)
    for inner in entry.parts:
        yield from papers(inner)


def keys(source: str) -> list[str]:
    """Return the keys of the papers that the source of a metric names, which ``ENTRIES`` may lack.

    >>> keys("Popović 2015; Banerjee & Lavie 2005, by sacrebleu")
    ['popovic2015', 'banerjee2005']
    """
    plain = unicodedata.normalize("NFKD", source).encode("ascii", "ignore").decode()
    return [f"{author.lower()}{year}" for author, year in re.findall(r"(\w+)(?: et al\.| & \w+)? (\d{4})", plain)]
