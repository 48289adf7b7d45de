"""Look at the built site in a headless Chromium: pictures of pages, what is cut, the rules of axe, and the search.

    python -m tools.site.look --site build/site --output build/pictures

It needs Debian's chromium, and npm for the pinned axe-core, which build/downloads keeps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from answersim._base.runtime.cli_errors import user_errors
from tools.site import axe, chromium
from tools.site.sources import ROOT

WIDTHS, SCHEMES = (390, 768, 1280), ("light", "dark")
PAGES = (
    *("index", "docs/evaluate", "docs/decisions", "docs/values", "docs/official", "docs/reward", "docs/choosing"),
    *(
        "cards/index",
        "cards/answersim",
        "gallery/index",
        "gallery/rag_regression_in_ci",
        "reference/answersim.metrics.testing",
    ),
    *("results-ranking", "benchmarks/results/toy"),
)
WORDS = ("extract", "official", "reward", "gate")  # what the search has to find
_SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_CUT = """[...document.querySelectorAll("article pre")].filter(block => block.scrollWidth > block.clientWidth + 1)
  .map(block => block.textContent.slice(0, 60))"""
_FOUND = 'document.querySelectorAll("#search-results li a").length'

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    site: Path = typer.Option(ROOT / "build/site", help="The folder of the built site."),
    output: Path = typer.Option(ROOT / "build/pictures", help="The folder of the pictures."),
    pages: str = typer.Option(",".join(PAGES), help="The pages, separated by commas."),
) -> None:
    """Write pictures of the site at three widths, light and dark, and list what is wrong with it."""
    with user_errors():
        found = 0
        for found, line in enumerate(findings(site, output, pages.split(",")), 1):  # noqa: B007 (the last number counts)
            typer.echo(line)
        typer.echo(f"{found} findings; pictures are in {output}")
        raise SystemExit(1 if found else 0)


def findings(site: Path, output: Path, pages: Sequence[str] = PAGES) -> Iterator[str]:
    """Write the pictures and yield one line per finding.

    A finding is a page that scrolls sideways, a block of code that is cut at 1280, a serious violation of a rule of axe
    (contrast, keyboard and others), or a word that the search does not find.

    Raises:
        FileNotFoundError: If the site is not built, or no Chromium is installed.
    """
    if not (site / "index.html").is_file():
        raise FileNotFoundError(f"{site} has no site; run `make docs`")
    output.mkdir(parents=True, exist_ok=True)
    script = axe.source()
    with chromium.opened() as page:
        for name in pages:
            for scheme in SCHEMES:
                page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                page.resize(WIDTHS[0])
                page.open((site / f"{name}.html").resolve().as_uri())
                for width in WIDTHS:
                    page.resize(width)
                    page.screenshot(output / f"{name.replace('/', '-')}-{width}-{scheme}.png")
                    where = f"{name}, {width}, {scheme}"
                    if (over := page.run(_SIDEWAYS)) > 0:
                        yield f"{where}: the page scrolls sideways by {over} pixels"
                    if width == max(WIDTHS):
                        yield from (f"{where}: cut: {json.dumps(block)}" for block in page.run(_CUT))
                    if width != WIDTHS[1]:
                        yield from (f"{where}: {rule}" for rule in axe.serious(page, script))
        for word in WORDS:
            page.open(f"{(site / 'search.html').resolve().as_uri()}?q={word}")
            page.wait('document.querySelector("#search-results p")?.textContent.match(/[0-9]|not match/)', timeout=30)
            if not page.run(_FOUND):
                yield f"search: no page for {word!r}"


if __name__ == "__main__":
    app(prog_name="python -m tools.site.look")
