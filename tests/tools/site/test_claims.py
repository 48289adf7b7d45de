"""The page of claims: every row of claims.csv is on it, and every paper, set and verdict can be chosen."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest

from tools.site.claims import FILTERS, PAGE, claim_pages, claims


@pytest.fixture(scope="module")
def page() -> str:
    return claim_pages()[PAGE]


class Rows(HTMLParser):
    """The attributes and the cells of each row of the body of the table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[dict[str, str | None], list[str]]] = []
        self.in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr" and attrs:
            self.rows.append((dict(attrs), []))
        elif tag == "td":
            self.rows[-1][1].append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self.in_cell = self.in_cell and tag != "td"

    def handle_data(self, data: str) -> None:
        if self.in_cell:
            self.rows[-1][1][-1] += data


def test_the_page_has_every_row_with_its_numbers(page: str) -> None:
    reader = Rows()
    reader.feed(page)
    rows = claims()
    assert len(reader.rows) == len(rows) > 700
    for row, (attributes, cells) in zip(rows, reader.rows, strict=True):
        assert {name: attributes[f"data-{name}"] for name in FILTERS} == {name: row[name] for name in FILTERS}
        assert cells[2] == f"{row['better']} > {row['other']}"
        assert cells[5:7] == [row["verdict"], row["difference"]]
        assert row["low"] in cells[7]
        assert row["published_other"] in cells[10]


@pytest.mark.parametrize("name", FILTERS)
def test_every_value_can_be_chosen(page: str, name: str) -> None:
    (select,) = re.findall(rf'<select name="{name}">(.*?)</select>', page)
    options = [unescape(option) for option in re.findall(r"<option>(.*?)</option>", select)]
    assert sorted(options) == sorted({row[name] for row in claims()})


def test_the_page_loads_nothing(page: str) -> None:
    assert not re.search(r"\bsrc=|https?:", page)
