"""The trainers of transformers: ``compute_metrics`` in an evaluation of a tiny model that generates."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from answersim.integrations.transformers import ComputeMetrics
from tests.integrations.hosts.contract import F1, PASSED, ROWS, THRESHOLD, VALUES, Constant, of_encoder, pasted

transformers: Any = pytest.importorskip("transformers", reason="needs transformers")
torch: Any = pytest.importorskip("torch", reason="needs torch")

WORDS = ("<pad>", "</s>", "<unk>", "in", "Rome", "Roma", ",", "2", "Milan")
FIRST_GOLDS = [row.listed[0] for row in ROWS]
OF_FIRST = [2 / 3, 0, 0, 0, 0]  # F1 of the predictions and the first gold answers


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    tokenizers = import_module("tokenizers")
    built = tokenizers.Tokenizer(tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, "<unk>"))
    built.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=built, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def ids(tokenizer: Any, texts: list[str], padding: int) -> Any:
    """Token ids, shape (n, longest), filled with -100 or the padding token."""
    rows = [tokenizer(text)["input_ids"] + [1] for text in texts]
    longest = max(map(len, rows))
    return np.array([row + [padding] * (longest - len(row)) for row in rows])


def prediction(tokenizer: Any, first: int = 0, last: int | None = None) -> Any:
    preds = [row.prediction for row in ROWS][first:last]
    return transformers.EvalPrediction(ids(tokenizer, preds, 0), ids(tokenizer, FIRST_GOLDS[first:last], -100))


def test_labels_are_the_gold_answers_unless_others_are_given(tokenizer):
    result = ComputeMetrics(tokenizer, "f1", threshold=THRESHOLD)
    assert result(prediction(tokenizer)) == {"f1": pytest.approx(sum(OF_FIRST) / 5), "f1_equivalent": 1 / 5}
    assert result.signature == F1
    result = ComputeMetrics(tokenizer, "f1", golds=[row.golds for row in ROWS], threshold=THRESHOLD)
    assert result(prediction(tokenizer)) == {"f1": pytest.approx(sum(VALUES) / 5), "f1_equivalent": sum(PASSED) / 5}


def test_an_encoder_scores_the_generations_as_the_package_does(tokenizer):
    decoded = [row._replace(prediction=row.prediction.replace(",", " ,")) for row in ROWS]  # by this tokenizer
    expected = of_encoder("sas", decoded)
    result = ComputeMetrics(tokenizer, "sas", golds=[row.golds for row in ROWS])
    assert result(prediction(tokenizer))["sas"] == pytest.approx(np.mean(expected.expected), abs=1e-6)


def test_batches_give_the_same_as_one_call(tokenizer):
    result = ComputeMetrics(tokenizer, "f1", golds=[row.golds for row in ROWS])
    for _ in range(2):  # the second evaluation starts anew
        assert result(prediction(tokenizer, 0, 2), compute_result=False) == {}
        assert result(prediction(tokenizer, 2), compute_result=True)["f1"] == pytest.approx(sum(VALUES) / 5)


@pytest.mark.parametrize("by_batches", [False, True])
def test_a_trainer_reports_it(tokenizer, tmp_path, by_batches):
    config = transformers.T5Config(
        vocab_size=len(WORDS), d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    model = transformers.T5ForConditionalGeneration(config)
    answers = iter([row.prediction for row in ROWS])

    def generate(*, input_ids: Any, **_: Any) -> Any:
        texts = [next(answers) for _ in input_ids]
        return torch.tensor(ids(tokenizer, texts, 0))

    model.generate = generate  # the answers of the rows
    data = [
        {"input_ids": tokenizer(gold)["input_ids"], "labels": tokenizer(gold)["input_ids"] + [1]}
        for gold in FIRST_GOLDS
    ]
    arguments = transformers.Seq2SeqTrainingArguments(
        str(tmp_path), predict_with_generate=True, per_device_eval_batch_size=2, report_to=[], use_cpu=True,
        batch_eval_metrics=by_batches, disable_tqdm=True,
    )  # fmt: skip
    names = pasted(
        "transformers",
        Seq2SeqTrainer=transformers.Seq2SeqTrainer,
        model=model,
        arguments=arguments,
        data=data,
        collator=transformers.DataCollatorForSeq2Seq(tokenizer, model),
        tokenizer=tokenizer,
        golds=[row.golds for row in ROWS],
    )
    evaluation = names["trainer"].evaluate()
    assert evaluation["eval_f1"] == pytest.approx(sum(VALUES) / 5)
    assert evaluation["eval_f1_equivalent"] == sum(PASSED) / 5


def test_without_a_verdict_there_is_no_share_and_limits_are_those_of_the_scorer(tokenizer):
    assert ComputeMetrics(tokenizer, Constant(1.5), limits="clip")(prediction(tokenizer)) == {"constant": 1.0}


def test_what_is_no_generation_is_refused_and_leaves_nothing_behind(tokenizer):
    result = ComputeMetrics(tokenizer, "f1", golds=[row.golds for row in ROWS])
    with pytest.raises(TypeError, match="predict_with_generate"):
        result(transformers.EvalPrediction(np.zeros((2, 3, 9)), np.zeros((2, 3), dtype=int)))
    with pytest.raises(ValueError, match="golds has 5 entries, but 2 rows"):
        result(prediction(tokenizer, 0, 2))
    assert result(prediction(tokenizer))["f1"] == pytest.approx(sum(VALUES) / 5)


def test_a_tokenizer_without_padding_is_refused(tokenizer):
    bare = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer.backend_tokenizer, eos_token="</s>")
    with pytest.raises(ValueError, match="has no padding token"):
        ComputeMetrics(bare, "f1")
