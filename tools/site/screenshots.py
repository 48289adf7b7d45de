"""Make pictures for the documentation: a report, and what a notebook shows. See `make screenshots`."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

import answersim
from benchmarks.options import run_program
from tools.site import chromium
from tools.site.sources import ROOT

PICTURES = ("notebook.png", "report.png")
# Answers for the notebook and the report.
TEXTS: dict[str, Any] = json.loads(Path(__file__).with_name("screenshots.json").read_text(encoding="utf-8"))
NOTEBOOK = Path(__file__).with_name("notebook.html")  # as JupyterLab shows the output of a cell


def screenshots(output: Path) -> list[Path]:
    """Write the pictures to a folder and return their paths. Raise FileNotFoundError if no Chromium is installed."""
    paths = [output / name for name in PICTURES]
    with tempfile.TemporaryDirectory() as folder:
        notebook, report = Path(folder) / "notebook.html", Path(folder) / "report.html"
        notebook.write_text(NOTEBOOK.read_text(encoding="utf-8") + _cells(), encoding="utf-8")
        answers = answersim.read_answers(_capitals(), pred=["baseline", "candidate"], question="question")
        answersim.write_report(answersim.compare(answers, "typed+recall"), report)
        with chromium.opened() as page:
            page.resize(820, 300)
            page.open(notebook.as_uri())
            page.screenshot(paths[0])
            page.resize(1280)
            page.open(report.as_uri())
            page.run("document.documentElement.style.scrollbarWidth = 'none'")
            page.screenshot(paths[1], 1300)
    return paths


def _capitals() -> dict[str, list[str]]:
    """Return a table of two systems that answer in sentences, and sometimes not at all."""
    rng = random.Random(7)
    pairs = [pair.split() for pair in TEXTS["capitals"]] * 8
    table: dict[str, list[str]] = {"question": [f"What is the capital of {country}?" for country, _ in pairs]}
    table["gold"] = [city for _, city in pairs]
    for name, weights in (("baseline", (3, 3, 2, 1, 3)), ("candidate", (2, 5, 5, 1, 1))):
        forms = rng.choices(TEXTS["sentences"], weights, k=len(pairs))
        table[name] = [
            form.format(city=city, country=country, other=rng.choice(pairs)[1])
            for form, (country, city) in zip(forms, pairs, strict=True)
        ]
    return table


def _cells() -> str:
    """Return some cells of a notebook with their outputs."""
    answers = TEXTS["answers"]
    score = answersim.score("Rome", "in Rome", metric="f1", calibration="shipped")
    results: dict[str, Any] = {'answersim.score("Rome", "in Rome", metric="f1", calibration="shipped")': score}
    for call in (answersim.evaluate, answersim.compare):
        result = call(answers, "typed+recall", pred=["old", "new"], progress=False)
        results[f'answersim.{call.__name__}(answers, "typed+recall", pred=["old", "new"])'] = result
    return "".join(f"<pre>{code}</pre>{result._repr_html_()}" for code, result in results.items())


def main(output: Annotated[Path, typer.Option(help="The folder of the pictures.")] = ROOT / "docs") -> None:
    """Write the pictures."""
    for path in screenshots(output):
        typer.echo(f"written: {path}")


if __name__ == "__main__":
    run_program(main)
