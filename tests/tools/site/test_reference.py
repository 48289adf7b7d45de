"""The reference pages name the whole public API."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

import answersim
from tools.site.reference import MODULES, public_names, reference_pages
from tools.site.sources import ROOT


def test_the_modules_are_those_that_are_promised_to_be_stable() -> None:
    promise = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("The public API is what")[1]
    promised = set(re.findall(r"`((?:answersim|rankers)[\w.]*)`", promise))
    assert promised <= set(MODULES)
    assert set(MODULES) - promised <= {"answersim.evaluation.doctor"}


@pytest.mark.parametrize("module", MODULES)
def test_every_public_function_and_class_is_on_its_page(module: str) -> None:
    page = reference_pages()[f"reference/{module}.rst"]
    listed = set(re.findall(rf"auto(?:function|class):: {re.escape(module)}\.(\w+)$", page, re.MULTILINE))
    loaded = import_module(module)
    assert listed == {
        name for name in public_names(module) if callable(getattr(loaded, name)) and name != "Relation"
    } | ({"Relation"} & listed)
    assert "PYTEST" not in page


def test_the_public_names_of_the_package_are_those_that_it_exports() -> None:
    assert set(public_names("answersim")) == set(answersim.__all__) - set(
        "__version__ data doctor official typed".split()
    )
