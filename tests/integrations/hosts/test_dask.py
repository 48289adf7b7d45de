"""Dask: partitions, the index of pandas, threads and processes."""

import pytest

from answersim.integrations import dask as integration
from tests.integrations.hosts.engines import METRICS, check, rows

pandas = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe", reason="could not import 'dask'")


def framed(given):
    frame = pandas.DataFrame(given, index=[f"r{row['id']:03}" for row in given])
    return dd.from_pandas(frame.assign(gold=[row["golds"][0] for row in given]).drop(columns="golds"), npartitions=4)


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_each_row_has_its_scores_and_its_index(scheduler):
    given = [row | {"golds": row["golds"][:1]} for row in rows()]
    scored = integration.score(framed(given), METRICS, verdicts=True).compute(scheduler=scheduler)
    check(scored.to_dict("records"), given)
    assert list(scored.index) == [f"r{row['id']:03}" for row in given]


def test_the_columns_are_known_before_any_work():
    scored = integration.score(framed(rows(8)), ["em"], verdicts=True, truncated="cut")
    assert list(scored.columns) == ["id", "pred", "kept", "gold", "em", "em_verdict", "cut"]
    assert scored.dtypes["em"] == "float64"
    assert scored.dtypes["cut"] == "bool"


def test_a_column_that_exists_is_reported_before_any_work():
    with pytest.raises(ValueError, match="have a column 'kept' already"):
        integration.score(framed(rows(8)), {"kept": "f1"})
