"""BibTeX of the package and of metrics: complete, and the same papers that the sources of metrics name."""

import re
import unicodedata

import pytest

import answersim
from answersim.metrics.catalog import lookup
from answersim.metrics.catalog.papers import PACKAGE, STUDY, bibtex, papers
from tests.cases import every

ENTRIES = {PACKAGE, STUDY, *(paper for name in answersim.names() for paper in papers(name))}


def keys(name):
    return {key for paper in papers(name) for key in re.findall(r"\A@\w+\{(\w+),", paper)}


@every("name", [*answersim.names(), *lookup.remote_names()])
def test_every_paper_that_a_source_names_has_an_entry_and_no_other(name):
    source = unicodedata.normalize("NFKD", lookup.entry(name).source).encode("ascii", "ignore").decode()
    authors = re.findall(r"(\w+)(?: et al\.| & \w+)? (\d{4})", source)
    named = {f"{author.lower()}{year}" for author, year in authors}
    of_parts = {key for part in lookup.entry(name).parts for key in keys(part)}
    assert keys(name) - of_parts == named - {"mustafazade2022"}


def test_a_metric_made_of_others_has_the_papers_of_its_parts():
    assert keys("typed+sas") == keys("sas") == {"risch2021"}
    assert keys("answersim") == {"risch2021", "zhang2020", "rajpurkar2018"}


def test_the_entries_are_balanced_and_have_authors():
    for entry in ENTRIES:
        assert re.match(r"@(inproceedings|misc)\{[a-z]+\d{4},\n", entry)
        assert entry.count("{") == entry.count("}")
        assert all(f"  {field} = {{" in entry for field in ("title", "author", "year"))
        assert re.search(r"(?<!\\)[&%#]", entry) is None
        assert entry.isascii()


def test_each_entry_is_printed_once_and_the_package_first():
    printed = re.findall(r"(?m)^@\w+\{(.*),$", bibtex("sas"))
    assert printed == ["answersim2026", "mustafazade2022", "risch2021"]


def test_an_unknown_metric_is_an_error():
    with pytest.raises(LookupError, match="did you mean 'meteor'"):
        bibtex("meteo")
