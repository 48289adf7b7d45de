"""The page "Many rows": its lines run, as far as this environment has the libraries."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import answersim

PAGE = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
F1 = answersim.score("Rome", "in Rome", "f1")


def pasted(title: str, *modules: str, **names: Any) -> dict[str, Any]:
    """Run the Python lines below a heading, and return all names after that."""
    for module in modules:
        pytest.importorskip(module, reason=f"could not import {module!r}")
    code = re.search(rf"^#+ {title}\n.*?^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert code, f"the page has no lines for {title}"
    exec(compile(code[1], f"the lines for {title}", "exec"), names)
    return names


def test_pandas() -> None:
    assert pasted("pandas", "pandas")["df"]["f1"].tolist() == [F1, 0.0]


def test_polars() -> None:
    df = pasted("polars", "polars", "pyarrow")["df"]
    assert (df.columns, df["f1"].to_list()) == (["gold", "pred", "f1", "em"], [F1, 0.0])


def test_datasets() -> None:
    assert pasted("datasets", "datasets", "pyarrow")["dataset"]["f1"][:] == [F1, 0.0]


def test_dask() -> None:
    assert pasted("Dask", "dask.dataframe", "pyarrow")["f1"].compute().tolist() == [F1, 0.0]


def test_arrow() -> None:
    scored = pasted("Arrow", "pyarrow")["scored"]
    assert scored["f1"].to_pylist() == [F1, 0.0]
    assert b"f1|text:en|rev:1" in scored.schema.metadata[b"answersim"]


def test_ray() -> None:
    names = pasted("Ray Data", "ray.data")
    assert names["scored"].take_all()[0]["f1"] == F1
    names["ray"].shutdown()


def test_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = pytest.importorskip("pyspark.sql", reason="could not import 'pyspark'")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # else the first python3 of the path
    session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    assert pasted("Spark", "pyspark", spark=session)["scored"].first()["f1"] == F1
    session.stop()


def test_duckdb() -> None:
    names = pasted("DuckDB", "duckdb", "pyarrow")
    assert names["connection"].sql(names["query"]).fetchall() == [(F1,)]


def test_a_table_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answers.jsonl").write_text('{"gold": "Rome", "pred": "in Rome"}\n')
    names = pasted("In memory", "answersim")
    assert names["scores"]["f1"].mean == F1
    assert Path("scored.jsonl").is_file()


def test_the_page_is_short() -> None:
    assert len(PAGE.split()) <= 1_200
