"""Encoders: one text has one vector in any batch and thread, and how texts become rows of tokens."""

import json
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import NonFiniteScoreError
from answersim.metrics import planning
from answersim.metrics.checkpoints.search import find
from answersim.metrics.checkpoints.token_ids import TokenIds
from answersim.metrics.neural import architecture, tokens, unpadded
from answersim.metrics.neural.tokens import encode
from answersim.metrics.neural.transformer import Transformer
from answersim.types import Metric, Pair
from tests.cases import cases_of, every, in_threads

pytest.importorskip("torch")
pytest.importorskip("peft")

PAIRS = [Pair("eleven", "11"), Pair("cortex", "the NFL"), Pair("Paris", "paris")]


@dataclass(frozen=True)
class Mean:
    """A combined metric: the mean of its parts."""

    parts: tuple[Metric, ...]

    @property
    def signature(self) -> str:
        return f"mean|parts:{'+'.join(entry.signature for entry in self.parts)}|v:1"

    def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray], questions: Any = None) -> FloatArray:
        return np.mean(columns, axis=0)

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        return self.combine(pairs, planning.score_all(self.parts, pairs))


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The fingerprint of each encoder that runs, in order."""
    seen: list[str] = []
    encode = Transformer.encode

    def counting(self: Transformer, requests: Any) -> Any:
        seen.append(self.fingerprint)
        return encode(self, requests)

    monkeypatch.setattr(Transformer, "encode", counting)
    return seen


def test_equal_encoders_share_a_pass_and_different_adapters_do_not(tiny, adapter, passes):
    adapters: list[Path | None] = [None, adapter(seed=0), adapter(seed=1)]
    vectors = [answersim.metric("bi-encoder", model=tiny(), adapter=adapter) for adapter in adapters]
    tokens = [answersim.metric("bertscore-trained", model=tiny(), layer=3, adapter=adapter) for adapter in adapters]
    combined = Mean((*vectors, *tokens))
    together = answersim.score_pairs(PAIRS, [combined, *vectors, *tokens])
    assert len(passes) == len(set(passes)) == 3
    for metric in (combined, *vectors, *tokens):
        np.testing.assert_allclose(together[metric.signature], metric(PAIRS), atol=1e-6, rtol=0)


def poisoned(folder: Path, there: Path, word: str, value: float) -> Path:
    """A copy of the model in which the embedding of a word has values that are not finite, or overflow in fp16."""
    import shutil

    import safetensors.torch
    import transformers

    shutil.copytree(folder, there)
    tensors = safetensors.torch.load_file(there / "model.safetensors")
    (name,) = [tensor for tensor in tensors if tensor.endswith("embeddings.word_embeddings.weight")]
    (token,) = transformers.AutoTokenizer.from_pretrained(folder)(word, add_special_tokens=False)["input_ids"]
    tensors = {entry: tensor.clone() for entry, tensor in tensors.items()}
    tensors[name][token] = value
    safetensors.torch.save_file(tensors, there / "model.safetensors", {"format": "pt"})
    return there


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["bi-encoder", "bertscore-trained", "bertscore-vanilla", "sas"])
def test_a_score_that_is_not_finite_names_the_pair_and_is_not_cached(tiny, tmp_path, name, value):
    folder = poisoned(tiny(classifier=name == "sas"), tmp_path / "poisoned", "a", value)
    settings = {"layer": 2} if name == "bertscore-vanilla" else {}
    metric = answersim.metric(name, model=folder, **settings)
    pairs = [*PAIRS, Pair("eleven", "a"), Pair("cortex", "11")]
    assert np.isfinite(metric(PAIRS)).all()
    with pytest.raises(NonFiniteScoreError, match=r"pair 4 \(gold 'eleven', prediction 'a'\)") as error:
        metric(pairs)
    assert (error.value.index, error.value.signature) == (3, metric.signature)
    with pytest.raises(NonFiniteScoreError, match="pair 4 "):
        answersim.score_pairs(pairs, [metric], cache=tmp_path / "cache")
    assert answersim.scoring.cache.ScoreCache(tmp_path / "cache").info().scores == {}


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
    printed = [
        " ".join(f"{tokenizer.convert_ids_to_tokens(token)}/{kind}" for token, kind in zip(ids, kinds, strict=True))
        for ids, kinds in zip(result.ids, types, strict=True)
    ]
    return printed, result.n_truncated


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
    printed, truncated = read(bert, [("a", "a a")], max_length, [question])
    assert truncated == cut
    if expected is not None:
        assert printed == [expected]
    else:
        assert len(printed[0].split()) == max_length
        assert printed[0].endswith("[SEP]/1")


def test_the_words_of_the_layout_stand_in_the_vocabulary(bert):
    assert bert.tokenize("the a") == ["the", "a"]


@pytest.mark.parametrize("family", ["bert", "electra", "roberta", "xlm-roberta", "mpnet"])
def test_the_short_way_to_tokens_gives_what_the_tokenizer_gives(family, tiny):
    checkpoint = find(tiny(family))
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.folder)
    long = "in regions of new growth " * 9
    singles = ["paris", "in paris", "paris", "", " a ", "Müller 北京", long, long]
    pairs = [(first, second) for first in singles for second in ("cortex", long, "")]
    for texts, limit in ((singles, 12), (singles, 64), (pairs, 12), (pairs, 64)):
        expected = encode(TokenIds(tokenizer), texts, limit)
        assert tokens.tokenize(checkpoint, texts, limit) == expected
    assert encode(TokenIds(tokenizer), singles, 12).n_truncated == 2


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


torch = pytest.importorskip("torch")


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
    return [entry[0] for entry in hidden]


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
        whole = torch.cat([entry[layer] for entry in expected])
        torch.testing.assert_close(result[layer], whole, rtol=1e-6, atol=2e-6)
    assert float((result[3] - result[2]).abs().max()) > 0.1  # layers differ, so that a mix-up would be seen
    firsts = torch.stack([entry[3][0] for entry in expected])
    torch.testing.assert_close(run(model, texts, (3,), only_first=True)[3], firsts, rtol=1e-6, atol=2e-6)


def test_another_activation_is_the_models_own(tiny):
    model = encoder(tiny("bert"), hidden_act="relu")
    texts = sequences(model.config.vocab_size)
    expected = torch.cat([alone(model, text)[3] for text in texts])
    torch.testing.assert_close(run(model, texts, (3,))[3], expected, rtol=1e-6, atol=2e-6)


@pytest.mark.parametrize("only_first", [False, True])
def test_a_text_that_overflows_spoils_no_other(tiny, only_first):
    model = encoder(tiny("bert"))
    texts = sequences(model.config.vocab_size)
    texts[1] = [5, 6, 7, 8, 9]
    texts[2:] = [[10 if token == 6 else token for token in entry] for entry in [texts[0][:5], *texts[3:]]]
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


_LONG = """
    import resource, sys, warnings
    warnings.simplefilter("ignore")
    import answersim

    model, classifier = sys.argv[1:]
    metrics = [answersim.metric("sas", model=classifier), answersim.metric("bi-encoder", model=model),
               answersim.metric("bertscore-trained", model=model, layer=3), answersim.metric("sas"),
               answersim.metric("answersim")]
    words = "in regions of new growth the National Football League eleven cortex".split()
    one = " ".join(words[i % 11] for i in range({n}))
    other = " ".join(words[i * i % 11] for i in range({n}))

    def score(gold, pred):
        return [float(metric([answersim.Pair(gold, pred)])[0]) for metric in metrics]

    short = score("in regions", "of new growth")  # loads the models
    unit = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    room = resource.getrlimit(resource.RLIMIT_AS)[1]
    if sys.platform == "linux":
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (2 << 30), room))  # ends it before the machine is in need
    found = score(one, other)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - before
    assert grown < 700 << 20, f"memory grew by {{grown >> 20}} MB"
    print(*found)
"""


@pytest.mark.slow
def test_answers_of_100_000_words_are_scored_in_bounded_memory(tiny):
    script = textwrap.dedent(_LONG).format(n=100_000)
    done = subprocess.run(
        [sys.executable, "-c", script, str(tiny()), str(tiny(classifier=True))],
        capture_output=True,
        text=True,
        timeout=300,  # before, it never ended
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stdout.split()) == 5


@pytest.mark.filterwarnings("ignore")  # what the reference library warns of is its own
@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "mpnet"])
def test_long_pairs_have_the_scores_of_sentence_transformers(kind, tiny):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    words = "in regions of new growth the National Football League eleven cortex".split()
    texts = [" ".join(words[i * step % 11] for i in range(n)) for step, n in enumerate((1, 3, 40, 300), 1)]
    pairs = [(first, second) for first in texts for second in texts]
    folder = tiny(kind, classifier=True)
    expected = sentence_transformers.CrossEncoder(str(folder), device="cpu").predict(pairs)
    result = answersim.metric("sas", model=folder)([Pair(*pair) for pair in pairs])
    np.testing.assert_allclose(result, expected, atol=1e-5, rtol=0)


pytest.importorskip("torch")
pytest.importorskip("peft")

CALLS = 900

_TEXTS = cases_of(__file__)["_texts"]
_LANGUAGES = ("en", "de", "zh", "fr")


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or its error in words."""
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def differing(result: list[Any], expected: list[Any]) -> list[tuple[int, Any, Any]]:
    """The calls that threads answer otherwise than a loop does."""

    def alike(first: Any, second: Any) -> bool:
        if isinstance(first, str) or isinstance(second, str):
            return isinstance(first, str) and isinstance(second, str) and first == second
        return np.shape(first) == np.shape(second) and np.allclose(first, second, atol=1e-6, rtol=0, equal_nan=True)

    return [
        (i, first, second)
        for i, (first, second) in enumerate(zip(result, expected, strict=True))
        if not alike(first, second)
    ]


@pytest.fixture(scope="module")
def neural(tiny: Callable[..., Path], adapter: Callable[..., Path]) -> list[dict[str, Any]]:
    """Settings of metrics on the tiny models; those of a family share its tokenizer, with other limits."""
    results: list[dict[str, Any]] = [
        {"metric": "sas", "model": tiny(), "adapter": adapter(pairs=True, reads_question=True)},
        {"metric": "bi-encoder", "model": tiny("xlm-roberta")},
    ]
    for kind in ("bert", "roberta"):  # no more models than are kept
        results += [
            {"metric": "bi-encoder", "model": tiny(kind)},
            {"metric": "bi-encoder", "model": tiny(kind), "max_length": 5},
            {"metric": "bertscore-trained", "model": tiny(kind), "layer": 3, "max_length": 9},
            {"metric": "sas", "model": tiny(kind, classifier=True)},
        ]
    return results


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::answersim._base.errors.TruncationWarning")
@pytest.mark.filterwarnings("ignore::answersim._base.errors.LanguageWarning")
def test_many_calls_in_threads_give_what_a_loop_gives(neural, tmp_path):
    rng = Random(0)
    caches = ["of threads"]
    built = [answersim.metric(lang=rng.choice(_LANGUAGES), **_named(entry)) for entry in neural]
    lexical = ["em", "f1", "recall", "containment", "bleu", "rouge-l", "meteor"]

    def call(i: int) -> Callable[[], Any]:
        n = rng.choice((1, 1, 2, 5, 9))
        pairs = [(rng.choice(_TEXTS), rng.choice(_TEXTS)) for _ in range(n)]
        golds, preds = [gold for gold, _ in pairs], [pred for _, pred in pairs]
        questions = [rng.choice(_TEXTS) for _ in pairs]
        name, lang, first = rng.choice(lexical), rng.choice(_LANGUAGES), i % len(neural)
        kind = rng.choice(
            ("built", "built", "pairs", "pairs", "score", "question", "lexical", "built lexical", "cache")
        )
        if kind == "built":
            return lambda: built[first]([answersim.Pair(*pair) for pair in pairs])
        if kind == "pairs":
            some = [built[first], built[(first + 1) % len(built)], answersim.metric(name, lang=lang)]
            return lambda: np.stack([score_pair.values for score_pair in answersim.score_pairs(pairs, some).values()])
        if kind == "score":
            return lambda: answersim.score(golds, preds, built[first]).values
        if kind == "question":
            return lambda: answersim.score(golds, preds, **neural[0], question=questions).values
        if kind == "lexical":
            return lambda: answersim.score(golds, preds, name, lang=lang).values
        if kind == "built lexical":
            return lambda: float(answersim.score(pairs[0][0], pairs[0][1], answersim.metric(name, lang=lang)))
        return lambda: answersim.score(golds, preds, built[first], cache=tmp_path / caches[0]).values

    calls = [call(i) for i in range(CALLS)]
    results = in_threads([partial(outcome, call) for call in calls])
    caches[0] = "of the loop"
    wrong = differing(results, [outcome(call) for call in calls])
    assert not wrong, f"{len(wrong)} of {CALLS} calls differ, such as {wrong[:3]}"
    errors = sorted({result for result in results if isinstance(result, str)})
    assert not errors, errors


def _named(settings: dict[str, Any]) -> dict[str, Any]:
    return {"name" if key == "metric" else key: value for key, value in settings.items()}


@pytest.mark.filterwarnings("ignore::answersim._base.errors.UnreadScriptWarning")
def test_the_embedded_weights_in_threads_give_what_a_loop_gives():
    names = ("sas", "bi-encoder", "bertscore-answers", "answersim")
    rng, short = Random(1), _TEXTS[:-2]
    metrics = [answersim.metric(name) for name in names]

    def call(i: int) -> Callable[[], Any]:
        golds, preds = ([rng.choice(short) for _ in range(2)] for _ in range(2))
        return lambda: answersim.score(golds, preds, metrics[i % len(metrics)]).values

    calls = [call(i) for i in range(12)]
    results = in_threads([partial(outcome, call) for call in calls], 4)
    assert not any(isinstance(result, str) for result in results), results
    assert not differing(results, [outcome(call) for call in calls])


@pytest.mark.filterwarnings("ignore::answersim._base.errors.TruncationWarning")
def test_numbers_do_not_depend_on_the_default_kind_of_number(tiny):
    # loading a model in bf16 switches it for a moment, for all threads
    torch = pytest.importorskip("torch")
    pairs = [answersim.Pair(first, second) for first in _TEXTS[:9] for second in _TEXTS[:9]]
    metrics = [
        answersim.metric(name, model=tiny(kind, classifier=name == "sas"))
        for kind in ("bert", "electra", "roberta", "xlm-roberta")
        for name in ("bi-encoder", "sas")
    ]
    expected = [metric(pairs) for metric in metrics]
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        result = [metric(pairs) for metric in metrics]
    finally:
        torch.set_default_dtype(before)
    np.testing.assert_array_equal(result, expected)
