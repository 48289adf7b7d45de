"""Texts beside a module: each JSON file is read by one module of its folder, and each of its tables has a reader."""

from pathlib import Path

import pytest

from tests.cases import every
from tools.weights.tables import table

SOURCES = sorted((Path(__file__).parents[3] / "tools/weights").glob("*/sources/*.json"))


@every("path", SOURCES)
def test_a_file_has_one_reader_which_names_each_of_its_tables(path):
    codes = {module: module.read_text("utf-8") for module in path.parents[1].glob("*.py")}
    (module,) = [module for module, code in codes.items() if f'table(__file__, "{path.stem}")' in code]
    texts = table(str(module), path.stem)
    assert all(texts.values())
    assert [name for name in texts if f'"{name}"' not in codes[module]] == []


def test_a_missing_file_is_an_error():
    with pytest.raises(FileNotFoundError, match=r"nothing\.json"):
        table(__file__, "nothing")
