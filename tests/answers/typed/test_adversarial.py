"""Pairs that were made to provoke a wrong verdict, each judged by hand. A wrong definite verdict is the worst result.

``same`` pairs mean the same and are never "different"; ``other`` pairs contradict each other and are never "equal" or
"near"; ``unsure`` pairs may be both right, so that no verdict is definite. Where the relation itself is a
promise, it is stated.
"""

from answersim.answers.typed import compare
from tests.cases import every

SAME = {
    "en": """two-fifths = 40 percent; two-thirds = 66.7%; two thirds = 2/3; three-quarters = 75 %;
        three quarters = 0.75; a third = 1/3; one-third = 33.3 percent; one-eighth = 12.5%; seven-eighths = 87.5%;
        nine-tenths = 90 %;
        two and a half = 2.5; two-and-a-half = 2.5; 2 and a half = 2.5; 2½ = two and a half; one and a half million =
        1,500,000; three quarters of a million = 750,000; half a dozen = 6; half-dozen = six; two dozen = 24; a dozen =
        12; dozen = 12; a half = 50 percent; one and one third = 4/3; minus 5 = -5; −5 = minus
        five; negative five = -5; minus 40 °C = -40 °F; 5 °C below zero = -5 °C; 18‰ = 1.8%; 18 per mille = 18‰;
        50 basis points = 0.5 %; the nineties = the 1990s; the 90s = the nineties; '90s = the 1990s; the
        nineteen-nineties = 1990s; an hour and a half = 90 minutes; half an hour = 30 minutes; a quarter of an hour =
        15 minutes; three quarters of an hour = 45 min; an hour and 30 minutes = 1.5 hours; a year and a half = 18
        months; two and a half hours = 150 minutes; spring 1945 = the spring of 1945; fall 2001 = autumn 2001; Fall of
        2001 = autumn of 2001; one in five = 20 %; 3 out of 4 = 75 percent; one out of two = half; 66.7% = 0.67;
        1855/03 = March 1855; 03/1855 = March 1855; two-thirds of a mile = 2/3 mile; half a million = 500,000;
        two hundred and fifty = 250; 5 thousand = 5,000; a quarter = 25%; twenty-one = 21;
        6 feet = 72 inches; 1 km = 1000 m; seventeen seventy-six = 1776""",
    "de": """zwei Drittel = 2/3; drei Viertel = 75 Prozent; dreiviertel = 0,75; zweidrittel = 2/3; anderthalb = 1,5;
        eineinhalb = 1,5; zweieinhalb = 2,5; zweieinviertel = 2,25; ein Fünftel = 20 %; vier Fünftel = 80 %; ein Drittel
        = 1/3; die Hälfte = 50 %; minus fünf = -5; −5 = minus 5; 5 Grad Celsius unter null = -5 °C; 18‰ = 1,8 Prozent;
        18 Promille = 18 ‰; die Neunziger = die 1990er; die 90er = die Neunziger; die neunziger Jahre = 1990er Jahre;
        neunzigerjahre = 1990er; ein Dutzend = 12; zwei Dutzend = 24; ein halbes Dutzend = 6; eine halbe Stunde = 30
        Minuten; anderthalb Stunden = 90 Minuten; eine Viertelstunde = 15 Minuten; eine Dreiviertelstunde = 45 Minuten;
        eine Stunde und 30 Minuten = 90 Minuten; Frühjahr 1945 = Frühling 1945; Herbst 2001 = Herbst 2001.; einer von
        fünf = 20 %; zwei von zehn = 20 %; zwei von drei = 2/3; 1.500 = 1500; 1,5 Millionen = 1.500.000; dreizehn = 13;
        18 Kapitel = achtzehn Kapitel""",
}
OTHER = {
    "en": """two-fifths = 60 percent; two-thirds = 75 %; three-quarters = 2/3; minus 5 = 5; -5 °C = 5 °C; 18‰ = 18%; the
        nineties = 1985; the 1990s = the eighties; two dozen = 12; half a dozen = 12; an hour and a half = 60 minutes;
        half an hour = 20 minutes; spring 1945 = fall 1945; spring 1945 = spring 1946; summer 1945 = 1950; about 300 =
        900; just over 300 = 150; at least 300 = 100; up to 300 = 900; more than 300 = 100; nearly 300 = 500; one in
        five = 50 %; a dozen = 13; fall 2001 = 1999; two and a half = 4; one and a half million = 3 million""",
    "de": """zwei Drittel = drei Viertel; anderthalb = 4; minus fünf = 5; die Neunziger = 1985; zwei Dutzend = 12; eine
        halbe Stunde = 45 Minuten; knapp 300 = 600; mehr als 300 = 100; rund 300 = 900; Frühjahr 1945 = Herbst 1945;
        mindestens 300 = 100; 18‰ = 18 %""",
}
UNSURE = {
    "en": """304 = just over 300; 304 = about 300; 304 = around 300; 304 = approximately 300; 304 = roughly 300; 296 =
        nearly 300; 296 = almost 300; 304 = more than 300; 304 = at least 300; 296 = up to 300; 304 = ~300; 304 = ca.
        300; 304 = 300 or so; 304 = 300+; 304 = 300 or more; 296 = fewer than 300; 304 = some 300 people; 304 = It has
        just over 300 members.; 304 = There were an estimated 300 people.; 304 = 300 people or so were there.; 304 =
        There are 300-odd people.; 304 = upwards of 300; 304 = no fewer than 300; 296 = no more than 300; $5.2 million =
        over $5 million; 5.2 km = about 5 km; 12 km = more than 7 miles; 5:10 pm = around 5 pm; 1944 = before 1945; 1946
        = after 1945; 1944 = by 1945; 1952 = around 1950; 1947 = It was built after 1945.; March 1945 = spring 1945;
        January 1946 = winter 1945; winter 1944 = winter 1945; 1945 = spring 1945; 1895 = the nineties; 1995 = the
        nineties; 1500 = 1.500; 1,500 = 1.5; 19th century = 1800; 5 million = Es sind 5 Millionen Menschen.; 304 = plus
        de 300; 304 = environ 300; 24 = 2 x 12; 9 = 3 squared; 3 = a couple; 300 = several hundred; 24 =
        several dozen; 5 million = millions of people; 2004 = The 2000s; 2012 = the 2000s; 14 = twice 7; 21 = 7 times 3;
        24,900, 10 = 24,901, 10; 52 = B-52; 60 percent = about 55 percent; 38
        million = 38,187,035; 1939/45 = 1944; 10-20 = about 21; about 10 to 20 = 21; 66.7% = 0.7; -5 = - 5; 7 days = up
        to 8 days; 100 = less than 101; 6 pairs = 12; 40 = It is 2 score.; 12 = It
        is in chapter 11.""",
    "de": """304 = gut 300; 304 = rund 300; 304 = etwa 300; 304 = über 300; 296 = knapp 300; 304 = mehr als 300; 304 =
        mindestens 300; 296 = höchstens 300; 296 = bis zu 300; 304 = ungefähr 300; 304 = ca. 300; 304 = etwas mehr als
        300; 296 = fast 300; 304 = 300 oder mehr; 304 = Es waren etwas über 300 Personen.; 304 = Rund 300 Menschen
        kamen.; 1944 = vor 1945; 1946 = nach 1945; 1944 = bis 1945; 1944 = spätestens 1945; 1895 = die Neunziger; 1995
        = die Neunziger; 300 = mehrere hundert; 24 = doppelt so viele wie 12; 11 = nicht 12; 17:10 Uhr = gegen 17 Uhr;
        1945 = Frühjahr 1945; März 1945 = Frühjahr 1945; 5 = jeder fünfte; 1500 = 1,500; 20 % = jeder fünfte;
        anderthalb = 2""",
}


def listed(table: dict[str, str]) -> list[tuple[str, str, str]]:
    results = []
    for lang, text in table.items():
        for line in " ".join(text.split()).split("; "):
            gold, pred = line.strip(";").split(" = ")
            results.append((gold, pred, lang))
    return results


@every(("gold", "pred", "lang"), listed(SAME))
def test_two_ways_to_write_a_value_agree(gold, pred, lang):
    for result in (compare(gold, pred, lang), compare(pred, gold, lang)):
        assert result.relation in ("equal", "near"), result


@every(("gold", "pred", "lang"), listed(OTHER))
def test_two_values_that_contradict_each_other_differ(gold, pred, lang):
    for result in (compare(gold, pred, lang), compare(pred, gold, lang)):
        assert result.relation == "different", result


@every(("gold", "pred", "lang"), listed(UNSURE))
def test_what_may_be_both_gets_no_definite_verdict(gold, pred, lang):
    for result in (compare(gold, pred, lang), compare(pred, gold, lang)):
        assert result.opinion is None, result
