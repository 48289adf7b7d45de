"""Write the embedded encoder, all-MiniLM-L6-v2, as one ONNX file of 8-bit weights, and its tokenizer as one JSON file.

    python -m tools.site.browser.minilm --output FOLDER      # minilm.onnx and minilm.json

Only the weights are quantized. They are multiplied by their scales again when the file is loaded, and every operation
is done in fp32. A vector therefore depends on its text alone, which is not so if activations are quantized, as their
scale is that of a whole batch. Each block of 16 weights along the summed dimension has a scale of its own in fp16.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.checkpoints import search, tensor_file
from answersim.neural import architecture
from answersim.neural.architecture import Architecture
from tools.site.browser.characters import characters

MODEL = "all-MiniLM-L6-v2"
ONNX, TOKENS = "minilm.onnx", "minilm.json"
BLOCK = 16
OPSET = 17
_LARGEST = 127  # of the quantized values, so that they are symmetric

Array = NDArray[Any]


def plain_bert(config: Mapping[str, Any]) -> Architecture:
    """Return the architecture of a BERT with the exact GELU.

    Raises:
        ValueError: If the configuration is of another architecture.
    """
    described = architecture.read(config, pairs=False)
    if described is None or config["model_type"] != "bert" or described.activation != "gelu":
        kind = f"{config.get('model_type')!r} with {config.get('hidden_act')!r}"
        raise ValueError(f"the model is {kind}, but only a plain BERT with 'gelu' can be written")
    return described


def quantized(weights: Array, block: int = BLOCK) -> tuple[Array, Array]:
    """Return int8 values and fp16 scales, one per block of rows and column, whose products are near these weights.

    Args:
        weights: (k, n); k is a multiple of the block.
        block: The rows of a block.

    Returns:
        Values of shape (k / block, block, n) and scales of shape (k / block, 1, n).

    >>> values, scales = quantized(np.array([[0.5], [-1.27]]), block=2)
    >>> values.tolist(), scales.astype(float).round(4).tolist()
    ([[[50], [-127]]], [[[0.01]]])
    """
    blocks = weights.astype(np.float32).reshape(-1, block, weights.shape[1])
    scales = (np.abs(blocks).max(axis=1, keepdims=True) / _LARGEST).astype(np.float16)
    divisors = np.where(scales == 0, 1, scales).astype(np.float32)
    values = np.clip(np.rint(blocks / divisors), -_LARGEST, _LARGEST)
    return values.astype(np.int8), scales


class _Graph:
    """Nodes and constants in order of use; a method returns the name of what it computes."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Array) -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def __call__(self, kind: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def weights(self, matrix: Array) -> str:
        """Return a matrix (k, n) from its quantized values: computed once, when the file is loaded."""
        values, scales = quantized(matrix)
        product = self("Mul", self._fp32(self.constant(values)), self._fp32(self.constant(scales)))
        return self("Reshape", product, self.constant(np.array(matrix.shape, dtype=np.int64)))

    def rows(self, table: Array, ids: str) -> str:
        """Return the rows (..., n) of a table, which stays quantized in memory. Each has its scales."""
        values, scales = quantized(table.T)  # blocks along a row
        flat = np.ascontiguousarray(values.reshape(table.shape[::-1]).T).reshape(len(table), -1, BLOCK)
        found = self._fp32(self("Gather", self.constant(flat), ids))
        scale = self._fp32(self("Gather", self.constant(np.ascontiguousarray(scales[:, 0].T)[..., None]), ids))
        shape = self.constant(np.array([0, 0, table.shape[1]], dtype=np.int64))  # 0: as it is
        return self("Reshape", self("Mul", found, scale), shape)

    def linear(self, states: str, matrix: Array, bias: Array) -> str:
        return self("Add", self("MatMul", states, self.weights(matrix.T)), self.constant(bias))

    def normalized(self, states: str, weights: Mapping[str, Array], name: str, epsilon: float) -> str:
        scale, bias = self.constant(weights[f"{name}.weight"]), self.constant(weights[f"{name}.bias"])
        return self("LayerNormalization", states, scale, bias, axis=-1, epsilon=epsilon)

    def _fp32(self, name: str) -> str:
        return self("Cast", name, to=1)


def model(weights: Mapping[str, Array], bert: Architecture) -> bytes:
    """Return the encoder as an ONNX file: token ids (b, t) of b texts with t tokens each, to mean vectors (b, width).

    Args:
        weights: The tensors of a BERT by their names in transformers.
        bert: Its architecture.

    Source: Devlin et al. 2019 and transformers' BertModel; Reimers & Gurevych 2019 for the mean of the token states.
    """
    from onnx import TensorProto, helper

    graph = _Graph()
    width = weights["embeddings.word_embeddings.weight"].shape[1]
    embedded = graph("Add", graph.rows(weights["embeddings.word_embeddings.weight"], "ids"), _positions(graph, weights))
    states = graph.normalized(embedded, weights, "embeddings.LayerNorm", bert.eps)
    for i in range(bert.n_layers):
        states = _layer(graph, weights, f"encoder.layer.{i}", states, bert)
    graph.nodes.append(helper.make_node("ReduceMean", [states], ["vectors"], axes=[1], keepdims=0))
    made = helper.make_graph(
        graph.nodes,
        "minilm",
        [helper.make_tensor_value_info("ids", TensorProto.INT32, ["texts", "tokens"])],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", width])],
        graph.constants,
    )
    file = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="answersim")
    file.ir_version = 8  # of this opset, whatever the version of onnx
    content: bytes = file.SerializeToString(deterministic=True)
    return content


def _positions(graph: _Graph, weights: Mapping[str, Array]) -> str:
    """Return the embeddings of the first t positions plus that of the first token type, (t, width), in fp32."""
    table = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    one, two = graph.constant(np.array([1], dtype=np.int64)), graph.constant(np.array([2], dtype=np.int64))
    length = graph("Slice", graph("Shape", "ids"), one, two)
    start = graph.constant(np.array([0], dtype=np.int64))
    return graph("Slice", graph.constant(table), start, length)


def _layer(graph: _Graph, weights: Mapping[str, Array], name: str, states: str, bert: Architecture) -> str:
    def linear(states: str, part: str) -> str:
        return graph.linear(states, weights[f"{name}.{part}.weight"], weights[f"{name}.{part}.bias"])

    names = bert.attention
    width = len(weights[f"{name}.{names.out}.bias"])
    size = width // bert.n_heads
    split = graph.constant(np.array([0, 0, bert.n_heads, size], dtype=np.int64))
    query, key, value = (
        graph("Reshape", linear(states, part), split) for part in (names.query, names.key, names.value)
    )
    products = graph("MatMul", graph("Transpose", query, perm=[0, 2, 1, 3]), graph("Transpose", key, perm=[0, 2, 3, 1]))
    shares = graph("Softmax", graph("Div", products, graph.constant(np.array(size**0.5, dtype=np.float32))), axis=-1)
    mixed = graph("Transpose", graph("MatMul", shares, graph("Transpose", value, perm=[0, 2, 1, 3])), perm=[0, 2, 1, 3])
    joined = graph("Reshape", mixed, graph.constant(np.array([0, 0, width], dtype=np.int64)))
    attended = graph("Add", linear(joined, names.out), states)
    states = graph.normalized(attended, weights, f"{name}.{names.norm}", bert.eps)
    output = graph("Add", linear(_gelu(graph, linear(states, "intermediate.dense")), "output.dense"), states)
    return graph.normalized(output, weights, f"{name}.output.LayerNorm", bert.eps)


def _gelu(graph: _Graph, states: str) -> str:
    """Return x (1 + erf(x / sqrt 2)) / 2 (Hendrycks & Gimpel 2016), not its approximation."""
    inner = graph("Erf", graph("Div", states, graph.constant(np.array(2**0.5, dtype=np.float32))))
    total = graph("Add", inner, graph.constant(np.array(1, dtype=np.float32)))
    return graph("Mul", graph("Mul", states, total), graph.constant(np.array(0.5, dtype=np.float32)))


def export(folder: Path) -> tuple[bytes, bytes]:
    """Return the ONNX file and the JSON file of the tokenizer, made from a folder of weights."""
    stored = tensor_file.tensors(tensor_file.mapped(folder / "model.safetensors"))
    weights = {name: tensor.fp32() for name, tensor in stored.items() if tensor.is_floating_point()}
    content = model(weights, plain_bert(search.read_json(folder / "config.json")))
    tokens = json.dumps(characters(folder), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return content, tokens.encode()


def folder_of_weights() -> Path:
    """Return the folder of the embedded weights. Raises: CheckpointNotFoundError if they are not installed."""
    return search.find(MODEL, network=False).folder


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--output", type=Path, required=True, help="the folder of both files")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    for name, content in zip((ONNX, TOKENS), export(folder_of_weights()), strict=True):
        (given.output / name).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        sys.stdout.write(f"written: {given.output / name} ({len(content) / 1e6:.1f} MB, SHA-256 {digest})\n")


if __name__ == "__main__":
    main()
