"""The encoder of the page as ONNX: its graph computes a BERT, its weights are near, and it stays small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tools.site.browser import minilm


def restored(weights: Any, block: int = minilm.BLOCK) -> Any:
    values, scales = minilm.quantized(weights, block)
    return (values.astype(np.float32) * scales.astype(np.float32)).reshape(weights.shape)


def test_quantized_weights_are_within_half_a_step() -> None:
    block = minilm.BLOCK
    weights = np.random.default_rng(0).normal(size=(64, 5)).astype(np.float32) * np.array([1e-3, 1, 10, 0, 0.1])
    largest = np.repeat(np.abs(weights.reshape(-1, block, 5)).max(axis=1), block, axis=0)
    assert (np.abs(restored(weights) - weights) <= largest / 127 / 2 * 1.2 + 1e-9).all()
    assert np.array_equal(restored(restored(weights)), restored(weights))


CONFIG = {
    "model_type": "bert",
    "vocab_size": 50,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 20,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}


@pytest.mark.parametrize(
    "changed", [{"hidden_act": "relu"}, {"model_type": "electra"}, {"position_embedding_type": "relative_key"}]
)
def test_another_architecture_is_refused(changed: dict[str, Any]) -> None:
    assert minilm.plain_bert(CONFIG).n_heads == 4
    with pytest.raises(ValueError, match="only a plain BERT with 'gelu'"):
        minilm.plain_bert(CONFIG | changed)


@pytest.mark.slow
def test_the_graph_computes_what_transformers_computes() -> None:
    reason = "it is not installed: pip install -r tools/site/browser/requirements.txt"
    pytest.importorskip("onnx", reason=reason)
    onnxruntime = pytest.importorskip("onnxruntime", reason=reason)
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(**CONFIG)
    model = BertModel(config).eval()
    for name, weight in model.named_parameters():  # values that 8 bits can express
        exact = torch.randn_like(weight) * 0.1
        if (
            name.endswith(("query.weight", "key.weight", "value.weight", "dense.weight"))
            or name == "embeddings.word_embeddings.weight"
        ):
            exact = torch.from_numpy(restored(exact.numpy().T).T.copy())
        weight.data.copy_(exact)
    weights = {name: weight.detach().numpy() for name, weight in model.named_parameters()}
    content = minilm.model(weights, minilm.plain_bert(CONFIG))
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    for texts, tokens in ((1, 2), (3, 7), (2, 20)):
        ids = torch.randint(50, (texts, tokens))
        (vectors,) = session.run(None, {"ids": ids.numpy().astype(np.int32)})
        with torch.no_grad():
            expected = model(ids).last_hidden_state.mean(dim=1).numpy()
        assert np.abs(vectors - expected).max() < 1e-5
        assert np.abs(expected).max() > 0.1
