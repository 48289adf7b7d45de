"""Columns of any name: every study takes them, and nothing obeys what stands in them."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from answersim._base.io.files import read_csv
from answersim.calibration.storing import read
from tests.command_line import output, run, succeed

NAMES = {
    "two dollars": "$a$ and $b$",
    "broken formula": r"$\frac{$",
    "one dollar": "cost in $",
    "escaped dollar": r"\$x\$",
    "backslashes": r"C:\new\table \\",
    "braces": "{0} {name} {{}} %s %(x)s",
    "line end": "two\nlines\r\nthree",
    "tab": "a\tb",
    "controls": "\x00\x07\x1b[31mred\x1b[0m\x7f",
    "long": "x" * 20_000,
    "wide": "W" * 100,
    "right to left": "\u202eשלום العربية\u202c",
    "emoji": "👩‍👩‍👧 🇩🇪 名前 𝒳",
    "html": "<b onclick='x'>&amp;</b><script>alert(1)</script>",
    "svg": '</text></svg><img src=x onerror="alert(1)">',
    "font": "font-family: evil; font: 12px x",
    "color": "#010203 #040506",
    "underscores": "__dunder__",
    "one underscore": "_",
    "pipe": "a|b\\|c",
    "markdown": "[x](javascript:y) *b* `c` # d",
    "jinja": "{{ 7 * 7 }}{% raw %}",
    "quotes": "\"'`",
    "formula of a sheet": "=1+1",
    "comment": "--><!-- x",
    "half a surrogate pair": "half \ud800",
    "space": "\u2003wide\u00a0",
}


def table(path: Path, names: list[str], n: int = 40) -> Path:
    """Judged pairs with a column of scores under each of these names, as JSON lines, which hold any name."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(n):
        label = int(rng.integers(2))
        row = {"gold": f"red stone {i}", "pred": f"red {i}" if i % 2 else "brick", "label": label}
        rows.append(row | {name: label + 0.5 * rng.normal() for name in names})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.depth: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        assert not any(attr.startswith("on") for attr, _ in attrs)
        if tag == "svg":
            self.depth.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "svg":
            self.depth.pop()


@pytest.mark.slow
def test_a_report_shows_them_as_texts(tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="needs the extra `report`")
    pages = []
    for i, names in enumerate((["plain"], [*NAMES.values()])):
        output = tmp_path / f"{i}.html"
        words = ("correlate", table(tmp_path / f"{i}.jsonl", names), "--resamples", 5)
        assert run(*words, "--report", output)[0] == 0
        pages.append(output.read_text(encoding="utf-8"))
    plain, odd = Tags(), Tags()
    plain.feed(pages[0])
    odd.feed(pages[1])
    assert odd.found.count("script") == plain.found.count("script")
    assert set(odd.found) == set(plain.found)
    assert odd.depth == []


def test_a_study_is_printed_and_written_with_them(tmp_path: Path) -> None:
    names = [*NAMES.values()]
    path = table(tmp_path / "judged.jsonl", names)
    out = succeed("correlate", path, "--resamples", 1, "--tests", "bootstrap", "-o", tmp_path / "out.json")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\ud800]", out)
    content = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [row["metric"] for row in content["rows"][: len(names)]] == names
    succeed("correlate", path, "--resamples", 1, "--tests", "bootstrap", "-o", tmp_path / "out.md")
    page = (tmp_path / "out.md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<\w", page)
    lines = [line for line in page.split("\n") if line.startswith("|")]
    bars = Counter(len(re.findall(r"(?<!\\)\|", line)) for line in lines)
    assert bars == {9: 3 * (4 + len(names)), 10: 3 * (4 + len(names))}  # AUC first; yes and no; with two baselines


def test_a_study_in_csv_is_read_again_with_them(tmp_path: Path) -> None:
    names = [name for name in NAMES.values() if "\ud800" not in name]  # UTF-8 has no halves, and CSV no escapes
    if sys.version_info < (3, 11):  # its csv module writes no NUL
        path = table(tmp_path / "nul.jsonl", names)
        text = output("correlate", path, "--resamples", 1, "-o", tmp_path / "nul.csv", status=(2,))
        assert "Python 3.10 writes no NUL character; write JSON lines or Parquet" in text
        names = [name for name in names if "\x00" not in name]
    path = table(tmp_path / "judged.jsonl", names)
    succeed("correlate", path, "--resamples", 1, "--tests", "bootstrap", "-o", tmp_path / "out.csv")
    assert {row["metric"] for row in read_csv(tmp_path / "out.csv").rows} == {*names}


@pytest.mark.parametrize("key", ["controls", "html"])
def test_a_calibration_is_made_of_it_and_applied(key: str, tmp_path: Path) -> None:
    name = NAMES[key]
    path = table(tmp_path / "judged.jsonl", [name])
    out = succeed("calibrate", path, "--score", name, "-o", tmp_path / "mine.json")
    assert "\x1b" not in out
    assert read(tmp_path / "mine.json").signature == f"column|name:{name}"
    asked = ("score", path, "-c", tmp_path / "mine.json", "--score", name)
    assert "\x1b" not in succeed(*asked, "-o", tmp_path / "said.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text(encoding="utf-8").splitlines()]
    assert set(rows[0]) == {"gold", "pred", "label", name, "probability", "verdict"}


@pytest.mark.parametrize("name", [" name", "name\u2028", "\u2028", NAMES["space"], NAMES["formula of a sheet"]])
def test_a_column_of_predictions_may_have_white_space_in_its_name(name: str, tmp_path: Path) -> None:
    rows = [{"gold": "Rome", name: "Rome" if i % 2 else "Oslo"} for i in range(20)]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "10 of 20" in output("evaluate", path, "--pred", name, "-m", "recall", "--rows", "0")


@pytest.mark.parametrize(
    "words",
    [
        ("score", "one.jsonl", "-m", "recall", "-o", "out.csv"),
        ("evaluate", "one.jsonl", "-m", "recall", "--keep", "wrong,unsure,right", "-o", "out.csv"),
        ("score", "one.jsonl", "-c", "recall", "-o", "out.csv"),
        ("compare", "one.jsonl", "two.jsonl", "-m", "recall", "--changes", "out.csv"),
        ("label", "one.jsonl", "-m", "recall", "-n", "20", "--sheet", "out.csv"),
    ],
)
def test_no_text_becomes_a_formula_in_a_csv_output(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, last in (("one", "Rome"), ("two", "Oslo")):
        rows = [{"id": i, "gold": "-5 Rome", "pred": f"{sign}1+{i} {last}"} for i, sign in enumerate("=+-@\t\r" * 4)]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    output(*words)
    with open("out.csv", encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'-5 Rome" in cells
    assert any(cell.startswith("'@1+") for cell in cells)
    assert not [cell for cell in cells if cell[:1] in set("=+-@\t\r")]
