"""Scores and results: values that state how they were made, print, compare, and are JSON."""

import importlib
import json
import math
import pkgutil
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.text_tables import Result
from answersim.calibration.scores import Score, Scores
from answersim.calibration.transfer import Transfer
from answersim.evaluation.comparison.sample_size import labels_for_width
from answersim.evaluation.data import LabeledPairs
from answersim.evaluation.data.minimal_pairs import minimal_pairs
from answersim.evaluation.labels.sheets import Drawing, ShownColumns
from answersim.evaluation.systems.official_tables import official_table
from answersim.metrics.judge.batches import BatchReplies
from answersim.metrics.judge.usage import JudgeUsage
from answersim.scoring.cache import CacheInfo
from answersim.scoring.tables.judge_batches import BatchRequests
from answersim.scoring.tables.row_verdicts import row_verdicts
from answersim.stats.intervals.score_mean import mean_interval
from answersim.training import regression
from answersim.types import Capabilities, Metric, Pair, capabilities, of_parts, reads_questions
from tests.cases import every


def test_a_score_is_a_float_that_prints_rounds_compares_and_serialises_as_one():
    score = Score(0.5, "f1|text:en|v:0", 2)
    assert (repr(score), f"{score:.1f}", round(score, 1), score == 0.5, score < 0.6) == ("0.5", "0.5", 0.5, True, True)
    assert json.dumps({"f1": score}) == '{"f1": 0.5}'
    assert (score.signature, score.reference) == ("f1|text:en|v:0", 2)


def test_scores_are_a_sequence_and_an_array():
    scores = Scores([0.0, 0.5, 1.0], "f1|text:en|v:0", [0, 1, 0])
    assert (len(scores), list(scores), scores.mean) == (3, [0.0, 0.5, 1.0], 0.5)
    assert np.asarray(scores).tolist() == [0.0, 0.5, 1.0]
    assert np.mean(scores) == np.median(scores) == 0.5
    assert np.concatenate([scores, scores]).shape == (6,)
    assert (np.array(scores, dtype=np.float32) * 2).dtype == np.float32
    assert (scores[1], scores[1].reference, scores[-1].signature) == (0.5, 1, "f1|text:en|v:0")
    assert scores[1:] == Scores([0.5, 1.0], "f1|text:en|v:0", [1, 0])
    assert scores[np.array([True, False, True])].values.tolist() == [0.0, 1.0]
    assert 0.5 in scores


def test_an_array_of_scores_is_a_copy_if_requested():
    scores = Scores([0.0, 1.0])
    copy = np.array(scores, copy=True)
    copy[0] = 7
    assert scores.values[0] == 0.0


def test_scores_differ_by_value_signature_or_winning_reference():
    scores = Scores([0.5], "a")
    assert scores == Scores([0.5], "a")
    assert scores != Scores([0.5], "b")
    assert scores != Scores([0.4], "a")
    assert scores != Scores([0.5], "a", [1])
    assert scores != [0.5]


def test_the_interval_is_that_of_the_statistics():
    for values in ([1.0, 0.5, 1.0], [2.0, 3.0, 5.0]):
        assert Scores(values).ci() == mean_interval(values, 0.95)
        assert Scores(values).ci(0.8) == mean_interval(values, 0.8)


def test_no_scores_have_no_mean_and_no_interval():
    assert math.isnan(Scores([]).mean)
    assert all(map(math.isnan, Scores([]).ci()))


@every("level", [0, 1, -0.5, 95])
def test_a_level_outside_0_and_1_is_refused(level):
    with pytest.raises(ValueError, match=f"level is {level}"):
        Scores([0.5]).ci(level)


def test_scores_of_two_dimensions_are_refused():
    with pytest.raises(ValueError, match="one number per pair"):
        Scores([[0.5]])


def test_to_pandas_keeps_the_signature():
    pytest.importorskip("pandas")
    series = Scores([0.5, 1.0], "f1|text:en|v:0").to_pandas()
    assert (series.tolist(), series.name, series.attrs["signature"]) == ([0.5, 1.0], "f1", "f1|text:en|v:0")


def test_what_has_a_signature_and_takes_pairs_is_a_metric():
    class Mine:
        signature = "mine"

        def __call__(self, pairs: list[Pair]) -> np.ndarray:
            return np.zeros(len(pairs))

    assert isinstance(Mine(), Metric)
    assert not isinstance(len, Metric)


# --- capabilities


class Plain:
    """A metric that states nothing."""

    signature = "plain|v:1"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        return np.zeros(len(pairs))


def test_what_a_metric_states_is_returned():
    class Stating(Plain):
        capabilities = Capabilities(batches_all=True, reads_questions=True, cost="remote")

    assert capabilities(Stating()) is Stating.capabilities
    assert reads_questions(Stating())


def test_a_metric_costs_as_much_as_its_most_expensive_part():
    class Remote(Plain):
        capabilities = Capabilities(reads_questions=True, cost="remote")

    class Whole(Plain):
        parts = (Plain(), Remote(), answersim.metric("f1"))

    assert capabilities(Whole()) == of_parts(Whole.parts)._replace(reads_questions=False)
    assert of_parts(Whole.parts) == Capabilities(reads_questions=True, cost="remote")
    assert of_parts(()) == Capabilities()


@pytest.mark.parametrize("name", answersim.names())
def test_the_metrics_that_ship_state_what_they_are(name):
    kind = answersim.metrics.catalog.lookup.entry(name).kind
    if kind != "lexical":
        pytest.importorskip("torch")
    metric = answersim.metric(name)
    stated = metric.capabilities  # type: ignore[attr-defined] # all that ship have it
    assert stated == capabilities(metric)
    assert stated.cost == ("light" if kind == "lexical" else "model")
    assert stated.reads_questions == (name in ("sas", "sas-answers", "answersim"))
    assert (stated.encoder is not None) == name.startswith(("bi-encoder", "bertscore"))
    assert stated.batches_all == (name in ("sas", "sas-answers"))


BAD = "<script>alert('x')</script>\x1b\u202e"
GOLD, PRED = ["Rome", "Oslo", "11", BAD] * 5, ["in Rome", "Bergen", "eleven", BAD] * 5
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


def _labeled() -> LabeledPairs:
    return LabeledPairs("made", "en", tuple(Pair("a", "b") for _ in LABELS), LABELS)


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
    "Decision": lambda: answersim.gate(_comparison(), max_drop=0.05),
    "DoctorReport": _report,
    "Evaluation": _evaluation,
    "FileScores": lambda: answersim.score_file({"gold": GOLD, "pred": PRED}, ["f1", "em"]),
    "JudgeUsage": lambda: JudgeUsage(pairs=2, replies=2, asked=1, verdicts={"yes": 2}),
    "HumanLabels": lambda: _sheet().labeled({"k1": "1"}).labels,
    "LabelPlan": lambda: labels_for_width(0.1, share=0.8, explained=0.6, rows=2000),
    "MeanEstimate": lambda: answersim.estimate_mean(LABELS * 10, [*LABELS, *[float("nan")] * 180]),
    "OfficialTable": lambda: official_table({"gold": GOLD, "pred": PRED}, profiles=("squad",)),
    "QuestionPlan": lambda: answersim.plan(drop=0.02),
    "RegressionReport": lambda: regression.compare([(_labeled(), {"em": (np.arange(20.0), np.arange(20.0))})], {}),
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
    check_html(result._repr_html_())


class Tags(HTMLParser):
    """The tags and attributes of a text, which must be closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.open.append(tag)
        assert {name for name, _ in attrs} <= {"style"}
        assert {value for _, value in attrs} <= {"text-align: left", "text-align: right"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_html(html: str) -> None:
    """Check what a notebook shows: every text is escaped, every tag is closed, and nothing is loaded."""
    assert Tags(html).seen <= {"p", "b", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert not re.search(r"https?:|//|url\(|@import", html, re.IGNORECASE)
    assert not {"\x1b", "\u202e"} & set(html)


@every(
    ("scores", "texts"),
    [
        (Score(0.25, BAD), ["<b>0.25</b>", "&lt;script&gt;"]),
        (Scores(np.arange(12) / 12, BAD), ["mean 0.458", '<td style="text-align: right">0.083</td>', "and 2 more"]),
        (Scores([0.5, 1.0], "f1", [0, 1]), ["reference", "mean 0.750"]),
        (Scores([]), ["no scores"]),
    ],
)
def test_scores_are_shown_in_a_notebook(scores, texts):
    check_html(scores._repr_html_())
    assert [text for text in texts if text not in scores._repr_html_()] == []
    calibrated = answersim.score(GOLD, PRED, "recall", calibration="shipped")
    for shown in (calibrated, calibrated[0]):
        check_html(shown._repr_html_())
        assert "equivalent" in shown._repr_html_()
        assert "recall|text:en" in shown._repr_html_()
