"""A number is reproduced from its signature alone, or it is said which part differs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import answersim
from answersim.catalog import lookup
from answersim.errors import CheckpointNotFoundError
from answersim.scoring.verification import Part, Verification, parts, rebuild
from answersim.text import LANGUAGES
from tests.cases import every

GOLD = ["Rome", "the Eiffel Tower", "NA", "eleven"]
PRED = ["in Rome", "Eiffel tower", "None", "11"]
LEXICAL = [name for name in lookup.names() if lookup.entry(name).kind == "lexical"]


def verify(signature, gold, pred, scores, *, question=None, **how) -> Verification:  # type: ignore[no-untyped-def]
    """Verify the scores of answers in columns."""
    data = {"gold": gold, "pred": pred, "s": scores} | ({} if question is None else {"q": question})
    return answersim.verify(signature, data, "s", question=None if question is None else "q", **how)


WITHOUT = {"paper": {"bleu"}, "unicode": {"bleu", "bleu-paper", "meteor"}}  # profiles that a metric does not have


@every(
    ("lang", "profile", "name"),
    [
        (lang, profile, name)
        for lang, profile in (("en", None), ("de", None), ("en", "paper"), ("en", "unicode"))
        for name in LEXICAL
        if name not in WITHOUT.get(profile or "", ())
    ],
)
def test_every_metric_of_words_is_built_again_from_its_signature(name: str, lang: str, profile: str | None) -> None:
    scores = answersim.score(GOLD, PRED, name, lang=lang, profile=profile)
    again = rebuild(scores.signature)
    assert again.metric.signature == scores.signature
    assert again.differing == ()
    verification = verify(scores.signature, GOLD, PRED, scores.values)
    assert verification.equal
    assert (verification.n, verification.largest) == (4, 0.0)


def test_settings_are_read_from_the_signature() -> None:
    signature = answersim.metric("meteor", alpha=0.8, gamma=0.25).signature
    assert rebuild(signature).metric.signature == signature


def test_a_neural_metric_is_built_again_with_its_layer_and_measure(tiny: Callable[..., Path]) -> None:
    built = answersim.metric("bertscore-trained", model=tiny(), layer=1, measure="recall")
    scores = built([answersim.Pair(*pair) for pair in zip(GOLD, PRED, strict=True)])
    verification = verify(built.signature, GOLD, PRED, scores, model=str(tiny()))
    assert verification.equal
    assert verification.here == built.signature


def test_other_weights_are_named_and_not_scored_with(tiny: Callable[..., Path]) -> None:
    built = answersim.metric("bi-encoder", model=tiny(seed=1))
    verification = verify(built.signature, GOLD, PRED, np.zeros(4), model=str(tiny(seed=0)))
    assert [part.key for part in verification.differing] == ["encoder"]
    assert not verification.equal
    assert verification.n == 0
    assert "name their folder" in verification.summary()[-2]


def test_weights_that_are_not_here_are_an_error_that_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSWERSIM_MODELS", raising=False)
    signature = (
        "bi-encoder|encoder:cross-en-de-roberta-sentence-transformer@0123456789ab/fp32|pooling:mean|max_length:512|v:0"
    )
    with pytest.raises(CheckpointNotFoundError, match="cross-en-de-roberta-sentence-transformer"):
        rebuild(signature)


def test_rows_that_differ_are_reported_the_largest_difference_first() -> None:
    scores = answersim.score(GOLD, PRED, "f1").values + np.array([0.0, -0.01, 0.25, 1e-7])
    verification = verify("f1|text:en|rev:1", GOLD, PRED, scores)
    assert not verification.equal
    assert [mismatch.row for mismatch in verification.mismatches] == [3, 2]
    assert verification.largest == pytest.approx(0.25)
    assert verification.summary()[0] == "different: 2 of 4 scores differ by more than 1e-05"
    assert not verify("f1|text:en|rev:1", GOLD, PRED, scores, tolerance=0.1).equal
    assert verify("f1|text:en|rev:1", GOLD, PRED, scores, tolerance=0.3).equal


def test_another_revision_is_reported_and_its_numbers_are_compared_all_the_same() -> None:
    verification = verify("f1|text:en|rev:7", GOLD, PRED, answersim.score(GOLD, PRED, "f1").values)
    assert (verification.differing, verification.equal) == ((Part("rev", "7", "1"),), True)


def test_a_setting_that_no_metric_has_here_is_the_part_that_differs() -> None:
    verification = verify(
        "meteor|lang:en|alpha:0.9|beta:3.0|gamma:0.5|order:gold-pred|words:nltk-9|stem:x|v:0", *([["a"]] * 2), [1]
    )
    assert {part.key for part in verification.differing} >= {"stem", "synonyms", "v"}
    assert verification.n == 0
    assert verification.summary()[0].startswith("not scored again")


def test_the_language_is_reported_where_a_signature_does_not() -> None:
    assert "de" in LANGUAGES
    signature = answersim.metric("bleu", lang="de").signature
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rebuild(signature, lang="de").differing == ()


def test_of_several_references_the_best_counts() -> None:
    assert verify("em|text:en|rev:1", [["NFL", "League"]], ["the league"], [1.0]).equal


ASKED = ["Which city?", "What stands in Paris?", "", "Which river is the longest of Africa?"]
GIVEN, ANSWERED = [*GOLD[:3], "the Nile"], [*PRED[:3], "a river in Africa"]  # the question moves the last score


@pytest.mark.parametrize("name", ["sas", "answersim"])
def test_scores_with_questions_are_verified_with_them_and_refused_without(name: str) -> None:
    plain = answersim.score(GIVEN, ANSWERED, name)
    scores = answersim.score(GIVEN, ANSWERED, name, question=ASKED)
    assert scores.signature != plain.signature
    assert np.abs(scores.values - plain.values).max() > 1e-3
    verification = verify(scores.signature, GIVEN, ANSWERED, scores.values, question=ASKED)
    assert (verification.equal, verification.here, verification.differing) == (True, scores.signature, ())
    assert verify(plain.signature, GIVEN, ANSWERED, plain.values).here == plain.signature
    assert verify(plain.signature, GIVEN, ANSWERED, plain.values, question=[""] * 4).equal  # an empty question is none
    for missing in (None, [""] * 4):
        with pytest.raises(ValueError, match=r"question:yes.* give them"):
            verify(scores.signature, GIVEN, ANSWERED, scores.values, question=missing)
    with pytest.raises(ValueError, match=r"no part 'question:yes'.*leave the questions out"):
        verify(plain.signature, GIVEN, ANSWERED, scores.values, question=ASKED)


def test_questions_for_a_metric_that_reads_none_are_refused() -> None:
    with pytest.raises(ValueError, match="no part 'question:yes'"):
        verify("f1|text:en|rev:1", ["Rome"], ["in Rome"], [2 / 3], question=["Where?"])
    verification = verify("f1|text:en|question:yes|rev:1", ["Rome"], ["in Rome"], [2 / 3], question=["Where?"])
    assert verification.differing == (Part("question", "yes", "(none)"),)
    assert verification.n == 0


@pytest.mark.parametrize("text", ["", "f1", "f1|", "f1|text", "f1|:en", "|text:en"])
def test_what_is_no_signature_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a signature"):
        parts(text)


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(LookupError, match="did you mean 'rouge-l'"):
        rebuild("rouge-ll|text:en|rev:1")


@pytest.mark.parametrize(
    ("gold", "pred", "scores", "how", "message"),
    [
        (["a"], ["a"], [1.0, 2.0], {}, "the columns have different lengths"),
        ([], [], [], {}, "no rows"),
        (["a"], ["a"], [float("nan")], {}, "row 1: 's' is nan, but it must be a finite number"),
        (["a"], ["a"], [1.0], {"tolerance": -1.0}, r"tolerance is -1\.0"),
        (["a"], ["a"], [0.0], {"tolerance": math.inf}, r"tolerance is inf, but it must be a finite number"),
        (["a"], ["a"], [0.0], {"tolerance": math.nan}, r"tolerance is nan"),
    ],
)
def test_what_cannot_be_verified_is_stated_before_any_work(gold, pred, scores, how, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        verify("f1|text:en|rev:1", gold, pred, scores, **how)


def test_a_metric_that_gives_no_number_verifies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from answersim.scoring import verification
    from answersim.types import Scores

    signature = answersim.metric("f1").signature

    def broken(*_: object, **__: object) -> dict[str, Scores]:
        return {signature: Scores([1.0, np.nan, 1.0, 1.0], signature)}

    monkeypatch.setattr(verification, "score_pairs", broken)
    result = verify(signature, GOLD, PRED, [1.0, 1.0, 1.0, 1.0])
    assert not result.equal
    assert result.summary()[0].startswith("different: 1 of 4")


@pytest.mark.parametrize(
    ("signature", "option", "words"),
    [
        ("f1|text:en|rev:1", {"layer": 3}, "layer is given, but f1 has no such option; its options are extract"),
        ("meteor|lang:en|rev:1", {"model": "x"}, "model is given, but meteor has no .* alpha, beta"),
    ],
)
def test_an_option_that_no_such_metric_has_is_refused(signature: str, option: dict[str, object], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        verify(signature, ["a"], ["a"], [1.0], **option)  # type: ignore[arg-type] # any option may be given


def test_a_row_is_named_as_in_the_table_and_several_systems_are_verified() -> None:
    answers = answersim.read_answers(
        {"gold": [None, "a", "b"], "pred": ["x", "a", "c"], "em": [9, 1, 1]}, skip_bad=True
    )
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        result = answersim.verify("em|text:en|rev:1", answers)
    assert (result.n, [row.row for row in result.mismatches]) == (2, [3])
    data = {"gold": ["a"], "x": ["a"], "y": ["b"], "sx": [1], "sy": [0]}
    assert answersim.verify("em|text:en|rev:1", data, ["sx", "sy"], pred=["x", "y"]).equal
