"""The tokens that a model reads of a pair and its question, written by hand."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim.metrics.checkpoints.search import find
from answersim.metrics.checkpoints.token_ids import TokenIds
from answersim.metrics.neural import tokens
from answersim.metrics.neural.tokens import encode, tokenize
from answersim.types import Pair
from tests.cases import every

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def bert(tiny: Callable[..., Path]) -> Any:
    # a tiny one tells no types of its own accord, as the tokenizers of real BERTs do
    names = ["input_ids", "token_type_ids", "attention_mask"]
    return transformers.AutoTokenizer.from_pretrained(tiny(), model_input_names=names)


def read(tokenizer: Any, pairs: list[tuple[str, str]], max_length: int, questions: Any) -> tuple[list[Any], int]:
    """Each pair's tokens with their types, such as "11/1"; and how many were cut."""
    result = encode(TokenIds(tokenizer), pairs, max_length, questions)
    types = result.types or [[0] * len(ids) for ids in result.ids]
    shown = [
        " ".join(f"{tokenizer.convert_ids_to_tokens(token)}/{kind}" for token, kind in zip(ids, kinds, strict=True))
        for ids, kinds in zip(result.ids, types, strict=True)
    ]
    return shown, result.n_truncated


@every(
    ("max_length", "question", "expected", "cut"),
    [
        (64, "the a", "[CLS]/0 a/0 [SEP]/0 a/1 a/1 [SEP]/1 the/1 a/1 [SEP]/1", 0),
        (9, "the a", "[CLS]/0 a/0 [SEP]/0 a/1 a/1 [SEP]/1 the/1 a/1 [SEP]/1", 0),
        (8, "the a", "[CLS]/0 a/0 [SEP]/0 a/1 a/1 [SEP]/1 the/1 [SEP]/1", 1),  # the question is cut first
        (7, "the a", "[CLS]/0 a/0 [SEP]/0 a/1 a/1 [SEP]/1", 1),  # no token of it has room, and so no sign either
        (6, "the a", "[CLS]/0 a/0 [SEP]/0 a/1 a/1 [SEP]/1", 1),
        (5, "the a", "[CLS]/0 a/0 [SEP]/0 a/1 [SEP]/1", 1),  # then the longer answer
        (5, "", "[CLS]/0 a/0 [SEP]/0 a/1 [SEP]/1", 1),
        (64, "", "[CLS]/0 a/0 [SEP]/0 a/1 a/1 [SEP]/1", 0),
        (64, "  ", "[CLS]/0 a/0 [SEP]/0 a/1 a/1 [SEP]/1", 0),
        (64, "a" * 3 + " a" * 2_000, None, 1),
    ],
)
def test_a_question_follows_the_pair_and_is_cut_first(bert, max_length, question, expected, cut):
    shown, truncated = read(bert, [("a", "a a")], max_length, [question])
    assert truncated == cut
    if expected is not None:
        assert shown == [expected]
    else:
        assert len(shown[0].split()) == max_length
        assert shown[0].endswith("[SEP]/1")


def test_the_words_of_the_layout_stand_in_the_vocabulary(bert):
    assert bert.tokenize("the a") == ["the", "a"]


def test_an_empty_answer_keeps_its_place(bert):
    assert read(bert, [("", "")], 64, ["the"])[0] == ["[CLS]/0 [SEP]/0 [SEP]/1 the/1 [SEP]/1"]


def test_each_pair_has_its_own_question(bert):
    pairs = [("a", "a"), ("a", "a"), ("a", "the")]
    together = read(bert, pairs, 7, ["the a", "", "a"])
    alone = [read(bert, [pair], 7, [name]) for pair, name in zip(pairs, ["the a", "", "a"], strict=True)]
    assert together[0] == [shown for (shown,), _ in alone]
    assert together[1] == sum(cut for _, cut in alone) == 1


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "mpnet"])
def test_no_question_at_all_leaves_every_token_as_it_was(tiny, kind):
    checkpoint, pairs = find(tiny(kind)), [("eleven", "11"), ("", "cortex [SEP] a")]
    assert tokenize(checkpoint, pairs, 64, ["", ""]) == tokenize(checkpoint, pairs, 64)
    assert tokenize(checkpoint, pairs, 64, ["", "a"])[0][0] == tokenize(checkpoint, pairs, 64)[0][0]


def test_a_roberta_has_its_own_sign_at_the_end(tiny):
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny("roberta"))
    shown, _ = read(tokenizer, [("a", "a")], 64, ["a"])
    assert shown == ["<s>/0 a/0 </s>/0 </s>/0 a/0 </s>/0 a/0 </s>/0"]


def test_in_bert_it_is_the_text_with_the_sign_written_in_it(bert):
    ours = encode(TokenIds(bert), [("eleven", "the NFL")], 64, ["in regions?"])
    written = encode(TokenIds(bert), [("eleven", "the NFL [SEP] in regions?")], 64)
    assert (ours.ids, ours.types) == (written.ids, written.types)


@pytest.mark.parametrize("family", ["bert", "electra", "roberta", "xlm-roberta", "mpnet"])
def test_the_short_way_to_tokens_gives_what_the_tokenizer_gives(family, tiny):
    checkpoint = find(tiny(family))
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.folder)
    long = "in regions of new growth " * 9
    singles = ["paris", "in paris", "paris", "", " a ", "Müller 北京", long, long]
    pairs = [(one, other) for one in singles for other in ("cortex", long, "")]
    for texts, limit in ((singles, 12), (singles, 64), (pairs, 12), (pairs, 64)):
        expected = encode(TokenIds(tokenizer), texts, limit)
        assert tokens.tokenize(checkpoint, texts, limit) == expected
    assert encode(TokenIds(tokenizer), singles, 12).n_truncated == 2


def test_the_limits_of_calls_do_not_touch_each_other(tiny):
    checkpoint = find(tiny())
    long = "in regions of new growth " * 9
    whole = tokens.tokenize(checkpoint, [long], 1000).ids
    assert len(tokens.tokenize(checkpoint, [long], 5).ids[0]) == 5
    assert tokens.tokenize(checkpoint, [long], 1000).ids == whole
    assert len(whole[0]) > 40


def test_special_tokens_are_those_of_the_current_weights(tiny, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(tiny("bert"), folder)
    before = tokens.special_ids(find(folder))
    shutil.rmtree(folder)
    shutil.copytree(tiny("xlm-roberta"), folder)
    assert tokens.special_ids(find(folder)) == [0, 2]
    assert before == [2, 3]


@pytest.mark.parametrize(
    ("kind", "length"), [("bert", 64), ("electra", 64), ("mpnet", 64), ("roberta", None), ("xlm-roberta", None)]
)
def test_a_model_without_a_padding_id_is_read_unless_its_positions_depend_on_it(kind, length, tiny, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(tiny(kind), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"pad_token_id": None}))
    if length is not None:
        assert tokens.max_length(find(folder)) == length
        assert answersim.metric("bi-encoder", model=folder)([Pair("a", "a")]) == pytest.approx([1.0])
    else:
        with pytest.raises(ValueError, match=r"config\.json: pad_token_id is None, but a .*roberta counts positions"):
            answersim.metric("bi-encoder", model=folder)
