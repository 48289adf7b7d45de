"""How a prediction relates to a gold answer, by the rules alone: right and wrong answers of each kind."""

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.answers.reading import read
from answersim.answers.relation import Relation, Relations, relate
from answersim.answers.relation.wording import same_wording
from answersim.answers.typed import comparison
from tests.cases import every
from tools import wordnet
from tools.dictionary import read_dictionary

EQUAL = [
    *[("It is red, white and blue.", "It is blue, red and white."), (r"\text{Paris}", "Paris"), ("f(x)", "$f(x)$")],
    *[("00417", "417"), ("7.10", "7.1"), ("0.35", "35%"), ("1.25", "125 %"), ("64%", "The share is 64.0 %.")],
    *[("3/8", "The probability is 0.375."), ("81", "[81]"), ("81", "-> 81"), ("81", "<81>"), ("81", "It is (81).")],
    *[("2/9", "(2/9)"), ("Lima", "Lima.[4]"), ("63", "63 [2]"), ("33", "27 + 6 = 33"), ("19", "p + q = 12 + 7 = 19")],
    *[(r"\frac{1}{7}", "0.142857142857143"), (r"\sqrt{5}", r"\sqrt{5} \approx 2.236"), ("81", "3**4"), ("$ 9 $", "9")],
    *[("b_{k+1}", "b_{ k + 1 }"), ("61874", r"61,\! 874"), (r"\frac{3}{8}", r"\\frac{3}{8}"), ("-0.25", "-¼")],
    *[
        ("x^2 - 9", "( x - 3 )( x + 3 )"),
        (r"\cos^2 t + \sin^2 t", "1"),
        (r"4 \text{ and } 9", "9, 4"),
        ("6,8", "6 and 8"),
    ],
    *[
        ("17", "十七"),
        ("3億円", "300,000,000円"),
        ("三分之二", "2/3"),
        ("2004年3月5日", "March 5, 2004"),
        ("CO2", "CO₂"),
    ],
    *[("naïve", "nai\u0308ve"), ("O'Neill", "O’Neill"), ("NATO", "North Atlantic Treaty Organization")],
    *[("National Football League", "the NFL"), ("NHL", "the National Hockey League")],
    *[("NATO", "NATO (North Atlantic Treaty Organization)"), ("Oslo", "Oslo ✅"), ("Yes ✅", "Yes ✔️"), ("42", "42 🎉")],
    *[
        ("3:2", "3 : 2"),
        ("ant; bee; cow", "cow, ant and bee"),
        ("D", "Answer: D (because B is false)"),
        ("8", "so 2^3 = 8"),
    ],
    *[(r"\{4, 5, 6\}", r"\boxed{4}, \boxed{5}, \boxed{6}"), (r"so \boxed{18}", "18"), ("A, C", "C and A")],
    *[("It sank on May 3, 1926.", "It sank on 3rd of May 1926."), ("Solution is: $k=5$.", "Solution is: $k=5$.")],
    *[('{"k": 1, "m": 2}', '{"m": 2, "k": 1}'), ("", ""), ("unknown", "I do not know."), ("Paris", "paris.")],
    *[("x: 3, y: 4", "y: 4, x: 3"), ("1. Ann\n2. Bob", "2. Bob\n1. Ann"), ("12 lakh", "1.2 million")],
]
NEAR = [
    *[
        ("31", "$31.00", "unit"),
        ("31", "It costs $31.00.", "unit"),
        ("$1,450", "1450.00", "unit"),
        ("7 kg", "7.0", "unit"),
    ],
    *[
        ("8", "8 weeks", "unit"),
        ("3.14", "3.14159", "rounding"),
        ("1/3", "0.33", "rounding"),
        ("152.3", "151", "tolerance"),
    ],
    *[("1994", "May 4, 1994", "period"), ("1931", "1931-1937", "period"), ("1931-1937", "1935", "period")],
    *[("($8.4 million)", "-8.4 million", "sign"), ("-$8.4 million", "($8.4 million)", "sign")],
    *[("-2.7", "(2.7)", "sign"), ("about 300", "304", "hedge"), ("12 March 1990", "March 1990", "period")],
    *[("46,500 km", "46,512 km", "rounding"), ("the 1960s", "1964", "period")],
]
DIFFERENT = [
    *[("Water expands in ice.", "Water doesn't expand in ice."), ("He can swim", "He cannot swim")],
    *[("It had not broken the law.", "No, it had broken the law."), ("Prices never fell.", "Prices fell.")],
    *[("a - b", "b - a"), ("m/s", "s/m"), ("kg / L", "L / kg"), ("3:1", "1:3"), ("4-2", "2-4"), ("3:1", "3:2")],
    *[
        ("6-4, 6-3", "6-3, 6-4"),
        ("(1, 2)", "(2, 1)"),
        ("1. ant\n2. bee", "1. bee\n2. ant"),
        ("12 liters", "12 gallons"),
    ],
    *[
        ("✅", "❌"),
        ("👍", "👎"),
        ("⭐⭐", "⭐"),
        ("🇮🇹", "🇪🇸"),
        ("✅ Yes", "❌ Yes"),
        ("7♠", "7♥"),
        ("是", "否"),
        ("はい", "いいえ"),
    ],
    *[
        ("十", "二十"),
        ("C", "A, C"),
        ("A, D", "D"),
        ("B", "B and C"),
        ("7", "no 7"),
        ("Rome", "nicht Rome"),
        ("3", "It has 5 moons [3]."),
        ("1945", "1946"),
    ],
    *[("Brazil beat Italy 3-2", "Brazil beat Italy 2-3"), ('{"k": 1}', '{"k": 1, "m": 1}'), ("50", "20 + 30 = 51")],
    *[("-$5", "$5"), ("$23.4 million", "-$23.4 million"), ("€3", "-€3"), ("$-7", "$7")],
    *[("20", "20 + 30 = 50"), ("Rome", "I do not know."), ("x^2 + 1", "x^2 - 1"), ("12", "12 billionths")],
    *[("1) wash; 2) cut", "1) cut; 2) wash"), ("1-C, 2-A, 3-B", "1-A, 2-C, 3-B"), ("5 lb", "£5")],
]
NONE = [
    *[
        ("It is not true.", "No, it is not true."),
        ("It is true.", "Yes, it is true."),
        ("It is not untrue", "It is not"),
    ],
    *[("7", "7!"), ("7", "!7"), ("7", "7_8"), ("7", "7 (8)"), ("12", "12 hoax"), ("20", "20 %")],
    *[("1994", "1994 was rejected"), ("C++", "C"), ("AI", "Amnesty International"), ("PM", "Peter Mueller")],
    *[("BTS", "Bad Tennis Shoes"), ("AC", "Air Canada"), ("USA", "Union of South Africa"), ("Barack Obama", "BO")],
    *[("NATO", "Nine angry tiny otters"), ("Mary Jones", "MJ"), ("AC", "apple, cat"), ("ant bee cow", "ant, cow, bee")],
    *[("Crime and Punishment", "Punishment and Crime"), ("War and Peace", "Peace and War"), ("12", "12 Monkeys")],
    *[("supply exceeds demand", "demand exceeds supply"), ("from Paris to Rome", "from Rome to Paris"), ("B♭", "B")],
    *[("Ann paid Bob", "Ann was paid by Bob"), ("Nokia was sued by Apple.", "Nokia sued Apple")],
    *[("chocolate milk", "a milk chocolate"), ("police state", "State police.")],
    *[("Germany invaded Poland.", "Poland invaded Germany"), ("Oslo", "Oslo ❌"), ("東京", "京都"), ("서울", "부산")],
    *[("C++", "C#"), ("Na+", "Na"), ("O+", "O-"), ("f'(x)", "f(x)"), ("5''", "5'"), ("P(X > 2)", "P(X < 2)")],
    *[("P(A|B)", "P(B|A)"), ("C(5, 2)", "C(2, 5)"), ("O(n)", "O(n^2)"), (r"\neg p", "p"), ("B) Rome", "B) Bern")],
    *[("If it rains, the game is off.", "If the game is off, it rains."), ("G. (A.) Lee", "G. (B.) Kay")],
    *[("Paris", "the mayor of Paris"), ("Rome", "Rome or Oslo"), ("C", "C or D"), ("2018", "2018 or 2019")],
    *[("6", "the six wives of Henry VIII"), ("John Marie Lee", "John Lee"), ("x", r"\boxed{x} or \boxed{y}")],
    *[("mW", "MW"), ("5 Mb", "5 MB"), ("Co", "CO"), ("(red, blue)", "(blue, red)"), ("(a; b)", "(b; a)")],
    *[("-12%", "rose by 12%"), ("-3.2%", "3.2% increase"), ("-5 million", "an increase of 5 million")],
]


REPLACED = [
    *[("Leeds United", "Leeds City"), ("carbon dioxide", "carbon monoxide"), ("HMS Beagle", "USS Beagle")],
    *[("solar eclipse", "lunar eclipse"), ("the plaintiff", "the defendant"), ("It raises costs.", "It lowers costs")],
    *[("the left atrium", "the right atrium"), ("Prices increased", "Prices decreased"), ("hot", "cold")],
    ("The law of 1990 raises the costs of all firms", "The law of 1990 lowers the costs of all firms"),
]
REPLACED += [
    ("She was born in Kraków.", "She was born in Warsaw."),
    ("The patient takes it before meals.", "The patient takes it after meals."),
    ("Vitamin C prevents scurvy in most cases.", "Vitamin D prevents scurvy in most cases."),
    ("The eldest is faster than Ann.", "The eldest is slower than Ann."),
    *[("Never", "Always"), ("Nobody was hurt.", "Somebody was hurt.")],
]
NOT_REPLACED = [
    *[("LA Lakers", "Los Angeles Lakers"), ("St. Louis", "Saint Louis"), ("World War II", "Second World War")],
    *[("J. Smith", "John Smith"), ("Mt. Everest", "Mount Everest"), ("nitrogen gas", "nitrogen"), ("a dog", "dogs")],
    *[("A is larger than B", "B is smaller than A"), ("A man is eating food.", "A man is eating something.")],
    ("gene aa" + "acgt" * 50, "gene tt" + "acgt" * 50),  # a long word
]


def test_there_is_one_class_of_relations() -> None:
    assert Relation is comparison.Relation
    assert set(get_args(Relations)) == {"equal", "near", "different", "none"}


@every(("gold", "pred"), EQUAL)
def test_the_same_answer_in_another_form_is_equal(gold: str, pred: str) -> None:
    assert relate(gold, pred).relation == "equal", relate(gold, pred)
    assert relate(gold, read(pred)) == relate(read(gold), pred)


@every(("gold", "pred", "rule"), NEAR)
def test_what_is_rounded_or_less_precise_is_near(gold: str, pred: str, rule: str) -> None:
    result = relate(gold, pred)
    assert (result.relation, result.rule) == ("near", rule), result


@every(("gold", "pred"), DIFFERENT)
def test_another_value_symbol_letter_or_order_is_different(gold: str, pred: str) -> None:
    assert relate(gold, pred).relation == "different", relate(gold, pred)


@every(("gold", "pred"), NONE)
def test_what_no_rule_knows_has_no_relation(gold: str, pred: str) -> None:
    assert relate(gold, pred).relation == "none", relate(gold, pred)


@every(
    "pred", ["Answer: Rome. No, sorry: Oslo.", "Rome. Actually, I meant Oslo.", "Rome is large. The answer is Oslo."]
)
def test_a_text_that_names_the_gold_answer_and_answers_another_one_is_left_open(pred: str) -> None:
    assert (relate("Rome", pred).relation, relate("Rome", pred).rule) == ("none", "alternatives")


@every(("one", "other"), REPLACED)
def test_phrases_that_differ_in_a_word_are_left_open(one: str, other: str) -> None:
    for gold, pred in ((one, other), (other, one)):
        assert (relate(gold, pred).relation, relate(gold, pred).rule) == ("none", "substitution"), (gold, pred)


@every(("one", "other"), NOT_REPLACED)
def test_other_forms_and_statements_are_no_replacement(one: str, other: str) -> None:
    assert relate(one, other).rule != "substitution"


def test_a_list_that_only_lacks_items_is_incomplete() -> None:
    assert relate("red, white and blue", "red and blue").rule == "incomplete"
    assert relate("ant, bee and cow", "ant, elk and cow").rule == "substitution"


@every("text", [pair[i] for pair in (*EQUAL, *DIFFERENT, *NONE) for i in (0, 1)])
def test_each_text_is_equal_to_itself(text: str) -> None:
    assert relate(text, text).relation == "equal"


@every(
    ("gold", "pred", "question", "relation"),
    [
        ("$1577.00", "$1,577 million", "What is the amount of it (in USD millions)?", "near"),
        ("$1577.00", "$1,577 million", "", "different"),
        ("Ann and Bob", "Bob and Ann", "Who are the parents?", "equal"),
        ("ant; bee; cow", "cow, ant and bee", "Name the animals in order.", "different"),
        ("0.417", "41.7", "What percentage is it?", "different"),
        ("41.7 %", "41.7", "What percentage is it?", "near"),
    ],
)
def test_the_question_decides(gold: str, pred: str, question: str, relation: str) -> None:
    assert relate(gold, pred, question).relation == relation


@pytest.mark.parametrize(("pred", "rule"), [("Rome or Oslo", "alternatives"), (r"\boxed{x} \boxed{y}", "several")])
def test_several_answers_are_named_as_the_reason(pred: str, rule: str) -> None:
    assert relate("x" if rule == "several" else "Rome", pred).rule == rule


def test_options_are_chosen_by_letters_or_by_text() -> None:
    options = ["Rome", "Oslo", "Bern"]
    assert relate("B", "The answer is Oslo.", choices=options).relation == "equal"
    assert relate("B", "A", choices=options).relation == "different"
    assert relate("AC", "A and C", choices=options).relation == "equal"


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        (
            "Only the children in the first row were given apples.",
            "The children in the first row were only given apples.",
        ),
        ("You should never ask the boss what to do.", "The boss should never ask you what to do."),
        ("He did not tell her that she was sure.", "She did not tell him that he was sure."),
        ("I do not see why the answer is no.", "I see why the answer is not no."),
        ("Unknown soldiers told the source nothing.", "The source told unknown soldiers nothing."),
    ],
)
def test_two_sentences_are_not_equal_as_refusals(gold: str, pred: str) -> None:
    assert relate(gold, pred).relation != "equal"
    assert relate(pred, gold).relation != "equal"


@pytest.mark.parametrize(
    ("gold", "pred", "question"),
    [
        ("The prize was given to the author of the poem.", "The author of the poem was given the prize.", ""),
        ("He did not know the way.", "He didn't know the way.", "Why did he get lost?"),
        ("It was not specified in the contract.", "The contract did not specify it.", "Why did they sue?"),
        ("He does not know how to swim.", "He doesn't know how to swim.", ""),
    ],
)
def test_an_answer_with_most_words_of_the_gold_answer_is_no_refusal(gold: str, pred: str, question: str) -> None:
    relation = relate(gold, pred, question)
    assert relation.relation != "different"
    assert relation.rule != "no answer"


def test_two_refusals_are_equal() -> None:
    for gold in ("I don't know", "unanswerable", "No answer", ""):
        assert relate(gold, "The text does not say who built it.").relation == "equal"
    assert relate("Rome", "The text does not say who built it.").relation == "different"
    assert relate("Paul Newman", "I cannot say whether it was Paul Newman.").relation == "none"


def test_the_shipped_opposites_are_those_of_wordnet() -> None:
    source = Path("/usr/share/wordnet")
    if not (source / "data.adj").is_file():
        pytest.skip("no dictionary files of WordNet: apt-get install wordnet-base")
    found = wordnet.by_word(read_dictionary(source))
    lines = [f"{word}\t{' '.join(sorted(others))}\n" for word, others in sorted(found.items())]
    assert wordnet.OPPOSITES.read_text(encoding="utf-8") == "".join(("word\topposites\n", *lines))


def test_the_shipped_initials_are_those_of_wordnet_and_of_judged_answers(data_home: Path) -> None:
    source = Path("/usr/share/wordnet")
    if not (source / "data.noun").is_file():
        pytest.skip("no dictionary files of WordNet: apt-get install wordnet-base")
    listed = wordnet.INITIALS.read_text(encoding="utf-8").splitlines()[1:]
    table = wordnet.initialisms(source, data_home)
    assert listed == [f"{short},{'|'.join(names)}".replace('"', "") for short, names in table.items()]


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
OTHER_ANSWERS = [
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


@every(
    ("lang", "gold", "pred", "expected"), [(*case, True) for case in SAME] + [(*case, False) for case in OTHER_ANSWERS]
)
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
