"""Spark: two tasks at a time, a task whose process is killed, bad rows, signatures in the columns."""

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import answersim
from answersim.integrations import pyspark as integration
from tests.integrations.hosts.engines import METRICS, Killed, check, rows

pytest.importorskip("pyspark", reason="could not import 'pyspark'")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Spark with two tasks at a time, each of which may fail once."""
    from pyspark import cloudpickle
    from pyspark.sql import SparkSession

    from tests.integrations.hosts import engines

    os.environ["PYSPARK_PYTHON"] = sys.executable
    cloudpickle.register_pickle_by_value(engines)  # workers need not find a test
    builder = SparkSession.builder.master("local[2, 2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "7").config(
        "spark.driver.host", "127.0.0.1"
    )
    session = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("spark"))).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    cloudpickle.unregister_pickle_by_value(engines)


def test_each_row_has_its_scores_and_each_column_its_signature(session):
    stated = rows()
    scored = integration.score(session.createDataFrame(stated).repartition(4), METRICS, gold="golds")
    check((row.asDict() for row in scored.collect()), stated)
    for name in METRICS:
        assert scored.schema[name].metadata == {"signature": answersim.metric(name).signature}


def test_a_task_whose_process_is_killed_is_repeated_without_a_lost_or_doubled_row(session, tmp_path):
    stated = [row | {"pred": "kill 3"} if row["id"] == 31 else row for row in rows()]
    metrics = {"f1": "f1", "killed": Killed(str(tmp_path))}
    scored = integration.score(session.createDataFrame(stated).repartition(4), metrics, gold="golds").collect()
    assert (tmp_path / "was-killed").exists()
    check((row.asDict() for row in scored), stated, ["f1"])
    assert sorted((row["id"], row["killed"]) for row in scored) == [(row["id"], len(row["pred"])) for row in stated]


def test_a_missing_answer_ends_the_job_with_its_row(session):
    stated = [*rows(8), {"id": 8, "golds": ["a"], "pred": None, "kept": ""}]
    scored = integration.score(session.createDataFrame(stated), ["f1"], gold="golds")
    with pytest.raises(Exception, match=r"prediction of a row is missing.* the row \{golds: .*, id: 8 |id: 8 \(int\)"):
        scored.collect()


def test_verdicts_and_truncations_are_columns(session):
    frame = session.createDataFrame(rows(3))
    scored = integration.score(frame, ["em"], gold="golds", verdicts=True, truncated="cut")
    assert scored.dtypes[-3:] == [("em", "double"), ("em_verdict", "string"), ("cut", "boolean")]
    assert {row["cut"] for row in scored.collect()} == {False}


def test_a_column_that_exists_is_reported_before_a_task_starts(session):
    frame = session.createDataFrame(rows(3))
    with pytest.raises(ValueError, match="have a column 'kept' already"):
        integration.score(frame, {"kept": "f1"}, gold="golds")
    with pytest.raises(LookupError, match="no column is called 'gold'"):
        integration.score(frame, ["f1"])
