"""Record batches: the same rows in the same order, the numbers of ``score_pairs``, signatures, other processes."""

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import answersim
from answersim._base.device import Device
from answersim._base.errors import TruncationWarning
from answersim.integrations.engines import arrow, ray
from answersim.types import Pair
from tests.cases import every

pyarrow = pytest.importorskip("pyarrow")

ROWS = [
    {"id": 0, "gold": "National Football League", "pred": "the NFL"},
    {"id": 1, "gold": "eleven", "pred": "11"},
    {"id": 2, "gold": "cortex", "pred": "Old John Feather Merchant, born in 1945"},
    {"id": 3, "gold": "", "pred": "北京"},
]
TABLE = pyarrow.Table.from_pylist(ROWS)
PAIRS = [Pair(row["gold"], row["pred"]) for row in ROWS]


def metadata(rows):
    return json.loads(rows.schema.metadata[b"answersim"])


@pytest.mark.parametrize("rows", [TABLE, TABLE.to_batches()[0]], ids=["table", "batch"])
def test_rows_stay_as_they_are_and_get_the_numbers_and_signatures_of_one_call(rows):
    metrics = ("f1", "em", "meteor", "typed+recall")
    scored = arrow.scorer(metrics)(rows)
    assert type(scored) is type(rows)
    assert scored.select(["id", "gold", "pred"]).to_pylist() == ROWS
    expected = answersim.score_pairs(PAIRS, metrics)
    assert {name: scored.column(name).to_pylist() for name in metrics} == {
        name: scores.values.tolist() for name, scores in expected.items()
    }
    assert metadata(scored)["signatures"] == {name: scores.signature for name, scores in expected.items()}


def test_a_network_gives_the_numbers_of_one_call(tiny):
    metrics = {
        "bi": answersim.metric("bi-encoder", model=tiny()),
        "sas": answersim.metric("sas", model=tiny(classifier=True)),
    }
    scored = arrow.scorer(metrics)(TABLE)
    expected = answersim.score_pairs(PAIRS, list(metrics.values()))
    for column, metric in metrics.items():
        assert scored.column(column).to_pylist() == expected[metric.signature].values.tolist()


def test_the_metadata_of_the_rows_and_of_an_earlier_scorer_stay():
    rows = TABLE.replace_schema_metadata({"mine": "1"})
    scored = arrow.scorer(["em"])(arrow.scorer(["f1"])(rows))
    assert scored.schema.metadata[b"mine"] == b"1"
    assert set(metadata(scored)["signatures"]) == {"f1", "em"}


def test_truncations_are_counted(tiny):
    long = " ".join(["answer"] * 300)
    rows = pyarrow.table({"gold": [["a", long], ["a", "b"]], "pred": ["b", "b"]})
    metric = answersim.metric("bi-encoder", model=tiny())
    with pytest.warns(TruncationWarning):
        scored = arrow.scorer({"bi": metric})(rows)
    (count,) = metadata(scored)["truncated"].values()
    assert count == 1


def test_a_missing_prediction_is_an_error_with_its_row_or_scores_0():
    rows = pyarrow.table({"id": [7, 8], "gold": ["a", "b"], "pred": [None, "b"]})
    with pytest.raises(ValueError, match=r"a row is missing.* the row \{id: 7 \(int\), gold: 'a' \(str\)"):
        arrow.scorer(["em"])(rows)
    assert arrow.scorer(["em"], missing="zero")(rows).column("em").to_pylist() == [0.0, 1.0]


@every(
    ("row", "error", "message"),
    [
        ({"gold": [None]}, ValueError, "a row has no gold answer"),
        ({"pred": [3]}, TypeError, r"pred is 3 \(int\), but an answer is a string; this is the row"),
    ],
)
def test_a_bad_row_is_an_error_with_its_content(row, error, message):
    with pytest.raises(error, match=message):
        arrow.scorer(["em"])(pyarrow.table({"gold": ["a"], "pred": ["b"]} | row))


def test_another_process_with_other_weights_is_an_error(tiny):
    scorer = arrow.scorer({"bi": answersim.metric("bi-encoder", model=tiny())})
    other = replace(scorer, metrics={"bi": answersim.metric("bi-encoder", model=tiny(seed=1))})
    with pytest.raises(ValueError, match=r"bi: the caller's metric is bi-encoder\|.*, but here it is bi-encoder\|"):
        other(TABLE)


def test_a_caller_signs_for_a_device_that_it_lacks(monkeypatch, tiny):
    from answersim.metrics.checkpoints import profiles

    monkeypatch.setitem(profiles.WEIGHTS, "bi-encoder", {"embedded": {"*": profiles.Weights(str(tiny()))}})
    scorer = arrow.scorer(["bi-encoder", "f1"], device="cuda:0,bf16")
    assert dict(scorer.options) == {"bi-encoder": {"device": Device("cuda:0", "bf16")}, "f1": {}}
    assert "/bf16|" in scorer.signatures["bi-encoder"]


@every(
    ("settings", "error", "message"),
    [
        ({"metric": []}, ValueError, "metric is empty"),
        ({"metric": ["f2"]}, LookupError, "no metric is called 'f2'"),
        ({"metric": [answersim.metric("f1")]}, TypeError, r"give a mapping, such as \{'my-column'"),
        ({"metric": {"mine": 3}}, TypeError, "metric is 3"),
        ({"metric": {"mine": answersim.metric("f1")}, "device": "bf16"}, TypeError, "is already built"),
        ({"device": "bf16"}, TypeError, "f1 runs no network"),
        ({"device": "gpu"}, LookupError, "no device is called 'gpu'"),
        ({"lang": "xx1"}, LookupError, "xx1"),
        ({"missing": "skip"}, LookupError, "no missing is called 'skip'"),
        ({"question": "gold"}, ValueError, "f1 reads no question"),
        ({"metric": ["bleu"], "verdicts": True}, ValueError, "no calibration ships for bleu"),
        ({"golds": "gold"}, TypeError, "unexpected keyword argument 'golds'"),
    ],
)
def test_invalid_settings_are_refused_before_any_work(settings, error, message):
    with pytest.raises(error, match=message):
        arrow.scorer(**({"metric": ["f1"]} | settings))


@every(
    ("settings", "error", "message"),
    [
        ({"gold": "answer"}, LookupError, "no column is called 'answer'"),
        ({"metric": {"id": "f1"}}, ValueError, "have a column 'id' already; choose a prefix="),
    ],
)
def test_columns_are_checked_before_any_work(settings, error, message):
    scorer = arrow.scorer(**({"metric": ["f1"]} | settings))
    with pytest.raises(error, match=message):
        scorer.check(TABLE.column_names)
    with pytest.raises(error, match=message):
        scorer(TABLE)


PROCESS = """
import os, pickle, sys
scorer, rows = sys.stdin.buffer.read().split(b"--split--")
first = pickle.loads(scorer)(pickle.loads(rows)).column("bi").to_pylist()
from answersim.metrics.neural import loading
loading._tensors = None  # whatever loads weights now fails
again = pickle.loads(scorer)(pickle.loads(rows)).column("bi").to_pylist()
assert first == again
print(os.environ["OMP_WAIT_POLICY"], first)
"""


def test_a_process_loads_the_weights_once_and_its_threads_wait_passively(tiny):
    """Each task of a cluster unpickles the function again."""
    scorer = arrow.scorer({"bi": answersim.metric("bi-encoder", model=tiny())})
    expected = scorer(TABLE).column("bi").to_pylist()
    waiting = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
    environment = {name: value for name, value in os.environ.items() if name not in waiting}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    stated = pickle.dumps(scorer) + b"--split--" + pickle.dumps(TABLE)
    run = subprocess.run(
        [sys.executable, "-c", PROCESS], input=stated, capture_output=True, check=False, env=environment
    )
    assert run.returncode == 0, run.stderr.decode()
    assert run.stdout.decode().strip() == f"PASSIVE {expected}"


def test_no_rows_give_the_schema_of_rows():
    scorer = arrow.scorer(["f1", "em"], verdicts=True)
    nothing = scorer(TABLE.slice(0, 0))
    assert nothing.schema == scorer(TABLE).schema
    assert nothing.column_names[3:] == ["f1", "f1_probability", "f1_verdict", "em", "em_verdict"]


class Dataset:
    """What a dataset of Ray does, in one actor and without its library."""

    def columns(self):
        return TABLE.column_names

    def map_batches(self, actor, fn_constructor_args, **pool):
        return actor(*fn_constructor_args)(TABLE), pool


def test_actors_of_ray_give_the_rows_of_one_call():
    scored, pool = ray.score(Dataset(), ["f1"], pool={"num_gpus": 1})
    assert scored.equals(arrow.scorer(["f1"])(TABLE))
    assert pool == {"batch_format": "pyarrow", "batch_size": 4096, "num_cpus": 1, "num_gpus": 1}
    with pytest.raises(LookupError, match="no column is called 'answer'"):
        ray.score(Dataset(), ["f1"], gold="answer")
