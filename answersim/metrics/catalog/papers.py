"""How to cite the package and its metrics: the entries of ``papers.bib``, whose keys are author and year."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from importlib.resources import files

from answersim.metrics.catalog import lookup

PACKAGE = "answersim2026"
STUDY = "mustafazade2022"  # the paper whose study this package repeats
_NAMED = re.compile(r"(\w+)(?: et al\.| & \w+)? ((?:19|20)\d\d)\b")  # as in "Risch et al. 2021"


def bibtex(name: str) -> str:
    """Return BibTeX entries of the package, of the paper whose study it repeats, and of the papers of a metric.

    A metric that is made of others has the papers of its parts too.

    Raises:
        LookupError: If no metric has this name.

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
    known = entries()
    return "\n".join(known[key] for key in dict.fromkeys((PACKAGE, STUDY, *keys(name))) if key in known)


def entries() -> dict[str, str]:
    """Return all BibTeX entries by their keys."""
    text = (files("answersim.metrics.catalog") / "papers.bib").read_text(encoding="utf-8")
    return {entry[: entry.index(",")].partition("{")[2]: entry for entry in re.findall(r"(?ms)^@.*?^}\n", text)}


def keys(name: str) -> Iterator[str]:
    """Yield the keys of the papers that the sources of a metric and of its parts name by author and year.

    >>> list(keys("typed+sas"))
    ['mustafazade2022', 'risch2021']
    """
    entry = lookup.entry(name)
    for author, year in _NAMED.findall(entry.source):
        plain = unicodedata.normalize("NFKD", author.lower()).encode("ascii", "ignore").decode()
        yield f"{plain}{year}"
    for part in entry.parts:
        yield from keys(part)
