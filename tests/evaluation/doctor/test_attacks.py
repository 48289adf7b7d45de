"""The patterns of wrong answers."""

from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.evaluation.doctor.attacks import BLIND_SPOTS, CHEATS, MOST, PATTERNS, attackable, attacks
from tests.cases import every

PAIR = MinimalPair("en", "number", "en-number-1", "dev", "How many?", "eleven", "11", "12")
OTHERS = [PAIR._replace(family=f"en-x-{i}", gold=gold, different=f"no {gold}") for i, gold in enumerate("abcde")]
KIND = "amount in another unit"
WITHOUT = ("repeats the question", "repeats the question, wrong")


WORDINGS = [(name, i) for name, wordings in PATTERNS.items() for i in range(len(wordings))]


def test_the_patterns_have_different_answers():
    result = attacks([PAIR, *OTHERS])
    answers = {attack.pattern: attack.pred for attack in result if attack.gold == PAIR.gold or not attack.question}
    assert list(answers) == list(PATTERNS)
    assert len(answers) >= 30
    # with five other gold answers, a list of everything is a list of ten
    assert len(set(answers.values())) == len(answers) - 1


@every(("name", "i"), WORDINGS)
def test_each_wording_is_an_answer_that_is_not_right(name, i):
    gold, answer = attacks([PAIR, *OTHERS], {name: PATTERNS[name][i : i + 1]})[0][2:]
    assert (gold == PAIR.gold) == (name not in ("roles swapped", "amount in another unit"))
    assert answer != gold
    assert answer not in (PAIR.gold, PAIR.same)
    assert (PAIR.gold in answer) or name not in CHEATS
    assert "{" not in answer.replace('{"verdict"', "")


def test_cheats_have_several_wordings_that_take_turns():
    assert len(CHEATS) >= 15
    for name, wordings in CHEATS.items():
        answers = [wording(PAIR, list("abcdefghijklmno")) for wording in wordings]
        assert len(set(answers)) == len(answers) >= 6, name
    results = [attack.pred for attack in attacks([PAIR] * 3) if attack.pattern == "denied in front"]
    assert results == ["not eleven", "False: eleven", "anyone except eleven"]


def test_a_list_of_everything_has_as_many_answers_as_there_are():
    many = [PAIR._replace(gold=f"a{i}") for i in range(200)]
    assert attacks(many, {"all": PATTERNS["list of everything"][:1]})[0].pred.count(", ") == MOST


def test_no_attack_is_the_gold_answer_or_the_rewrite():
    assert not [attack for attack in attacks([PAIR, *OTHERS]) if attack.pred in (attack.gold, PAIR.same)]


def test_attacks_keep_their_question_and_gold_answer():
    assert {(attack.question, attack.gold) for attack in attacks([PAIR], CHEATS)} == {("How many?", "eleven")}


def test_a_reversal_has_its_own_gold_answer_and_no_question():
    swapped, unit = attacks([PAIR, *OTHERS], {name: BLIND_SPOTS[name] for name in ("roles swapped", KIND)})[::6]
    assert swapped == ("roles swapped", "", "eleven defeated a", "a defeated eleven")
    number = unit.gold.split()[0]
    assert unit == (KIND, "", f"{number} km", f"{number} miles")


def test_every_option_holds_the_gold_answer_the_close_miss_and_others():
    (answer,) = [attack.pred for attack in attacks([PAIR, *OTHERS]) if attack.pattern == "every option"][:1]
    assert answer == "a, b, 12, eleven, c, d"


def test_others_of_the_same_kind_come_first():
    pairs = [PAIR, OTHERS[0]._replace(kind="date"), *OTHERS[1:]]
    assert next(a.pred for a in attacks(pairs) if a.pattern == "every option") == "b, c, 12, eleven, d, e"


@every(("gold", "word"), [("eleven", "number"), ("March 4, 1865", "date"), ("North Korea", "name")])
def test_a_refusal_names_the_type_of_the_gold_answer(gold, word):
    answers = [a.pred for a in attacks([PAIR._replace(gold=gold)]) if a.pattern == "refuses, with the type"]
    assert answers == [f"I cannot tell which {word} is meant here."]


def test_a_family_without_a_question_has_no_attack_that_repeats_it():
    result = {attack.pattern for attack in attacks([PAIR._replace(question=""), *OTHERS]) if not attack.question}
    assert set(PATTERNS) - result == set(WITHOUT)


def test_attacked_families_are_spread_and_not_empty():
    silent = PAIR._replace(gold="I don't know")
    assert attackable([PAIR, silent, PAIR, PAIR, PAIR, PAIR], 2) == [0, 3]
    assert attackable([PAIR] * 3, 0) == []
    assert attackable([PAIR._replace(question="")], 5) == [0]
