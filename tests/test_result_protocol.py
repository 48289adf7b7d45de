"""Every public result has one protocol: a sentence, a summary, JSON, a data frame, Markdown, LaTeX and HTML."""

import importlib
import json
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.text_tables import Result
from answersim.calibration.transfer import Transfer
from answersim.evaluation.comparison.sample_size import labels_for_width
from answersim.evaluation.data.minimal_pairs import minimal_pairs
from answersim.evaluation.labels.sheets import Drawing, ShownColumns
from answersim.evaluation.systems.official_tables import official_table
from answersim.metrics.judge.batches import BatchReplies
from answersim.metrics.judge.usage import JudgeUsage
from answersim.scoring.cache import CacheInfo
from answersim.scoring.judge_batches import BatchRequests
from answersim.scoring.row_verdicts import row_verdicts

GOLD, PRED = ["Rome", "Oslo", "11", "Paris"] * 5, ["in Rome", "Bergen", "eleven", "Paris"] * 5
LABELS = [1.0, 0.0, 1.0, 1.0] * 5


def _calibration() -> Any:
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=200)
    return answersim.calibrate(
        2 * labels + rng.normal(size=200), labels, signature="mine|v:1", bootstrap=answersim.Bootstrap(resamples=20)
    )


def _evaluation() -> Any:
    return answersim.evaluate({"gold": GOLD, "pred": PRED}, "recall", progress=False)


def _comparison() -> Any:
    data = {"gold": GOLD, "old": PRED, "new": GOLD}
    return answersim.compare(data, "recall", pred=["old", "new"], progress=False).pair


def _report() -> Any:
    pairs = minimal_pairs("en", "dev")[:24]
    return answersim.evaluation.doctor.examine("f1", pairs=pairs, attacked=2, progress=False)


def _sheet() -> Any:
    rows = [{"key": f"k{i}", "gold": GOLD[i], "pred": PRED[i], "label": ""} for i in range(8)]
    drawn = [(str(i + 1), 0.4, 0.0) for i in range(8)]
    return answersim.Sheet(rows, drawn, ShownColumns(None, None, "gold", "pred"), Drawing(8, "equal", 1, 0, 20))


RESULTS: dict[str, Callable[[], Any]] = {
    "Agreement": lambda: answersim.correlate(
        {"gold": GOLD, "pred": PRED, "label": LABELS}, "f1", bootstrap=answersim.Bootstrap(resamples=20)
    ),
    "Calibration": _calibration,
    "BatchReplies": lambda: BatchReplies(recorded=2, failed={"batch_expired": 1}, waiting=3),
    "BatchRequests": lambda: BatchRequests(2, 1, 3, 0, ("batch.jsonl",)),
    "CacheInfo": lambda: CacheInfo(Path("scores"), 5 << 20, {"mine|v:1": 1200}, 3),
    "Comparison": _comparison,
    "Comparisons": lambda: answersim.compare(
        {"gold": GOLD, "a": PRED, "b": GOLD, "c": ["no idea"] * 20}, "recall", pred=["a", "b", "c"], progress=False
    ),
    "Decision": lambda: answersim.gate(_comparison(), 0.05),
    "DoctorReport": _report,
    "Evaluation": _evaluation,
    "FileScores": lambda: answersim.score_file({"gold": GOLD, "pred": PRED}, ["f1", "em"]),
    "JudgeUsage": lambda: JudgeUsage(pairs=2, replies=2, asked=1, verdicts={"yes": 2}),
    "HumanLabels": lambda: _sheet().labeled({"k1": "1"}).labels,
    "LabelPlan": lambda: labels_for_width(0.1, share=0.8, explained=0.6, rows=2000),
    "MeanEstimate": lambda: answersim.estimate_mean(LABELS * 10, [*LABELS, *[float("nan")] * 180]),
    "MetricReport": lambda: _report()["f1"],
    "OfficialTable": lambda: official_table({"gold": GOLD, "pred": PRED}, profiles=("squad",)),
    "QuestionPlan": lambda: answersim.plan(drop=0.02),
    "RewardExamination": lambda: answersim.evaluation.doctor.examine_reward(answersim.Reward("rules"), questions=2),
    "RewardResult": lambda: answersim.Reward("rules")(GOLD, PRED),
    "SampleGroups": lambda: answersim.groups({"gold": GOLD, "pred": PRED}, group="gold"),
    "RowVerdicts": lambda: row_verdicts({"gold": GOLD, "pred": PRED}, "recall"),
    "SamplePlan": lambda: answersim.plan(rows=500),
    "Sheet": _sheet,
    "Transfer": lambda: Transfer(0.06, 16, -0.2, 0.05, "two sets"),
}


def _subclasses(kind: type) -> Iterator[type]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def test_every_result_of_the_package_is_tested_here():
    for room in ("calibration", "evaluation", "metrics.judge", "metrics.composite", "scoring"):
        package = importlib.import_module(f"answersim.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    names = {subclass.__name__ for subclass in _subclasses(Result) if subclass.__module__.startswith("answersim.")}
    assert names == set(RESULTS)


@pytest.fixture(scope="module", params=RESULTS)
def result(request: pytest.FixtureRequest) -> Any:
    """One result of each kind."""
    built = RESULTS[request.param]()
    assert type(built).__name__ == request.param
    return built


def test_a_result_is_a_frozen_dataclass_that_prints_sentences_and_no_raw_record(result):
    assert is_dataclass(result)
    assert type(result).__dataclass_params__.frozen  # type: ignore[attr-defined] # of any dataclass
    text = str(result)
    assert text.strip()
    assert len(text) < 6000
    assert f"{type(result).__name__}(" not in text
    assert "Estimate(" not in text
    summary = result.summary()
    assert summary
    assert all(isinstance(line, str) and line.strip() for line in summary)


def test_json_contains_the_dictionary_and_records_become_a_data_frame(result):
    content = json.loads(result.to_json(), parse_constant=pytest.fail)
    assert isinstance(content, dict)
    assert content.keys() == result.to_dict().keys()
    records = result.records()
    frame = result.to_pandas()
    assert len(frame) == len(records) > 0
    assert list(frame.columns) == list(dict.fromkeys(name for record in records for name in record))
    values = [value for record in records for value in record.values()]
    assert all(value is None or isinstance(value, (str, bool, int, float, np.generic)) for value in values)


def test_markdown_latex_and_html_have_a_form(result):
    assert "|" in result.to_markdown()
    assert r"\begin{tabular}" in result.to_latex()
    html = result._repr_html_()
    assert html.startswith("<")
    assert "<script" not in html
