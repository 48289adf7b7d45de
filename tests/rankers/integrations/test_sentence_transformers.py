"""sentence-transformers: the evaluator against the library's own one, alone and in a training."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from rankers import data
from tests.cases import every

library: Any = pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
integration: Any = import_module("rankers.integrations.sentence_transformers")

SAMPLES = [
    {"query": "where is the kettle", "positive": ["in the kitchen stands the kettle"], "negative": ["a lake", "rain"]},
    {"query": "who wrote it", "positive": "Ann wrote the report", "documents": ["it rained", "Ann wrote the report"]},
    {"query": "what is a harp", "positive": ["an instrument", "it has strings"], "negative": ["what a harp it is"]},
]


class Overlap:
    """A cross-encoder whose score is the number of common words, less a little per word; it records batch sizes."""

    tokenizer = None

    def __init__(self) -> None:
        self.sizes: set[int] = set()
        self.model_card_data = self

    def set_evaluation_metrics(self, *_: Any) -> None:
        """Keep nothing."""

    def predict(self, pairs: Any, batch_size: int = 32, **_: Any) -> Any:
        self.sizes.add(batch_size)
        common = [len({*question.split()} & {*answer.split()}) - len(answer) / 1000 for question, answer in pairs]
        return np.array(common)


def test_measures_equal_those_of_the_evaluator_of_the_library():
    theirs = import_module("sentence_transformers.cross_encoder.evaluation").CrossEncoderRerankingEvaluator(
        [{**sample, "positive": np.atleast_1d(sample["positive"]).tolist()} for sample in SAMPLES[::2]], name="dev"
    )
    expected = theirs(Overlap())
    model = Overlap()
    evaluator = integration.AnswerSelectionEvaluator(SAMPLES[::2], name="dev", batch_size=7)
    result = evaluator(model)
    assert result["dev_MAP"] == pytest.approx(expected["dev_map"])
    assert result["dev_RR@10"] == pytest.approx(expected["dev_mrr@10"])
    assert result["dev_nDCG@10"] == pytest.approx(expected["dev_ndcg@10"])
    assert model.sizes == {7}
    assert evaluator.primary_metric == "dev_nDCG@10"


def test_first_choices_are_scored_by_metrics(tmp_path):
    evaluator = integration.AnswerSelectionEvaluator(
        SAMPLES, measures=["P@1"], metrics=["f1"], primary="f1", name="dev"
    )
    result = evaluator(Overlap(), str(tmp_path), 1, 5)
    # Chosen are a positive, "it rained" (nothing in common) and "what a harp it is" (one word of "it has strings").
    assert result == {"dev_P@1": pytest.approx(1 / 3), "dev_f1": pytest.approx((1 + 0 + 2 / 7) / 3)}
    assert evaluator.primary_metric == "dev_f1"


def test_equal_scores_do_not_favor_positives():
    class Constant(Overlap):
        def predict(self, pairs, batch_size=32, **_):
            return np.zeros(len(pairs))

    samples = [
        {"query": f"question {i}", "positive": f"right {i}", "negative": [f"wrong {i}", f"false {i}"]}
        for i in range(60)
    ]
    result = integration.AnswerSelectionEvaluator(samples, measures=["P@1"])(Constant())
    assert 0.15 < result["P@1"] < 0.55  # the order of the library would give 0 or 1


def test_a_split_of_a_corpus_is_accepted():
    evaluator = integration.AnswerSelectionEvaluator(data.load("toy", "dev"), measures=["P@1"])
    assert 0.1 < evaluator(Overlap())["P@1"] < 0.6
    assert evaluator.get_config_dict() == {"measures": ["P@1"], "metrics": [], "questions": 60}


@every(
    ("samples", "settings", "says"),
    [
        ([], {}, "a split of a corpus or a list of samples"),
        ([{"query": "a"}], {}, "sample 0 is"),
        ([{"query": "a", "positive": "b"}], {}, "sample 0 needs either 'negative' or 'documents'"),
        ([{"query": " ", "positive": "b", "negative": ["c"]}], {}, "row 1: 'question' is ' ', but it must be text"),
        ([{"query": "a", "positive": [3], "negative": ["c"]}], {}, "row 1: 'candidate' is 3, but it must be text"),
        (SAMPLES, {"measures": ["MAPP"]}, "no measure is called 'MAPP'"),
        (SAMPLES, {"metrics": ["f2"]}, "no metric is called 'f2'"),
        (SAMPLES, {"primary": "f1"}, "no measure or metric of this evaluator is called 'f1'"),
        (SAMPLES, {"measures": []}, "nothing to measure"),
    ],
)
def test_wrong_input_is_an_error_before_the_training(samples, settings, says):
    with pytest.raises((ValueError, TypeError, LookupError)) as caught:
        integration.AnswerSelectionEvaluator(samples, **settings)
    assert says in str(caught.value)


def test_a_model_of_another_kind_or_with_nan_is_refused():
    class Broken(Overlap):
        def predict(self, pairs, batch_size=32, **_):
            return np.full(len(pairs), np.nan)

    evaluator = integration.AnswerSelectionEvaluator(SAMPLES)
    with pytest.raises(TypeError, match="it must be a CrossEncoder or a SentenceTransformer"):
        evaluator(object())
    with pytest.raises(ValueError, match="only finite scores can be ranked"):
        evaluator(Broken())


def test_it_selects_the_checkpoint_of_a_training(tiny, tmp_path):
    """The trainer of the library calls it after an epoch and reports its values."""
    pytest.importorskip("accelerate")
    datasets: Any = pytest.importorskip("datasets")
    model = library.CrossEncoder(str(tiny("bert", classifier=True)), device="cpu")
    rows = {"question": ["who wrote it", "who wrote it"], "answer": ["Ann wrote it", "a harp"], "label": [1.0, 0.0]}
    arguments = library.cross_encoder.CrossEncoderTrainingArguments(
        output_dir=str(tmp_path / "out"),
        num_train_epochs=1,
        eval_strategy="epoch",
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    evaluator = integration.AnswerSelectionEvaluator(SAMPLES, metrics=["f1"], name="mine")
    trainer = library.cross_encoder.CrossEncoderTrainer(
        model=model, args=arguments, train_dataset=datasets.Dataset.from_dict(rows), evaluator=evaluator
    )
    trainer.train()
    logged = {name: value for row in trainer.state.log_history for name, value in row.items()}
    assert 0 <= logged["eval_mine_nDCG@10"] <= 1
    assert 0 <= logged["eval_mine_f1"] <= 1
