"""The link check of the built site: every link inside it has a target, and nothing is loaded from another host."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}


class Page(NamedTuple):
    """The content of a page.

    Attributes:
        ids: Its anchors.
        links: The targets of its links.
        loaded: The targets of the scripts, styles and images that a browser loads with it.
    """

    ids: set[str]
    links: list[str]
    loaded: list[str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page(set(), [], [])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.page.ids.update(given[name] for name in ("id", "name") if name in given)
        for name in ("href", "src"):
            if name in given:
                (self.page.loaded if (tag, name) in _LOADED else self.page.links).append(given[name])


def read(html: str) -> Page:
    """Return the anchors and the links of a page.

    >>> read('<h1 id="a">A</h1><a href="b.html#c">d</a><img src="e.png">')
    Page(ids={'a'}, links=['b.html#c'], loaded=['e.png'])
    """
    reader = _Reader()
    reader.feed(html)
    return reader.page


def broken_links(site: Path) -> list[str]:
    """Return one line per link inside the site that leads nowhere, and per file that another host would serve.

    Links to other hosts are not followed. A link to the top of a page ("#") is valid.
    """
    pages = {path.resolve(): read(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    broken = []
    for path, page in pages.items():
        shown = path.relative_to(site.resolve()).as_posix()
        for link in dict.fromkeys([*page.links, *page.loaded]):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    broken.append(f"{shown}: loads {link} from another host")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                broken.append(f"{shown}: {link} leads to no file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                broken.append(f"{shown}: {link} leads to no anchor")
    return broken
