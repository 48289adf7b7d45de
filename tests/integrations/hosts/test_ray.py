"""Ray Data: the numbers of one process, actors that may die, errors that show the row."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from answersim.integrations import ray as integration
from tests.integrations.hosts import engines
from tests.integrations.hosts.engines import METRICS, Killed, check, rows

pytest.importorskip("ray", reason="could not import 'ray'")
pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A local Ray with two CPUs."""
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
    check(integration.score(dataset, METRICS, gold="golds", pool=pool).take_all(), stated)


def test_an_actor_that_is_killed_loses_and_doubles_no_row(cluster, tmp_path):
    stated = [row | {"pred": "kill 3"} if row["id"] == 31 else row for row in rows()]
    metrics = {"f1": "f1", "killed": Killed(str(tmp_path))}
    dataset = cluster.data.from_items(stated, override_num_blocks=6)
    pool = {"compute": cluster.data.ActorPoolStrategy(size=2), "batch_size": 7}
    scored = integration.score(dataset, metrics, gold="golds", pool=pool).take_all()
    assert (tmp_path / "was-killed").exists()
    check(scored, stated, ["f1"])
    assert sorted((row["id"], row["killed"]) for row in scored) == [(row["id"], len(row["pred"])) for row in stated]


def test_the_error_of_a_row_shows_the_row(cluster):
    dataset = cluster.data.from_items([*rows(8), {"id": 8, "golds": ["a"], "pred": None, "kept": ""}])
    scored = integration.score(dataset, ["f1"], gold="golds", pool={"compute": cluster.data.ActorPoolStrategy(size=1)})
    with pytest.raises(cluster.exceptions.RayTaskError, match=r"prediction of a row is missing.* the row \{id: 8 "):
        scored.materialize()


def test_no_row_at_all_is_no_error(cluster):
    nothing = cluster.data.from_items(rows(8)).filter(lambda row: row["id"] < 0)
    pool = {"compute": cluster.data.ActorPoolStrategy(size=1)}
    assert integration.score(nothing, ["f1"], gold="golds", pool=pool).take_all() == []


def test_a_missing_column_is_reported_before_any_work(cluster):
    with pytest.raises(LookupError, match="no column is called 'gold'"):
        integration.score(cluster.data.from_items(rows(8)), ["f1"])
