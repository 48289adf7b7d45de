"""DuckDB: a function of SQL with the numbers of ``answersim.score``, also over several metrics and vectors."""

import pytest

import answersim
from answersim.integrations import duckdb as integration
from tests.integrations.hosts.engines import METRICS, Asking, check, rows

duckdb = pytest.importorskip("duckdb", reason="could not import 'duckdb'")
pyarrow = pytest.importorskip("pyarrow")


def connected(**settings):
    connection = duckdb.connect()
    integration.register(connection, **settings)
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("answersim('f1', 'a', NULL)", "prediction of a row is missing"),
        ("answersim('f2', 'a', 'b')", "no metric is called 'f2'"),
        ("answersim('f1', 'a', 'b', 'Who?')", "reads no question"),
    ],
)
def test_an_error_ends_the_query(call, message):
    with pytest.raises(Exception, match=message):
        connected().sql(f"SELECT {call}").fetchall()
