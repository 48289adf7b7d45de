"""The options of a judge: each mistake is an error before any work."""

from importlib.util import find_spec

import pytest

import answersim
from answersim.metrics.catalog import lookup
from answersim.metrics.judge.metric import Judge
from tests.metrics.judge.fake_server import running

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
    [
        ({"base_url": URL}, "base_url is given without a model"),
        ({"base_url": "http://a:b@host", "model": "m"}, "contains credentials"),
        ({"base_url": 5, "model": "m"}, "base_url is 5"),
        ({"base_url": URL, "model": "a|b"}, "has no '\\|'"),
        ({"base_url": URL, "model": ""}, "the name of a model"),
        ({"base_url": URL, "model": "a,"}, "the name of a model"),
        ({"base_url": URL, "model": "a\nb"}, "the name of a model"),
        ({"base_url": URL, "model": "m", "prompt": "nope"}, "no prompt is called 'nope'"),
        ({"base_url": URL, "model": "m", "repeats": 0}, "repeats is 0"),
        ({"base_url": URL, "model": "m", "reduce": "avg"}, "no reducer is called 'avg'"),
        ({"base_url": URL, "model": "m,m"}, "the models of a panel differ"),
        ({"base_url": URL, "model": "m", "unparsed": "wrong"}, "unparsed is 'wrong'"),
        ({"base_url": URL, "model": "m", "unparsed": 2}, "unparsed is 2"),
        ({"base_url": URL, "model": "m", "parameters": "no"}, "is not JSON"),
        ({"base_url": URL, "model": "m", "parameters": [1]}, "it must be a mapping"),
        ({"base_url": URL, "model": "m", "parameters": {"model": "n"}}, "which a judge sets itself"),
        ({"base_url": URL, "model": "m", "parameters": {"a": float("nan")}}, "cannot represent"),
        ({"base_url": URL, "model": "m,n", "returned": "n"}, "the models of a panel return different names"),
        ({"base_url": URL, "model": "m", "transport": {"concurrency": 0}}, "concurrency is 0"),
        ({"base_url": URL, "model": "m", "transport": "rate=0"}, "rate is 0"),
        ({"base_url": URL, "model": "m", "transport": "timeout=5,rate"}, "it must be NAME=VALUE"),
        ({"base_url": URL, "model": "m", "transport": {"timeout": -1}}, "timeout is -1"),
        ({"base_url": URL, "model": "m", "transport": {"timeouts": 5}}, "did you mean 'timeout'"),
        ({"base_url": URL, "model": "m", "transport": 5}, "transport is 5"),
        ({"base_url": URL, "model": "m", "timeout": 5}, "has no option 'timeout'"),
        ({"base_url": URL, "model": "m", "profile": "paper"}, "judge has no profile"),
        ({"base_url": URL, "model": "m", "nope": 1}, "has no option 'nope'"),
        ({"replay": True}, "there is no record to replay"),
        ({"replay": "yes", "record": "r"}, "replay is 'yes'"),
        ({"replay": True, "record": "gone.jsonl", "model": "m"}, "gone.jsonl"),
        ({"verdicts": "v.csv", "model": "m"}, "model is given, but verdicts= replays a table"),
        ({"verdicts": "gone.csv"}, "gone.csv"),
        ({"verdicts": 5}, "verdicts is 5"),
        ({"verdicts": {"pred": "p"}}, "verdicts is None"),
    ],
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
def test_the_parameters_are_sent():
    with running() as server:
        answersim.metric("judge", base_url=server.url, model="m", parameters={"max_tokens": 5})([("a", "b")])  # type: ignore[list-item]
        body = server.events("asked")[0]["body"]
    assert sorted(body) == ["max_tokens", "messages", "model", "response_format"]
    assert server.events("asked")[0]["path"] == "/v1/chat/completions"


@needs_httpx
@pytest.mark.parametrize("end", ["", "/"])
def test_the_address_is_used_as_it_is(end):
    with running() as server:
        root = server.url.removesuffix("/v1")
        assert answersim.score("a", "a", "judge", base_url=f"{root}{end}", model="m") == 1.0
        assert answersim.score("a", "a", "judge", base_url=f"{root}/v1{end}", model="m") == 1.0
        assert [event["path"] for event in server.events("asked")] == ["/chat/completions", "/v1/chat/completions"]


@needs_httpx
def test_a_replay_without_a_model_takes_the_only_one(tmp_path):
    record = tmp_path / "r.jsonl"
    with running() as server:
        answersim.score("a", "a", "judge", base_url=server.url, model="m", record=record)
        assert answersim.score("a", "a", "judge", record=record, replay=True) == 1.0
        answersim.score("a", "a", "judge", base_url=server.url, model="n", record=record)
    with pytest.raises(ValueError, match="has replies to m, n; name the model"):
        answersim.metric("judge", record=record, replay=True)


@needs_httpx
def test_a_prompt_file_that_changes_changes_the_metric(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("{gold} {pred}?", encoding="utf-8")
    one = answersim.metric("judge", base_url=URL, model="m", prompt=str(path))
    path.write_text("{gold} = {pred}?", encoding="utf-8")
    other = answersim.metric("judge", base_url=URL, model="m", prompt=str(path))
    assert one.signature != other.signature
    with pytest.raises(ValueError, match="judge reads no question"):
        answersim.score("a", "b", one, question="who?")
