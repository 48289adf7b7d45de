"""BibTeX of the package and of metrics: complete, and the same papers that the sources of metrics name."""

import re

import pytest

from answersim.metrics.catalog import lookup
from answersim.metrics.catalog.papers import PACKAGE, bibtex, entries, keys


def test_every_paper_that_a_source_names_has_an_entry_and_no_other():
    cited = {PACKAGE}
    for name, entry in lookup.ENTRIES.items():
        cited |= set(keys(name))
        assert len(re.findall(r"\b(?:19|20)\d\d\b", entry.source)) <= len(set(keys(name))), name
    assert cited == set(entries())


def test_a_metric_made_of_others_has_the_papers_of_its_parts():
    assert set(keys("typed+sas")) == set(keys("sas")) == {"mustafazade2022", "risch2021"}
    assert set(keys("answersim")) >= {"risch2021", "zhang2020", "rajpurkar2018"}


def test_the_entries_are_balanced_and_have_authors():
    for key, entry in entries().items():
        assert re.fullmatch(r"[a-z]+\d{4}", key)
        assert entry.count("{") == entry.count("}")
        assert all(f"  {field} = {{" in entry for field in ("title", "author", "year"))
        assert re.search(r"(?<!\\)[&%#]", entry) is None
        assert entry.isascii()


def test_each_entry_is_printed_once_and_the_package_first():
    found = re.findall(r"(?m)^@\w+\{(.*),$", bibtex("sas"))
    assert found == [PACKAGE, "mustafazade2022", "risch2021"]


def test_an_unknown_metric_is_an_error():
    with pytest.raises(LookupError, match="did you mean 'rouge-l'"):
        bibtex("rouge-1")
