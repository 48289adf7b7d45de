"""Which texts attempt an answer: texts that the classifier was not trained on, and their neighbors."""

from pathlib import Path

import pytest

from answersim.answers.extraction import attempted
from answersim.answers.extraction.abstention import surely_refuses
from tests.cases import cases_of

CASES = cases_of(__file__)

ABSTAINS = CASES["abstains"]
ATTEMPTS = CASES["attempts"]
ABSTAINS_DE = CASES["abstains_de"]
ATTEMPTS_DE = CASES["attempts_de"]


OTHERS = CASES["others"]
OTHER_ATTEMPTS = CASES["other_attempts"]
ASKED, GUESSED = CASES["questions_and_clauses"], CASES["guesses_and_facts"]  # in eight languages
HELD_OUT = Path(__file__).parent / "held_out.tsv"
LEAST, MOST = 0.95, 0.04  # the share of abstentions that is recognized, and of attempts that is not


@pytest.mark.parametrize("texts", [ABSTAINS, ABSTAINS_DE, OTHERS, ASKED], ids=["en", "de", "others", "asked"])
def test_abstentions_are_recognized(texts):
    missed = [text for text in texts if attempted(text)]
    assert len(missed) <= (1 - LEAST) * len(texts), missed


@pytest.mark.parametrize(
    "texts", [ATTEMPTS, ATTEMPTS_DE, OTHER_ATTEMPTS, GUESSED], ids=["en", "de", "others", "guessed"]
)
def test_attempts_are_no_abstentions(texts):
    missed = [text for text in texts if not attempted(text)]
    assert len(missed) <= MOST * len(texts), missed


def test_phrases_of_another_writer_are_recognized_in_each_language():
    """None of them is among the phrases of the training: language, 1 for an abstention, text."""
    rows = [line.split("\t") for line in HELD_OUT.read_text(encoding="utf-8").splitlines()]
    for abstains, least, n in (("1", 0.95, 199), ("0", 0.98, 268)):
        texts = [text for _, kind, text in rows if kind == abstains]
        missed = [text for text in texts if attempted(text) == (abstains == "1")]
        assert len(texts) == n
        assert len(missed) <= (1 - least) * n, missed
    for lang in sorted({lang for lang, *_ in rows}):
        texts = [text for code, abstains, text in rows if (code, abstains) == (lang, "1")]
        assert sum(map(attempted, texts)) <= 2, lang


def test_a_long_text_is_surely_a_refusal_with_a_margin_only():
    refusals = ["", "I don't know.", "unanswerable", "No answer", "N/A", "The passage does not mention who built it."]
    assert [text for text in refusals if not surely_refuses(text)] == []
    assert not any(surely_refuses(text) for text in ("Rome", "You should never do it.", "I would say you can do it."))


def test_what_is_no_text_is_an_error():
    with pytest.raises(TypeError, match="text"):
        attempted(None)
