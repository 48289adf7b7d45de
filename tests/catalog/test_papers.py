"""BibTeX of the package and of metrics: complete, and the same papers that the sources of metrics name."""

import re

import pytest

from answersim import official
from answersim.catalog import lookup
from answersim.catalog.papers import PAPERS, bibtex, named, papers_of

ENTRIES = {**lookup.ENTRIES, **lookup.BRIDGES, **lookup.WRAPPERS}


def test_every_paper_that_a_source_names_has_an_entry_and_no_other():
    cited = set()
    for name, entry in ENTRIES.items():
        found = named(entry.source)
        assert len(re.findall(r"\b(?:19|20)\d\d\b", entry.source)) == len(found), name
        cited |= set(found)
    assert cited == set(PAPERS)


def test_a_metric_made_of_others_has_the_papers_of_its_parts():
    assert papers_of("typed+sas") == papers_of("sas") == ["Mustafazade & Ebbinghaus 2022", "Risch et al. 2021"]
    assert set(papers_of("answersim")) >= {"Risch et al. 2021", "Zhang et al. 2020", "Rajpurkar et al. 2018"}
    assert set(papers_of("cascade")) >= set(papers_of("answersim"))


def test_the_entries_are_balanced_and_each_is_there_once():
    names = [*ENTRIES, *(f"official:{name}" for name in official.profiles())]
    text = bibtex([*names, *names])
    entries = re.split(r"(?m)^(?=@)", text)[1:]
    keys = [re.match(r"@(?:misc|inproceedings)\{([a-z0-9-]+),", entry).group(1) for entry in entries]  # type: ignore[union-attr]
    assert len(set(keys)) == len(keys) == 1 + len(PAPERS) + len(official.profiles())
    for entry in entries:
        assert entry.count("{") == entry.count("}")
        assert all(f"  {field} = {{" in entry for field in ("title", "author"))
        assert re.search(r"(?<!\\)[&%#]", entry) is None
    assert text.isascii()


def test_the_code_of_a_benchmark_is_cited_at_its_commit():
    assert r"note = {allennlp\_models/rc/tools/drop.py, commit b1f3722}" in bibtex(["official:drop"])


def test_an_unknown_metric_is_an_error():
    with pytest.raises(LookupError, match="did you mean 'rouge-l'"):
        bibtex(["rouge-1"])
