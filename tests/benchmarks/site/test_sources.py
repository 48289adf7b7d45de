"""The sources of the site: every page is in the index, every link leads to a file, and every anchor exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.site import cards, reference
from benchmarks.site.sources import INCLUDED, PAGES, ROOT, assemble, links, pages, toctree

INDEX = (ROOT / "docs" / "site" / "index.md").read_text(encoding="utf-8")


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    plain = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    titles = [
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ +(.+?) *$", plain, re.MULTILINE)
    ]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_in_the_index_once() -> None:
    listed = toctree(INDEX)
    generated = {path.rpartition(".")[0] for path in (*cards.card_pages(), *reference.reference_pages())}
    expected = {page.removesuffix(".md") for page in pages()} - {INCLUDED.removesuffix(".md")}
    assert len(listed) == len(set(listed))
    assert expected - set(listed) == set()
    assert set(listed) - expected == {"cards/index", "reference/index"}
    assert {"cards/index", "reference/index"} <= generated


def test_the_pages_are_those_of_the_tree() -> None:
    assert {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} < set(pages())
    assert all(any(Path(page).match(pattern) for pattern in PAGES) for page in pages())
    assert len(pages()) > 50


@pytest.mark.parametrize("page", pages())
def test_every_link_of_a_page_leads_to_a_file_and_an_anchor(page: str) -> None:
    source = ROOT / page
    for link in links(source.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = source.parent / path if path else source
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


def tree(folder: Path, page: str) -> Path:
    for name, text in {
        "conf.py": "",
        "_static/site.css": "",
        "index.md": "```{toctree}\nThe title </docs/a>\n```\n",
    }.items():
        (folder / "docs/site" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs/site" / name).write_text(text)
    (folder / "docs/a.md").write_text(page)
    (folder / "answersim/data/probe").mkdir(parents=True)
    (folder / "answersim/data/probe/README.md").write_text("# Probe\n")
    (folder / "NOTICE").write_text("notice")
    return folder


def test_assembled_pages_keep_their_paths_and_bring_what_they_link_to(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", "[a](../NOTICE) [b](../answersim/data/probe) [c](https://example.org)\n")
    assert assemble(tmp_path / "out", root) == ["answersim/data/probe/README.md", "docs/a.md"]
    assert (tmp_path / "out/NOTICE").read_text() == "notice"
    assert (tmp_path / "out/docs/a.md").read_text() == (
        "# The title\n\n[a](../NOTICE) [b](../answersim/data/probe/README.md) [c](https://example.org)\n"
    )


def test_a_link_to_a_file_that_is_not_there_names_the_page_and_the_link(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", "[a](missing.png)\n")
    with pytest.raises(FileNotFoundError, match=r"docs/a\.md links to missing\.png"):
        assemble(tmp_path / "out", root)
