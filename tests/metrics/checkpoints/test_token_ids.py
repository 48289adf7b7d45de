"""Token ids are those of the library, for every limit and every length, without any state that a call switches."""

import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.checkpoints.token_ids import TokenIds, longest_first
from tests.cases import every

transformers = pytest.importorskip("transformers")

FAMILIES = ("bert", "electra", "roberta", "xlm-roberta", "mpnet")
TEXTS = ("", "a", "the NFL", "Müller 北京", " a  [SEP] b </s>", "in regions of new growth " * 9, "eleven 11 " * 40)


def library(tokenizer: Any, texts: Sequence[Any], max_length: int) -> list[tuple[list[int], list[int] | None, bool]]:
    """What the library itself makes of these texts or pairs, and what it cut."""
    arguments = (list(texts),) if isinstance(texts[0], str) else tuple(map(list, zip(*texts, strict=True)))
    made = tokenizer(*arguments, truncation="longest_first", max_length=max_length, padding=False)
    whole = tokenizer(*arguments, truncation=False, padding=False)["input_ids"]
    types = made.get("token_type_ids") or [None] * len(texts)
    cut = [len(ids) > max_length for ids in whole]
    return list(zip(made["input_ids"], types, cut, strict=True))


def ours(tokenizer: Any, texts: Sequence[Any], max_length: int) -> list[tuple[list[int], list[int] | None, bool]]:
    read = TokenIds(tokenizer)
    known = read.pieces((text for each in texts for text in ([each] if isinstance(each, str) else each)), max_length)
    if isinstance(texts[0], str):
        return [tuple(read.single(known[text], max_length)) for text in texts]
    return [tuple(read.pair(known[one], known[other], max_length)) for one, other in texts]


@pytest.fixture(scope="module", params=[*((family, "right") for family in FAMILIES), ("bert", "left")])
def tokenizers(request: pytest.FixtureRequest, tiny: Callable[..., Path]) -> tuple[Any, Any]:
    """Two of a kind, of which the library may switch one; with types, and of both sides of truncation."""
    family, side = request.param
    names = ["input_ids", "token_type_ids", "attention_mask"]
    made = transformers.AutoTokenizer.from_pretrained(
        tiny(family), truncation_side=side, **({"model_input_names": names} if family == "bert" else {})
    )
    return made, copy.deepcopy(made)


def test_texts_and_pairs_are_truncated_as_the_library_does(tokenizers):
    pairs = [(one, TEXTS[(i + step) % len(TEXTS)]) for i, one in enumerate(TEXTS) for step in (0, 1, 3)]
    for max_length in (5, 6, 8, 9, 17, 64, 400):
        assert ours(tokenizers[0], TEXTS, max_length) == library(tokenizers[1], TEXTS, max_length)
        if max_length in (5, 9, 64):
            assert ours(tokenizers[0], pairs, max_length) == library(tokenizers[1], pairs, max_length)


@given(first=st.integers(0, 40), second=st.integers(0, 40), max_length=st.integers(4, 45))
def test_every_two_lengths_are_truncated_as_the_library_does(first, second, max_length):
    from tokenizers import Tokenizer, models, pre_tokenizers

    core = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "b": 2}, unk_token="[UNK]"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    core.enable_truncation(max_length)
    made = core.encode(" ".join(["a"] * first), " ".join(["b"] * second)).ids
    assert longest_first(first, second, max_length) == (made.count(1), made.count(2))


class Letters(transformers.PreTrainedTokenizer):  # type: ignore[name-defined] # imported if it is there
    """A tokenizer written in Python: a letter is a token."""

    vocabulary: ClassVar = {each: i for i, each in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefgh "))}
    model_input_names: ClassVar = ["input_ids", "token_type_ids", "attention_mask"]

    @property
    def vocab_size(self) -> int:
        return len(self.vocabulary)

    def get_vocab(self) -> dict[str, int]:
        return dict(self.vocabulary)

    def _tokenize(self, text: str, **_: Any) -> list[str]:
        return list(text)

    def _convert_token_to_id(self, token: str) -> int:
        return self.vocabulary.get(token, 1)

    def _convert_id_to_token(self, index: int) -> str:
        return list(self.vocabulary)[index]

    def build_inputs_with_special_tokens(self, ids: list[int], pair: list[int] | None = None) -> list[int]:
        return [2, *ids, 3] if pair is None else [2, *ids, 3, *pair, 3]

    def create_token_type_ids_from_sequences(self, ids: list[int], pair: list[int] | None = None) -> list[int]:
        return [0] * (len(ids) + 2) + [1] * (len(pair) + 1 if pair is not None else 0)

    def get_special_tokens_mask(self, *_: Any, **__: Any) -> list[int]:
        raise NotImplementedError


@every("max_length", [4, 5, 7, 9, 40])
def test_a_tokenizer_written_in_python_is_truncated_as_it_does_itself(max_length):
    named = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = Letters(special_tokens_pattern="none", **named)
    assert not tokenizer.is_fast
    singles = ["", "a", "abcdefgh", "a b"]
    pairs = [(one, other) for one in singles for other in ("", "ab", "hgfedcba")]
    for texts in (singles, pairs):
        made = ours(tokenizer, texts, max_length)
        assert [(ids, cut) for ids, _, cut in made] == [
            (ids, cut) for ids, _, cut in library(tokenizer, texts, max_length)
        ]


def test_a_limit_below_the_number_of_special_tokens_is_refused(tiny):
    read = TokenIds(transformers.AutoTokenizer.from_pretrained(tiny("roberta")))
    known = read.pieces(["a"], 3)["a"]
    with pytest.raises(ValueError, match="max_length is 3, but the special tokens around two texts are 4"):
        read.pair(known, known, 3)


def test_a_tokenizer_that_reads_the_second_text_first_is_refused(tiny):
    from tokenizers import processors

    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny("bert"))
    ends = [("[CLS]", tokenizer.cls_token_id), ("[SEP]", tokenizer.sep_token_id)]
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $B [SEP] $A [SEP]", special_tokens=ends
    )
    with pytest.raises(ValueError, match="choose another model"):
        TokenIds(tokenizer)


def test_what_the_tokenizers_own_file_asks_for_does_not_touch_the_ids(tiny):
    plain = transformers.AutoTokenizer.from_pretrained(tiny("bert"))
    switched = copy.deepcopy(plain)
    switched.backend_tokenizer.enable_truncation(5)
    switched.backend_tokenizer.enable_padding(length=32)
    assert ours(switched, TEXTS, 400) == ours(plain, TEXTS, 400)
