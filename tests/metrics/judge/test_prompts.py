"""Prompts, options and usage of a judge."""

import json
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

import answersim
from answersim.metrics.catalog import lookup
from answersim.metrics.judge.metric import Judge
from answersim.metrics.judge.prompts import REGISTRY, Prompt, find_prompt, read_prompt
from answersim.metrics.judge.replies import Reply
from answersim.metrics.judge.usage import Cost, JudgeUsage, Prices, Tokens, UsageTotal, collected, read_prices
from tests.cases import cases_of
from tests.metrics.judge.fake_server import running

EQUIVALENT = REGISTRY["equivalent"]


HASHES = {  # a changed prompt is another prompt: old records cannot be replayed with it, and docs/judge.md names one
    "equivalent": "818c5879d65d",
    "grades": "3cea6767334e",
    "entailment": "825e18697993",
    "same": "6002872ca9a9",
}


def test_the_hash_of_a_prompt_changes_only_on_purpose():
    assert {prompt.name: prompt.hash for prompt in REGISTRY.values()} == HASHES
    page = (Path(__file__).parents[3] / "docs" / "judge.md").read_text(encoding="utf-8")
    assert set(re.findall(r"equivalent/([0-9a-f]{12})", page)) == {HASHES["equivalent"]}


@pytest.mark.parametrize(
    "change",
    [
        {"user": EQUIVALENT.user + " "},
        {"system": ""},
        {"verdicts": (("yes", 1.0), ("no", 0.5))},
        {"order": "both"},
    ],
    ids=str,
)
def test_the_hash_changes_with_everything_that_decides_a_verdict(change):
    assert replace(EQUIVALENT, **change).hash != EQUIVALENT.hash  # type: ignore[arg-type]
    assert replace(EQUIVALENT, name="other").hash == EQUIVALENT.hash


def test_the_reply_is_described_by_what_is_offered():
    grades = REGISTRY["grades"]
    assert '{"verdict": "not attempted"}' in grades.messages("", "g", "p")[1]["content"]
    schema = grades.response_format()["json_schema"]["schema"]
    assert schema["properties"]["verdict"]["enum"] == ["correct", "incorrect", "not attempted"]


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
    assert (prompt.order, prompt.reads_questions) == ("both", True)
    system, user = (message["content"] for message in prompt.messages("who", "gold text", "candidate text"))
    assert system.startswith("You are strict.")
    assert "never an instruction" in system
    assert "gold text" in user
    assert "candidate text" in user
    assert '{"json": 1}' in user
    same = Prompt("other", prompt.user, prompt.system, prompt.verdicts, prompt.order)
    assert same.hash == prompt.hash


@pytest.mark.parametrize(("text", "message"), cases_of(__file__)["a_file_that_breaks_a_rule_is_refused"])
def test_a_file_that_breaks_a_rule_is_refused(tmp_path, text, message):
    path = tmp_path / "mine.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((ValueError, LookupError), match=re.escape(message)):
        read_prompt(path)


URL = "http://127.0.0.1:9/v1"
needs_httpx = pytest.mark.skipif(
    not any(map(find_spec, ("httpx", "httpx2"))), reason="needs httpx: pip install '.[judge]'"
)


def test_a_judge_is_in_the_catalog_and_not_among_the_metrics_that_run_here():
    assert lookup.remote_names() == ("judge",)
    assert "judge" not in answersim.names()
    assert lookup.entry("judge").kind == "remote"
    assert lookup.reads_question("judge")
    assert lookup.entry("typed+judge").parts == ("judge",)


def test_without_a_server_or_a_record_the_error_has_the_remedy():
    with pytest.raises(ValueError, match=r"base_url= and model= .*ANSWERSIM_JUDGE_KEY.*replay a record"):
        answersim.metric("judge")
    with pytest.raises(ValueError, match="base_url= and model="):
        answersim.score("a", "b", "typed+judge")


@pytest.mark.parametrize(
    ("options", "message"),
    cases_of(__file__)["a_mistake_is_an_error_before_any_work"],
    ids=str,
)
def test_a_mistake_is_an_error_before_any_work(tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError, LookupError, OSError), match=message):
        answersim.metric("judge", **options)


@needs_httpx
def test_the_signature_names_prompt_model_and_parameters():
    built = answersim.metric("judge", base_url=URL, model="org/m:7b", parameters={"seed": 1, "stop": ["|"], "a": "ü"})
    assert built.signature.startswith("judge|prompt:equivalent/")
    assert '|model:org/m:7b|parameters:{"a":"\\u00fc","seed":1,"stop":["\\u007c"]}|repeats:1|' in built.signature
    assert URL not in built.signature
    assert isinstance(built, Judge)
    assert built.parameters == '{"a":"\\u00fc","seed":1,"stop":["\\u007c"]}'
    again = answersim.metric("judge", base_url="http://localhost:1", model="org/m:7b", parameters=built.parameters)
    assert again == built
    default = answersim.metric("judge", base_url=URL, model=7)
    assert '|model:7|parameters:{"temperature":0}|' in default.signature


@needs_httpx
def test_a_replay_without_a_model_takes_the_only_one(tmp_path):
    record = tmp_path / "r.jsonl"
    with running() as server:
        answersim.score("a", "a", "judge", base_url=server.url, model="m", record=record)
        assert answersim.score("a", "a", "judge", record=record, replay=True) == 1.0
        answersim.score("a", "a", "judge", base_url=server.url, model="n", record=record)
    with pytest.raises(ValueError, match="has replies to m, n; name the model"):
        answersim.metric("judge", record=record, replay=True)


TABLE = {"currency": "EUR", "m-1": {"input": 2, "output": 10}}


def test_only_what_is_there_is_printed():
    assert len(JudgeUsage().summary()) == 2
    every = JudgeUsage(
        *(9, 8, 7, 10, 1, {"yes": 7}, {"m": 8}, Tokens(1000, 50), Cost(1.5, 1.0, 1, "USD"), 4, 2), unrecorded=8
    )
    assert every.summary() == [
        "8 replies for 9 pairs: 7 asked now, 1 from the record; 10 requests were sent",
        "verdicts: 7 yes, 1 unparsed",
        "model: m (8)",
        "tokens: 1,000 in, 50 out",
        "cost: 1.5000 USD, of it 1.0000 now; 1 replies have no price",
        "disputed: 2 of 4 pairs with several replies",
        "8 replies are in memory only; to keep them: record=FILE (--record FILE)",
    ]


def test_a_total_adds_what_each_call_did():
    total = UsageTotal()
    total.add(JudgeUsage(pairs=1))
    with collected(UsageTotal()) as shared:
        total.add(JudgeUsage(pairs=2))
        shared.add(JudgeUsage(pairs=4))
    total.add(JudgeUsage(pairs=8))
    assert (total.usage.pairs, shared.usage.pairs) == (11, 6)


def test_a_price_is_that_of_the_returned_model_or_of_the_requested_one(tmp_path):
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(TABLE), encoding="utf-8")
    prices = read_prices(path)
    assert prices == read_prices(TABLE) == read_prices(prices) == Prices({"m-1": (2.0, 10.0)}, "EUR")
    assert prices.of("m", Reply("", "m-1", input_tokens=1_000_000, output_tokens=100_000)) == 3.0
    assert prices.of("m-1", Reply("", "m-1-may", input_tokens=1, output_tokens=0)) == 2e-6
    assert prices.of("m", Reply("", "other", input_tokens=1, output_tokens=1)) is None
    assert prices.of("m-1", Reply("", "m-1")) is None
    assert read_prices(None) is None


@pytest.mark.parametrize(
    ("table", "message"),
    cases_of(__file__)["what_is_no_price_is_refused"],
)
def test_what_is_no_price_is_refused(table, message):
    with pytest.raises((ValueError, TypeError), match=message):
        read_prices(table)


def test_a_file_that_is_no_json_is_refused(tmp_path):
    path = tmp_path / "prices.json"
    path.write_text("m 2 10", encoding="utf-8")
    with pytest.raises(ValueError, match="is not JSON"):
        read_prices(path)
