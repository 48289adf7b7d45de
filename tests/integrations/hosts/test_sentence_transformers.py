"""sentence-transformers, the trainers of transformers, and a metric with an encoder in loops, threads and forks."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy import stats

import answersim
from answersim.integrations.frameworks.transformers import ComputeMetrics
from answersim.integrations.shared.base import Scorer
from answersim.scoring import batching
from tests.integrations.hosts.contract import F1, PASSED, ROWS, THRESHOLD, VALUES, Constant, of_encoder, pasted

sentence_transformers: Any = pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
integration: Any = import_module("answersim.integrations.frameworks.sentence_transformers")

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


pytest.importorskip("torch", reason="needs torch")

NAME = "sas"
GIVEN = [(None, row.golds, row.prediction) for row in ROWS]


@pytest.fixture(autouse=True)
def _computed_anew() -> None:
    batching.forget()


@pytest.mark.parametrize("name", ["bertscore-names", "sas", "answersim"])
def test_a_loop_a_batch_threads_and_two_event_loops_give_the_scores_of_the_package(name):
    expected = of_encoder(name)
    scorer = Scorer(name)

    async def gathered() -> list[float]:
        return [scored.value for scored in await asyncio.gather(*(scorer.score_async(*stated) for stated in GIVEN))]

    def by_threads() -> list[float]:
        with ThreadPoolExecutor(4) as pool:
            return [scored.value for scored in pool.map(lambda given: scorer.score(*given), GIVEN)]

    ways: list[Any] = [
        lambda: [scorer.score(*stated).value for stated in GIVEN],
        lambda: [scored.value for scored in scorer.score_batch(GIVEN)],
        lambda: asyncio.run(gathered()),
        by_threads,
    ]
    for way in ways:
        batching.forget()
        assert way() == expected
    batching.forget()
    with ThreadPoolExecutor(2) as pool:  # an event loop in each of two threads
        assert list(pool.map(lambda _: asyncio.run(gathered()), range(2))) == [expected, expected]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12: threads and forks
def test_a_forked_process_gives_the_scores_of_its_parent():
    expected = of_encoder(NAME)
    scorer = Scorer(NAME)
    assert [scorer.score(*stated).value for stated in GIVEN] == expected  # its thread and its cache exist
    child = os.fork()
    if not child:
        status = 1
        try:
            status = 0 if [scorer.score(*stated).value for stated in GIVEN] == expected else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
