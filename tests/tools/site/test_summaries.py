"""llms.txt lists every page of the index with its title, and llms-full.txt has the guides in full."""

from __future__ import annotations

from pathlib import Path

from tools.site.summaries import summaries


def test_pages_are_listed_by_section_and_guides_are_quoted(tmp_path: Path) -> None:
    files = {
        "index.md": "# answersim\n\n**It measures\nanswers.** More.\n\n"
        "```{toctree}\n:caption: Guides\n\nA guide </docs/a>\n```\n\n"
        "```{toctree}\n:caption: Metrics\n\ncards/index\n```\n\n```{toctree}\n:caption: Results\n\n/docs/r\n```\n",
        "docs/a.md": "# Guide A\n\nDo [this](r.md) first. Then that.\n",
        "docs/r.md": "# Results\n\n| a |\n|---|\n\nSecret numbers.\n",
        "cards/index.md": "# Cards\n\nAll.\n\n```{toctree}\n\nf1\n```\n",
        "cards/f1.md": "# `f1`\n\nHarmonic mean.\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = summaries(tmp_path)
    assert found["llms.txt"].splitlines() == [
        *("# answersim", "", "> It measures answers.", ""),
        *("## Guides", "", "- [Guide A](docs/a.html): Do this first.", ""),
        *("## Metrics", "", "- [Cards](cards/index.html): All.", "- [`f1`](cards/f1.html): Harmonic mean.", ""),
        *("## Results", "", "- [Results](docs/r.html): Secret numbers."),
    ]
    assert "Then that." in found["llms-full.txt"]
    assert "Secret numbers" not in found["llms-full.txt"]
