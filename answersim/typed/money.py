"""Amounts of money: $5 million, 5 Mio. Euro, EUR 3.50. The same amount in another currency differs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

from answersim.typed.comparison import Relation, different, near, no_opinion
from answersim.typed.number import Number, compare_values, plain, scan_number
from answersim.typed.quantity import measured_step
from answersim.typed.tokens import Tokens, tokens

kind = "money"
_SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₩": "KRW", "₪": "ILS", "฿": "THB"}
_WORDS = {
    "usd": "USD", "dollar": "USD", "dollars": "USD", "eur": "EUR", "euro": "EUR", "euros": "EUR", "gbp": "GBP",
    "pound sterling": "GBP", "pounds sterling": "GBP", "pounds": "GBP", "pound": "GBP", "pfund": "GBP",
    "jpy": "JPY", "yen": "JPY",
    "chf": "CHF", "swiss franc": "CHF", "swiss francs": "CHF", "franken": "CHF", "inr": "INR", "rupee": "INR",
    "rupees": "INR", "rupien": "INR", "rub": "RUB", "rubles": "RUB", "roubles": "RUB", "rubel": "RUB", "cny": "CNY",
    "yuan": "CNY", "renminbi": "CNY", "krw": "KRW", "cad": "CAD", "aud": "AUD", "us dollars": "USD",
    "us dollar": "USD", "us-dollar": "USD", "american dollars": "USD", "canadian dollars": "CAD",
    "australian dollars": "AUD", "deutsche mark": "DEM", "deutschmarks": "DEM", "d-mark": "DEM", "mark": "DEM",
    "francs": "franc", "franc": "franc", "pesos": "peso", "peso": "peso", "kronen": "krone", "kroner": "krone",
    "kronor": "krona", "shekels": "ILS", "baht": "THB", "lira": "lira", "lire": "lira",
}  # fmt: skip
_CENTS = {"cent": "USD", "cents": "USD", "pence": "GBP", "penny": "GBP", "pennies": "GBP"}
_COINS = {"USD", "EUR", "CAD", "AUD", "HKD", "GBP"}  # currencies with cents or pennies
# One sign or word of these currencies: $ is the sign of US dollars and of pesos, a franc may be a Swiss one.
_SHARED = [{"USD", "CAD", "AUD", "HKD", "peso"}, {"JPY", "CNY"}, {"CHF", "franc"}, {"krone", "krona"}, {"GBP", "lira"}]
_NO_PLURALS = ("euro", "yen", "yuan", "renminbi", "baht", "rand", "franken", "rubel", "kronen")
_PREFIXES = {("us", "$"): "USD", ("a", "$"): "AUD", ("c", "$"): "CAD", ("hk", "$"): "HKD"}
_NAMES = {tokens(name).low: code for name, code in _WORDS.items()}
MONEY_WORDS = frozenset(name[0] for name in _NAMES) | frozenset(_CENTS)
_SINGULAR = frozenset(
    word for word in (*_CENTS, *(name[0] for name in _NAMES if len(name) == 1)) if not word.endswith("s")
) - frozenset(_NO_PLURALS)


@dataclass(frozen=True)
class Money:
    """An amount of money."""

    number: Number  # the number
    currency: str  # its ISO 4217 code or its common name
    # whether it is written in cents, so that the currency may be another one
    coins: bool = field(default=False, compare=False)

    kind: ClassVar[str] = kind

    def __str__(self) -> str:
        return f"{self.number} {self.currency}"


def scan_money(tokens: Tokens, i: int, lang: str) -> tuple[Money, int] | None:
    """Read an amount of money that begins at token i: the currency before or after the number."""
    low, n = tokens.low, len(tokens.low)
    before = _SYMBOLS.get(low[i]), i + 1
    if low[i : i + 2] in _PREFIXES:
        before = _PREFIXES[low[i], low[i + 1]], i + 2
    elif len(low[i]) == 3 and tokens.text[i].isupper() and low[i] in _WORDS:
        before = _WORDS[low[i]], i + 1
    if before[0]:
        number = scan_number(tokens, before[1], lang) if before[1] < n else None
        if number is None:
            return None
        value, end = number
        if value.scale == 1 and end < n and tokens.text[end] == "m" and tokens.glued[end]:  # £5m
            million = Fraction(10**6)
            value, end = replace(value, value=value.value * million, step=value.step * million, scale=million), end + 1
        if end < n and _WORDS.get(low[end]) == before[0]:
            end += 1
        return Money(replace(value, bare=False), before[0]), end
    return _with_name(tokens, i, lang)


def _with_name(tokens: Tokens, i: int, lang: str) -> tuple[Money, int] | None:
    """Read an amount with the currency after the number: "5 dollars", "50 cents", "a dollar and fifty cents"."""
    low, n = tokens.low, len(tokens.low)
    number = scan_number(tokens, i, lang)
    if number is None and low[i] in ("a", "an", "ein", "einen") and i + 1 < n and (code := _WORDS.get(low[i + 1])):
        return _and_cents(tokens, i + 2, lang, Money(Number(Fraction(1)), code))
    if number is None or number[0].ordinal or number[1] >= n:
        return None
    value, end = replace(number[0], bare=False), number[1]
    end += low[end] == "." and end + 1 < n and low[end - 1] in ("mio", "mrd")
    if low[end] in _SYMBOLS:
        return Money(value, _SYMBOLS[low[end]]), end + 1
    english = lang == "en" or low[end] in ("pound", "penny")
    if english and low[end] in _SINGULAR and tokens.text[end].istitle() and value.value != 1:
        return None  # 50 Cent
    if low[end] in _CENTS:
        code = "EUR" if lang == "de" else _CENTS[low[end]]
        in_units = replace(value, value=value.value / 100, step=value.step / 100, digits="")
        return Money(in_units, code, coins=low[end] != "pence"), end + 1
    for length in (3, 2, 1):
        if end + length <= n and low[end : end + length] in _NAMES:
            money, end = Money(value, _NAMES[low[end : end + length]]), end + length
            return _and_cents(tokens, end, lang, money) or (money, end)
    return None


def _and_cents(tokens: Tokens, i: int, lang: str, money: Money) -> tuple[Money, int] | None:
    """Read "and fifty cents" after a whole amount, and return the sum; None for anything else."""
    i += tokens.low[i : i + 1] in (("and",), ("und",))
    cents = scan_number(tokens, i, lang) if i < len(tokens.low) else None
    if cents is None or money.number.value.denominator > 1 or not 0 < cents[0].value < 100:
        return None
    if cents[1] >= len(tokens.low) or tokens.low[cents[1]] not in _CENTS:
        return None
    value = money.number.value + cents[0].value / 100
    return Money(Number(value, Fraction(1, 100)), money.currency), cents[1] + 1


def compare_money(gold: Money, pred: Money) -> Relation:
    """Compare two amounts of money.

    The same amount in another currency is different. Another amount may be the same value at some rate of exchange.

    >>> compare_money(Money(Number(5), "USD"), Money(Number(5), "EUR")).relation
    'different'
    """
    currencies = {gold.currency, pred.currency}
    if len(currencies) > 1:
        shared = any(currencies <= family for family in _SHARED)
        shared = shared or ((gold.coins or pred.coins) and currencies <= _COINS)
        if gold.number.value == pred.number.value and not shared:
            return different(f"{pred} is not {gold}", kind)
        return no_opinion(f"{gold.currency} and {pred.currency} have no fixed rate of exchange", kind)
    steps = (measured_step(gold.number), measured_step(pred.number))
    return compare_values(gold.number, pred.number, steps, (str(gold), str(pred)), kind)


def compare_with_number(money: Money, number: Number) -> Relation:
    """Compare an amount of money with a number: the same number is near, another one is different."""
    if number.noun:
        return no_opinion(f"{number} is not an amount of money", kind)
    if number.value in (money.number.value * 100, money.number.value / 100):
        return no_opinion(f"{number} may be {money} in coins", kind)
    if money.number.value == number.value:
        return near(f"both are {plain(number.value)}, and one does not state the currency {money.currency}", kind)
    if compare_values(money.number, number, (money.number.step, number.step), ("", ""), kind).relation != "different":
        return no_opinion(f"{number} is near {money}", kind)
    return different(f"{number} is not {money}", kind)
