"""Every public call may be made from many threads at once, and gives the numbers of a plain loop."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import answersim
from tests.calling import in_threads

pytest.importorskip("torch")
pytest.importorskip("peft")

CALLS = 900

_TEXTS = [
    "",
    "a",
    "eleven",
    "the NFL",
    "National Football League",
    "Müller",
    "Der Eiffelturm steht in Paris.",
    "北京 2008",
    "Old John Feather Merchant, born in 1945",
    "in regions of new growth " * 5,
    "cortex eleven 11 " * 30,
    "the National League " * 90,
]
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
