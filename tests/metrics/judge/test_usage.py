"""Receipts: they add up, and prices are checked."""

import json

import pytest

from answersim.metrics.judge.replies import Reply
from answersim.metrics.judge.usage import Cost, JudgeUsage, Prices, Tokens, UsageTotal, collected, read_prices

TABLE = {"currency": "EUR", "m-1": {"input": 2, "output": 10}}


def test_usages_add_up():
    one = JudgeUsage(1, 2, 2, 3, 0, {"yes": 1}, {"m": 2}, Tokens(10, 1), Cost(0.5, 0.5, 0, "USD"), 1, 1)
    both = one + JudgeUsage(verdicts={"no": 1, "yes": 2}, models={"n": 1}, unparsed=1)
    assert both.verdicts == {"yes": 3, "no": 1}
    assert both.models == {"m": 2, "n": 1}
    assert (both.pairs, both.unparsed, both.cost.currency) == (1, 1, "USD")
    assert (one + one).tokens == Tokens(20, 2)
    assert (one + one).cost == Cost(1.0, 1.0, 0, "USD")
    assert one + JudgeUsage() == one


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
    [
        ({"m": 2}, "the price of 'm' is 2"),
        ({"m": {"input": 1}}, "but a price table has the form"),
        ({"m": {"input": -1, "output": 1}}, "a price must be 0 or more"),
        ({"m": {"input": "1", "output": 1}}, "must be a number"),
        ([], "but a price table has the form"),
    ],
)
def test_what_is_no_price_is_refused(table, message):
    with pytest.raises((ValueError, TypeError), match=message):
        read_prices(table)


def test_a_file_that_is_no_json_is_refused(tmp_path):
    path = tmp_path / "prices.json"
    path.write_text("m 2 10", encoding="utf-8")
    with pytest.raises(ValueError, match="is not JSON"):
        read_prices(path)
