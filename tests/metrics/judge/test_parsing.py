"""Parsing: the last verdict that was offered, or none. No reply becomes a verdict that it does not state."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.judge.parsing import offered, parse, stated
from answersim.metrics.judge.prompts import REGISTRY, Prompt, find_prompt
from tests.cases import every

EQUIVALENT, GRADES, NUGGETS = REGISTRY["equivalent"], REGISTRY["grades"], REGISTRY["nuggets"]

READ = [
    ('{"verdict": "yes"}', "yes"),
    ('{"verdict": "NO"}', "no"),
    ('```json\n{"verdict": "no"}\n```', "no"),
    ('{"reason": "the same city", "verdict": "yes"}', "yes"),
    ("yes", "yes"),
    (" Yes. ", "yes"),
    ("**No**", "no"),
    ("Verdict: yes", "yes"),
    ("**Verdict:** yes", "yes"),
    ('The "verdict" is "no".', "no"),
    ("My final answer is: no", "no"),
    ("First I thought no. Verdict: yes", "yes"),
    ("I would say no at first. On reflection: yes", "yes"),
    ("No, wait. It is the same person, so yes.", "yes"),
    ("Yes, the candidate is correct. There is no doubt.", "yes"),
    ("<think>The verdict is no</think>Yes.", "yes"),
    ("The verdict is no\n</think>\nYes.", "yes"),
    ("<thinking>no</thinking>\n**Yes**", "yes"),
    ("No. The candidate says: yes.", "no"),
    ("Gold: yes\nCandidate: no\nVerdict: no", "no"),
    ('{"verdict": "no", "verdict": "no"}', "no"),
]
UNREAD = [
    "",
    "   ",
    "maybe",
    "Y",
    "yesterday",
    "Yes and no.",
    "Yes or no?",
    "Answer yes or no.",
    "I must answer 'yes' or 'no'.",
    "No doubt it is the same.",
    "No-one knows.",
    "I cannot say yes.",
    "Verdict: maybe",
    "Verdict: yes. Verdict: maybe",
    "Yes\nExplanation: they differ, no.",
    "The answer is Paris.",
    '{"verdict": "maybe"}',
    '{"verdict": true}',
    '{"verdict": null}',
    '{"verdict": ["yes"]}',
    '{"verdict": "yes"} {"verdict": "unknown"}',
    '{"answer": "yes and no"}',
    "<think>I doubt it",
    "<think>Verdict: yes",
    'First {"verdict": "no"}, then {"verdict": "yes"}',
    '{"verdict": "no", "verdict": "yes"}',
    '{"verdict": "yes", "confidence": NaN}',
    '{"verdict": "yes", "scores": [1, -Infinity]}',
    '{"verdict": "yes"}\nVerdict: no',
    '**No**\n\n{"verdict": "yes"}',
    "Verdict: yes. On second thought, verdict: no.",
    "Yes.\n\nNo.",
    "The known answer is yes.",
    "The candidate says: yes.",
    "incorrect: yes",
    "The dates agree.\n**Not equivalent**: yes",
]


@every(("reply", "verdict"), READ)
def test_the_last_verdict_is_read(reply, verdict):
    assert parse(reply, EQUIVALENT).verdict == verdict


@every("reply", UNREAD)
def test_what_was_not_offered_is_no_verdict(reply):
    outcome = parse(reply, EQUIVALENT)
    assert (outcome.verdict, outcome.score) == ("", None)
    assert outcome.reason


@every(
    ("reply", "verdict"),
    [
        ("Grade: not attempted", "not attempted"),
        ("NOT_ATTEMPTED", "not attempted"),
        ("Incorrect.", "incorrect"),
        ("The grade is incorrect.", "incorrect"),
        ("Correct. It is not incorrect.", "correct"),
        ('{"verdict": "not-attempted"}', "not attempted"),
        ("The candidate is correct.", ""),
        ("A", ""),
    ],
)
def test_a_grade_is_read_as_a_whole(reply, verdict):
    assert parse(reply, GRADES).verdict == verdict


@pytest.mark.parametrize(
    ("facts", "score"),
    [
        ([{"fact": "a", "verdict": "yes"}, {"fact": "b", "verdict": "no"}], 0.5),
        ([{"fact": "a", "verdict": "Yes"}], 1.0),
        ([], None),
        ([{"fact": "a"}], None),
        ([{"fact": "a", "verdict": "yes"}, {"fact": "b", "verdict": "partly"}], None),
        (["yes"], None),
        ("yes", None),
    ],
)
def test_nuggets_are_a_list_of_facts_with_offered_verdicts(facts, score):
    assert parse(json.dumps({"nuggets": facts}), NUGGETS).score == score


def test_nuggets_without_a_list_are_unparsed():
    assert parse("Yes.", NUGGETS).score is None


def test_prose_that_was_broken_off_has_no_last_verdict():
    assert parse("Yes. But then", EQUIVALENT, complete=False).score is None
    assert parse('{"verdict": "no"}', EQUIVALENT, complete=False).score == 0.0


def test_a_very_long_reply_is_refused_quickly():
    assert "characters" in parse("yes " * 60_000, EQUIVALENT).reason
    assert parse("{" * 20_000, EQUIVALENT).score is None
    assert parse('{"a":' * 5_000, EQUIVALENT).score is None


@given(st.text(max_size=80))
def test_any_text_gives_an_offered_verdict_or_a_reason(reply):
    outcome = parse(reply, EQUIVALENT)
    assert (outcome.score is None) == bool(outcome.reason)
    if outcome.score is not None:
        assert outcome.verdict in reply.casefold()


def test_text_of_random_words_without_an_offered_word_has_no_verdict():
    rng = random.Random(0)
    words = "the verdict is : answer so therefore {} perhaps not nothing yesterday know note . , ! or".split()
    for _ in range(2000):
        assert parse(" ".join(rng.choices(words, k=12)), EQUIVALENT).score is None


def test_labels_with_special_characters_are_words():
    scores = {"A": 1.0, "B": 0.0}
    assert stated("Grade: B", scores).verdict == "B"
    assert stated("Grade: C", scores).score is None
    assert offered("a", scores).verdict == "A"
    assert offered(1, scores).score is None


RANKING = Prompt("order", "{question} {golds}", verdicts=(), form="ranking")


@pytest.mark.parametrize(
    ("reply", "order", "reason"),
    [
        ('{"ranking": [3, 1, 2]}', "3 > 1 > 2", ""),
        ('<think>[1] > [2]</think> {"ranking": [2]}', "2 > 1 > 3", ""),  # those that it leaves out follow
        ("The order is [2] > [3] > [1].", "2 > 3 > 1", ""),
        ("[2] > [3]\n[2] > [3]", "2 > 3 > 1", ""),
        ("[2] > [3] and then [3] > [2]", "", "two rankings that differ"),
        ('{"ranking": [1, 1, 2]}', "", "lists a candidate twice"),
        ('{"ranking": [0, 1]}', "", "numbers from 1 to 3"),
        ('{"ranking": [true, 2]}', "", "numbers from 1 to 3"),
        ('{"ranking": "2 > 1"}', "", "numbers from 1 to 3"),
        ('{"ranking": []}', "", "numbers from 1 to 3"),
        ("<think>[1] > [2]", "", "ends inside its reasoning"),
        ("All are good.", "", "contains no ranking"),
    ],
)
def test_a_ranking_is_read_or_unparsed_with_a_reason(reply: str, order: str, reason: str) -> None:
    outcome = parse(reply, RANKING, "", ["a", "b", "c", "who?"])
    assert (outcome.verdict, outcome.score) == (order, 1.0 if order else None)
    assert reason in outcome.reason
    truncated = parse("[1] > [2]", RANKING, "", ["a", "b", "c", "who?"], complete=False)
    assert truncated.score is None


def test_no_file_has_a_ranking(tmp_path):
    (tmp_path / "p.txt").write_text("form: ranking\n---\n{gold} {pred}")
    with pytest.raises(LookupError, match=r"no form of a reply .* is called 'ranking'"):
        find_prompt(tmp_path / "p.txt")
