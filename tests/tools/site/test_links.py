"""The link check finds what a reader would run into."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.site.links import broken_links

GOOD = '<h1 id="top">A</h1><a href="b.html#c">b</a><a href="#top">t</a><a href="#">u</a><a href="https://x.org">x</a>'


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (GOOD, []),
        ('<img src="data:image/png;base64,AA==">', []),
        ('<a href="missing.html">m</a>', ["a.html: missing.html leads to no file"]),
        ('<a href="b.html#d">d</a>', ["a.html: b.html#d leads to no anchor"]),
        ('<a href="#nowhere">n</a>', ["a.html: #nowhere leads to no anchor"]),
        ('<img src="missing.png">', ["a.html: missing.png leads to no file"]),
        ('<script src="https://cdn.org/x.js"></script>', ["a.html: loads https://cdn.org/x.js from another host"]),
        ('<link rel="stylesheet" href="//cdn.org/x.css">', ["a.html: loads //cdn.org/x.css from another host"]),
    ],
)
def test_what_is_broken_is_listed(tmp_path: Path, page: str, expected: list[str]) -> None:
    (tmp_path / "a.html").write_text(page)
    (tmp_path / "b.html").write_text('<p id="c">c</p>')
    assert broken_links(tmp_path) == expected
