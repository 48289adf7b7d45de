"""How the calibrations that ship are made and checked: on made-up sets, by hand."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

import answersim
from answersim.calibration.scores import Scores
from answersim.calibration.storing import read
from answersim.calibration.transfer import transfer_of
from answersim.metrics.composite.ensemble import AnswerSimilarity, named
from answersim.metrics.composite.typed import TypedMetric
from answersim.types import Capabilities, Metric
from tools.weights import calibrations
from tools.weights.calibrations import Set, check, columns_of, make_checked


def made_up(name, n, seed, share=0.5):
    """Right predictions hold one or two of the two gold words; so does one in ten, and in a hundred, of the wrong."""
    rng = np.random.default_rng(seed)
    right = rng.random(n) < share
    pairs = []
    for i, each in enumerate(right):
        luck = rng.random()
        keep = int(rng.integers(1, 3)) if each else int(luck < 0.1) + int(luck < 0.01)
        pairs.append((f"a{i} b{i}", " ".join([f"a{i}", f"b{i}"][:keep] + [f"x{i}"] * (2 - keep))))
    return Set(name, pairs, right, [i // 2 for i in range(n)])


@pytest.fixture
def sets(monkeypatch):
    result = [made_up("made on, all", 900, 0), made_up("another", 200, 1), made_up("few are right", 900, 2, 0.03)]
    monkeypatch.setattr(calibrations, "calibration_sets", lambda: iter(result[:1]))
    monkeypatch.setattr(calibrations, "check_sets", lambda: iter(result[1:]))
    return result


def scored(judged):
    return judged, answersim.score_pairs(judged.pairs, ["f1"])["f1"]


def test_files_and_cards_are_written_and_list_where_the_probabilities_are_off(sets, tmp_path):
    import typer

    app = typer.Typer()
    app.command()(calibrations.main)
    result = CliRunner().invoke(
        app, ["--output", str(tmp_path), "--metrics", "recall", "--scores", str(tmp_path / "kept")]
    )
    assert result.exit_code == 0, result.output
    actual, card = read(tmp_path / "recall.json"), (tmp_path / "recall.md").read_text()
    assert actual.signature == answersim.metric("recall").signature
    assert actual.least_words == 0
    assert set(actual.metadata["checks"]) == {"another", "few are right"}
    assert "The calibration error is more than twice that of chance on: few are right." in card


def test_metrics_of_shared_words_are_calibrated_on_long_predictions(sets):
    judged, scores = scored(sets[0])
    words = [f"{'word ' * (i % 15)}{pred}" for i, (_, pred) in enumerate(judged.pairs)]
    judged = judged._replace(pairs=[(gold, pred) for (gold, _), pred in zip(judged.pairs, words, strict=True)])
    part, of_part = calibrations.of_length(judged, scores, calibrations.least_of("meteor"))
    assert min(len(pred.split()) for _, pred in part.pairs) == 12
    assert 0 < len(part.pairs) == len(of_part) < len(judged.pairs)
    made = calibrations.make("f1", [(part, of_part)], resamples=2)
    assert (made.least_words, made.provenance.n) == (12, len(part.pairs))
    assert made.metadata["data"].endswith("only predictions of at least 12 words")


def test_a_check_compares_the_calibration_with_labels(sets):
    result = calibrations.make("f1", [scored(sets[0])])
    _, other = scored(sets[1])
    message = check(result, sets[1], other)
    right = sets[1].right
    assert message.n == 200
    assert message.equivalent == right.mean()
    assert message.probability == pytest.approx(result.probability(other).mean())
    called = other.values >= result.threshold("accuracy").cut.value
    assert message.accuracy.value == pytest.approx((called == right).mean())
    assert message.accuracy.low < message.accuracy.value < message.accuracy.high


def test_a_set_is_checked_by_a_calibration_from_the_other_ones(sets):
    lucky = sets[1]._replace(name="lucky", right=np.arange(200) > 10)
    own = [scored(judged) for judged in (sets[0], lucky)]
    made = make_checked("f1", own, [scored(sets[2])])
    assert made.calibration.provenance.n == 1100
    assert list(made.checks) == ["made on, all", "lucky", "few are right"]
    assert made.calibration.metadata["checks"]["lucky"]["n"] == 200
    without = calibrations.make("f1", own[:1])
    assert made.checks["lucky"].probability == pytest.approx(without.probability(own[1][1]).mean())
    assert made.calibration.probability(own[1][1]).mean() > made.checks["lucky"].probability + 0.05
    few = [
        (
            judged._replace(pairs=judged.pairs[:50], right=judged.right[:50], groups=judged.groups[:50]),
            Scores(of.values[:50], of.signature),
        )
        for judged, of in own[:1]
    ]
    assert list(make_checked("f1", own[1:], few).checks) == []


def test_the_error_of_transfer_is_that_of_the_systems_and_sets(sets):
    own, *others = [scored(judged._replace(systems=["a", "b"] * (len(judged.pairs) // 2))) for judged in sets]
    made = make_checked("f1", [own], others)
    known = transfer_of(made.calibration)
    assert known.populations == len(made.populations) == 4
    probabilities = made.calibration.probability(others[1][1])
    gaps = [probabilities[i::2].mean() - others[1][0].right[i::2].mean() for i in (0, 1)]
    assert known.most == pytest.approx(max(gaps), abs=1e-4)
    assert 0.3 * max(gaps) < known.error < max(gaps)
    assert transfer_of(make_checked("f1", [own], []).calibration) is None


def test_networks_run_once_and_rules_always(sets, tmp_path, monkeypatch):
    runs = []

    @dataclass(frozen=True)
    class Network:
        signature: str = "sas|v:1"
        capabilities: ClassVar = Capabilities(cost="model")

        def __call__(self, pairs):
            runs.append(len(pairs))
            return np.full(len(pairs), 0.5)

    built: dict[str, Metric] = {
        "one": AnswerSimilarity((Network(),), named(("sas",), {"sas": 1.0}, 0.0)),
        "typed": TypedMetric(Network()),
    }
    monkeypatch.setattr(answersim, "metric", lambda name, profile=None: built[name])
    first = columns_of(sets[1], ["one"], tmp_path)
    assert sum(runs) == 200
    built["one"] = AnswerSimilarity((Network(),), named(("sas",), {"sas": 2.0}, 1.0))
    again = columns_of(sets[1], ["one", "typed"], tmp_path)
    assert sum(runs) == 200
    assert (first["one"].values[0], again["one"].values[0]) == (0.5, pytest.approx(1 / (1 + np.exp(-1))))
    assert again["one"].signature == built["one"].signature
    assert columns_of(sets[1], ["typed"], None)["typed"] == again["typed"]
    assert sum(runs) == 400


class Reading:
    """1 where prediction and gold answer share a word, and a half more where the question says "yes"."""

    signature = "reading|v:1"
    reads_questions = True

    def __call__(self, pairs, questions=None):
        shared = np.array([float(bool(set(gold.split()) & set(pred.split()))) for gold, pred in pairs])
        return shared + np.array([0.5 * (each == "yes") for each in questions or [""] * len(pairs)])


def test_a_calibration_with_the_question_is_for_the_scores_with_it(sets, tmp_path, monkeypatch):
    import typer

    with_questions = [set_._replace(questions=["yes", "no"] * (len(set_.pairs) // 2)) for set_ in sets[:2]]
    monkeypatch.setattr(calibrations, "calibration_sets", lambda: iter(with_questions[:1]))
    monkeypatch.setattr(calibrations, "check_sets", lambda: iter([with_questions[1], sets[2]]))
    monkeypatch.setattr(answersim, "metric", lambda name, profile=None: Reading())
    app = typer.Typer()
    app.command()(calibrations.main)
    kept = str(tmp_path / "kept")
    for _ in range(2):  # the second time from the scores that were kept
        result = CliRunner().invoke(
            app, ["--output", str(tmp_path), "--metrics", "mine,mine-question", "--scores", kept]
        )
        assert result.exit_code == 0, result.output
        plain, actual = read(tmp_path / "mine.json"), read(tmp_path / "mine-question.json")
        assert (plain.signature, actual.signature) == ("reading|v:1", "reading|question:yes|v:1")
        assert (plain.metric["name"], actual.metric["name"]) == ("mine", "mine")
        assert set(plain.metadata["checks"]) == {"another", "few are right"}
        assert set(actual.metadata["checks"]) == {"another"}  # the other set has no questions
        assert actual.curve != plain.curve
    assert "reads the question" in (tmp_path / "mine-question.md").read_text()
    assert "without questions" in (tmp_path / "mine.md").read_text()


def test_all_calibrations_are_made_also_those_with_the_question():
    names = calibrations.all_names()
    assert "typed+recall" in names  # it reads no question
    asked = ["sas-question", "sas-answers-question", "answersim-question"]
    asked += ["sas-strong-question", "answersim-strong-question"]
    assert [name for name in names if name.endswith("-question")] == asked
