"""Which answers are the same but for how they are written: a table that can be checked by hand."""

from hypothesis import given
from hypothesis import strategies as st

from answersim.answers.relation.wording import same_wording
from tests.cases import every

SAME = [
    ("en", "3,600", "3600"),
    ("en", "1,000,000", "1000000"),
    ("en", "$3,600.50", "$3600.50"),
    ("en", "-3,600", "-3600"),
    ("en", "3,600 people", "3600 people."),
    ("en", "1.000.000", "1,000,000"),  # two groups are no fraction
    ("en", "3\u202f600", "3600"),
    ("en", "3'600", "3600"),
    ("de", "3.600", "3600"),
    ("de", "1,000,000", "1000000"),
    ("fr", "3\u00a0600", "3600"),
    ("en", "１１", "11"),  # wide
    ("en", "３，６００", "3600"),
    ("ar", "٣٬٦٠٠", "3600"),  # Arabic-Indic digits and separator
    ("en", "٢٠٠٨", "2008"),
    ("hi", "२००८", "2008"),
    ("en", "Ｓｏｎｙ", "Sony"),
    ("en", "-5", "−5"),  # U+2212
    ("en", "1939–1945", "1939-1945"),
    ("en", "The Beatles", "beatles"),
    ("en", "Paris", "paris."),
    ("en", "U.S.", "US"),
    ("en", '"Paris"', "Paris"),
    ("en", "Paris, France", "Paris France"),
    ("en", "well-known", "wellknown"),
    ("en", "in 1984.", "in 1984"),
    ("en", "World War (1914)", "World War 1914"),
    ("en", "vitamin A", "Vitamin a"),
    ("en", "Once Upon A Time", "once upon a time"),
    ("en", "C++", "c++"),
    ("en", "1.5", " 1.5 "),
    ("en", "東京。", "東京"),
    ("en", "２００８年", "2008年"),
    ("de", "der «Eiffelturm»", "Eiffelturm"),
    ("de", "Straße", "STRASSE"),
    ("de", "1,5 km", "1,5 km."),
    ("zh", "北京。", "北京"),
    ("fr", "l'eau", "eau"),
    ("en", "Mu\u0308nchen", "München"),
    ("en", "5 km", "5 km."),
    ("en", "", "  "),
    ("en", "?!", "?!"),
    ("en", "O'Brien", "O’Brien"),
    ("en", "H2O", "H₂O"),
    ("en", "Paris", "Paris\u200b"),
    ("en", "na\u00efve", "nai\u0308ve"),
]
DIFFERENT = [
    ("en", "-5", "5"),
    ("en", "−5", "5"),
    ("en", "–5", "5"),
    ("en", "- 5", "5"),
    ("en", "+5", "5"),
    ("en", "1.5", "15"),
    ("en", ".5", "5"),
    ("en", "0.05", "005"),
    ("en", "C++", "C"),
    ("en", "C#", "C"),
    ("en", "A*", "A"),
    ("en", "B+", "B"),
    ("en", "O-", "O"),
    ("en", "-x", "x"),
    ("en", ".NET", "NET"),
    ("en", "f(x)", "fx"),
    ("en", "R&B", "RB"),
    ("en", "$5", "5"),
    ("en", "50%", "50"),
    ("en", "#1", "1"),
    ("en", "~5", "5"),
    ("en", "<5", "5"),
    ("en", "(5)", "5"),  # minus five in accounts
    ("en", "5!", "5"),
    ("en", "5'", "5"),
    ("en", '5"', "5"),
    ("en", "3/4", "34"),
    ("en", "10:30", "1030"),
    ("en", "1-2", "12"),
    ("en", "1939-1945", "19391945"),
    ("en", "10²", "102"),
    ("de", "10²", "102"),  # whose words are NFKC
    ("de", "1½", "11/2"),
    ("de", "①", "1"),
    ("de", "50 ‰", "50"),
    ("de", "5%", "5"),
    ("de", "–5", "5"),
    ("fa", "۵٪", "۵"),
    ("en", "1,5", "1.5"),  # which of both is the fraction?
    ("de", "1,5", "1.5"),
    ("en", "1,5", "15"),
    ("en", "3.600", "3600"),  # 3.6 in English
    ("de", "3,600", "3600"),  # 3.6 in German
    ("en", "0,600", "0600"),
    ("en", "3,60", "360"),
    ("en", "3,6000", "36000"),
    ("en", "3 600", "3600"),  # may be two numbers
    ("en", "3,600", "3,601"),
    ("en", "vitamin A", "vitamin"),
    ("en", "Hepatitis A virus", "Hepatitis virus"),
    ("en", "A 4", "4"),
    ("pt", "vitamina-A", "vitamina"),
    ("en", "5 MW", "5 mW"),
    ("en", "5Mb", "5MB"),
    ("en", "A", "The"),
    ("en", "?", "!"),
    ("en", "A, D", "D"),
    ("en", "10²", "10₂"),
    ("en", "", "the"),
    ("en", "Paris", "London"),
    ("en", "1984", "1985"),
]


@every(("lang", "gold", "pred", "expected"), [(*case, True) for case in SAME] + [(*case, False) for case in DIFFERENT])
def test_answers_are_the_same_if_they_differ_in_writing_only(lang, gold, pred, expected):
    assert same_wording(gold, pred, lang) is same_wording(pred, gold, lang) is expected


ODD = st.text(st.sampled_from("aA1 5.,-+%'\"()²½−–C東の٣\ua66e\u00a0 "), max_size=8) | st.text(max_size=8)


@given(ODD, ODD, st.sampled_from(["en", "de", "zh", "fr"]))
def test_it_is_reflexive_and_symmetric(one, other, lang):
    assert same_wording(one, one, lang)
    assert same_wording(one, other, lang) == same_wording(other, one, lang)


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.booleans())
def test_numbers_are_the_same_if_their_values_are(one, other, grouped):
    written = f"{other:,}" if grouped else str(other)
    assert same_wording(str(one), written) == (one == other)
    assert same_wording(str(one), f"-{written}") is False
    assert same_wording(f"{one}.5", f"{written}5") is False
