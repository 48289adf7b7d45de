import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from answersim.answers.typed.person_name import FULL_NAMES, SHORT_NAMES
from tests.cases import every
from tests.training.data.drawing import rng
from tools.pairs.variants import ERRORS, RULES, variants

CASES = [
    ("initials", "John Fitzgerald Kennedy", ["J. F. Kennedy", "J.F. Kennedy", "John F. Kennedy"]),
    ("initials", "Ann Ox", ["A. Ox"]),
    ("initials", "Jean-Paul Sartre", ["J.-P. Sartre"]),
    ("initials", "Ludwig van Beethoven", ["L. van Beethoven"]),
    ("initials", "George Bush III", ["G. Bush III"]),
    ("initials", "Dr. John Quincy Ox", ["J. Q. Ox", "J.Q. Ox", "John Q. Ox"]),
    ("initials", "J. F. Kennedy", ["J.F. Kennedy"]),
    ("monogram", "Franklin Delano Roosevelt", ["FDR"]),
    ("monogram", "Ann Ox", []),
    ("monogram", "Juana Inés de la Cruz", []),
    ("inverted", "John F. Kennedy", ["Kennedy, John F.", "Kennedy John F."]),
    ("inverted", "Vincent van Gogh", ["van Gogh, Vincent", "van Gogh Vincent"]),
    ("inverted", "Martin Luther King Jr.", ["King, Martin Luther, Jr.", "King Martin Luther Jr."]),
    ("inverted", "Madonna", []),
    ("dropped-middle", "John Fitzgerald Kennedy", ["John Kennedy"]),
    ("dropped-middle", "John Q. Ox Jr.", ["John Ox Jr."]),
    ("dropped-middle", "J. Edgar Hoover", []),  # J. Hoover could be anyone
    ("dropped-middle", "Vincent van Gogh", []),
    ("title-added", "Ann Ox", ["Dr. Ann Ox", "Prof. Ann Ox", "Sen. Ann Ox", "Rep. Ann Ox", "Gov. Ann Ox"]),
    ("title-added", "Sen. Ann Ox", []),
    ("title-dropped", "Sir Isaac Newton", ["Isaac Newton"]),
    ("title-dropped", "Judge Reinhold", []),
    ("suffix", "John Ox Jr.", ["John Ox Junior"]),
    ("suffix", "John Ox III", ["John Ox the Third"]),
    ("suffix", "John Ox", []),
    ("nickname", "William Gates", ["Bill Gates", "Billy Gates", "Will Gates"]),
    ("nickname", "bill gates", ["william gates"]),
    ("nickname", "Steve Jobs", ["Stephen Jobs", "Steven Jobs"]),
    ("nickname", "Xi Jinping", []),
    ("nickname", "William", []),
    ("diacritics", "Jörg Müller", ["Jorg Muller", "Joerg Mueller"]),
    ("diacritics", "Søren Łukasz Groß", ["Soren Lukasz Gross"]),
    ("diacritics", "José", ["Jose"]),
    ("diacritics", "Jose\u0301", ["Jose"]),
    ("diacritics", "Николай 김", []),
    ("acronym", "National Football League", ["NFL"]),
    ("acronym", "North Atlantic Treaty Organization", ["NATO"]),
    ("acronym", "Federal Bureau of Investigation", ["FBI"]),
    ("acronym", "University of California-Los Angeles", ["UCLA"]),
    ("acronym", "national football league", []),
    ("acronym", "Company 3 Big", []),
]


@every(("rule", "name", "expected"), CASES)
def test_a_rule_gives_these_variants(rule, name, expected):
    assert RULES[rule](name) == expected


def test_short_names_and_full_names_agree():
    assert SHORT_NAMES["william"] == ("Bill", "Billy", "Will")
    assert FULL_NAMES["bill"] == ("William",)
    assert {(full, short.casefold()) for full, shorts in SHORT_NAMES.items() for short in shorts} == {
        (full.casefold(), short) for short, fulls in FULL_NAMES.items() for full in fulls
    }


def test_every_rule_has_a_case():
    assert {rule for rule, _, _ in CASES} == set(RULES)


@pytest.mark.parametrize("rule", ERRORS)
@hypothesis_settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 99))
def test_a_typing_error_changes_one_place_and_keeps_first_letters(rule, seed):
    (text,) = ERRORS[rule]("Abraham Lincoln", rng(seed))
    one, two = "Abraham Lincoln", text
    while one and two and one[0] == two[0]:
        one, two = one[1:], two[1:]
    while one and two and one[-1] == two[-1]:
        one, two = one[:-1], two[:-1]
    assert [word[0] for word in text.split()] == ["A", "L"]
    sizes = {"swapped": (2, 2), "dropped": (1, 0), "doubled": (0, 1), "neighbour-key": (1, 1)}
    assert (len(one), len(two)) == sizes[rule]
    if rule == "swapped":
        assert one == two[::-1]
    if rule == "neighbour-key":
        keys = "qwertyuiop asdfghjkl zxcvbnm"
        assert abs(keys.index(one) - keys.index(two)) == 1
    if rule == "doubled":
        assert two * 2 in text


@every("rule", ERRORS)
@every("name", ["", "Bo", "Ann Ox", "毛澤東毛澤東", "12345678", "Ленин Владимир"])
def test_short_words_and_other_scripts_have_no_typing_errors(rule, name):
    assert ERRORS[rule](name, rng()) == []


@every(("rule", "name"), [("swapped", "aaaaaaa"), ("doubled", "aaaaaaa"), ("neighbour-key", "äßöüáé")])
def test_where_no_place_allows_the_error_there_is_none(rule, name):
    assert ERRORS[rule](name, rng()) == []


def test_only_the_rules_that_are_on_make_variants():
    rules = [rule for rule in RULES if rule != "acronym"]
    assert [variant.rule for variant in variants("John Quincy Ox", rules, rng())] == [
        "initials", "monogram", "inverted", "dropped-middle", "title-added", "nickname",
    ]  # fmt: skip
    assert variants("John Quincy Ox", ["monogram"], rng()) == [("JQO", "monogram")]
    assert variants("John Quincy Ox", [], rng()) == []


def test_a_text_of_two_rules_is_one_variant_of_the_first():
    assert variants("John Fitzgerald Kennedy", ["monogram", "acronym"], rng()) == [("JFK", "monogram")]


def test_the_seed_decides():
    one, two, three = (variants("William Lincoln", [*RULES, *ERRORS], rng(seed)) for seed in (1, 1, 2))
    assert one == two != three


def test_an_unknown_rule_is_named_with_the_nearest():
    with pytest.raises(LookupError, match="no rule is called 'initial'; did you mean 'initials'"):
        variants("Ann Ox", ["initial"], rng())


@given(
    st.text(max_size=30) | st.from_regex(r"[A-Z][a-zé]{0,6}( [A-Za-z.,\"(-]{1,6}){0,5}", fullmatch=True),
    st.integers(0, 9),
)
def test_a_variant_is_another_text_and_never_empty(name, seed):
    texts = [text for rule in RULES.values() for text in rule(name)]
    for text in [*texts, *(text for error in ERRORS.values() for text in error(name, rng(seed)))]:
        assert text.strip()
        assert text != name
