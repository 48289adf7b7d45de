"""How to cite the package and its metrics in BibTeX. The papers of a metric stand beside its formula."""

from __future__ import annotations

from collections.abc import Iterator

from answersim.metrics.catalog import lookup

PACKAGE = """@misc{answersim2026,
  title = {answersim: semantic answer similarity for question answering, with its uncertainty},
  author = {{The answersim authors}},
  year = {2026},
  note = {Software, version 0.3.0, 2026-12-01},
}
"""
STUDY = """@misc{mustafazade2022,
  title = {Evaluation of Semantic Answer Similarity Metrics},
  author = {Mustafazade, Farida and Ebbinghaus, Peter F.},
  year = {2022},
  url = {https://arxiv.org/abs/2206.12664},
  note = {arXiv:2206.12664},
}
"""  # the paper whose study this package repeats


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
    return "\n".join(dict.fromkeys((PACKAGE, STUDY, *papers(name))))


def papers(name: str) -> Iterator[str]:
    """Yield the BibTeX entries of the papers of a metric and of its parts.

    >>> [entry.partition(",")[0] for entry in papers("typed+sas")]
    ['@inproceedings{risch2021']
    """
    entry = lookup.entry(name)
    yield from entry.papers
    for inner in entry.parts:
        yield from papers(inner)
