"""Tokens of a formula -> its structure: expressions as trees, brackets with their items, equations and inequalities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from answersim.typed.math.field import Image, Node, image
from answersim.typed.math.notation import (
    FUNCTIONS,
    GREEK,
    NAMES,
    RELATIONS,
    UNIT_WORDS,
    Notation,
    Token,
)

_DEEPEST = 40  # nested brackets, powers and fractions
_MOST_ITEMS = 64
_SEPARATORS = frozenset(("or", "and", ",", ";"))
_CLOSING = {"(": ")]", "[": ")]", r"\{": (r"\}",), "{": "}", r"\langle": (r"\rangle",)}
_TIMES = ("*", r"\cdot", r"\times", r"\ast")
_DIVIDED = ("/", r"\div")
_LOOSE = ("f", "g", "h")  # f(x) is hardly a product
_MULTIPLIERS = ("hundred", "thousand", "million", "billion", "trillion", "dozen", "score", "pair", "half", "base")
_END = Token("end", "")
MINUS_ONE: Node = ("n", Fraction(-1))


class UnreadableError(Exception):
    """The text is not written in the notation that this module reads."""


@dataclass(frozen=True)
class Scalar:
    """One value: an expression, and its unit.

    Attributes:
        node: The expression.
        unit: The unit as it is written, in lower case unless it is a symbol; "" if there is none.
        step: The unit of the last decimal of a decimal number; None if the value is written otherwise.
    """

    node: Node
    unit: str = ""
    step: Fraction | None = None

    @cached_property
    def image(self) -> Image | None:
        """The value at the points of the field; None if it has none."""
        return image(self.node)


@dataclass(frozen=True)
class Group:
    """Several values.

    Attributes:
        form: "()", "[]", "(]" or "[)": in these brackets. "set", "list" (without brackets), "union" (of intervals),
            "vector" (in angle brackets) or "matrix" (a group of rows, which are groups).
        items: The values, in the order of the text.
    """

    form: str
    items: tuple[Part, ...]


@dataclass(frozen=True)
class Labeled:
    """A value with a name: x = 5, AB = 5, f(x) = x^2, x in [0, 1]."""

    label: str
    value: Scalar | Group


@dataclass(frozen=True)
class Relation:
    """A chain of expressions with the relations between them: x + y = 3, 1 < x <= 2."""

    signs: tuple[str, ...]
    sides: tuple[Node, ...]


Part: TypeAlias = "Scalar | Group | Labeled | Relation"


def structures(text: Notation) -> tuple[Part, ...]:
    """Return what a formula may mean. Most have one meaning; 1/2x is x/2 or 1/(2x), and 10,100 one number or two.

    Raises:
        UnreadableError: If the formula uses other notation, or is nested too deeply.
    """
    found: list[Part] = []
    for grouped in (True, False) if text.grouped else (True,):
        parser = Parser(text.tokens if grouped else tuple(_split(text.tokens)))
        found.append(parser.answer())
        if parser.ambiguous:
            found.append(Parser(parser.tokens, tight=True).answer())
    return tuple(dict.fromkeys(found))


def _split(tokens: tuple[Token, ...]) -> Iterator[Token]:
    for token in tokens:
        pieces = token.text.split(",") if token.kind == "n" else [token.text]
        for i, piece in enumerate(pieces):
            if i:
                yield Token("o", ",")
            yield Token(token.kind, piece, token.spaced)


class Parser:
    """A recursive-descent parser of one formula."""

    def __init__(self, tokens: tuple[Token, ...], tight: bool = False) -> None:
        self.tokens = tokens
        self.tight = tight  # whether 1/2x is 1/(2x)
        self.ambiguous = False
        self.i = self.depth = self.bars = 0
        self.sign = ""  # of \pm, if the expression contains one: "+" or "-"
        self.plus_minus = False

    def answer(self) -> Part:
        """Return the whole text as one value, or as a list."""
        parts = [self._part()]
        separated = False
        while self._separator():
            separated = True
            if self._next().kind == "end":
                break
            parts.append(self._part())
            if len(parts) > _MOST_ITEMS:
                raise UnreadableError("too many items")
        if self._next().kind != "end":
            raise UnreadableError(f"{self._next().text!r} is not expected")
        return Group("list", tuple(parts)) if separated and len(parts) > 1 else parts[0]

    def _next(self, ahead: int = 0) -> Token:
        at = self.i + ahead
        return self.tokens[at] if at < len(self.tokens) else _END

    def _take(self, *texts: str) -> bool:
        token = self._next()
        if token.kind in ("o", "c") and token.text in texts:
            self.i += 1
            return True
        return False

    def _expect(self, *texts: str) -> None:
        if not self._take(*texts):
            raise UnreadableError(f"{self._next().text!r} is not expected")

    def _enter(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnreadableError("it is nested too deeply")

    def _separator(self) -> bool:
        found = False
        while True:
            token = self._next()
            content = token.text.strip(" ,").lower() or "," if token.kind in "tw" else token.text
            if token.kind == "n" or token.kind == "end" or content not in _SEPARATORS:
                return found
            found = True
            self.i += 1

    def _part(self) -> Part:
        """Read one item: a labeled value, a relation, a union of groups, or a value with its unit."""
        label = self._label()
        if label:
            value = self._part()
            if isinstance(value, (Labeled, Relation)):
                raise UnreadableError("two relations")
            return Labeled(label, value)
        first = self._value()
        if self._next().text == r"\cup" and isinstance(first, Group):
            items = [first]
            while self._take(r"\cup"):
                item = self._value()
                if not isinstance(item, Group):
                    raise UnreadableError("a union of other things than sets")
                items.append(item)
            return Group("union", tuple(items))
        if self._next().text not in RELATIONS:
            return first
        if isinstance(first, Group) and first.form == "()" and self._take("="):
            value = self._value()
            names = [item.node[1] for item in first.items if isinstance(item, Scalar) and item.node[0] == "v"]
            if len(names) != len(first.items) or not isinstance(value, Group):
                raise UnreadableError("an equation of brackets")
            return Labeled(",".join(names), value)
        signs, sides = [], [_bare(first)]
        while self._next().text in RELATIONS and self._next().kind in "oc":
            sign = RELATIONS[self._next().text]
            self.i += 1
            if sign in "<>" and self._take("="):
                sign += "="
            signs.append(sign)
            sides.append(_bare(self._value()))
        return Relation(tuple(signs), tuple(sides))

    def _label(self) -> str:
        """Read a name before "=" or "in": x, x_1, AB, \\angle ABC, f(x), \\text{area}; "" if there is none."""
        start, name = self.i, []
        for token in self.tokens[start : start + 12]:
            if token.text in ("=", r"\in") and name:
                self.i = start + len(name) + 1
                return "".join(name)
            letters = token.kind in "wt" and not token.text[:1].isdigit() and token.text not in NAMES
            greek = token.kind == "c" and token.text[1:] in (*GREEK, "angle", "triangle", "overline", "vec")
            inner = bool(name) and (token.text in ("_", "{", "}", "(", ")", "'") or "_" in name)
            if not (letters or greek or inner) or token.text in ("+", "-", "*", "/", "^"):
                break
            name.append(token.text)
        return ""

    def _value(self) -> Scalar | Group:
        """Read an expression with its unit, or a group. What contains \\pm is a list of two."""
        start, outer = self.i, (self.plus_minus, self.sign)
        self.plus_minus, self.sign = False, "+"
        found = self._measured()
        if self.plus_minus:
            self.i, self.sign = start, "-"
            found = Group("list", (found, self._measured()))
        self.plus_minus, self.sign = outer
        return found

    def _measured(self) -> Scalar | Group:
        negative = self._next().text == "-" and self._next(1).text in ("$", r"\$")
        self.i += negative
        money = self._take("$", r"\$")
        start = self.i
        value = self._expression()
        end = self.i
        unit = "$" if money else self._unit()
        if isinstance(value, Group):
            if unit or negative:
                raise UnreadableError("a unit of several values")
            return value
        if negative:
            value = _times(MINUS_ONE, value)
        return Scalar(value, unit, _step(self.tokens[start:end]))

    def _unit(self) -> str:
        """Read the unit after a value: %, degrees, \\text{ cm}^2, square feet, an index that states a base."""
        words: list[str] = []
        while (token := self._next()).kind != "end" and len(words) < 8:
            low = token.text.lower()
            if low.strip(" ,") in _SEPARATORS or (token.kind == "t" and not low):
                break
            known = token.kind == "t" or (token.kind == "w" and (bool(words) or low in UNIT_WORDS))
            if not (known or low in ("%", r"\%", "°", "_") or (words and low in ("/", "^", "2", "3", "{", "}"))):
                break
            if token.kind in "tw" and any(word in low.split() for word in _MULTIPLIERS):
                raise UnreadableError("a number in words")
            if token.text == "_":
                words.append(f"base {self._index()}")
                continue
            self.i += 1
            words.append({r"\%": "%", "percent": "%", "{": "", "}": ""}.get(low, token.text))
        return " ".join(" ".join(words).split()).replace(" ^ ", "^").replace(" / ", "/")

    def _index(self) -> str:
        self._expect("_")
        if self._take("{"):
            name = ""
            while not self._take("}"):
                if self._next().kind == "end" or self._next().text in ("{", "_"):
                    raise UnreadableError("an index is not closed")
                name += self._next().text
                self.i += 1
            return name
        self.i += 1
        return self.tokens[self.i - 1].text if self.i <= len(self.tokens) else ""

    def _expression(self) -> Node | Group:
        """Read terms with + and - between them."""
        self._enter()
        parts, sign = [], self._sign()
        value = self._term()
        if sign is None and self._next().text not in ("+", "-", r"\pm", r"\mp"):
            self.depth -= 1
            return value
        parts.append(_times(MINUS_ONE, _node(value)) if sign == "-" else _node(value))
        while self._next().kind in "oc" and (sign := self._sign()):
            value = _node(self._term())
            parts.append(_times(MINUS_ONE, value) if sign == "-" else value)
        self.depth -= 1
        return ("+", tuple(parts)) if len(parts) > 1 else parts[0]

    def _sign(self) -> str | None:
        token = self._next()
        if token.kind not in "oc" or token.text not in ("+", "-", r"\pm", r"\mp"):
            return None
        self.i += 1
        if token.text in "+-":
            return token.text
        self.plus_minus = True
        return self.sign if token.text == r"\pm" else "-+"[self.sign == "-"]

    def _term(self) -> Node | Group:
        """Read factors with signs of multiplication and division between them, or without."""
        value = self._factor()
        while True:
            token = self._next()
            if token.text in _TIMES and token.kind in "oc":
                self.i += 1
                value = _times(_node(value), _node(self._signed_factor()))
            elif token.text in _DIVIDED and token.kind in "oc":
                self.i += 1
                below = _node(self._signed_factor())
                while self._starts_factor():
                    self.ambiguous = True
                    if not self.tight:
                        break
                    below = _times(below, _node(self._factor()))
                value = ("/", _node(value), below)
            elif self._starts_factor():
                value = _times(_node(value), _node(self._factor()))
            else:
                return value

    def _starts_factor(self) -> bool:
        """Return whether the next token can be multiplied without a sign."""
        token = self._next()
        if token.kind == "w":
            return not self._is_unit() and token.text not in _SEPARATORS
        if token.kind == "c":
            name = token.text[1:]
            return name in ("frac", "sqrt", "pi", "binom", "lvert", "overline") or name in FUNCTIONS or name in GREEK
        return token.text == "(" or token.text == "{" or (token.text == "|" and not self.bars)

    def _is_unit(self) -> bool:
        """Return whether the next word begins a unit: a known one after a number, at the end of the value."""
        return self._next().text.lower() in UNIT_WORDS and self.tokens[self.i - 1].text not in ("/", "*", "^")

    def _signed_factor(self) -> Node | Group:
        sign = self._sign()
        value = self._factor()
        return _times(MINUS_ONE, _node(value)) if sign == "-" else value

    def _factor(self) -> Node | Group:
        value = self._primary()
        while True:
            if self._take("!"):
                value = ("f", "!", _node(value))
            elif self._take("^"):
                self._enter()
                value = ("^", _node(value), self._exponent())
                self.depth -= 1
            else:
                return value

    def _exponent(self) -> Node:
        if self._take("-"):
            return _times(MINUS_ONE, self._exponent())
        token = self._next()
        if token.kind == "w" and len(token.text) > 1 and token.text not in NAMES:
            return ("v", self._first_of(token))
        value = _node(self._primary())
        if self._take("^"):
            self._enter()
            value = ("^", value, self._exponent())
            self.depth -= 1
        return value

    def _first_of(self, token: Token) -> str:
        """Take the first character of a token and leave the rest."""
        rest = Token(token.kind, token.text[1:])
        self.tokens = (*self.tokens[: self.i], Token(token.kind, token.text[0]), rest, *self.tokens[self.i + 1 :])
        self.i += 1
        return token.text[0]

    def _primary(self) -> Node | Group:
        token = self._next()
        if token.kind == "n":
            return self._number()
        if token.kind == "w":
            return self._word()
        if token.kind == "c" and token.text not in _CLOSING:
            return self._command()
        if self._take("|"):
            return self._absolute("|")
        if token.text in _CLOSING:
            return self._brackets()
        raise UnreadableError(f"{token.text!r} is not expected" if token.text else "it ends too early")

    def _number(self) -> Node:
        """Read a number, and a proper fraction after it: 2\\frac12, 2 1/2."""
        token = self._next()
        self.i += 1
        value, after = _fraction(token.text), self._next()
        if after.text == r"\frac" and value.denominator == 1 and "." not in token.text:
            part = self._command()
            if part[1][0] == part[2][0] == "n":
                if not 0 < part[1][1] < part[2][1]:
                    raise UnreadableError("a number before an improper fraction")
                return ("n", value + part[1][1] / part[2][1])
            return _times(("n", value), part)
        if after.kind == "n":
            below = self._next(2)
            if not (self._next(1).text == "/" and below.kind == "n" and after.text.isdigit() and below.text.isdigit()):
                raise UnreadableError("two numbers without a sign between them")
            if not (token.text.isdigit() and 0 < int(after.text) < int(below.text)):
                raise UnreadableError("two numbers without a sign between them")
            self.i += 3
            return ("n", value + Fraction(int(after.text), int(below.text)))
        return ("n", value)

    def _word(self) -> Node | Group:
        token = self._next()
        self.i += 1
        word = token.text
        if word in FUNCTIONS or word in ("sqrt", "abs"):
            return self._function(word)
        if len(word) > 2 or (len(word) == 2 and word.isupper()) or word in _SEPARATORS:
            raise UnreadableError(f"the word {word!r}")
        if self._next().text == "(" and (word in _LOOSE or word.isupper()):
            raise UnreadableError("a function without a definition")
        name = word[-1]
        if self._next().text == "_":
            name += f"_{self._index()}"
        return ("v", name) if len(word) == 1 else _times(("v", word[0]), ("v", name))

    def _command(self) -> Node:
        token = self._next()
        self.i += 1
        name = token.text[1:]
        if name == "frac":
            return ("/", self._argument(), self._argument())
        if name == "sqrt":
            return self._root()
        if name in ("binom", "dbinom", "tbinom"):
            return _binomial(self._argument(), self._argument())
        if name in ("lvert", "vert"):
            return self._absolute(r"\rvert", r"\vert")  # type: ignore[return-value]
        if name in FUNCTIONS:
            return self._function(name)
        if name == "begin":
            return self._matrix()  # type: ignore[return-value]
        if name == "mathbb" and self._take("{") and self._next().text == "R":
            self.i += 1
            self._expect("}")
            ends = (Scalar(_times(MINUS_ONE, ("v", r"\infty"))), Scalar(("v", r"\infty")))
            return Group("()", ends)  # type: ignore[return-value]
        if name in ("emptyset", "varnothing"):
            return Group("set", ())  # type: ignore[return-value]
        if name in ("pi", "infty") or name in GREEK:
            suffix = f"_{self._index()}" if self._next().text == "_" else ""
            return ("v", token.text + suffix)
        raise UnreadableError(f"the command {token.text}")

    def _argument(self) -> Node:
        """Read an argument of a command: a group in braces, or one digit, letter or command."""
        token = self._next()
        self._enter()
        try:
            if self._take("{"):
                value = _node(self._expression())
                self._expect("}")
                return value
            if token.kind in "nw" and len(token.text) > 1:
                if token.kind == "n" and not (token.text.isdigit() and len(token.text) == 2):
                    raise UnreadableError("an argument without braces")
                first = self._first_of(token)
                return ("n", Fraction(int(first))) if token.kind == "n" else ("v", first)
            return _node(self._primary())
        finally:
            self.depth -= 1

    def _root(self) -> Node:
        index = Fraction(2)
        if self._take("["):
            if not self._next().text.isdigit() or self._next(1).text != "]" or int(self._next().text) < 2:
                raise UnreadableError("a root of another index")
            index = Fraction(int(self._next().text))
            self.i += 2
        if self._next().kind == "n" and len(self._next().text) > 1:
            raise UnreadableError("a root without braces")
        return ("^", self._argument(), ("n", 1 / index))

    def _function(self, name: str) -> Node:
        if name == "sqrt":
            value = _node(self._primary()) if self._next().kind in "no" and self._next().text != "|" else None
            if value is None:
                raise UnreadableError("a root of no number")
            return ("^", value, ("n", Fraction(1, 2)))
        base: Node | None = None
        if self._next().text == "_" and name == "log":
            self._expect("_")
            base = self._argument()
        power = self._exponent() if self._take("^") else None
        if power is not None and power == MINUS_ONE:
            name = f"arc{name}"
            power = None
        self._enter()
        value = _node(self._factor())
        while self.tokens[self.i - 1].text not in (")", "}") and self._starts_factor():
            if self._next().text.strip("\\") in FUNCTIONS or self._next().text == "(":
                break
            value = _times(value, _node(self._factor()))
        self.depth -= 1
        if base is not None:
            return ("/", ("f", "ln", value), ("f", "ln", base))
        return ("f", name, value) if power is None else ("^", ("f", name, value), power)

    def _absolute(self, *closing: str) -> Node:
        self.bars += 1
        value = _node(self._expression())
        self._expect(*closing)
        self.bars -= 1
        return ("f", "abs", value)

    def _brackets(self) -> Node | Group:
        """Read what is in brackets: an expression in parentheses, or a group of items."""
        self._enter()
        opening = self._next().text
        self.i += 1
        closing, outer = _CLOSING[opening], self.bars
        self.bars = 0
        items: list[Part] = []
        while not self._take(*closing):
            if items:
                self._expect(",", ";")
            item = self._value() if opening in (r"\{", "{") else self._measured()
            items.extend(item.items if isinstance(item, Group) and item.form == "list" else (item,))
            if len(items) > _MOST_ITEMS:
                raise UnreadableError("too many items")
        self.depth -= 1
        self.bars = outer
        pair = opening + self.tokens[self.i - 1].text
        if len(items) == 1 and pair in ("()", "{}") and isinstance(items[0], Scalar) and not items[0].unit:
            return items[0].node
        if pair == "{}" and (len(items) == 1 and isinstance(items[0], Group)):
            return items[0]
        if not items and pair != r"\{\}":
            raise UnreadableError("empty brackets")
        if pair in ("(]", "[)") and len(items) != 2:
            raise UnreadableError("brackets that do not match")
        if pair == "[]" and all(isinstance(item, Group) and item.form == "[]" for item in items):
            return Group("matrix", tuple(items))
        form = {r"\{\}": "set", "{}": "set", r"\langle\rangle": "vector"}.get(pair, pair)
        return Group(form, tuple(items))

    def _matrix(self) -> Group:
        name = ""
        self._expect("{")
        while not self._take("}"):
            name += self._next().text
            self.i += 1
            if self._next().kind == "end":
                raise UnreadableError("a matrix is not closed")
        if name not in ("pmatrix", "bmatrix", "matrix", "array"):
            raise UnreadableError(f"the environment {name}")
        rows: list[list[Part]] = [[]]
        while True:
            if self._take(r"\end"):
                break
            rows[-1].append(self._value())
            if self._take(r"\\"):
                rows.append([])
            elif not self._take("&") and self._next().text != r"\end":
                raise UnreadableError("a matrix of other notation")
            if len(rows) * max(len(rows[0]), 1) > _MOST_ITEMS:
                raise UnreadableError("too many items")
        while self._next().kind != "end" and not self._take("}"):
            self.i += 1
        rows = [row for row in rows if row]
        if not rows or len({len(row) for row in rows}) > 1:
            raise UnreadableError("rows of different lengths")
        return Group("matrix", tuple(Group("[]", tuple(row)) for row in rows))


def _fraction(text: str) -> Fraction:
    mantissa, _, power = text.replace(",", "").lower().partition("e")
    if len(mantissa) > 200 or len(power) > 4:
        raise UnreadableError("a number has too many digits")
    return Fraction(mantissa) * Fraction(10) ** int(power or 0)


def _step(tokens: tuple[Token, ...]) -> Fraction | None:
    """Return the unit of the last decimal, if the value is a decimal number, also times a power of ten."""
    if tokens and tokens[0].text in "+-":
        tokens = tokens[1:]
    if not tokens or tokens[0].kind != "n" or "." not in tokens[0].text:
        return None
    mantissa, _, power = tokens[0].text.lower().partition("e")
    step = Fraction(1, 10 ** len(mantissa.partition(".")[2])) * Fraction(10) ** int(power or 0)
    rest = "".join(token.text for token in tokens[1:]).replace("{", "").replace("}", "")
    for sign in (*_TIMES, ""):
        head, number = rest[: len(sign) + 3], rest[len(sign) + 3 :]
        if sign and head == f"{sign}10^" and number.lstrip("-").isdigit() and len(number) < 5:
            return step * Fraction(10) ** int(number)
    return None if rest else step


def _node(value: Node | Group) -> Node:
    if isinstance(value, Group):
        raise UnreadableError("arithmetic with several values")
    return value


def _bare(value: Scalar | Group) -> Node:
    if isinstance(value, Group) or value.unit:
        raise UnreadableError("a relation of several values, or of units")
    return value.node


def _times(one: Node, other: Any) -> Node:
    return ("*", one, _node(other))


def _binomial(n: Node, k: Node) -> Node:
    if n[0] != "n" or k[0] != "n" or not 0 <= k[1] <= n[1] <= 500 or n[1].denominator * k[1].denominator > 1:
        raise UnreadableError("a binomial coefficient of other numbers")
    from math import comb

    return ("n", Fraction(comb(int(n[1]), int(k[1]))))
