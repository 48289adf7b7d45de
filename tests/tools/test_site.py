"""The site: its sources, cards, reference and links."""

from __future__ import annotations

import inspect
import json
import re
import runpy
from collections.abc import Iterator
from doctest import DocTestParser
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from markdown_it import MarkdownIt
from typer.testing import CliRunner

import answersim
from answersim.__main__ import app
from answersim.evaluation.data.minimal_pairs import minimal_pairs
from answersim.metrics.catalog import lookup
from tools.site import cards, reference
from tools.site.__main__ import make_room
from tools.site.cards import RESULTS
from tools.site.commands import PROGRAMS, command_pages, commands
from tools.site.reference import MODULES, reference_pages
from tools.site.sources import ROOT, SETTINGS, assemble, examples, links, pages, titles

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
    listed = [page for text in LISTS.values() for page in titles(text)]
    generated = {path.rpartition(".")[0] for path in (*cards.card_pages(), *reference.reference_pages())}
    expected = {page.removesuffix(".md") for page in pages()} | set(LISTS) - {"index"}
    assert len(listed) == len(set(listed))
    assert expected - set(listed) == set()
    assert set(listed) - expected == {"cards/index", "reference/index", "gallery/index"}
    assert {"cards/index", "reference/index"} <= generated


def test_the_sidebar_has_the_six_tasks_then_the_reference_then_the_results() -> None:
    captions = re.findall(r"^:caption: (.+)$", LISTS["index"], re.MULTILINE)
    assert captions == [*TASKS, "Reference", "Results", "Project"]
    assert len(titles(LISTS["index"].partition(":caption: Reference")[0])) <= 20


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
    "report_of_answers": "156 of 300 right",
    "rerank_passages": "minilm-hybrid    nDCG@10",
    "training_on_aliases": "after: the nearest alias is right for 6 of 6",
}
SLOW = ("metric_for_a_paper", "rerank_passages", "training_on_aliases")  # they load torch


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in SLOW)) for path in EXAMPLES]
)
def test_an_example_runs_in_an_empty_folder_and_prints_its_result(path, capsys, tmp_path, monkeypatch) -> None:
    """Warnings are errors in a test, and no network is there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANSWERSIM_DATA", raising=False)
    runpy.run_path(str(path))
    printed = capsys.readouterr().out
    assert OUTPUTS[path.stem] in printed
    assert printed.count("\n") >= 2
    assert list(tmp_path.iterdir()) == []


SECTIONS = ("Definition", "Agreement with annotators", "Known failures", "Cost", "Signature and citation")
LEXICAL = tuple(name for name in answersim.names() if lookup.entry(name).kind == "lexical")
NO_BREAK = "\N{NO-BREAK SPACE}"


def recorded(table: str) -> list[dict[str, Any]]:
    content = json.loads((RESULTS / "judged.json").read_text(encoding="utf-8"))[table]
    return [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]


MEASURED = tuple(
    name
    for name in answersim.names()
    if any((row["dataset"], row["metric"]) == ("evouna-test", name) for row in recorded("Quality"))
)


def test_every_metric_has_a_card_that_states_what_was_not_measured() -> None:
    assert {*lookup.ENTRIES, "typed"} == set(cards.names())
    assert {f"cards/{name}.md" for name in cards.names()} | {"cards/index.md"} == set(cards.card_pages())
    assert len(MEASURED) > 15
    for name in cards.names():
        text = cards.card(name)
        assert (cards._SERVICE in text) == (name == "judge")
        assert ("Not measured. `answersim correlate" in text) == (name != "judge" and not cards.quality(name))
        assert ("Not measured. `python -m benchmarks.speed`" in text) == (name != "judge" and not cards.costs(name))
        assert ("Not examined." in text) == (name != "judge" and not (cards.doctor(name) or cards._examples(name)))


@pytest.mark.parametrize("name", cards.names())
def test_a_card_has_all_sections_and_the_signature(name: str) -> None:
    text = cards.card(name)
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert tuple(section for section in sections if section not in ("Weights", "Equal to")) == SECTIONS
    assert "another signature" not in text or name not in LEXICAL
    assert "nan" not in re.findall(r"\w+", text)
    if name != "judge":
        assert answersim.metric(name).signature in text


@pytest.mark.parametrize("name", MEASURED)
def test_the_agreement_on_a_card_is_that_of_the_file(name: str) -> None:
    (row,) = (
        row
        for row in recorded("Quality")
        if (row["dataset"], row["subset"], row["metric"]) == ("evouna-test", "all", name)
    )
    expected = f"{row['auc']:.3f} [{row['auc_low']:.3f}, {row['auc_high']:.3f}]".replace(" ", NO_BREAK)
    assert f"| 1,420 | 284 | 83.5 % | {expected} |" in cards.card(name)
    (cost,) = (row for row in recorded("Cost") if row["metric"] == name)
    assert re.search(
        rf"\| two answers \| {cost['sequences']} \| .* \| {cost['pairs_per_cpu_second']:,.0f} \|", cards.card(name)
    )


def test_only_held_out_sets_are_on_a_card() -> None:
    sets = {row["dataset"] for name in cards.names() for row in cards.quality(name)}
    assert sets == {"evouna-test", "efficientqa-sas", "efficientqa-other-test"}


@pytest.mark.parametrize("name", [name for name in [*LEXICAL, "typed"] if name in (*MEASURED, "typed")])
def test_the_examples_on_a_card_have_the_scores_of_the_metric(name: str) -> None:
    record = cards._examples(name)
    assert record, f"benchmarks/results/cards.json has no examples of {name!r}; run python -m tools.site.examples"
    families = {family.family: family for family in minimal_pairs("en", "dev")}
    assert record["signature"] == answersim.metric(name).signature, "run python -m tools.site.examples"
    assert record["examples"]
    for example in record["examples"]:
        family = families[example["family"]]
        scores = answersim.score([family.gold] * 2, [family.same, family.different], name)
        assert list(scores) == pytest.approx([example["same"], example["different"]], abs=1e-6)
        assert example["different"] >= example["same"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_command_has_a_section(program: str) -> None:
    page = command_pages()[f"reference/command-{program}.md"]
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == [name for name, _ in commands(program)]
    assert len(commands(program)) > 3


@pytest.mark.parametrize("name", ["score", "label", "train names"])
def test_the_options_are_those_of_the_help(name: str) -> None:
    page = command_pages()["reference/command-answersim.md"]
    (section,) = re.findall(rf"^## answersim {name}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    printed = CliRunner().invoke(app, [*name.split(), "--help-all"], env={"COLUMNS": "200", "NO_COLOR": "1"}).output
    options = set(re.findall(r"(?<![\w-])--[a-z][\w-]+", printed)) - {"--help"}
    assert options - set(re.findall(r"--[a-z][\w-]+", section)) == set()
    assert options


def test_a_folder_that_is_no_site_is_kept(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match="name another --output"):
        make_room(tmp_path)
    assert (tmp_path / "thesis.tex").exists()


@pytest.mark.parametrize("module", MODULES)
def test_every_exported_name_is_on_its_page(module: str) -> None:
    page = reference_pages()[f"reference/{module}.rst"]
    listed = re.findall(rf"(?:auto)?(?:function|class|data):: {re.escape(module)}\.(\w+)$", page, re.MULTILINE)
    exported = [name for name in import_module(module).__all__ if name != "__version__"]
    assert sorted(listed) == sorted(
        name for name in exported if not isinstance(getattr(import_module(module), name), ModuleType)
    )
    assert "PYTEST" not in page


PACKAGES = sorted(path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "answersim").rglob("__init__.py"))


@pytest.mark.parametrize("package", [*(path.replace("/", ".") for path in PACKAGES), "rankers", "rankers.data"])
def test_every_package_lists_what_it_exports_and_each_listed_name_is_there(package: str) -> None:
    loaded = import_module(package)
    assert "__all__" in vars(loaded), "add __all__, which is empty if the package exports only modules by their path"
    assert len(set(loaded.__all__)) == len(loaded.__all__)
    assert [name for name in loaded.__all__ if not hasattr(loaded, name)] == []


def test_the_page_lists_the_public_modules() -> None:
    section = (ROOT / "docs/python.md").read_text(encoding="utf-8").partition("\n## Public modules\n")[2]
    assert tuple(re.findall(r"^\| `([\w.]+)` \|", section, re.MULTILINE)) == MODULES


WIDTH = 76
SOURCES = [ROOT / page for page in pages()] + sorted((ROOT / SETTINGS).glob("*.md"))


def code(text: str) -> Iterator[str]:
    """The lines of the blocks of code of a page in Markdown. A directive of Sphinx is none."""
    for token in MarkdownIt().parse(text):
        if token.type in ("fence", "code_block") and not token.info.startswith("{"):
            yield from token.content.splitlines()


def doctests(docstring: str) -> Iterator[str]:
    for example in DocTestParser().get_examples(docstring):
        yield from (f">>> {line}" for line in example.source.splitlines())
        yield from example.want.splitlines()


def docstrings(module: str) -> Iterator[tuple[str, str]]:
    """The docstrings on the reference page of a module, by name."""
    loaded = import_module(module)
    yield module, inspect.getdoc(loaded) or ""
    for name in reference.public_names(module):
        value = getattr(loaded, name)
        members = vars(value) if inspect.isclass(value) else {}
        for member, item in [(name, value), *((f"{name}.{key}", item) for key, item in members.items())]:
            if callable(item) or isinstance(item, property):
                yield member, inspect.getdoc(item) or ""


def lines_of_code() -> Iterator[tuple[object, str]]:
    """The lines of code of pages, cards, the reference and the gallery, with their places."""
    for path in SOURCES:
        yield from ((path, line) for line in code(path.read_text(encoding="utf-8")))
    for name in cards.names():
        yield from ((name, line) for line in lookup.entry(name).formula.splitlines())
    for module in reference.MODULES:
        yield from ((name, line) for name, text in docstrings(module) for line in doctests(text))
    for path in EXAMPLES:
        yield from ((path, line) for line in path.read_text(encoding="utf-8").splitlines())


def test_no_line_of_code_is_cut() -> None:
    assert [(place, line) for place, line in lines_of_code() if len(line) > WIDTH] == []
