"""Ray datasets: the numbers and signatures of one process, actors that may die, errors that show the row."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.types import FloatArray, Pair

pytest.importorskip("ray", reason="needs the extra 'ray'")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("torch")

integration: Any = import_module("answersim.integrations.ray")

ROWS = [
    {"id": 0, "gold": "National Football League", "pred": "the NFL"},
    {"id": 1, "gold": "eleven", "pred": "11"},
    {"id": 2, "gold": "cortex", "pred": "Old John Feather Merchant, born in 1945"},
    {"id": 3, "gold": "", "pred": "北京"},
]


class Recorded:
    """Stands for a dataset: it tells its columns and keeps what it was asked to do."""

    def __init__(self, *columns: str) -> None:
        self.held, self.asked = list(columns), {}

    def columns(self) -> list[str]:
        return self.held

    def map_batches(self, function: Any, **asked: Any) -> Any:
        self.asked = asked | {"function": function}
        return self

    def run(self, table: Any) -> Any:
        """What one actor makes of these rows."""
        return self.asked["function"](**self.asked["fn_constructor_kwargs"])(table)


@dataclass(frozen=True)
class Watching:
    """A metric that is slow, and writes down which process runs it."""

    folder: str

    @property
    def signature(self) -> str:
        return f"watching|folder:{self.folder}|v:0"

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        with (Path(self.folder) / f"{os.getpid()}").open("a") as file:
            file.write(f"{len(pairs)}\n")
        time.sleep(0.2)
        return np.array([len(pair.pred) for pair in pairs], dtype=np.float64)


@pytest.fixture
def resources(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """``resources(GPU=2)``: what the cluster has, without one."""

    def have(**found: float) -> None:
        monkeypatch.setattr(integration, "_resources", lambda: {"CPU": 4.0} | found)

    have()
    return have


def asked(metric: Any = ("em", "f1"), columns: Sequence[str] = ("id", "gold", "pred"), **options: Any) -> Recorded:
    dataset = Recorded(*columns)
    integration.score_dataset(dataset, metric, **options)
    return dataset


@pytest.mark.usefixtures("resources")
def test_rows_keep_what_they_hold_and_get_the_numbers_of_one_process(tiny):
    metrics = {"f1": "f1", "bi": answersim.metric("bi-encoder", model=tiny())}
    dataset = Recorded("id", "gold", "pred")
    scored = integration.score_dataset(dataset, metrics)
    table = dataset.run(pyarrow.Table.from_pylist(ROWS))
    assert table.drop(["f1", "bi"]).to_pylist() == ROWS
    pairs = [Pair(row["gold"], row["pred"]) for row in ROWS]
    for column, metric in {"f1": answersim.metric("f1"), "bi": metrics["bi"]}.items():
        one = answersim.score_pairs(pairs, [metric])[metric.signature]
        np.testing.assert_allclose(table.column(column).to_numpy(), one.values, atol=1e-6)
        assert scored.signatures[column] == one.signature


@pytest.mark.usefixtures("resources")
def test_of_several_references_the_best_counts_and_a_prefix_goes_before_the_columns():
    dataset = asked(["em", "f1"], prefix="s_", gold="golds", columns=("golds", "pred"))
    rows = [{"golds": ["NFL", "the National Football League"], "pred": "National Football League"}]
    assert dataset.run(pyarrow.Table.from_pylist(rows)).to_pylist() == [rows[0] | {"s_em": 1.0, "s_f1": 1.0}]


@dataclass(frozen=True)
class Asking:
    """The length of the question."""

    signature = "asking|v:1"
    reads_questions = True

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        return np.array([float(len(each)) for each in questions or [""] * len(pairs)])


@pytest.mark.usefixtures("resources")
def test_the_use_of_questions_is_signed():
    dataset = Recorded("id", "gold", "pred")
    scored = integration.score_dataset(dataset, {"mine": Asking(), "f1": "f1"}, question="pred")
    assert scored.signatures == {"mine": "asking|question:yes|v:1", "f1": answersim.metric("f1").signature}
    assert dataset.run(pyarrow.Table.from_pylist(ROWS)).column("mine").to_pylist() == [7.0, 2.0, 39.0, 2.0]
    assert integration.score_dataset(dataset, {"mine": Asking()}).signatures == {"mine": "asking|v:1"}


@pytest.mark.usefixtures("resources")
def test_no_rows_give_no_rows():
    table = pyarrow.Table.from_pylist(ROWS).slice(0, 0)
    assert asked(["f1"]).run(table).column_names == ["id", "gold", "pred", "f1"]


@pytest.mark.usefixtures("resources")
@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        ({"pred": None}, TypeError, r"pred is None .*; this is the row \{id: 7, gold: 'a', pred: None\}"),
        ({"gold": None}, TypeError, r"gold is None .*; this is the row \{id: 7, gold: None, pred: 'b'\}"),
    ],
)
def test_the_error_for_a_bad_row_shows_the_row(row, error, message):
    table = pyarrow.Table.from_pylist([*ROWS, {"id": 7, "gold": "a", "pred": "b"} | row])
    with pytest.raises(error, match=message):
        asked().run(table)


@pytest.mark.usefixtures("resources")
def test_the_error_for_an_empty_list_of_references_shows_the_row():
    table = pyarrow.table({"gold": [["a"], []], "pred": ["a", "b"]})
    with pytest.raises(ValueError, match=r"gold contains no reference.* the row \{gold: \[\], pred: 'b'\}"):
        asked(columns=("gold", "pred")).run(table)


@pytest.mark.usefixtures("resources")
def test_an_actor_with_other_weights_than_the_caller_is_an_error(tiny):
    dataset = asked({"bi": answersim.metric("bi-encoder", model=tiny())})
    dataset.asked["fn_constructor_kwargs"]["metrics"]["bi"] = answersim.metric("bi-encoder", model=tiny(seed=1))
    with pytest.raises(ValueError, match=r"bi: the caller's metric is bi-encoder\|.*, but here it is bi-encoder\|"):
        dataset.run(None)


@pytest.mark.usefixtures("resources")
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"metric": []}, ValueError, "metric is empty"),
        ({"metric": ["f2"]}, LookupError, "no metric is called 'f2'"),
        ({"metric": [answersim.metric("f1")]}, TypeError, r"give a mapping, such as \{'my-column'"),
        ({"metric": {"mine": 3}}, TypeError, "metric is 3"),
        ({"metric": {"mine": answersim.metric("f1")}, "precision": "bf16"}, TypeError, "'mine' is already built"),
        ({"precision": "bf16"}, TypeError, "em, f1 runs no network"),
        ({"device": "gpu"}, LookupError, "no device is called 'gpu'"),
        ({"lang": "xx1"}, LookupError, "xx1"),
        ({"gold": "answer"}, LookupError, "no column 'answer'; its columns are id, gold, pred"),
        ({"columns": ("gold", "pred", "f1")}, ValueError, r"has a column 'f1' already; choose a prefix="),
        ({"question": "gold"}, ValueError, "em, f1 reads no question"),
        ({"concurrency": 0}, ValueError, "concurrency is 0"),
        ({"concurrency": (3, 2)}, ValueError, r"concurrency is \(3, 2\)"),
        ({"batch_size": 0}, ValueError, "batch_size is 0"),
        ({"num_gpus": -1}, ValueError, "num_gpus is -1"),
    ],
)
def test_invalid_settings_are_refused_before_any_work(options, error, message):
    with pytest.raises(error, match=message):
        asked(**options)


def test_without_gpus_there_are_up_to_as_many_actors_as_processors(resources):
    result = asked().asked
    assert (result["compute"].min_size, result["compute"].max_size) == (1, 4)
    assert (result["num_cpus"], result["num_gpus"]) == (1, None)
    result = asked(num_cpus=2).asked
    assert (result["compute"].max_size, result["num_cpus"]) == (2, 2)


def test_with_gpus_networks_get_one_each_and_words_none(resources, tiny):
    resources(GPU=3.0)
    neural = {"bi": answersim.metric("bi-encoder", model=tiny()), "f1": "f1"}
    result = asked(neural).asked
    assert (result["compute"].min_size, result["compute"].max_size, result["num_gpus"]) == (1, 3, 1)
    assert asked(neural, num_gpus=0.5).asked["compute"].max_size == 6
    assert asked(neural, num_gpus=0).asked["num_gpus"] is None
    assert asked(["f1"]).asked["num_gpus"] is None


def test_an_actor_runs_on_a_device_that_the_caller_lacks(resources, monkeypatch, tiny):
    from answersim import profiles

    resources(GPU=1.0)
    monkeypatch.setitem(profiles.WEIGHTS, "bi-encoder", {"embedded": {"*": profiles.Weights(str(tiny()))}})
    dataset = asked(["bi-encoder", "f1"], device="cuda:0", precision="bf16")
    assert dataset.asked["num_gpus"] == 1
    kept = dataset.asked["fn_constructor_kwargs"]
    assert kept["options"] == {"bi-encoder": {"device": "cuda:0", "precision": "bf16"}, "f1": {}}
    assert "/bf16|" in kept["signatures"]["bi-encoder"]


@pytest.mark.parametrize("pool", [3, (1, 2)])
@pytest.mark.usefixtures("resources")
def test_concurrency_sets_the_size_of_the_pool(pool):
    compute = asked(concurrency=pool).asked["compute"]
    assert (compute.min_size, compute.max_size) == ((3, 3) if pool == 3 else (1, 2))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A local Ray with two processors."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    import ray.cloudpickle

    ray.init(num_cpus=2, num_gpus=0, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
    ray.data.DataContext.get_current().enable_progress_bars = False
    module = sys.modules[__name__]
    ray.cloudpickle.register_pickle_by_value(module)  # the workers cannot import a test
    yield ray
    ray.cloudpickle.unregister_pickle_by_value(module)
    ray.shutdown()


def many(n: int) -> list[dict[str, Any]]:
    return [ROWS[i % 4] | {"id": i, "pred": f"{ROWS[i % 4]['pred']} {i % 7}"} for i in range(n)]


def in_order(dataset: Any, column: str) -> FloatArray:
    rows = sorted(dataset.take_all(), key=lambda row: row["id"])
    assert [row["id"] for row in rows] == list(range(len(rows)))
    return np.array([row[column] for row in rows])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_two_workers_give_the_numbers_and_signatures_of_one_process(cluster, tiny):
    rows = many(300)
    metrics: dict[str, Any] = {
        "em": "em",
        "bi": answersim.metric("bi-encoder", model=tiny()),
        "trained": answersim.metric("bertscore-trained", model=tiny(), layer=3),
        "sas": answersim.metric("sas", model=tiny(classifier=True)),
    }
    scored = integration.score_dataset(
        cluster.data.from_items(rows, override_num_blocks=6), metrics, concurrency=2, batch_size=40
    )
    result = scored.dataset.materialize()
    built = {"em": answersim.metric("em")} | {key: metric for key, metric in metrics.items() if key != "em"}
    one = answersim.score_pairs([(row["gold"], row["pred"]) for row in rows], list(built.values()))
    for column, metric in built.items():
        assert scored.signatures[column] == metric.signature
        np.testing.assert_allclose(in_order(result, column), one[metric.signature].values, atol=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_run_whose_actor_is_killed_ends_whole_and_equal(cluster, tmp_path):
    rows = many(240)
    scored = integration.score_dataset(
        cluster.data.from_items(rows, override_num_blocks=12),
        {"f1": "f1", "watching": Watching(str(tmp_path))},
        concurrency=2,
        batch_size=10,
    )
    killed: list[int] = []

    def kill() -> None:
        for _ in range(600):
            if running := list(tmp_path.iterdir()):
                killed.append(int(running[0].name))
                os.kill(killed[0], signal.SIGKILL)
                return
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    result = scored.dataset.materialize()
    killer.join()
    assert killed  # while it ran, since a process writes down that it does before it starts
    assert {int(path.name) for path in tmp_path.iterdir()} - set(killed)  # others went on
    one = answersim.score_pairs([(row["gold"], row["pred"]) for row in rows], ["f1"])["f1"]
    assert np.array_equal(in_order(result, "f1"), one.values)
    assert in_order(result, "watching").tolist() == [len(row["pred"]) for row in rows]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ray_reports_the_error_of_a_row(cluster):
    rows = [*many(40), {"id": 40, "gold": "a", "pred": None}]
    scored = integration.score_dataset(cluster.data.from_items(rows), ["f1"], concurrency=1)
    with pytest.raises(cluster.exceptions.RayTaskError, match=r"pred is None .* the row \{id: 40, gold: 'a', pred"):
        scored.dataset.materialize()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_no_row_at_all_is_no_error(cluster):
    nothing = cluster.data.from_items(many(8)).filter(lambda row: row["id"] < 0)
    assert integration.score_dataset(nothing, ["f1"], concurrency=1).dataset.take_all() == []
