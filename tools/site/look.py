"""Look at the built site in a headless Chromium: pictures of pages, what is cut, the rules of axe, and the search.

    python -m tools.site.look --site build/site --output build/pictures

It needs Debian's chromium, and npm for the pinned axe-core, which build/downloads keeps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from answersim.runtime.cli_errors import user_errors
from tools.site.browser import assemble, chromium
from tools.site.sources import ROOT

AXE = {
    "version": "4.10.3",
    "file": "axe-core-4.10.3.tgz",
    "integrity": "sha512-Xm7bpRXnDSX2YE2YFfBk2FnF0ep6tmG7xPh8iHee8MIcrgq762Nkce856dYtJYLkuIoYZvGfTs/PbZhideTcEg==",
    "folder": "package/",
    "files": {"axe.min.js": "880970c081707360e64f34cea25ff91892f5bc95675b0776925b9709dd8a68bb"},
}
WIDTHS, SCHEMES = (390, 768, 1280), ("light", "dark")
PAGES = (
    *("index", "docs/evaluate", "docs/decisions", "docs/extraction", "docs/official", "docs/reward", "docs/choosing"),
    *("cards/index", "cards/answersim", "cards/sas", "gallery/index", "reference/answersim", "reference/options"),
    *("benchmarks/results/judged", "claims/index", "results-ranking"),
)
WORDS = ("extract", "official", "reward", "gate")  # what the search has to find
_SERIOUS = """axe.run({resultTypes: ["violations"]}).then(found => found.violations
  .filter(rule => ["serious", "critical"].includes(rule.impact))
  .map(rule => `${rule.id} (${rule.nodes.length}): ${rule.nodes[0].html.slice(0, 120)}`))"""
_SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_CUT = """[...document.querySelectorAll("article pre")].filter(block => block.scrollWidth > block.clientWidth + 1)
  .map(block => block.textContent.slice(0, 60))"""
_FOUND = 'document.querySelectorAll("#search-results li a").length'

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    site: Path = typer.Option(ROOT / "build/site", help="The folder of the built site."),
    output: Path = typer.Option(ROOT / "build/pictures", help="The folder of the pictures."),
) -> None:
    """Write pictures of the site at three widths, light and dark, and list what is wrong with it."""
    with user_errors():
        lines = list(findings(site, output))
        typer.echo("\n".join([*lines, f"{len(lines)} findings; pictures are in {output}"]))
        raise SystemExit(1 if lines else 0)


def findings(site: Path, output: Path) -> Iterator[str]:
    """Write the pictures and yield one line per finding.

    A finding is a page that scrolls sideways, a block of code that is cut at 1280, a serious violation of a rule of axe
    (contrast, keyboard and others), or a word that the search does not find.

    Raises:
        FileNotFoundError: If the site is not built, or no Chromium is installed.
    """
    if not (site / "index.html").is_file():
        raise FileNotFoundError(f"{site} has no site; run `make docs`")
    output.mkdir(parents=True, exist_ok=True)
    downloads = ROOT / "build/downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder, chromium.opened(Path(folder) / "requests.json") as page:
        assemble.from_npm("axe-core", AXE, Path(folder), downloads)
        axe = (Path(folder) / "axe.min.js").read_text(encoding="utf-8")
        for name in PAGES:
            for scheme in SCHEMES:
                page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                page.resize(WIDTHS[0])
                page.open((site / f"{name}.html").resolve().as_uri())
                page.run(f"{axe}; null")
                for width in WIDTHS:
                    page.resize(width)
                    page.screenshot(output / f"{name.replace('/', '-')}-{width}-{scheme}.png")
                    where = f"{name}, {width}, {scheme}"
                    if (over := page.run(_SIDEWAYS)) > 0:
                        yield f"{where}: the page scrolls sideways by {over} pixels"
                    if width == max(WIDTHS):
                        yield from (f"{where}: cut: {json.dumps(block)}" for block in page.run(_CUT))
                    if width != WIDTHS[1]:
                        yield from (f"{where}: {rule}" for rule in page.run(_SERIOUS))
        for word in WORDS:
            page.open(f"{(site / 'search.html').resolve().as_uri()}?q={word}")
            page.wait('document.querySelector("#search-results p")?.textContent.match(/[0-9]|not match/)', timeout=30)
            if not page.run(_FOUND):
                yield f"search: no page for {word!r}"


if __name__ == "__main__":
    app(prog_name="python -m tools.site.look")
