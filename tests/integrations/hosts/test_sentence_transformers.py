"""sentence-transformers: the evaluator with tiny models, alone and in a training."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy import stats

import answersim
from tests.integrations.hosts.contract import ROWS, of_encoder, pasted

sentence_transformers: Any = pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
integration: Any = import_module("answersim.integrations.sentence_transformers")

GOLDS, PREDS, LABELS = [row.golds for row in ROWS], [row.prediction for row in ROWS], [1.0, 2.0, 2.0, 0.0, 0.0]


class Counted:
    """A bi-encoder whose vectors are counts of letters; it records the batch size."""

    def __init__(self) -> None:
        self.model_card_data = self
        self.sizes: list[int] = []

    def set_evaluation_metrics(self, *_: Any) -> None:
        """Keep nothing."""

    def vector(self, text: str) -> Any:
        counts = np.array([1.0, *(text.lower().count(letter) for letter in "aeimor")])
        return counts / np.linalg.norm(counts)

    def encode(self, texts: list[str], *, batch_size: int, **_: Any) -> Any:
        assert len(set(texts)) == len(texts)
        self.sizes.append(batch_size)
        return np.array([self.vector(text) for text in texts])


class CountedPairs(Counted):
    """The same as a cross-encoder."""

    encode = None  # type: ignore[assignment] # a cross-encoder has none

    def predict(self, pairs: list[tuple[str, str]], *, batch_size: int, **_: Any) -> Any:
        self.sizes.append(batch_size)
        return [self.vector(gold) @ self.vector(pred) for gold, pred in pairs]


def best_cosines() -> list[float]:
    model = Counted()
    return [max(float(model.vector(gold) @ model.vector(row.prediction)) for gold in row.listed) for row in ROWS]


@pytest.mark.parametrize("model", [Counted(), CountedPairs()], ids=["bi-encoder", "cross-encoder"])
def test_the_coefficients_are_those_of_scipy_on_the_best_gold_answers(model):
    evaluator = integration.AnswerSimilarityEvaluator(GOLDS, PREDS, LABELS, batch_size=3, name="dev")
    result = evaluator(model)
    assert result["dev_kendall"] == pytest.approx(stats.kendalltau(best_cosines(), LABELS).statistic)
    assert result["dev_spearman"] == pytest.approx(stats.spearmanr(best_cosines(), LABELS).statistic)
    assert result["dev_pearson"] == pytest.approx(np.corrcoef(best_cosines(), LABELS)[0, 1])
    assert evaluator.primary_metric == "dev_kendall"
    assert set(model.sizes) == {3}


def test_the_encoder_that_ships_is_evaluated_as_the_metric_of_its_name():
    expected = of_encoder("bi-encoder").expected
    model = sentence_transformers.SentenceTransformer(str(answersim.metric("bi-encoder").encoder.checkpoint.folder))
    result = integration.AnswerSimilarityEvaluator(GOLDS, PREDS, LABELS, name="dev")(model)
    assert result["dev_kendall"] == pytest.approx(stats.kendalltau(expected, LABELS).statistic)
    assert result["dev_pearson"] == pytest.approx(np.corrcoef(expected, LABELS)[0, 1], abs=1e-5)


def test_a_model_that_changes_is_evaluated_anew():
    evaluator, model = integration.AnswerSimilarityEvaluator(GOLDS, PREDS, LABELS), Counted()
    before = evaluator(model)
    model.vector = lambda text: -np.array([1.0, float("Roma" in text)])  # type: ignore[method-assign] # "trained"
    assert evaluator(model) != before


def test_a_training_selects_by_kendall(sentence_folder, tmp_path):
    datasets = pytest.importorskip("datasets", reason="needs datasets")
    model = sentence_transformers.SentenceTransformer(str(sentence_folder()), device="cpu")
    rows = datasets.Dataset.from_dict({"first": PREDS, "second": [str(gold) for gold in GOLDS], "label": [0.5] * 5})
    trainer = sentence_transformers.SentenceTransformerTrainer(
        model,
        sentence_transformers.SentenceTransformerTrainingArguments(
            str(tmp_path / "out"), max_steps=2, eval_strategy="steps", eval_steps=1, save_strategy="steps",
            save_steps=1, load_best_model_at_end=True, metric_for_best_model="eval_dev_kendall", report_to=[],
            use_cpu=True, disable_tqdm=True,
        ),
        train_dataset=rows,
        loss=sentence_transformers.sentence_transformer.losses.CosineSimilarityLoss(model),
        evaluator=integration.AnswerSimilarityEvaluator(GOLDS, PREDS, LABELS, name="dev"),
    )  # fmt: skip
    trainer.train()
    logged = [entry["eval_dev_kendall"] for entry in trainer.state.log_history if "eval_dev_kendall" in entry]
    assert len(logged) == 2
    assert trainer.state.best_metric == max(logged)


def test_bad_input_is_reported_before_any_work():
    with pytest.raises(ValueError, match="two values"):
        integration.AnswerSimilarityEvaluator(GOLDS, PREDS, [1.0] * 5)
    with pytest.raises(ValueError, match="shorter"):
        integration.AnswerSimilarityEvaluator(GOLDS, PREDS[:2], LABELS)
    with pytest.raises(TypeError, match="an answer is a string"):
        integration.AnswerSimilarityEvaluator(GOLDS, [None, *PREDS[1:]], LABELS)


def test_the_lines_of_the_page_work(capsys):
    pasted("sentence-transformers", golds=GOLDS, preds=PREDS, labels=LABELS, model=Counted())
    expected = stats.kendalltau(best_cosines(), LABELS).statistic
    assert float(capsys.readouterr().out) == pytest.approx(expected)
