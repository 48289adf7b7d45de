"""parse and compare: every example of the issue, all kinds and both languages, odd input."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import answersim
from answersim.answers.typed import compare, compare_math, parse
from tests.cases import cases_of, every

CASES = cases_of(__file__)

ISSUE = CASES["issue"]
MORE = CASES["more"]


@every(("gold", "pred", "lang", "relation"), [*ISSUE, *MORE])
def test_two_answers_are_compared(gold, pred, lang, relation):
    result = compare(gold, pred, lang=lang)
    assert result.relation == relation, result.reason
    assert result.reason
    assert not result.reason.endswith(".") or relation == "equal"


def test_an_ambiguous_date_is_marked():
    parsed = parse("03/04/2021")
    assert parsed.ambiguous
    assert "ambiguous" in compare("03/04/2021", "March 4, 2021").reason


@pytest.mark.parametrize(
    ("text", "lang", "kind", "shown"),
    [
        *(
            ("1.5 million", "en", "number", "1,500,000"),
            ("1865", "en", "date", "1865"),
            ("12 gallons", "en", "quantity", "12 gallons"),
        ),
        *(("elf", "de", "number", "11"), ("half an hour", "en", "duration", "0.5 hours")),
        *(("1:05 pm", "en", "time", "13:05"), ("1:05:30", "en", "time", "1:05:30 (am or pm)")),
    ],
)
def test_an_answer_is_parsed(text, lang, kind, shown):
    parsed = parse(text, lang)
    assert (parsed.kind, str(parsed)) == (kind, shown)


def test_what_is_no_value_is_none():
    assert parse("North Korea") is None
    assert parse("elf") is None  # English
    assert parse("1" * 1000) is None


@pytest.mark.parametrize("bad", [None, 11, b"11", ["11"]])
def test_bad_input_is_reported_with_the_value_and_the_remedy(bad):
    for call in (
        lambda: parse(bad),
        lambda: compare(bad, "11"),
        lambda: compare("11", bad),
        lambda: compare("1", "1", question=bad or 1),
    ):
        with pytest.raises(TypeError, match="must be a string; for 'no answer' give the empty string"):
            call()
    with pytest.raises(LookupError, match="ISO 639-1"):
        parse("11", lang="xx")


@pytest.mark.parametrize("lang", ["en", "de-AT", "fr", "zh"])
def test_every_language_has_rules(lang):
    assert compare("11", "11", lang).relation == "equal"


texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.lists(
        st.sampled_from(
            "1 11 1,000 1.5 / - , : ' \" ( ) $ € % ° C km and und to bis March März 1980s century BC pm o'clock half "
            "twenty hundred million elf first J. Kennedy Dr. Louis XIV no yes about ½ ² １ per square".split()
        ),
        max_size=10,
    ).map(" ".join),
)


@given(texts, texts, st.sampled_from(["en", "de"]))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_two_texts_are_compared_and_the_order_never_turns_equal_into_different(one, other, lang):
    relations = {compare(one, other, lang).relation, compare(other, one, lang).relation}
    assert relations != {"equal", "different"}
    assert (compare(one, one, lang).relation == "equal") == (parse(one, lang) is not None)


def test_the_module_is_part_of_the_public_api():
    assert answersim.answers.typed.compare("11", "eleven").opinion == 1.0


@every(("gold", "pred", "relation"), CASES["compare_math_reads_plain_numbers_as_formulas"])
def test_compare_math_reads_plain_numbers_as_formulas(gold, pred, relation):
    assert {compare_math(gold, pred).relation, compare_math(pred, gold).relation} == {relation}


def test_compare_math_has_options_and_checks_them():
    assert compare_math("0.33", r"\frac13", tolerance="last-digit").relation == "equal"
    assert compare_math("100", "104", tolerance=0.05).relation == "equal"
    assert compare_math("100", "106", tolerance=0.05).relation == "different"
    assert compare_math("5 cm", "5", units="required").relation == "different"
    for options in ({"tolerance": "near"}, {"tolerance": -1}, {"tolerance": 2}, {"tolerance": True}, {"units": "yes"}):
        with pytest.raises(ValueError, match=r"must be|at least"):
            compare_math("1", "1", **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pred"):
        compare_math("1", 1)  # type: ignore[arg-type]


def test_the_existing_rules_decide_about_values_in_words_and_plain_numbers():
    assert compare("50000", "50001").kind == "number"
    assert compare("3/4", "75 %").kind == "number"
    assert compare("10-12", "10-12").kind == "range"
    assert compare("150 %", "3/2").relation == "equal"
