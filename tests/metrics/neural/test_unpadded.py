"""The pass without padding against the model's own, text by text, for every family and head."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from answersim.metrics.neural import architecture, unpadded  # noqa: E402

FAMILIES = ("bert", "electra", "roberta", "xlm-roberta", "mpnet")
LENGTHS = (7, 5, 5, 3, 2, 1)


def sequences(vocabulary: int, seed: int = 0) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(5, vocabulary, size=length).tolist() for length in LENGTHS]


def encoder(folder: Path, **settings: Any) -> Any:
    return transformers.AutoModel.from_pretrained(folder, **settings).eval()


def alone(model: Any, ids: list[int], types: list[int] | None = None) -> list[Any]:
    """The token states of every layer, (l, d) each, of one text by the model's own forward pass."""
    with torch.inference_mode():
        kinds = None if types is None else torch.tensor([types])
        hidden = model(input_ids=torch.tensor([ids]), token_type_ids=kinds, output_hidden_states=True).hidden_states
    return [each[0] for each in hidden]


def described(model: Any) -> architecture.Architecture:
    """The architecture of a model of transformers, by its configuration."""
    pairs = hasattr(model, "classifier")
    rows = architecture.read(model.config.to_dict(), pairs=pairs, layers=model.config.num_hidden_layers)
    assert rows is not None
    return rows


def engine(model: Any) -> unpadded.Unpadded:
    """The same weights in the pass without padding."""
    return unpadded.Unpadded(described(model), dict(model.named_parameters()))


def run(model: Any, ids: list[list[int]], layers: Any, types: Any = None, **settings: Any) -> dict[int, Any]:
    batch = unpadded.batch_of(ids, types, torch.device("cpu"))
    with torch.inference_mode():
        return engine(model).states(batch, layers, **settings)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_layer_of_every_text_is_that_of_the_model_itself(family, tiny):
    model = encoder(tiny(family))
    texts = sequences(model.config.vocab_size)
    texts.insert(3, [5, model.config.pad_token_id, 6, 7])  # a text may contain the padding token
    expected = [alone(model, text) for text in texts]
    result = run(model, texts, (0, 1, 2, 3))
    for layer in range(4):
        whole = torch.cat([each[layer] for each in expected])
        torch.testing.assert_close(result[layer], whole, rtol=1e-6, atol=2e-6)
    assert float((result[3] - result[2]).abs().max()) > 0.1  # layers differ, so that a mix-up would be seen
    firsts = torch.stack([each[3][0] for each in expected])
    torch.testing.assert_close(run(model, texts, (3,), only_first=True)[3], firsts, rtol=1e-6, atol=2e-6)


def test_types_of_tokens_are_read(tiny):
    model = encoder(tiny("bert"))
    texts = sequences(model.config.vocab_size)
    types = [[0] * (len(text) // 2) + [1] * (len(text) - len(text) // 2) for text in texts]
    expected = torch.cat([alone(model, *each)[3] for each in zip(texts, types, strict=True)])
    torch.testing.assert_close(run(model, texts, (3,), types)[3], expected, rtol=1e-6, atol=2e-6)
    assert float((run(model, texts, (3,))[3] - expected).abs().max()) > 1e-3


@pytest.mark.parametrize("family", FAMILIES)
def test_a_classifier_gives_the_logits_of_the_model_itself(family, tiny):
    model = transformers.AutoModelForSequenceClassification.from_pretrained(tiny(family, classifier=True)).eval()
    texts = sequences(model.config.vocab_size)
    with torch.inference_mode():
        expected = torch.cat([model(input_ids=torch.tensor([text])).logits for text in texts])
        classifier = unpadded.UnpaddedClassifier(described(model), dict(model.named_parameters()))
        result = classifier.logits(unpadded.batch_of(texts, None, torch.device("cpu")))
    torch.testing.assert_close(result, expected, rtol=1e-6, atol=2e-6)
    assert float(expected.std()) > 1e-3


def test_another_activation_is_the_models_own(tiny):
    model = encoder(tiny("bert"), hidden_act="relu")
    texts = sequences(model.config.vocab_size)
    expected = torch.cat([alone(model, text)[3] for text in texts])
    torch.testing.assert_close(run(model, texts, (3,))[3], expected, rtol=1e-6, atol=2e-6)


def test_the_weights_lie_in_memory_once(tiny):
    model = encoder(tiny("bert"))
    tensors = {name: parameter.detach() for name, parameter in model.named_parameters()}
    made = unpadded.Unpadded(described(model), tensors)
    name = "encoder.layer.0.intermediate.dense.weight"
    assert made.layers[0].up.weight.data_ptr() == tensors[name].data_ptr()
    kept = {id(value) for value in vars(made).values() if isinstance(value, torch.Tensor)}
    kept |= {id(linear.weight) for layer in made.layers for linear in (layer.attend, layer.out, layer.up, layer.down)}
    parts = [f"encoder.layer.{i}.attention.self.{part}.weight" for i in range(3) for part in ("query", "key", "value")]
    assert not kept & {id(tensors[part]) for part in parts}  # they are rows of one tensor instead


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_short_texts_side_by_side_are_blind_to_each_other(kind, tiny):
    model = encoder(tiny("bert")).to(kind)
    rng = np.random.default_rng(0)
    texts = [rng.integers(5, model.config.vocab_size, size=length).tolist() for length in [9] * 8 + [4] * 29 + [1] * 70]
    result = run(model, texts, (3,))[3]
    expected = torch.cat([alone(model, text)[3] for text in texts])
    near = {"rtol": 1e-6, "atol": 1e-5} if kind is torch.float32 else {"rtol": 5e-2, "atol": 5e-2}
    torch.testing.assert_close(result, expected, **near)


@pytest.mark.parametrize("only_first", [False, True])
def test_a_text_that_overflows_spoils_no_other(tiny, only_first):
    model = encoder(tiny("bert"))
    texts = sequences(model.config.vocab_size)
    texts[1] = [5, 6, 7, 8, 9]
    texts[2:] = [[10 if token == 6 else token for token in each] for each in [texts[0][:5], *texts[3:]]]
    texts[0] = [10 if token == 6 else token for token in texts[0]]
    whole = run(model, texts, (1, 3), only_first=only_first)
    with torch.no_grad():
        model.embeddings.word_embeddings.weight[6] = torch.inf  # the second text alone has this word
    result = run(model, texts, (1, 3), only_first=only_first)
    starts = range(len(texts)) if only_first else np.append(0, np.cumsum(LENGTHS))
    ours = slice(1, 2) if only_first else slice(int(starts[1]), int(starts[2]))
    assert result[3][ours].isnan().all()
    rest = [place for place in range(len(result[3])) if not ours.start <= place < ours.stop]
    torch.testing.assert_close(result[3][rest], whole[3][rest], rtol=1e-6, atol=2e-6)


def test_a_token_is_embedded_once_for_all_places_where_it_is_the_same(tiny, monkeypatch):
    model = encoder(tiny("bert"))
    texts, types = [[5, 6, 7], [5, 9, 7], [6, 5, 7], [5, 6, 7]], [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]]
    rows: list[int] = []
    original = unpadded.embedding
    monkeypatch.setattr(unpadded, "embedding", lambda ids, table: rows.append(len(ids)) or original(ids, table))
    result = run(model, texts, (3,), types)[3]
    assert (
        rows == [7] * 3
    )  # words, types and positions: (5, 0, 0), (6, 0, 0), (6, 0, 1), (9, 0, 1), (5, 0, 1), (7, 0, 2), (7, 1, 2)
    expected = torch.cat([alone(model, *each)[3] for each in zip(texts, types, strict=True)])
    torch.testing.assert_close(result, expected, rtol=1e-6, atol=2e-6)
