"""No line in a block of code of the site is over 76 characters, so that none is cut: pages, cards and docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from doctest import DocTestParser
from importlib import import_module

import pytest
from markdown_it import MarkdownIt

from answersim.metrics.catalog import lookup
from tools.site import cards, reference
from tools.site.sources import ROOT, SETTINGS, examples, pages

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


def too_long(lines: Iterator[str]) -> list[str]:
    return [line for line in lines if len(line) > WIDTH]


def test_a_long_line_is_found_in_each_kind_of_block() -> None:
    long = "x" * 77
    assert too_long(code(f"{long}\n\n```\n{long}\n```\n\n    {long}\n\n```{{toctree}}\n{long}\n```\n")) == [long, long]
    assert too_long(doctests(f">>> {'x' * 72}\n{long}\n")) == [long]


def test_no_line_of_code_of_a_page_is_cut() -> None:
    by_name = {path: too_long(code(path.read_text(encoding="utf-8"))) for path in SOURCES}
    assert {path: lines for path, lines in by_name.items() if lines} == {}


def test_no_line_of_a_formula_on_a_card_is_cut() -> None:
    formulas = {name: too_long(iter(lookup.entry(name).formula.splitlines())) for name in cards.names()}
    assert {name: lines for name, lines in formulas.items() if lines} == {}


@pytest.mark.parametrize("module", reference.MODULES)
def test_no_line_of_an_example_in_the_reference_is_cut(module: str) -> None:
    assert {name: result for name, text in docstrings(module) if (result := too_long(doctests(text)))} == {}


def test_no_line_of_an_example_of_the_gallery_is_cut() -> None:
    paths = [path for path in examples() if path.suffix == ".py"]
    by_name = {path.stem: too_long(iter(path.read_text(encoding="utf-8").splitlines())) for path in paths}
    assert {name: lines for name, lines in by_name.items() if lines} == {}
