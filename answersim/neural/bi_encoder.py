"""The bi-encoder: the cosine of the two answers' sentence vectors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from answersim.checkpoints import Checkpoint, read_json
from answersim.neural.encoders import POOLINGS, Encoding, Request, TextEncoder, judged
from answersim.neural.tokens import max_length
from answersim.neural.vectors import cosine
from answersim.signature import signature
from answersim.types import FloatArray, Pair


@dataclass(frozen=True)
class BiEncoder:
    """Cosine similarity of sentence vectors, between -1 and 1; symmetric, 1 for an answer against itself.

    An empty answer is encoded as any other (its special tokens only), as sentence-transformers does.

    Attributes:
        encoder: From a text to a vector.
        pooling: How the last layer's token states become one vector: "mean", "cls" or "max".
        max_length: Longer texts are cut to so many tokens; they are counted and reported.

    Source: Reimers & Gurevych 2019, section 3; as "Bi-Encoder" in Mustafazade & Ebbinghaus 2022, section 4. Equal to
    the cosine of ``SentenceTransformer.encode`` within 1e-6.
    """

    encoder: TextEncoder
    pooling: str = "mean"
    max_length: int = 256

    @property
    def signature(self) -> str:
        """For example ``bi-encoder|encoder:all-MiniLM-L6-v2@.../fp32|pooling:mean|max_length:256|v:0.2.0``."""
        return signature("bi-encoder", self)

    def request(self, pairs: Sequence[Pair]) -> Request:
        """One pooled vector a text: all gold answers, then all predictions."""
        texts = [gold for gold, _ in pairs] + [pred for _, pred in pairs]
        return Request(texts, self.max_length, pooling=self.pooling)

    def judge(self, pairs: Sequence[Pair], encoding: Encoding) -> FloatArray:
        """The cosines, shape (n,)."""
        assert encoding.pooled is not None
        return cosine(encoding.pooled[: len(pairs)], encoding.pooled[len(pairs) :])

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """One cosine a pair, in order, shape (n,)."""
        return judged([self], pairs)[0]


def sentence_settings(checkpoint: Checkpoint) -> tuple[str, int]:
    """The pooling and the length limit of a sentence-transformers folder; mean and the model's own for others.

    Raises:
        ValueError: The folder asks for modules or a pooling that are not offered here; the message names them.
    """
    folder, limit = checkpoint.folder, max_length(checkpoint)
    if (folder / "modules.json").is_file():
        kinds = [str(each["type"]).rpartition(".")[2] for each in json.loads((folder / "modules.json").read_text())]
        if extra := set(kinds) - {"Transformer", "Pooling", "Normalize"}:
            raise ValueError(f"{folder} has the modules {sorted(extra)}, which bi-encoder cannot run; choose another")
    pooling = "mean"
    if (folder / "1_Pooling" / "config.json").is_file():
        config = read_json(folder / "1_Pooling" / "config.json")
        modes = [key[13:] for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
        stated = config.get("pooling_mode", modes[0] if len(modes) == 1 else modes)
        pooling = {"mean_tokens": "mean", "cls_token": "cls", "max_tokens": "max"}.get(str(stated), str(stated))
        if pooling not in POOLINGS:
            raise ValueError(f"{folder} pools by {stated!r}, which bi-encoder cannot do; it can: {', '.join(POOLINGS)}")
    if (folder / "sentence_bert_config.json").is_file():
        stated_length = read_json(folder / "sentence_bert_config.json").get("max_seq_length")
        limit = min(limit, int(stated_length)) if stated_length else limit
    return pooling, limit
