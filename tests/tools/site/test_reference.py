"""The reference pages name the whole public API."""

from __future__ import annotations

import re
from importlib import import_module
from types import ModuleType

import pytest

import answersim
from tools.site.reference import MODULES, public_names, reference_pages
from tools.site.sources import ROOT


def test_the_modules_are_those_that_the_guide_to_python_lists() -> None:
    section = (ROOT / "docs/python.md").read_text(encoding="utf-8").partition("## Public modules\n")[2]
    listed = re.findall(r"^\| `((?:answersim|rankers)[\w.]*)` \|", section.partition("\n## ")[0], re.MULTILINE)
    assert sorted(listed) == sorted(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_every_exported_name_is_on_its_page(module: str) -> None:
    page = reference_pages()[f"reference/{module}.rst"]
    listed = re.findall(rf"auto(?:function|class|data):: {re.escape(module)}\.(\w+)$", page, re.MULTILINE)
    exported = [name for name in import_module(module).__all__ if name != "__version__"]
    assert sorted(listed) == sorted(
        name for name in exported if not isinstance(getattr(import_module(module), name), ModuleType)
    )
    assert "PYTEST" not in page


def test_the_public_names_of_the_package_are_those_that_it_exports() -> None:
    modules = {name for name in answersim.__all__ if isinstance(getattr(answersim, name), ModuleType)}
    assert set(public_names("answersim")) == set(answersim.__all__) - modules - {"__version__"}
