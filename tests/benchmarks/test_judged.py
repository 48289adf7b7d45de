"""The program that compares metrics with verdicts: its arguments, what it writes, and known numbers."""

import json

import numpy as np
import pytest

from benchmarks.judged_quality import area
from benchmarks.judged_scores import columns_of
from benchmarks.judged_sets import SETS
from tests.benchmarks.judged_samples import ANSWERS, metrics
from tests.benchmarks.programs import invoke


def test_the_program_writes_tables_and_records(tmp_path, monkeypatch):
    monkeypatch.setitem(SETS, "evouna-test", SETS["evouna-test"]._replace(load=lambda: ANSWERS))
    records = tmp_path / "judged.json"
    command = ("--sets", "evouna-test", "--metrics", "em,f1", "--against", "f1", "--records", str(records))
    done = invoke("judged", *command, "--format", "markdown")
    assert done.exit_code == 0
    assert done.stdout.startswith("**TriviaQA (EVOUNA), test: 40 answers to 20 questions, 87.5% of them correct**")
    read = json.loads(records.read_text(encoding="utf-8"))
    assert {name: len(table["rows"]) for name, table in read.items()} == {
        "Quality": 25,
        "Gap": 2,
        "SystemOrder": 5,
        "Cost": 2,
    }
    first = dict(zip(read["Quality"]["columns"], read["Quality"]["rows"][0], strict=True))
    assert first["auc"] == pytest.approx((20 + 15 / 2) / 35, abs=1e-6)
    assert first["mcc"] is None


def test_nothing_is_compared_if_the_recommended_metric_is_not_evaluated(monkeypatch):
    monkeypatch.setitem(SETS, "evouna-test", SETS["evouna-test"]._replace(load=lambda: ANSWERS))
    done = invoke("judged", "--sets", "evouna-test", "--metrics", "em", "--no-costs", "--format", "json")
    assert "differences are left out, because answersim is none of the metrics" in done.stderr
    assert {row["table"] for row in json.loads(done.stdout)} == {"Quality", "SystemOrder"}


@pytest.mark.data
def test_lexical_metrics_on_evouna_have_their_known_numbers(data_home, monkeypatch):
    if not (data_home / "judged").is_dir():
        pytest.skip("needs the judged answers: $ANSWERSIM_DATA/judged/")
    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home))
    answers = SETS["evouna"].load()
    verdicts = np.array([answer.verdict for answer in answers])
    columns = {one.name: one.values for one in columns_of(answers, metrics("em", "f1", "recall", "containment"))}
    accuracy = {name: ((values >= 0.5) == verdicts).mean() for name, values in columns.items()}
    assert accuracy == pytest.approx({"em": 0.363, "f1": 0.431, "recall": 0.936, "containment": 0.901}, abs=0.0015)
    once = np.ones((1, len(verdicts)), dtype=np.int32)
    areas = [area(columns[name], verdicts, once)[0] for name in ("f1", "recall")]
    assert areas == pytest.approx([0.905, 0.966], abs=0.001)
