"""Published cross-encoders and bi-encoders by name: numbers of sentence-transformers, prompts, places, refusals."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankers
from answersim._base.errors import CheckpointNotFoundError
from rankers.models.minilm import MiniLmBiEncoder
from rankers.models.published import (
    PUBLISHED,
    CrossEncoderObject,
    NamedCrossEncoder,
    SentenceTransformerObject,
    by_name,
    of_object,
)
from tests.rankers.commands.command_line import called

pytest.importorskip("torch")

sentence_transformers = pytest.importorskip("sentence_transformers")

QUESTION, POOL = "the NFL 11", ["Der Eiffelturm steht in Paris.", "eleven", "Old John, born in 1945", "in new regions"]

ARCHITECTURES = ("bert", "electra", "roberta", "xlm-roberta", "modernbert")

BGE = "BAAI/bge-base-en-v1.5"


def settings(folder: Path, file: str, **values: Any) -> None:
    path = folder / file
    path.write_text(json.dumps((json.loads(path.read_text()) if path.is_file() else {}) | values))


@pytest.fixture
def models(tmp_path, monkeypatch):
    """An empty ``$ANSWERSIM_MODELS``, and an empty cache of the hub, which cannot be reached."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def bi_encoder(tiny, tmp_path):
    """Write a folder of sentence-transformers, as BGE has it: CLS, normalized, lower case."""

    def write(kind="bert", place=None, prompts=None):
        from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

        folder, reader = place or tmp_path / "bi-encoder", Transformer(str(tiny(kind)))
        modules = [reader, Pooling(reader.get_embedding_dimension(), "cls"), Normalize()]
        sentence_transformers.SentenceTransformer(modules=modules, prompts=prompts, device="cpu").save(str(folder))
        settings(folder, "sentence_bert_config.json", do_lower_case=True)
        return folder

    return write


@pytest.mark.parametrize("kind", ARCHITECTURES)
@pytest.mark.parametrize("activation", ["Identity", None])
def test_a_cross_encoder_gives_the_numbers_of_the_library(kind, activation, tiny, tmp_path):
    folder = shutil.copytree(tiny(kind, classifier=True), tmp_path / "model")
    if activation is not None:  # as of ms-marco-MiniLM; the BGE and GTE rerankers state none
        settings(folder, "config.json", sbert_ce_default_activation_function=f"torch.nn.modules.linear.{activation}")
    ranker = by_name(str(folder))
    assert isinstance(ranker, NamedCrossEncoder)
    loaded = sentence_transformers.CrossEncoder(str(folder), device="cpu")
    expected = loaded.predict([(QUESTION, text) for text in POOL])
    first, second, third = ranker.score([QUESTION, "11", "a"], [POOL, POOL[:1], []])
    np.testing.assert_allclose(first, expected, atol=1e-5)
    assert (second.shape, third.shape) == ((1,), (0,))
    assert ranker.signature.startswith("cross-encoder-ranker|scorer:")
    assert isinstance(of_object(loaded), CrossEncoderObject)
    ours, theirs = (rankers.rank(QUESTION, POOL, model) for model in (folder, loaded))
    assert [c.index for c in ours] == [c.index for c in theirs] == np.argsort(-expected).tolist()


@pytest.mark.parametrize("kind", ARCHITECTURES)
@pytest.mark.parametrize("prompts", [None, {"query": "the NFL: ", "document": "1945: "}])
def test_a_bi_encoder_gives_the_similarity_of_the_library_with_its_prompts(kind, prompts, bi_encoder):
    folder = bi_encoder(kind, prompts=prompts)
    library = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    expected = library.similarity(library.encode_query([QUESTION, "11"]), library.encode_document(POOL)).numpy()
    ranker, loaded = by_name(str(folder)), of_object(library)
    assert isinstance(loaded, SentenceTransformerObject)
    for model in (ranker, loaded):
        first, second = model.score([QUESTION, "11"], [POOL, POOL[1:]])
        np.testing.assert_allclose(first, expected[0], atol=1e-5)
        np.testing.assert_allclose(second, expected[1, 1:], atol=1e-5)
    assert ("|prompts:" in ranker.signature) == (prompts is not None)


def test_a_name_has_the_prompt_of_its_card_and_may_be_short(models, bi_encoder):
    folder = bi_encoder(place=models / BGE)
    named, plain = by_name("bge-base-en-v1.5"), by_name(str(folder))
    assert isinstance(named, MiniLmBiEncoder)
    assert named.query == "Represent this sentence for searching relevant passages: "
    assert named == by_name(BGE) != plain
    assert (named.score([QUESTION], [POOL])[0] != plain.score([QUESTION], [POOL])[0]).all()
    assert [c.text for c in rankers.rank(QUESTION, POOL, BGE)] == [c.text for c in rankers.rank(QUESTION, POOL, named)]


def test_fetch_takes_the_pinned_revision_and_rank_finds_it_without_a_network(models, tiny):
    name = "BAAI/bge-reranker-base"
    snapshot = models.parent / "cache" / f"models--{name.replace('/', '--')}" / "snapshots" / PUBLISHED[name].revision
    shutil.copytree(tiny("xlm-roberta", classifier=True), snapshot)
    result = called("fetch bge-reranker-base")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[1] == f"rank with it: rankers rank --model {name} FILE -o OUT"
    assert len(rankers.rank(QUESTION, POOL, "bge-reranker-base")) == len(POOL)
    assert [line.split()[0] for line in called("fetch").stdout.splitlines()] == list(PUBLISHED)
    assert all(len(model.revision) == 40 for model in PUBLISHED.values())


@pytest.mark.parametrize("name", ["gte-modernbert-base", "someone/some-reranker"])
def test_a_model_that_is_not_here_is_an_error_with_its_name_and_the_remedy(name, models):
    full = "Alibaba-NLP/gte-modernbert-base" if "gte" in name else name
    with pytest.raises(CheckpointNotFoundError, match=f"no weights for '{full}'.* with 'rankers fetch {full}'"):
        rankers.rank(QUESTION, POOL, name)
    result = called(f"fetch {name}")
    assert result.exit_code == 2
    assert f"no weights for '{full}'" in result.stderr
    assert f"put its files into $ANSWERSIM_MODELS/{full} or go online once" in result.stderr


def test_a_model_that_gives_no_number_per_pair_is_refused(tiny, tmp_path, bi_encoder):
    with pytest.raises(ValueError, match="has 3 outputs per pair"):
        by_name(str(tiny("bert", classifier=True, labels=3)))
    folder = shutil.copytree(tiny("bert"), tmp_path / "causal")
    settings(folder, "config.json", architectures=["Qwen3ForCausalLM"])
    with pytest.raises(ValueError, match=r"generates text \(Qwen3ForCausalLM\); choose a cross-encoder"):
        by_name(str(folder))
    folder = bi_encoder(prompts={"query": "a: "})
    settings(folder, "1_Pooling/config.json", include_prompt=False)
    with pytest.raises(ValueError, match="leaves its prompts out of the pooling"):
        by_name(str(folder))
    settings(folder, "1_Pooling/config.json", include_prompt=True)
    settings(folder, "config_sentence_transformers.json", similarity_fn_name="dot")
    assert isinstance(by_name(str(folder)), MiniLmBiEncoder)  # its vectors are normalized, so it is the cosine
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps(modules[:2]))
    with pytest.raises(ValueError, match="compares vectors by 'dot', but only the cosine"):
        by_name(str(folder))


def test_an_object_that_gives_no_number_per_pair_is_refused():
    class Three:
        tokenizer = None

        def predict(self, pairs, show_progress_bar):
            return np.zeros((len(pairs), 3))

    with pytest.raises(ValueError, match=r"scores of the shape \(4, 3\) for 4 candidates, .* one output"):
        rankers.rank(QUESTION, POOL, Three())
    assert of_object(object()) is None
