"""Questions from the API to the tokens: read if an adapter was trained with them, else refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.errors import TruncationWarning
from answersim._base.signature import with_question
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints import profiles
from answersim.metrics.checkpoints.profiles import Weights
from answersim.metrics.checkpoints.search import find
from answersim.metrics.neural.transformer import PairTransformer
from answersim.metrics.neural.unpadded import Batch, UnpaddedClassifier
from answersim.metrics.testing.check import check_metric
from answersim.types import Metric, Pair, reads_questions
from tests.command_line import refused, run, succeed

pytest.importorskip("torch")
pytest.importorskip("peft")

PAIRS = [Pair("eleven", "11"), Pair("cortex", "the NFL"), Pair("Paris", "paris")]
ASKED = ["How many regions?", "", "In which regions?"]


@pytest.fixture
def reader(tiny: Callable[..., Path], adapter: Callable[..., Path]) -> Callable[..., Metric]:
    """A tiny cross-encoder whose adapter says that it reads questions (or does not)."""

    def make(reads: bool | None = True, **options: object) -> Metric:
        folder = adapter(pairs=True, reads_question=reads)
        return answersim.metric("sas", **{"model": tiny(), "adapter": folder} | options)

    return make


@pytest.mark.parametrize("order", ["gold-pred", "pred-gold", "mean", "max"])
def test_a_question_changes_the_number_and_an_empty_one_does_not(reader, order):
    metric = reader(order=order)
    without = answersim.score_pairs(PAIRS, [metric])[metric.signature]
    scored = answersim.score_pairs(PAIRS, [metric], question=ASKED)[metric.signature]
    assert np.abs(np.array(scored) - np.array(without))[[0, 2]].min() > 1e-5
    assert scored[1] == pytest.approx(without[1], abs=1e-6)
    empty = answersim.score_pairs(PAIRS, [metric], question=["", "", ""])[metric.signature]
    assert empty.values.tolist() == without.values.tolist()
    assert (empty.signature, without.signature) == (metric.signature, metric.signature)
    assert scored.signature == with_question(metric.signature)


def test_a_metric_that_reads_questions_keeps_the_promises(reader, tiny):
    for order in ("gold-pred", "mean"):
        check_metric(reader(order=order, model=tiny(positions=200)))


def test_the_backward_order_exchanges_the_answers_only(reader):
    swapped = [Pair(pair.pred, pair.gold) for pair in PAIRS]
    there = answersim.score_pairs(PAIRS, [reader(order="pred-gold")], question=ASKED)
    back = answersim.score_pairs(swapped, [reader(order="gold-pred")], question=ASKED)
    np.testing.assert_allclose(*[np.array(next(iter(each.values()))) for each in (there, back)], atol=1e-6, rtol=0)


def test_one_pair_has_one_question_and_every_reference_has_it_too(reader):
    metric = reader()
    alone = [answersim.score(gold, "11", metric, question="How many?") for gold in ("cortex", "eleven", "a")]
    best = answersim.score(["cortex", "eleven", "a"], "11", metric, question="How many?")
    assert best == pytest.approx(max(alone), abs=1e-6)
    assert best.reference == int(np.argmax(alone))
    scored = answersim.score([["cortex", "eleven", "a"], "a"], ["11", "b"], metric, question=["How many?", "What?"])
    assert scored[0] == pytest.approx(best, abs=1e-6)
    assert scored[1] == pytest.approx(answersim.score("a", "b", metric, question="What?"), abs=1e-6)


def test_a_pair_runs_once_per_distinct_question(reader, monkeypatch):
    seen: list[int] = []
    original = UnpaddedClassifier.logits

    def counting(self: UnpaddedClassifier, batch: Batch) -> Any:
        logits = original(self, batch)
        seen.append(len(logits))
        return logits

    monkeypatch.setattr(UnpaddedClassifier, "logits", counting)
    metric = reader()
    answersim.score(["a"] * 4, ["b"] * 4, metric, question=["cortex", "eleven", "cortex", ""])
    assert sum(seen) == 3


@pytest.mark.parametrize("reads", [False, None])
def test_an_adapter_reads_no_question_unless_its_recipe_requires_it(reader, reads):
    metric = reader(reads)
    assert not reads_questions(metric)
    with pytest.raises(ValueError, match="a question is given, but cross-encoder reads no question"):
        answersim.score("a", "b", metric, question="What?")
    with pytest.raises(ValueError, match="reads no question: it was trained on pairs"):
        metric([Pair("a", "b")], ["What?"])  # type: ignore[call-arg]
    expected = answersim.score("a", "b", metric)
    assert answersim.score("a", "b", metric, question="") == expected


def test_a_plain_cross_encoder_reads_no_question(tiny):
    scorer = PairTransformer(checkpoint=find(tiny(classifier=True)))
    assert not scorer.reads_questions
    with pytest.raises(ValueError, match="reads no question"):
        scorer.logits([("a", "b")], ["What?"])


@pytest.mark.parametrize("stated", ["yes", 1, None])
def test_a_recipe_with_neither_true_nor_false_is_an_error(tiny, adapter, copied, stated):
    folder = copied(adapter(pairs=True, reads_question=True))
    recipe = json.loads((folder / "recipe.json").read_text())
    (folder / "recipe.json").write_text(json.dumps(recipe | {"reads_question": stated}))
    with pytest.raises(ValueError, match=r"recipe\.json: reads_question is .*must be true or false"):
        answersim.score("a", "b", "sas", model=tiny(), adapter=folder, question="What?")


def test_a_question_that_is_too_long_is_cut_and_reported(reader):
    long = "in regions of new growth " * 40
    with pytest.warns(TruncationWarning, match="1 pairs were longer"):
        scored = answersim.score(["a", "a"], ["b", "b"], reader(), question=[long, "cortex"])
    with pytest.warns(TruncationWarning):
        assert scored[0] == pytest.approx(answersim.score("a", "b", reader(), question=long + "cortex"), abs=1e-6)


@pytest.fixture
def shipped(tiny: Callable[..., Path], adapter: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation whose sas reads questions, in both orders."""
    behind = Weights(str(tiny()), adapter=adapter(pairs=True, reads_question=True), order="mean")
    monkeypatch.setitem(profiles.WEIGHTS["sas"], "embedded", {"*": behind})


def test_the_error_names_the_metrics_that_read_questions(shipped):
    assert lookup.names_that_read_questions() == ("sas", "sas-answers", "answersim")
    readers = "sas, sas-answers, answersim"
    with pytest.raises(ValueError, match=f"but em, f1 reads no question; the metrics that do: {readers}"):
        answersim.score_pairs([Pair("a", "b")], ["em", "f1"], question=["What?"])


def test_a_question_does_not_change_metrics_that_read_none(shipped):
    with_questions = answersim.score_pairs(PAIRS, ["f1", "sas"], question=ASKED)
    without = answersim.score_pairs(PAIRS, ["f1", "sas"])
    assert with_questions["f1"] == without["f1"]
    assert with_questions["sas"] != without["sas"]


def asked_table(folder: Path, times: int = 1) -> Path:
    """Write the pairs with their questions, labels and numbers."""
    rows = [
        {"gold": gold, "pred": pred, "q": q, "label": i % 2, "i": i}
        for i, ((gold, pred), q) in enumerate(zip(PAIRS * times, ASKED * times, strict=True))
    ]
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder / "t.jsonl"


def test_the_command_line_reads_a_column_of_questions(shipped, tmp_path):
    table, output = asked_table(tmp_path), tmp_path / "o.jsonl"
    succeed("score", table, "-m", "sas", "--question", "q", "-o", output)
    actual = [json.loads(line)["sas"] for line in output.read_text().splitlines()]
    assert actual == answersim.score_pairs(PAIRS, ["sas"], question=ASKED)["sas"].values.tolist()


def test_show_lists_the_order_and_that_questions_are_read(shipped):
    shown = succeed("show", "sas")
    assert ", adapter trained, order mean (profile embedded)\n" in shown
    assert "\nquestion   read if it is given\n" in shown
    assert "|order:mean|" in shown


def test_the_order_option_overrides_the_order_of_the_weights(shipped):
    assert "|order:mean|" in answersim.metric("sas").signature
    for order in ("gold-pred", "max"):
        assert f"|order:{order}|" in answersim.metric("sas", order=order).signature
    plain = answersim.metric("sas", order="gold-pred")
    both = plain([Pair("eleven", "11"), Pair("11", "eleven")])
    assert answersim.score("eleven", "11", "sas") == pytest.approx(both.mean(), abs=1e-6)


def test_the_command_line_signs_the_use_of_questions(shipped, tmp_path):
    table, output = asked_table(tmp_path), tmp_path / "o.jsonl"
    out = succeed("score", table, "-m", "sas", "--question", "q", "-o", output)
    (signature,) = [line.removeprefix("sas: ") for line in out.splitlines() if line.startswith("sas: ")]
    assert signature == with_question(answersim.metric("sas").signature)


def test_a_study_and_its_records_sign_the_use_of_questions(shipped):
    pairs = PAIRS * 4
    table = {"gold": [p.gold for p in pairs], "pred": [p.pred for p in pairs], "q": ASKED * 4, "label": [1, 0, 2] * 4}
    agreement = answersim.correlate(table, ["f1", "sas"], question="q", bootstrap=answersim.Bootstrap(resamples=20))
    signatures = {row.metric: row.signature for row in agreement.rows}
    assert signatures["sas"] == with_question(answersim.metric("sas").signature)
    assert signatures["f1"] == answersim.metric("f1").signature
    assert {record["signature"] for record in agreement.records()} == set(signatures.values())
    del table["q"]
    plain = answersim.correlate(table, ["sas"], bootstrap=answersim.Bootstrap(resamples=20))
    assert {row.signature for row in plain.rows} == {answersim.metric("sas").signature}


def test_a_calibration_with_questions_is_made_and_used_on_the_command_line(shipped, tmp_path):
    table, made = asked_table(tmp_path, 10), tmp_path / "c.json"
    calibrate = ["calibrate", table, "-m", "sas", "-o", made]
    assert "|question:yes|rev:" in succeed(*calibrate, "--question", "q")
    verdict = ["score", table, "-c", made]
    assert "|question:yes|rev:" in succeed(*verdict, "--question", "q")
    assert "made with questions: give the question too" in refused(*verdict)
    succeed("score", "--gold", "a", "--pred", "b", "-c", made, "--question", "who?")
    refused("score", "--gold", "a", "--pred", "b", "-c", made)
    assert run(*calibrate)[0] == 0
    assert "made without questions: leave the question out" in refused(*verdict, "--question", "q")
