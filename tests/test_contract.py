"""What every metric promises, tested once, over the catalogue."""

import copy
import math
import multiprocessing
import pickle
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import answersim
from answersim._base.errors import LanguageWarning, TruncationWarning
from answersim.metrics.catalog.lookup import entry
from answersim.metrics.testing.check import PAIRS, check_metric
from answersim.types import Metric, Pair, reads_questions
from tests.cases import every
from tests.pairwise import pairwise

NAMES = (*answersim.names(), "typed+recall", "typed+sas")
LEXICAL = tuple(name for name in NAMES if entry(name).kind == "lexical")
NEURAL = tuple(name for name in NAMES if name not in LEXICAL)
# Names of equal code and other weights: their numbers are checked in the slow tests.
OTHER_WEIGHTS = (
    "bi-encoder-names",
    "bertscore-names",
    "bertscore-trained",
    "bi-encoder-answers",
    "bertscore-answers",
    "typed+sas",
)


NETWORKS = [pytest.param(name, marks=pytest.mark.slow if name in OTHER_WEIGHTS else ()) for name in NEURAL]

# By the definition of each metric. A single matched word scores at most .5 in METEOR, and unsmoothed BLEU is 0 below
# four words, also against itself; the probability of a model is never 1.
ONE_ON_ITSELF = tuple(name for name in NAMES if entry(name).one_on_itself)
SYMMETRIC = tuple(name for name in NAMES if entry(name).symmetric)

answers = st.one_of(
    st.sampled_from([entry for pair in PAIRS for entry in pair]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.lists(st.sampled_from("the a of NFL 11 eleven Straße 北京 running ran , . -".split()), max_size=12).map(
        " ".join
    ),
)
few = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
many = settings(max_examples=settings().max_examples // 3, deadline=None)


@lru_cache
def built(name: str, lang: str = "en") -> Metric:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LanguageWarning)
        return answersim.metric(name, lang=lang)


@pytest.fixture(autouse=True)
def _no_truncation_is_reported(recwarn: pytest.WarningsRecorder) -> Iterator[None]:
    yield
    assert not [warning for warning in recwarn if issubclass(warning.category, TruncationWarning)]


@pytest.mark.parametrize("name", [*LEXICAL, *NETWORKS])
def test_a_metric_keeps_the_promises(name):
    check_metric(built(name))


@every("name", NAMES)
def test_the_catalog_has_the_range_and_the_symmetry_of_a_metric(name):
    pairs = [*PAIRS, *(Pair(pred, gold) for gold, pred in PAIRS), *(Pair(text, text) for text, _ in PAIRS)]
    scores, back, same = np.split(built(name)(pairs), 3)
    assert on_its_scale(name, [*scores, *back, *same])
    if name in SYMMETRIC:
        np.testing.assert_allclose(scores, back, atol=1e-6, rtol=0)
    if name in ONE_ON_ITSELF:
        np.testing.assert_allclose(same, 1, atol=1e-6, rtol=0)


def on_its_scale(name: str, scores: Sequence[float]) -> bool:
    least = float(entry(name).range.split(" ")[0])
    is_whole = entry(name).range == "0 or 1"
    return all(least <= round(score, 6) <= 1 and (score in (0, 1) or not is_whole) for score in scores)


@every("name", NAMES)
def test_built_twice_is_equal_and_signs_equally(name):
    assert answersim.metric(name) == answersim.metric(name)
    assert answersim.metric(name).signature == answersim.metric(name).signature
    assert hash(answersim.metric(name)) == hash(answersim.metric(name))


def test_all_signatures_differ():
    signed = [built(name).signature for name in NAMES]
    assert len(set(signed)) == len(NAMES)


def assert_sound(name: str, pairs: list[Pair], apart: float) -> None:
    """Numbers are on their scale and ignore their neighbors; both sides may be exchanged where the catalog says so."""
    scores = built(name)(pairs)
    assert on_its_scale(name, scores)
    np.testing.assert_allclose(scores, [built(name)([pair])[0] for pair in pairs], atol=apart, rtol=0)
    if name in SYMMETRIC:
        np.testing.assert_allclose(built(name)([Pair(*reversed(pair)) for pair in pairs]), scores, atol=1e-6, rtol=0)
    if name in ONE_ON_ITSELF:
        same = built(name)([Pair(gold, gold) for gold, _ in pairs])
        np.testing.assert_allclose(same, 1, atol=max(apart, 1e-12), rtol=0)


@pytest.mark.parametrize("name", LEXICAL)
@given(pairs=st.lists(st.builds(Pair, answers, answers), max_size=6))
@many
def test_a_lexical_metric_keeps_the_promises_on_any_answers(name, pairs):
    assert_sound(name, pairs, 0)


@pytest.mark.parametrize("name", NETWORKS)
@given(pairs=st.lists(st.builds(Pair, answers, answers), min_size=1, max_size=6))
@few
def test_a_neural_metric_keeps_the_promises_on_any_answers(name, pairs):
    assert_sound(name, pairs, 1e-6)


@pytest.mark.parametrize("name", sorted(set(LEXICAL) - set(SYMMETRIC)))
def test_the_others_are_not_symmetric(name):
    pairs = [
        Pair("the worst of times it was", "it was the best of times it was the worst of times it was"),
        Pair("of times of worst\nthe the was", "worst best times the best it\ntimes it was the times of\nbest was it"),
    ]
    exchanged = [Pair(*reversed(pair)) for pair in pairs]
    assert max(abs(built(name)(pairs) - built(name)(exchanged))) > 0.01


# Their adapters were trained on the English base alone.
ENGLISH_ONLY = ("bi-encoder-names", "bertscore-names", "bi-encoder-answers", "bertscore-answers")
SCRIPTS = ("北京", "東京タワー", "กรุงเทพ", "القاهرة", "मुंबई", "Москва", "서울", "Αθήνα", "ירושלים", "München", "?!", "½")
LANGUAGES = ("en", "de", "zh", "ja", "th", "ar", "hi", "ru", "ko", "el", "he")


# bleu-paper and rouge-2 have no n-grams of one word.
OF_ONE_WORD = [name for name in LEXICAL if name not in ("bleu-paper", "rouge-2")]


@every(("name", "lang", "answer"), pairwise(OF_ONE_WORD, LANGUAGES, SCRIPTS))
def test_no_script_is_a_silent_zero(name, lang, answer):
    assert built(name, lang)([Pair(answer, answer)])[0] > 0.4


@every(
    ("lang", "gold", "pred"),
    [
        ("zh", "北京市", "北京"),
        ("ja", "東京タワー", "東京"),
        ("th", "กรุงเทพมหานคร", "กรุงเทพ"),
        ("de", "der «Eiffelturm»", "Eiffelturm"),
        ("de", "Straße", "STRASSE"),
        ("en", "北京", "北京"),
    ],
)
@every("name", ["f1", "recall", "rouge-l"])
def test_what_two_answers_share_counts_in_every_script(name, lang, gold, pred):
    assert built(name, lang)([Pair(gold, pred)])[0] > 0.3


@every("name", LEXICAL)
def test_empty_answers_agree_with_empty_answers_only(name):
    assert not built(name)([Pair("", "x"), Pair("x", ""), Pair("  ", "x")]).any()
    if name in ("em", "f1", "recall", "containment", "bleu", "rouge-l"):
        assert built(name)([Pair("", ""), Pair(" ", "")]).tolist() == [1.0, 1.0]
        emptied = [("A", "The"), ("?", "!"), ("The The", "an a"), ("", "the"), ("the", "")]  # by normalization
        assert not built(name)([Pair(*pair) for pair in emptied]).any()


@pytest.mark.parametrize("length", [200_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_very_long_text_is_scored(length):
    sentence = "the quick brown fox jumps over the lazy dog "
    long = sentence * (length // len(sentence))
    scores = {name: built(name)([Pair(long, "fox " + long)])[0] for name in LEXICAL}
    assert [name for name, score in scores.items() if not 0.9 < score < math.inf] == ["em"]


@pytest.mark.parametrize("name", ["f1", "answersim"])
def test_scores_survive_pickle_and_copy(name):
    score = answersim.score("National Football League", "the NFL", metric=name)
    scores = answersim.score(["National Football League", "Rome"], ["the NFL", "in Rome"], metric=name)
    for make in (lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy):
        assert (make(score), make(score).signature) == (score, score.signature)
        assert make(scores) == scores
        assert isinstance(make(scores), answersim.Scores)


def sent(metric: Metric) -> list[Metric]:
    """The metric after a pickle of every protocol, a copy and a deep copy."""
    pickled = [pickle.loads(pickle.dumps(metric, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    return [*pickled, copy.copy(metric), copy.deepcopy(metric)]


@every(
    ("name", "lang"),
    [(name, "en" if name in ENGLISH_ONLY else ("en", "de", "zh")[i % 3]) for i, name in enumerate(NAMES)],
)
def test_a_metric_that_is_pickled_or_copied_is_the_same_metric(name, lang):
    metric = built(name, lang)
    pairs = list(PAIRS[:4])
    expected = metric(pairs)
    for again in (copies := sent(metric)):
        assert again == metric
        assert again.signature == metric.signature
    for again in copies if name in LEXICAL else copies[-2:]:  # a pass of a network takes time
        np.testing.assert_array_equal(again(pairs), expected)
    if reads_questions(metric):
        asked = answersim.score_pairs(pairs, [metric], question=["Which league?"] * 4)[metric.signature]
        again = copies[0]
        assert answersim.score_pairs(pairs, [again], question=["Which league?"] * 4)[metric.signature] == asked


@pytest.mark.slow
def test_every_metric_can_be_sent_to_another_process():
    pairs = list(PAIRS[:4])
    metrics = {f"{name} en": built(name, "en") for name in NAMES}
    metrics |= {
        f"{name} de": built(name, "de") for name in (*LEXICAL, "sas", "answersim")
    }  # not all have German weights
    broken = [name for name, metric in metrics.items() if not _can_be_pickled(metric)]
    assert not broken, "these cannot be pickled"
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        result = pool.submit(answersim.score_pairs, pairs, list(metrics.values()), progress=False).result(timeout=300)
    assert list(result) == list(dict.fromkeys(metric.signature for metric in metrics.values()))
    for metric in metrics.values():
        np.testing.assert_allclose(result[metric.signature].values, metric(pairs), atol=1e-6, rtol=0)


def _can_be_pickled(metric: Metric) -> bool:
    try:
        return bool(pickle.dumps(metric))
    except (pickle.PicklingError, AttributeError, TypeError):
        return False


EMPTIED = ("the", "A", "?", "!", "Москва", "Киев", "東京", "。", "…", "l'", "der", "-")
OF_LANGUAGES = [
    *(("1.5", "15"), ("3,600", "3.600"), ("Straße", "STRASSE"), ("l'eau", "eau"), ("der Hund", "Hund")),
    *(("o gato", "gato"), ("running cats", "run cat"), ("elf", "11"), ("東京タワー", "東京"), ("กรุงเทพ", "กรุง")),
]


@every("name", LEXICAL)
def test_two_texts_that_lose_all_tokens_are_not_two_empty_answers(name):
    """Only em and f1 of the SQuAD script count them as equal, in the profiles that are named after it."""
    texts = [*EMPTIED, "", " "]
    pairs = [Pair(gold, pred) for gold in texts for pred in texts if gold.strip() != pred.strip()]
    for lang, profile in [("en", None), ("de", None), ("en", "unicode"), ("en", "squad"), ("fr", "paper")]:
        if (profile in ("squad", "paper") and name in ("em", "f1")) or name == "chrf":  # characters remain
            continue
        try:
            metric = answersim.metric(name, lang=lang, profile=profile)
        except LookupError:
            continue
        equal = [pair for pair, score in zip(pairs, metric(pairs), strict=True) if score]
        assert not equal, (lang, profile)


MULTILINGUAL = [name for name in NETWORKS if not {*getattr(name, "values", (name,))} & {*ENGLISH_ONLY}]


@pytest.mark.parametrize("name", [*LEXICAL, *MULTILINGUAL])
def test_languages_with_different_numbers_have_different_signatures(name):
    pairs = [Pair(*pair) for pair in (*OF_LANGUAGES, *((entry, "the") for entry in EMPTIED))]
    scores: dict[str, tuple[str, list[float]]] = {}
    for lang in ("en", "de", "zh", "th") if name in NEURAL else sorted({*LANGUAGES, "fr", "es", "it", "nl", "pt"}):
        metric = built(name, lang)
        first, numbers = scores.setdefault(metric.signature, (lang, metric(pairs).tolist()))
        if first != lang:
            assert numbers == pytest.approx(metric(pairs).tolist(), abs=1e-6), (first, lang)
