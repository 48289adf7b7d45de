"""Build the documentation site offline, and check every link inside it: ``make docs``.

python -m benchmarks.site                 # the site, in build/site
python -m benchmarks.site --card sas      # print the card of a metric, in Markdown
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import typer

from answersim.cli_errors import user_errors
from benchmarks.site import cards, links, reference, sources, summaries

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    output: Path = typer.Option(sources.ROOT / "build/site", help="The folder of the site."),
    source: Path = typer.Option(sources.ROOT / "build/site-sources", help="The folder of its sources."),
    card: str = typer.Option("", help="Print the card of this metric, and build nothing."),
) -> None:
    """Build the documentation site, or print the card of a metric."""
    with user_errors():
        if card:
            typer.echo(cards.card(card))
            return
        sources.assemble(source)
        for path, text in {**cards.card_pages(), **reference.reference_pages()}.items():
            sources.write(source / path, text)
        for name, text in summaries.summaries(source).items():
            sources.write(source / name, text)
        # -E: pages of an earlier build are read again, because Sphinx does not repeat their warnings.
        command = ["-b", "html", "-E", "-W", "--keep-going", "-q", str(source), str(output)]
        if subprocess.run([sys.executable, "-m", "sphinx", *command]).returncode:
            raise SystemExit(1)
        broken = links.broken_links(output)
        for line in broken:
            typer.echo(line, err=True)
        if broken:
            raise SystemExit(1)
        typer.echo(f"{output / 'index.html'}: {len(list(output.rglob('*.html')))} pages, no broken link")


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.site")
