"""Spark, Ray Data and DuckDB: the numbers of ``answersim.score``, tasks that are killed, errors that show the row."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim.integrations.engines import duckdb as of_duckdb
from answersim.integrations.engines import pyspark as of_pyspark
from answersim.integrations.engines import ray as of_ray
from tests.cases import cases_of
from tests.integrations.hosts import engines
from tests.integrations.hosts.engines import METRICS, Asking, Killed, check, rows

pyarrow = pytest.importorskip("pyarrow")


KILLING = [row | {"pred": "kill 3"} if row["id"] == 31 else row for row in rows()]


def check_killed(scored: Sequence[dict[str, Any]], folder: Path) -> None:
    """Check that a process was killed, and that no row was lost or doubled."""
    assert (folder / "was-killed").exists()
    check(scored, KILLING, ["f1"])
    assert sorted((row["id"], row["killed"]) for row in scored) == [(row["id"], len(row["pred"])) for row in KILLING]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Spark with two tasks at a time, each of which may fail once."""
    pytest.importorskip("pyspark", reason="could not import 'pyspark'")
    from pyspark import cloudpickle
    from pyspark.sql import SparkSession

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
    scored = of_pyspark.score(session.createDataFrame(stated).repartition(4), METRICS, gold="golds")
    check((row.asDict() for row in scored.collect()), stated)
    for name in METRICS:
        assert scored.schema[name].metadata == {"signature": answersim.metric(name).signature}


def test_a_task_whose_process_is_killed_is_repeated_without_a_lost_or_doubled_row(session, tmp_path):
    metrics = {"f1": "f1", "killed": Killed(str(tmp_path))}
    scored = of_pyspark.score(session.createDataFrame(KILLING).repartition(4), metrics, gold="golds").collect()
    check_killed([row.asDict() for row in scored], tmp_path)


def test_a_missing_answer_ends_the_job_with_its_row(session):
    stated = [*rows(8), {"id": 8, "golds": ["a"], "pred": None, "kept": ""}]
    scored = of_pyspark.score(session.createDataFrame(stated), ["f1"], gold="golds")
    with pytest.raises(Exception, match=r"prediction of a row is missing.* the row \{golds: .*, id: 8 |id: 8 \(int\)"):
        scored.collect()


def test_verdicts_are_columns(session):
    frame = session.createDataFrame(rows(3))
    scored = of_pyspark.score(frame, ["em"], gold="golds", verdicts=True)
    assert scored.dtypes[-2:] == [("em", "double"), ("em_verdict", "string")]


def test_a_column_that_exists_is_reported_before_a_task_starts(session):
    frame = session.createDataFrame(rows(3))
    with pytest.raises(ValueError, match="have a column 'kept' already"):
        of_pyspark.score(frame, {"kept": "f1"}, gold="golds")
    with pytest.raises(LookupError, match="no column is called 'gold'"):
        of_pyspark.score(frame, ["f1"])


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A local Ray with two CPUs."""
    pytest.importorskip("ray", reason="could not import 'ray'")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    import ray.cloudpickle

    ray.init(num_cpus=2, num_gpus=0, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.cloudpickle.register_pickle_by_value(engines)  # the workers cannot import a test
    yield ray
    ray.cloudpickle.unregister_pickle_by_value(engines)
    ray.shutdown()


def test_two_actors_give_each_row_its_scores(cluster):
    stated = rows()
    dataset = cluster.data.from_items(stated, override_num_blocks=6)
    pool = {"compute": cluster.data.ActorPoolStrategy(size=2), "batch_size": 7}
    check(of_ray.score(dataset, METRICS, gold="golds", pool=pool).take_all(), stated)


def test_an_actor_that_is_killed_loses_and_doubles_no_row(cluster, tmp_path):
    metrics = {"f1": "f1", "killed": Killed(str(tmp_path))}
    dataset = cluster.data.from_items(KILLING, override_num_blocks=6)
    pool = {"compute": cluster.data.ActorPoolStrategy(size=2), "batch_size": 7}
    scored = of_ray.score(dataset, metrics, gold="golds", pool=pool).take_all()
    check_killed(scored, tmp_path)


def test_the_error_of_a_row_shows_the_row(cluster):
    dataset = cluster.data.from_items([*rows(8), {"id": 8, "golds": ["a"], "pred": None, "kept": ""}])
    scored = of_ray.score(dataset, ["f1"], gold="golds", pool={"compute": cluster.data.ActorPoolStrategy(size=1)})
    with pytest.raises(cluster.exceptions.RayTaskError, match=r"prediction of a row is missing.* the row \{id: 8 "):
        scored.materialize()


def test_no_row_at_all_is_no_error(cluster):
    nothing = cluster.data.from_items(rows(8)).filter(lambda row: row["id"] < 0)
    pool = {"compute": cluster.data.ActorPoolStrategy(size=1)}
    assert of_ray.score(nothing, ["f1"], gold="golds", pool=pool).take_all() == []


def test_a_missing_column_is_reported_before_any_work(cluster):
    with pytest.raises(LookupError, match="no column is called 'gold'"):
        of_ray.score(cluster.data.from_items(rows(8)), ["f1"])


def connected(**settings):
    connection = pytest.importorskip("duckdb", reason="could not import 'duckdb'").connect()
    of_duckdb.register(connection, **settings)
    return connection


def test_each_row_has_its_scores():
    stated = rows(5000)  # more than two vectors
    connection = connected()
    connection.register("answers", pyarrow.Table.from_pylist(stated))
    names = ", ".join(f"""answersim('{name}', golds, pred) AS "{name}" """ for name in METRICS)
    scored = connection.sql(f"SELECT id, kept, {names} FROM answers")
    check(scored.to_arrow_table().to_pylist(), stated)


def test_the_metric_may_be_a_column():
    scored = connected().sql(
        "SELECT answersim(name, 'the NFL', 'NFL team') FROM (VALUES ('f1'), ('em'), ('f1'), ('recall')) t(name)"
    )
    expected = [float(answersim.score("the NFL", "NFL team", name)) for name in ("f1", "em", "f1", "recall")]
    assert [score for (score,) in scored.fetchall()] == expected


def test_a_mean_is_one_query():
    connection = connected()
    connection.register("answers", pyarrow.table({"gold": ["Rome", "eleven"], "pred": ["in Rome", "11"]}))
    ((mean,),) = connection.sql("SELECT avg(answersim('f1', gold, pred)) FROM answers").fetchall()
    assert mean == answersim.score(["Rome", "eleven"], ["in Rome", "11"], "f1").mean


def test_a_metric_of_ones_own_reads_the_question():
    connection = connected(metrics={"asking": Asking()})
    assert connection.sql("SELECT answersim('asking', 'a', 'b', 'Who?')").fetchall() == [(4.0,)]
    assert connection.sql("SELECT answersim('asking', 'a', 'b')").fetchall() == [(0.0,)]


@pytest.mark.parametrize(("call", "message"), cases_of(__file__)["an_error_ends_the_query"])
def test_an_error_ends_the_query(call, message):
    with pytest.raises(Exception, match=message):
        connected().sql(f"SELECT {call}").fetchall()
