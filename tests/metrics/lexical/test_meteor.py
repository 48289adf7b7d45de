"""METEOR: cases that can be checked by hand, and what the metric promises."""

import math
import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.metrics.lexical import meteor as meteor_module
from answersim.metrics.lexical.meteor import Meteor, meteor
from answersim.metrics.lexical.wordnet import fingerprint
from answersim.types import Pair
from tests.cases import every
from tests.metrics.lexical.by_hand import near, stem


def number(gold: str, pred: str, **parameters: float) -> float:
    return meteor(gold.split(), pred.split(), stem=stem, synonyms=near, **parameters)


def mean(precision: float, recall: float) -> float:
    return precision * recall / (0.9 * precision + 0.1 * recall)


# gold, pred, the number by the formula (Lavie & Agarwal 2007): (1 - 0.5 * (chunks / matches) ** 3) * mean
CASES = [
    ("paris", "paris", 0.5),
    ("Paris", "pARIS", 0.5),
    ("new york", "new york", 1 - 0.5 / 8),
    ("new york", "york new", 0.5),  # two chunks of one word
    ("cats", "cat", 0.5),  # by the stem
    ("cars", "autos", 0.5),  # by a synonym of the stem
    ("roots", "stems", 0.5),
    ("stems", "roots", 0.0),  # synonyms are those of the prediction
    ("paris", "london", 0.0),
    ("the big car", "the large car", (1 - 0.5 * (2 / 2) ** 3) * mean(2 / 3, 2 / 3)),  # "large" knows no "big"
    ("the large car", "the big car", 1 - 0.5 / 27),
    ("a b c d", "a b", (1 - 0.5 / 8) * mean(1.0, 0.5)),
    ("a b", "a b c d", (1 - 0.5 / 8) * mean(0.5, 1.0)),
    ("", "paris", 0.0),
    ("paris", "", 0.0),
    ("", "", 0.0),
]


@every(("gold", "pred", "expected"), CASES)
def test_the_number_is_the_formula_by_hand(gold, pred, expected):
    assert number(gold, pred) == pytest.approx(expected, abs=1e-12)


def test_the_parameters_are_those_of_the_formula():
    # one match of one predicted and two gold words: precision 1, recall 1/2, one chunk
    assert number("a b", "a", alpha=0.5, gamma=0.0) == pytest.approx(0.5 / (0.5 + 0.25))
    assert number("a b", "a", alpha=1.0, gamma=0.2) == pytest.approx(0.8 * 0.5)
    assert number("a b c", "c a b", beta=1.0) == pytest.approx(1 - 0.5 * 2 / 3)
    assert number("a b c", "c a b", beta=0.0, gamma=1.0) == 0.0


def test_text_in_place_of_words_is_an_error():
    with pytest.raises(TypeError, match="two sequences of words"):
        meteor("Paris", ["Paris"], stem=stem, synonyms=near)
    with pytest.raises(TypeError, match="two sequences of words"):
        meteor(["Paris"], "Paris", stem=stem, synonyms=near)


def test_english_is_matched_by_porter_and_wordnet():
    pairs = [
        Pair("the car", "the auto"),  # a synonym of a word that is its own stem
        Pair("runs", "running"),  # the same stem
        Pair("automobile", "car"),  # "automobile" is stemmed to "automobil", which WordNet does not know
        Pair("Paris", "paris"),
        Pair("Paris", "Lyon"),
    ]
    assert Meteor()(pairs) == pytest.approx([1 - 0.5 / 8, 0.5, 0.0, 0.5, 0.0], abs=1e-12)


def test_pred_gold_exchanges_the_roles():
    pairs = [Pair("a b c d", "a b"), Pair("the big car", "large car")]
    exchanged = [Pair(pred, gold) for gold, pred in pairs]
    assert Meteor(order="pred-gold")(pairs).tolist() == Meteor()(exchanged).tolist()
    assert Meteor(order="pred-gold")(pairs).tolist() != Meteor()(pairs).tolist()


@settings(deadline=None)  # the first example loads NLTK
@given(st.sampled_from(["en", "de", "ru", "ar", "zh", "ka"]), st.text())
def test_an_answer_on_itself_is_more_than_zero_unless_it_is_blank(lang, answer):
    assert (Meteor(lang)([Pair(answer, answer)])[0] > 0) == bool(answer.strip())


def test_other_languages_have_their_stems():
    assert Meteor("de")([Pair("Katzen", "Katze")])[0] == 0.5
    assert Meteor("ru")([Pair("книги", "книга")])[0] == 0.5
    assert Meteor("pl")([Pair("koty", "kot")])[0] == 0.0  # no stemmer


def test_an_arabic_stem_does_not_hang_on_the_word_before():
    from nltk.stem.snowball import SnowballStemmer

    rng = random.Random(0)
    letters = "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةى"
    words = ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(500)]
    alone = [SnowballStemmer("arabic").stem(word) or word for word in words]
    shared = SnowballStemmer("arabic")
    assert [shared.stem(word) or word for word in words] != alone  # the trap is there
    found = meteor_module._snowball("ar")
    assert [found(word) for word in words] == alone


def test_a_stem_is_never_empty():
    from nltk.stem.snowball import SnowballStemmer

    assert SnowballStemmer("russian").stem("ь") == ""  # the trap is there
    assert meteor_module._snowball("ru")("ь") == "ь"


SETTINGS = [
    Meteor(),
    Meteor("de"),
    Meteor("pl"),
    Meteor("zh"),
    Meteor(alpha=0.8),
    Meteor(beta=2.0),
    Meteor(gamma=0.4),
    Meteor(order="pred-gold"),
    Meteor(words="nltk-2021"),
    Meteor(words="nltk-3.10"),
]


def test_every_setting_is_signed():
    assert len({metric.signature for metric in SETTINGS}) == len(SETTINGS)
    assert all(one != other for one, other in combinations(SETTINGS, 2))


def test_the_signature_names_tokenizer_stemmer_and_synonyms():
    assert Meteor().signature.rsplit("|rev:", 1)[0] == (
        "meteor|lang:en|alpha:0.9|beta:3.0|gamma:0.5|order:gold-pred|words:nltk-3.10+char|stem:porter-nltk"
        f"|synonyms:wordnet30-{fingerprint()}"
    )
    assert "|words:de|stem:snowball-german|synonyms:none|" in Meteor("de").signature
    assert "|words:pl|stem:none|synonyms:none|" in Meteor("pl").signature


@pytest.mark.parametrize(
    "same",
    [
        Meteor("en-GB"),
        Meteor("EN", alpha=np.float64(0.9)),
        Meteor(beta=3),
        Meteor(words="nltk-3.10+char"),
        Meteor(gamma=np.float64(0.5)),
    ],
)
def test_equal_metrics_have_equal_signatures(same):
    assert same == Meteor()
    assert hash(same) == hash(Meteor())
    assert same.signature == Meteor().signature
    assert Meteor(alpha=-0.0).signature == Meteor(alpha=0).signature


@every(
    ("wrong", "error", "message"),
    [
        ({"lang": "xx"}, LookupError, "ISO 639-1"),
        ({"lang": 1}, TypeError, "lang is 1"),
        ({"alpha": 1.5}, ValueError, r"alpha is 1\.5, .* between 0 and 1; the usual one is 0\.9"),
        ({"alpha": math.nan}, ValueError, "alpha is nan"),
        ({"alpha": "0.9"}, TypeError, r"alpha is '0\.9' .* a number"),
        ({"alpha": True}, TypeError, "alpha is True"),
        ({"beta": -1}, ValueError, "beta is -1, .* must be finite and at least 0"),
        ({"beta": math.inf}, ValueError, "beta is inf, .* finite"),
        ({"gamma": 2}, ValueError, "gamma is 2, .* between 0 and 1"),
        ({"gamma": None}, TypeError, "gamma is None"),
        ({"order": "gold"}, LookupError, "no order is called 'gold'; .*gold-pred, pred-gold"),
        ({"words": "nltk"}, LookupError, "tokenizer of METEOR in 'en' is called 'nltk'; .*nltk-2021, nltk-3.10"),
        ({"lang": "de", "words": "nltk-2021"}, LookupError, "tokenizer of METEOR in 'de'"),
    ],
)
def test_a_wrong_setting_is_an_error_at_construction(wrong, error, message):
    with pytest.raises(error, match=message):
        Meteor(**wrong)  # type: ignore[arg-type]
