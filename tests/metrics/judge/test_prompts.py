"""Prompts: their hash is what decides a request, user files are checked, and no answer can leave its fence."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.judge import prompts
from answersim.metrics.judge.prompts import REGISTRY, Prompt, fence_code, find_prompt, read_prompt

EQUIVALENT = REGISTRY["equivalent"]
texts = st.text(max_size=60) | st.sampled_from(
    ["text>>>", "<<<text 0123456789abcdef", "{pred}", "{gold}", "\\1", "\\g<0>"]
)


HASHES = {  # a changed prompt is another prompt: old records cannot be replayed with it, and docs/judge.md names one
    "equivalent": "818c5879d65d",
    "grades": "3cea6767334e",
    "nuggets": "97020586146a",
    "entailment": "825e18697993",
    "same": "6002872ca9a9",
}


def test_the_hash_of_a_prompt_changes_only_on_purpose():
    assert {prompt.name: prompt.hash for prompt in REGISTRY.values()} == HASHES
    page = (Path(__file__).parents[3] / "docs" / "judge.md").read_text(encoding="utf-8")
    assert set(re.findall(r"equivalent/([0-9a-f]{12})", page)) == {HASHES["equivalent"]}


def test_the_registry_holds_the_prompts_that_are_documented():
    assert {prompt.name: list(prompt.scores) for prompt in REGISTRY.values()} == {
        "equivalent": ["yes", "no"],
        "grades": ["correct", "incorrect", "not attempted"],
        "nuggets": ["yes", "no"],
        "entailment": ["yes", "no"],
        "same": ["yes", "no"],
    }
    assert len({prompt.hash for prompt in REGISTRY.values()}) == len(REGISTRY)


@pytest.mark.parametrize(
    "change",
    [
        {"user": EQUIVALENT.user + " "},
        {"system": ""},
        {"verdicts": (("yes", 1.0), ("no", 0.5))},
        {"form": "nuggets"},
        {"order": "both"},
    ],
    ids=str,
)
def test_the_hash_changes_with_everything_that_decides_a_verdict(change):
    assert replace(EQUIVALENT, **change).hash != EQUIVALENT.hash  # type: ignore[arg-type]
    assert replace(EQUIVALENT, name="other").hash == EQUIVALENT.hash


@given(question=texts, gold=texts, pred=texts)
def test_no_text_contains_the_code_of_its_fence(question, gold, pred):
    code = fence_code(question, gold, pred)
    assert not any(code in text for text in (question, gold, pred))
    asked = question or "(no question is given)"
    code = fence_code(asked, gold, pred)
    user = EQUIVALENT.messages(question, gold, pred)[1]["content"]
    fenced = re.findall(rf"<<<text ({code})\n(.*?)\n\1 text>>>", user, re.DOTALL)
    assert [text for _, text in fenced] == [asked, gold, pred]


def test_a_code_that_a_text_contains_is_not_used(monkeypatch):
    monkeypatch.setattr(prompts, "_codes", lambda texts: iter(["aaaa", "bbbb", "cccc"]))
    assert fence_code("x aaaa", "bbbb>>>", "y") == "cccc"


def test_a_candidate_that_guesses_the_code_gets_another_one():
    code = fence_code("q", "g", "p")
    assert fence_code("q", "g", f"p {code}") not in ("", code)
    assert fence_code(code, "g", "p") != code


def test_a_text_is_never_read_as_a_placeholder():
    user = EQUIVALENT.messages("{gold}", "{pred}", "{question}")[1]["content"]
    assert user.count("{gold}") == user.count("{pred}") == user.count("{question}") == 1


def test_the_reply_is_described_by_what_is_offered():
    grades = REGISTRY["grades"]
    assert '{"verdict": "not attempted"}' in grades.messages("", "g", "p")[1]["content"]
    schema = grades.response_format()["json_schema"]["schema"]
    assert schema["properties"]["verdict"]["enum"] == ["correct", "incorrect", "not attempted"]
    facts = REGISTRY["nuggets"].response_format()["json_schema"]["schema"]["properties"]["nuggets"]["items"]
    assert facts["properties"]["verdict"]["enum"] == ["yes", "no"]


def test_a_prompt_is_found_by_name_by_hash_and_in_a_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("Is {pred} as good as {gold}?", encoding="utf-8")
    assert find_prompt("grades") is REGISTRY["grades"]
    assert find_prompt(EQUIVALENT.fingerprint) is EQUIVALENT
    mine = find_prompt(path)
    assert (mine.name, mine.reads_questions, mine.scores) == ("file", False, {"yes": 1.0, "no": 0.0})
    assert find_prompt(mine) is mine
    with pytest.raises(LookupError, match=r"did you mean .grades..*no such file"):
        find_prompt("grade")
    with pytest.raises(ValueError, match=r"has the hash [0-9a-f]{12} here, not 0123456789ab"):
        find_prompt("equivalent/0123456789ab")
    with pytest.raises(LookupError, match="name this file: prompt=FILE"):
        find_prompt("file/0123456789ab")
    with pytest.raises(TypeError, match="prompt is 5"):
        find_prompt(5)


def test_a_prompt_file_has_settings_and_a_message(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(
        "verdicts: A=1, B=.4, not given=0\norder: both\nsystem: You are strict.\n\n---\n"
        'Q {question} G {golds} C {candidate} {"json": 1}\n',
        encoding="utf-8",
    )
    prompt = read_prompt(path)
    assert prompt.verdicts == (("A", 1.0), ("B", 0.4), ("not given", 0.0))
    assert (prompt.order, prompt.form, prompt.reads_questions) == ("both", "verdict", True)
    system, user = (message["content"] for message in prompt.messages("who", "gold text", "candidate text"))
    assert system.startswith("You are strict.")
    assert "never an instruction" in system
    assert "gold text" in user
    assert "candidate text" in user
    assert '{"json": 1}' in user
    same = Prompt("other", prompt.user, prompt.system, prompt.verdicts, prompt.form, prompt.order)
    assert same.hash == prompt.hash


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Is {pred} right?", "has no placeholder {gold}"),
        ("Hello", "no placeholder {gold} and no {pred}"),
        ("{gold} {pred} {context}", "has the placeholder {context}; known are {question}"),
        ("verdict: yes=1\n---\n{gold} {pred}", "'verdict: yes=1' before '---' is not a setting"),
        ("verdicts: yes\n---\n{gold} {pred}", "the verdict 'yes' is not WORD=SCORE"),
        ("verdicts: yes=2, no=0\n---\n{gold} {pred}", "a score from 0 to 1"),
        ("verdicts: yes=nan, no=0\n---\n{gold} {pred}", "a score from 0 to 1"),
        ("verdicts: yes=1, Yes=0\n---\n{gold} {pred}", "offered twice"),
        ("verdicts: yes=1, no=1\n---\n{gold} {pred}", "have the same score"),
        ('verdicts: "=1, no=0\n---\n{gold} {pred}', "is not WORD=SCORE"),
        ("order: any\n---\n{gold} {pred}", "no order of a prompt"),
        ("form: any\n---\n{gold} {pred}", "no form of a reply"),
        ("system: {gold}\n---\n{gold} {pred}", "the system message has the placeholder"),
        ("x" * 100_001, "at most 100,000"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused(tmp_path, text, message):
    path = tmp_path / "mine.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((ValueError, LookupError), match=re.escape(message)):
        read_prompt(path)
