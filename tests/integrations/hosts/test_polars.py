"""Lazy frames of polars, collected and streamed."""

import pytest

from answersim.integrations import polars as integration
from tests.integrations.hosts.engines import METRICS, check, rows

polars = pytest.importorskip("polars", reason="could not import 'polars'")
pytest.importorskip("pyarrow")


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_each_row_has_its_scores(engine):
    given = rows()
    scored = integration.score(polars.LazyFrame(given), METRICS, gold="golds", truncated="cut")
    frame = scored.collect(engine=engine)
    check(frame.to_dicts(), given)
    assert frame.schema["cut"] == polars.Boolean
    assert scored.collect_schema() == frame.schema


def test_a_later_step_reads_the_scores():
    scored = integration.score(polars.LazyFrame(rows(5)), ["em"], gold="golds")
    assert scored.select(polars.col("em").mean()).collect().item() == 0.2  # one of five


def test_a_missing_column_is_reported_before_any_work():
    with pytest.raises(LookupError, match="no column is called 'gold'"):
        integration.score(polars.LazyFrame(rows(5)), ["em"])
