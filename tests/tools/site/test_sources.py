"""The sources of the site: every page is in the index, every link leads to a file, and every anchor exists."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tools.site import cards, reference
from tools.site.sources import PAGES, ROOT, SETTINGS, assemble, examples, links, pages, toctree

LISTS = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / SETTINGS).glob("*.md")}
TASKS = (
    *("Count right answers", "Compare two systems", "Read what models write", "Score as a benchmark does"),
    *("Reward a training", "Choose a metric"),
)


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    plain = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    titles = [
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ +(.+?) *$", plain, re.MULTILINE)
    ]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_in_one_list_once() -> None:
    listed = [page for text in LISTS.values() for page in toctree(text)]
    generated = {path.rpartition(".")[0] for path in (*cards.card_pages(), *reference.reference_pages())}
    expected = {page.removesuffix(".md") for page in pages()} | set(LISTS) - {"index"}
    assert len(listed) == len(set(listed))
    assert expected - set(listed) == set()
    assert set(listed) - expected == {"cards/index", "reference/index", "gallery/index"}
    assert {"cards/index", "reference/index"} <= generated


def test_the_sidebar_has_the_six_tasks_then_the_reference_then_the_results() -> None:
    captions = re.findall(r"^:caption: (.+)$", LISTS["index"], re.MULTILINE)
    assert captions == [*TASKS, "Reference", "Results", "Project"]


def test_the_sidebar_has_at_most_20_pages_before_the_reference() -> None:
    assert len(toctree(LISTS["index"].partition(":caption: Reference")[0])) <= 20


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
    (folder / "answersim/evaluation/data/probe").mkdir(parents=True)
    (folder / "answersim/evaluation/data/probe/README.md").write_text("# Probe\n")
    (folder / "NOTICE").write_text("notice")
    return folder


def test_assembled_pages_keep_their_paths_and_bring_what_they_link_to(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", "[a](../NOTICE) [b](../answersim/evaluation/data/probe) [c](https://example.org)\n")
    assert assemble(tmp_path / "out", root) == ["answersim/evaluation/data/probe/README.md", "docs/a.md"]
    assert (tmp_path / "out/NOTICE").read_text() == "notice"
    assert (tmp_path / "out/docs/a.md").read_text() == (
        "# The title\n\n[a](../NOTICE) [b](../answersim/evaluation/data/probe/README.md) [c](https://example.org)\n"
    )


def test_a_link_to_a_file_that_is_not_there_names_the_page_and_the_link(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", "[a](missing.png)\n")
    with pytest.raises(FileNotFoundError, match=r"docs/a\.md links to missing\.png"):
        assemble(tmp_path / "out", root)


EXAMPLES = [path for path in examples() if path.suffix == ".py"]


def test_there_is_an_example_for_each_of_the_usual_questions() -> None:
    subjects = (
        *("german_answers", "grpo_reward", "metric_for_a_paper"),
        *("official_scorers", "rag_regression_in_ci", "rerank_passages", "training_on_aliases"),
    )
    assert tuple(path.stem for path in EXAMPLES) == subjects
    assert (ROOT / "examples/GALLERY_HEADER.rst") in examples()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_begins_with_a_title_and_has_at_most_40_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    title, line = text.split('"""')[1].strip().splitlines()[:2]
    assert line == "=" * len(title)
    assert len(text.splitlines()) <= 40
    assert "http" not in text


OUTPUTS = {  # a part of what each example prints
    "german_answers": "5 of 7 right",
    "grpo_reward": "8 rewards: 4 wrong, 3 right",
    "metric_for_a_paper": "@inproceedings{reimers2019,",
    "official_scorers": "official:gaia",
    "rag_regression_in_ci": "exit status: 1",
    "rerank_passages": "minilm-hybrid    nDCG@10",
    "training_on_aliases": "after: the nearest alias is right for 6 of 6",
}
SLOW = ("metric_for_a_paper", "rerank_passages", "training_on_aliases")  # they load torch


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in SLOW)) for path in EXAMPLES]
)
def test_an_example_runs_and_prints_its_result(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path))
    assert OUTPUTS[path.stem] in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_in_an_empty_folder_without_a_warning_or_a_network(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="it is not installed: pip install '.[report]'")
    here = os.environ | {"MPLBACKEND": "agg", "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT), "ANSWERSIM_DATA": ""}
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path, env=here)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("\n") >= 4
    assert "Warning" not in run.stderr
    assert list(tmp_path.iterdir()) == []
