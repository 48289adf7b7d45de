"""A pre-trained encoder that reads question and answer together, and one vector for both of them."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from answersim import checkpoints
from answersim.checkpoints import Checkpoint
from answersim.errors import unknown
from rankers.batch import Batch, Texts
from rankers.encoder import SAFE, quiet, tokenizer_of

POOLERS = ("checkpoint", "new", "cls")


class PairTexts(NamedTuple):
    """Pairs as one text each, as the encoder reads them; padded to the longest of them.

    Attributes:
        ids: Word pieces and special tokens, int64, (pairs, length).
        mask: False at padding, bool, (pairs, length).
        types: 1 from the answer on, 0 before it and at padding, int64, (pairs, length).
    """

    ids: Tensor
    mask: Tensor
    types: Tensor


class Around(NamedTuple):
    """The special tokens before, between and after the two texts of a pair."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many there are."""
        return sum(map(len, self))


class PairEncoder(nn.Module):
    """``[CLS] question [SEP] answer [SEP]``, or what stands around pairs in the checkpoint, through its layers.

    Source: SCAN, equation 1; Devlin et al. 2019, section 3.
    """

    def __init__(self, checkpoint: str, *, max_length: int = 128, pooler: str = "checkpoint", frozen: int = 0) -> None:
        """The weights of this checkpoint, in the state in which training finds them.

        Args:
            checkpoint: An encoder, found by ``answersim.checkpoints.find``; the ids of batches are of its word pieces.
            max_length: How many tokens of a pair are read, special ones included. What is longer loses the end of its
                answer; only a question that would leave it no word at all is cut, too.
            pooler: "checkpoint" pools by the checkpoint's own layer, or by a new one where it has none; "new" by a new
                one, tanh of a linear map of the first state; "cls" takes the first state as it is.
            frozen: How many of the lowest layers are not trained, and with them the table of words; 0 trains all.

        Raises:
            CheckpointNotFoundError: No place has the checkpoint.
            LookupError: No pooler has this name.
            ValueError: More tokens than the checkpoint has positions for, or than is left for a pair; more layers than
                it has; or a tokenizer that puts other things around pairs. Names what was found.
        """
        super().__init__()
        if pooler not in POOLERS:
            raise unknown("pooler", pooler, POOLERS)
        found = checkpoints.find(checkpoint)
        tokenizer = tokenizer_of(found.folder)
        self.around = _around(tokenizer, checkpoint)
        self.padding = int(tokenizer.pad_token_id)
        _check_length(max_length, self.around.size, found)
        self.max_length = max_length
        self.model, has_pooler = _load(found)
        self.dim = int(self.model.config.hidden_size)
        self.words = int(self.model.config.vocab_size)
        self._reads_types = getattr(self.model.config, "type_vocab_size", 0) > 1
        self.pooler: nn.Linear | None = None
        if pooler != "checkpoint" or not has_pooler:
            self.model.pooler = None
            self.pooler = None if pooler == "cls" else nn.Linear(self.dim, self.dim)
        if frozen:
            _freeze(self.model, frozen, checkpoint)

    def forward(self, batch: Batch) -> Tensor:
        """One vector a pair, (pairs, d): in [-1, 1] but for "cls"."""
        read = self.inputs(batch)
        others = {"token_type_ids": read.types} if self._reads_types else {}
        found = self.model(input_ids=read.ids, attention_mask=read.mask.long(), **others)
        first = found.last_hidden_state[:, 0]  # (pairs, d)
        if self.pooler is not None:
            return self.pooler(first).tanh()
        return first if self.model.pooler is None else found.pooler_output

    def inputs(self, batch: Batch) -> PairTexts:
        """The pairs of a batch as the encoder reads them."""
        questions, answers = batch.pairs()
        before, between, after = (len(each) for each in self.around)
        room = self.max_length - self.around.size
        asked = questions.mask.sum(dim=1).clamp(max=room - 1)  # (pairs,): a word at least is left for the answer
        said = torch.minimum(answers.mask.sum(dim=1), room - asked)  # (pairs,)
        answer_at = before + asked + between
        place = torch.arange(int((asked + said).max()) + self.around.size, device=asked.device)  # (length,)
        ids = torch.full((len(asked), len(place)), self.padding, device=asked.device)
        for texts, start, size in ((questions, torch.full_like(asked, before), asked), (answers, answer_at, said)):
            ids = _put(ids, texts, start[:, None], size[:, None], place)
        for tokens, start in (
            (self.around.before, torch.zeros_like(asked)),
            (self.around.between, before + asked),
            (self.around.after, answer_at + said),
        ):
            for step, token in enumerate(tokens):
                ids = ids.scatter(1, (start + step)[:, None], token)
        mask = place < (answer_at + said + after)[:, None]  # (pairs, length)
        return PairTexts(ids, mask, (mask & (place >= answer_at[:, None])).long())


def _put(ids: Tensor, texts: Texts, start: Tensor, size: Tensor, place: Tensor) -> Tensor:
    """The ids with the first ``size`` words of each text from ``start`` on: (n, length), ..., (n, 1), (n, 1)."""
    inside = (place >= start) & (place < start + size)  # (n, length)
    from_text = (place - start).clamp(0, texts.ids.shape[1] - 1)  # (n, length)
    return torch.where(inside, texts.ids.gather(1, from_text), ids)


def _around(tokenizer: Any, name: str) -> Around:
    """What this tokenizer puts around the texts of a pair, seen on a pair."""
    made = tokenizer("a", "b", return_special_tokens_mask=True)
    marked = zip(made["input_ids"], made["special_tokens_mask"], strict=True)
    parts = [(special, [each for each, _ in group]) for special, group in groupby(marked, key=lambda each: each[1])]
    if [special for special, _ in parts] != [1, 0, 1, 0, 1] or tokenizer.pad_token_id is None:
        raise ValueError(
            f"the tokenizer of {name} makes {made['input_ids']} of a pair, but special tokens before, between and "
            "after its texts are needed, and one for padding: give an encoder such as BERT or RoBERTa"
        )
    return Around(*(tuple(ids) for special, ids in parts if special))


def _load(found: Checkpoint) -> tuple[Any, bool]:
    """The encoder in single precision, and whether its pooler came with it."""
    with quiet() as transformers:
        model, report = transformers.AutoModel.from_pretrained(
            found.folder, dtype=torch.float32, weights_only=True, output_loading_info=True, **SAFE
        )
    lacks = any(name.startswith("pooler.") for name in report["missing_keys"])
    return model, getattr(model, "pooler", None) is not None and not lacks


def _check_length(max_length: int, specials: int, found: Checkpoint) -> None:
    """Nothing, where pairs of so many tokens can be read; else a ValueError."""
    if max_length < specials + 2:
        raise ValueError(f"max_length is {max_length}, but {specials} special tokens and two words are {specials + 2}")
    config = found.config
    positions = int(config.get("max_position_embeddings") or 512)
    if "roberta" in str(config.get("model_type")):
        positions -= int(config.get("pad_token_id", 1)) + 1  # these models count positions from after the padding id
    if max_length > positions:
        raise ValueError(f"max_length is {max_length}, but {found.name} has {positions} positions; give no more")


def _freeze(model: Any, frozen: int, name: str) -> None:
    """Take the table of words and so many of the lowest layers out of training."""
    layers = getattr(getattr(model, "encoder", None), "layer", ())
    if frozen > len(layers):
        raise ValueError(f"{frozen} layers are to be frozen, but {name} has {len(layers)} that can be; give no more")
    for part in (model.embeddings, *layers[:frozen]):
        part.requires_grad_(False)
