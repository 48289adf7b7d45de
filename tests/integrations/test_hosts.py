"""Hosts: one row each of what they call, and their page."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from answersim._base.errors import MissingExtraError, install_command
from tests.integrations.hosts.calls import LINES, WAYS
from tests.integrations.hosts.table import HOSTS

ROOT = Path(__file__).parents[2]
INTEGRATIONS = ROOT / "answersim/integrations"
# Folders with no host, and the file that several engines share.
NO_HOST, NO_ENGINE = {"serving", "shared"}, "arrow"
# By host, its folder.
FOLDERS = {
    path.stem: path.parent.name
    for path in sorted(INTEGRATIONS.glob("*/*.py"))
    if path.parent.name not in NO_HOST and path.stem not in ("__init__", NO_ENGINE)
}


def module_of(host: str) -> str:
    return f"answersim.integrations.{FOLDERS[host]}.{host}"


def imports_of(host: str) -> Iterator[tuple[str, str, str | None]]:
    """A host, its extra, and the function of its integration that imports it (None: the file does).

    They are in ``with host(__name__, EXTRA)``.
    """
    tree = ast.parse((INTEGRATIONS / FOLDERS[host] / f"{host}.py").read_text(encoding="utf-8"))
    for part in tree.body:
        for node in ast.walk(part):
            if isinstance(node, ast.With) and ast.unparse(node.items[0]).startswith("host("):
                _, *stated = node.items[0].context_expr.args
                extra = ast.literal_eval(stated[0]) if stated else host.replace("_", "-")
                yield host, extra, getattr(part, "name", None)


LAZY = [imported for host in FOLDERS for imported in imports_of(host)]
NOTHING_NEEDED = sorted(FOLDERS.keys() - {host for host, _, function in LAZY if function is None})

HIDDEN = {"langsmith", "lm_eval", "transformers", "duckdb", "pyarrow", "pyspark", "ray"}


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide all hosts, and forget their integrations."""
    for name in {host for host, _, _ in LAZY} | HIDDEN:
        for loaded in [module for module in sys.modules if module.partition(".")[0] == name]:
            monkeypatch.delitem(sys.modules, loaded)
        monkeypatch.setitem(sys.modules, name, None)
    for host in FOLDERS:
        monkeypatch.delitem(sys.modules, module_of(host), raising=False)


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize(("host", "extra", "function"), LAZY)
def test_a_missing_host_is_reported_with_its_extra(host, extra, function):
    path = module_of(host)
    use = partial(import_module, path) if function is None else partial(getattr(import_module(path), function), "f1")
    with pytest.raises(MissingExtraError, match=f"{path} needs '{host}.*{re.escape(install_command(extra))}"):
        use()


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize("host", NOTHING_NEEDED)
def test_a_file_that_needs_its_host_in_a_function_only_is_imported_without_it(host):
    import_module(module_of(host))


def test_each_way_to_call_a_host_has_an_environment():
    known = {host.name.replace("-", "_") for host in HOSTS} | {"json", "inspect_ai"}
    assert {way.host for way in WAYS} | {lines.library for lines in LINES} <= known


def test_extras_and_tested_versions_agree():
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for _, extra, _ in LAZY:
        assert extra in extras
    for host in HOSTS:
        tested = dict(requirement.split("==") for requirement in host.requirements if "==" in requirement)
        for requirement in extras.get(host.name, []):
            if requirement.startswith("answersim["):
                continue
            pattern = r"([\w-]+(?:\[\w+\])?)(==|>=)([\w.]+).*"
            name, operator, version = re.fullmatch(pattern, requirement).groups()
            if operator == "==" or host.name in {extra for _, extra, _ in LAZY}:
                assert tested.get(name, version) == version, requirement


def test_what_hosts_find_by_a_path_is_there():
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    assert entries["inspect_ai"] == {"answersim": module_of("inspect_ai")}
    template = import_module(module_of("lm_eval")).TEMPLATE
    functions = re.findall(r"!function (\S+)", Path(template).read_text(encoding="utf-8"))
    assert {function.rpartition(".")[0] for function in functions} == {module_of("lm_eval")}
    assert (Path(import_module(module_of("hf_evaluate")).folder()) / "answersim.py").is_file()


def test_the_page_lists_the_tested_versions():
    paths = [*(ROOT / "docs").glob("integrations*.md"), ROOT / "docs" / "files.md"]
    pages = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    rows = [line for line in pages.splitlines() if line.startswith("| ")]
    for host in HOSTS:
        name, _, version = host.requirements[0].partition("==")
        if host.name in {extra for _, extra, _ in LAZY} | {"langsmith", "lm-eval"}:
            assert any(f"`{host.name}`" in row and version in row for row in rows), (name, version)
        for package in host.npm[:1]:
            name, _, version = package.rpartition("@")
            assert any(f" {name} " in row and version in row for row in rows), package


DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "integrations.md").read_text(encoding="utf-8")


def pasted(section: str, module: str, block: int = 0, **names: Any) -> dict[str, Any]:
    """Run the Python lines of one block of a section, and return all names after that."""
    pytest.importorskip(module, reason=f"could not import {module!r}")
    (text,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    code = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[block]
    exec(compile(code, f"the lines for {section}", "exec"), names)
    return names


def test_pytest():
    pasted("pytest", "pytest")["test_capital"]()


def test_pytest_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},q{i},Rome,{'Rome' if i % 20 else 'Oslo'}\n" for i in range(400))
    for name in ("july.csv", "august.csv"):
        Path(name).write_text(f"id,question,gold,pred\n{rows}")
    test = pasted("pytest", "pytest", 1)["test_release"]
    test()
    Path("august.csv").write_text("id,question,gold,pred\n" + rows.replace(",Rome\n", ",Bern\n", 200))
    with pytest.raises(AssertionError, match="### Fail: august"):
        test()


def test_the_failure_on_the_page_is_the_one_of_the_plug_in():
    from answersim.integrations.pytest_plugin import assert_equivalent

    with pytest.raises(AssertionError) as caught:
        assert_equivalent("Milan", "Rome", question="Which city is the capital of Italy?", metric="recall")
    assert f"AssertionError: {caught.value}\n" in PAGE


def test_each_format_of_logs_is_on_the_page():
    from answersim.answers.logs.formats import FORMATS

    page = (DOCS / "files.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \| `", page, re.MULTILINE) == list(FORMATS)
