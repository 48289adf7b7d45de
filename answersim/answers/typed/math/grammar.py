"""Tokens of a formula -> its structure: expressions as trees, brackets with their items, equations and inequalities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import TypeAlias

from answersim.answers.text.patterns import Patterns
from answersim.answers.typed.math.notation import FUNCTIONS, GREEK, SHORT_WORDS, UNIT_WORDS, Notation, Token, split
from answersim.answers.typed.math.values import LARGEST_FACTORIAL, MINUS_ONE, Node, is_constant, same

_P = Patterns("formula")
_DEEPEST = 24  # nested brackets, powers and fractions
_MOST_FACTORS = 150
_SEPARATORS = frozenset(("or", "and", ",", ";"))
_NO_NAMES = FUNCTIONS | _SEPARATORS | {"sqrt", "abs"}
_NO_PRODUCTS = UNIT_WORDS | SHORT_WORDS
_STYLES = frozenset(("mathbf", "mathrm", "mathit", "boldsymbol"))
_LABELS = GREEK | {"angle", "triangle", "overline", "vec"}
_CLOSING = {"(": ")]", "[": ")]", r"\{": (r"\}",), "{": "}", r"\langle": (r"\rangle",)}
_FORMS = {r"\{\}": "set", "{}": "set", r"\langle\rangle": "vector"}
_SIGNS = ("+", "-", r"\pm", r"\mp")
_RELATIONS = ("=", "<", ">", "≤", "≥", "≠", "≈")
_MULTIPLIERS = frozenset("hundred thousand million billion trillion dozen score pair half".split())


class UnreadableError(Exception):
    """The text is not written in the notation that this module reads."""


@dataclass(frozen=True)
class Scalar:
    """One value: an expression, and its unit."""

    node: Node  # the expression
    unit: str = ""  # the unit as it is written; "" if there is none. "_2" states that the digits have the base 2.
    # the unit of the last decimal of a decimal number; None if the value is written otherwise
    step: Fraction | None = None


@dataclass(frozen=True)
class Group:
    """Several values."""

    # "()", "[]", "(]" or "[)": in these brackets. "set", "list" (without brackets), "union" (of intervals), "vector"
    # (in angle brackets) or "matrix" (a group of rows, which are groups).
    form: str
    items: tuple[Part, ...]  # the values, in the order of the text


@dataclass(frozen=True)
class Labeled:
    """A value with a name: x = 5, AB = 5, f(x) = x^2, x in [0, 1]."""

    label: str
    value: Scalar | Group


@dataclass(frozen=True)
class Statement:
    """A chain of expressions with the relations between them: x + y = 3, 1 < x <= 2."""

    signs: tuple[str, ...]
    sides: tuple[Node, ...]
    # the unit of the last decimal of each side, as of ``Scalar``
    steps: tuple[Fraction | None, ...] = field(default=(), compare=False)

    @cached_property
    def results(self) -> tuple[Scalar, ...]:
        """The values that a chain of equations computes: 293 of m + n = 256 + 37 = 293; () for other relations.

        What follows a sign of approximation is the same value, rounded. 0 is the side of an equation, and no result.
        """
        last = self.signs.index("≈") if "≈" in self.signs else len(self.signs)
        is_equation = {*self.signs[:last]} <= {"="} and {*self.signs[last:]} <= {"≈"}
        if not is_equation or len(self.steps) < len(self.sides):
            return ()
        constant = [is_constant(side) for side in self.sides]
        if not all(constant) and (self.sides[last] == ("n", 0) or (any(constant) and not constant[last])):
            return ()
        return tuple(Scalar(side, "", step) for side, step in zip(self.sides[last:], self.steps[last:], strict=True))

    @cached_property
    def holds(self) -> bool:
        """Whether all sides of a chain that have no variable are the value that it computes."""
        last = self.signs.index("≈") if "≈" in self.signs else len(self.signs)
        constants = [side for side in self.sides[: last + 1] if is_constant(side)]
        return all(same(side, constants[0]) is True for side in constants[1:])


Part: TypeAlias = "Scalar | Group | Labeled | Statement"


def structures(text: Notation) -> tuple[Part, ...]:
    """Return what a formula may mean. Most have one meaning; 1/2x is x/2 or 1/(2x), and 10,100 one number or two.

    Raise UnreadableError if the formula uses other notation, or is nested too deeply.
    """
    meanings: list[Part] = []
    for tokens in (text.tokens, split(text.tokens))[: 1 + text.grouped]:
        parser = Parser(tokens)
        meanings.append(parser.answer())
        if parser.ambiguous:
            meanings.append(Parser(tokens, tight=True).answer())
    return tuple(meanings)


class Parser:
    """A recursive-descent parser of one formula."""

    def __init__(self, tokens: Sequence[Token], tight: bool = False) -> None:
        self.tokens = list(tokens)
        self.tight = tight  # whether 1/2x is 1/(2x)
        self.ambiguous = False
        self.i = self.depth = self.bars = self.factors = 0
        self.sign, self.plus_minus = "+", False  # what \pm is read as, and whether there is one

    def answer(self) -> Part:
        """Return the whole text as one value, or as a list."""
        parts = [self._part()]
        while self._separator() and self._next().kind != "end":
            parts.append(self._part())
        self._expect("")
        return Group("list", tuple(parts)) if len(parts) > 1 else parts[0]

    def _next(self, ahead: int = 0) -> Token:
        at = self.i + ahead
        return self.tokens[at] if at < len(self.tokens) else Token("end", "")

    def _take(self, *texts: str) -> bool:
        is_next = self._next().text in texts and self._next().kind in "oc"
        self.i += is_next
        return is_next

    def _expect(self, *texts: str) -> None:
        if not self._take(*texts) and self._next().text not in texts:
            raise UnreadableError(f"{self._next().text!r} is not expected")

    def _enter(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnreadableError("it is nested too deeply")

    def _separator(self) -> bool:
        start = self.i
        while (token := self._next()).kind in "otw" and (token.text.strip(" ,").lower() or ",") in _SEPARATORS:
            self.i += 1
        return self.i > start

    def _part(self) -> Part:
        """Read one item: a labeled value, a relation, a union of groups, or a value with its unit."""
        if label := self._label():
            self._enter()
            part = self._part()
            self.depth -= 1
            value = next(iter(part.results), None) if isinstance(part, Statement) else part
            if value is None or isinstance(value, (Labeled, Statement)):
                raise UnreadableError("two relations")
            return Labeled(label, value)
        first = self._value()
        if self._next().text == r"\cup" and isinstance(first, Group):
            items = [first]
            while self._take(r"\cup") and isinstance(item := self._value(), Group):
                items.append(item)
            return Group("union", tuple(items))
        if isinstance(first, Group) and first.form == "()" and self._take("="):
            value = self._value()
            names = [item.node[1] for item in first.items if isinstance(item, Scalar) and item.node[0] == "v"]
            if len(names) < len(first.items) or not isinstance(value, Group):
                raise UnreadableError("an equation of brackets")
            return Labeled(",".join(names), value)
        signs, sides = [], [first]
        while (sign := self._next().text) in _RELATIONS:
            self.i += 1
            signs.append(sign)
            sides.append(self._value())
        last = sides[-1].node if isinstance(sides[-1], Scalar) else ()
        if signs == ["="] and last[:1] == ("v",) and isinstance(first, Scalar) and first.node[0] == "n":
            return Labeled(last[1], first)  # 5 = x
        steps = tuple(side.step if isinstance(side, Scalar) else None for side in sides)
        return Statement(tuple(signs), tuple(map(_bare, sides)), steps) if signs else first

    def _label(self) -> str:
        r"""Read a name before "=" or "in": x, x_1, AB, \angle ABC, f(x), \text{area}; "" if there is none."""
        name = ""
        for i, (kind, text) in enumerate(self.tokens[self.i :]):
            if name and text in ("=", r"\in"):
                self.i += i + 1
                return name
            letters = (kind in "wt" and text not in _NO_NAMES) or (kind == "c" and text[1:] in _LABELS)
            if not letters and not (name and (kind == "i" or text in ("{", "}", "(", ")", "'"))):
                break
            name += text
        return ""

    def _value(self) -> Scalar | Group:
        r"""Read an expression with its unit, or a group. What contains \pm is a list of two."""
        start, outer = self.i, (self.plus_minus, self.sign)
        self.plus_minus, self.sign = False, "+"
        value = self._measured()
        if self.plus_minus:
            self.i, self.sign = start, "-"
            value = Group("list", (value, self._measured()))
        self.plus_minus, self.sign = outer
        return value

    def _measured(self) -> Scalar | Group:
        negative = self._next().text == "-" and self._next(1).text == "$"
        self.i += negative
        money = self._take("$")
        start = self.i
        value = self._expression()
        decimal = _P.decimal.fullmatch("".join(token.text for token in self.tokens[start : self.i]))
        power = 0 if decimal is None else int(decimal[2] or 0) + int(decimal[3] or 0) - len(decimal[1])
        step = None if decimal is None else Fraction(10) ** power
        unit = "$" if money else self._unit()
        if isinstance(value, Group):
            if unit or negative:
                raise UnreadableError("a unit of several values")
            return value
        return Scalar(_times(MINUS_ONE, value) if negative else value, unit, step)

    def _unit(self) -> str:
        r"""Read the unit after a value: %, °, \text{ cm}^2, square feet, an index that states a base."""
        start = self.i
        while (token := self._next()).kind != "end":
            low, inner = token.text.lower(), self.i > start
            if low.strip(" ,") in _SEPARATORS or (token.kind == "t" and not low):
                break
            if token.kind in "tw" and not _MULTIPLIERS.isdisjoint(low.split()):
                raise UnreadableError("a number in words")
            known = token.kind in "ti" or low in ("%", "°") or (token.kind == "w" and low in UNIT_WORDS)
            if not known and not (inner and (token.kind == "w" or low in ("/", "^", "2", "3", "{", "}"))):
                break
            self.i += 1
        words = (token.text for token in self.tokens[start : self.i] if token.text not in ("{", "}"))
        return " ".join(words).replace(" ^ ", "^").replace(" / ", "/")

    def _expression(self) -> Node | Group:
        """Read terms with + and - between them."""
        sign = self._sign()
        value = self._term()
        if sign or self._next().text in _SIGNS:
            value = _signed(sign, value)
        parts = [value]
        while sign := self._sign():
            parts.append(_signed(sign, self._term()))
        return ("+", tuple(map(_node, parts))) if len(parts) > 1 else value

    def _sign(self) -> str:
        text = self._next().text
        if text not in _SIGNS:
            return ""
        self.i += 1
        if text in "+-":
            return text
        self.plus_minus = True
        return self.sign if text == r"\pm" else "-+"[self.sign == "-"]

    def _term(self) -> Node | Group:
        """Read factors with signs of multiplication and division between them, or without."""
        value = self._factor()
        while True:
            if self._take("*"):
                value = _times(value, _signed(self._sign(), self._factor()))
            elif self._take("/"):
                below = _signed(self._sign(), self._factor())
                if self._starts_factor():
                    self.ambiguous = True
                while self.tight and self._starts_factor():
                    below = _times(below, self._factor())
                value = ("/", _node(value), below)
            elif self._starts_factor():
                value = _times(value, self._factor())
            else:
                return value

    def _starts_factor(self) -> bool:
        """Return whether the next token can be multiplied without a sign."""
        kind, text = self._next()
        if kind == "w":
            return text.lower() not in UNIT_WORDS and text not in _SEPARATORS
        if kind == "c":
            return text[1:] in GREEK or text[1:] in FUNCTIONS or text[1:] in ("frac", "sqrt", "binom")
        return text in ("(", "{") or (text == "|" and not self.bars)

    def _factor(self) -> Node | Group:
        value = self._primary()
        while True:
            self.factors += 1
            if self.factors > _MOST_FACTORS:
                raise UnreadableError("it has too many factors")
            if self._take("!"):
                value = ("f", "!", _node(value))
            elif self._take("^"):
                value = ("^", _node(value), self._exponent())
            else:
                return value

    def _exponent(self) -> Node:
        self._enter()
        value = _signed(self._sign(), self._argument(digits=False))
        value = ("^", value, self._exponent()) if self._take("^") else value
        self.depth -= 1
        return value

    def _argument(self, digits: bool = True) -> Node:
        """Read an argument of a command: a group, or one digit (all, for an exponent), letter or command."""
        kind, text = self._next()
        if kind == "n" and digits:
            if not (text.isdigit() and len(text) < 3):
                raise UnreadableError("an argument without braces")
            self.tokens[self.i : self.i + 1] = [Token(kind, digit) for digit in text]
            self.i += 1
            return ("n", Fraction(text[0]))
        if kind == "w":
            self.tokens[self.i : self.i + 1] = [Token(kind, letter) for letter in text]
        return _node(self._primary())

    def _primary(self) -> Node | Group:
        self._enter()
        value = self._opened()
        self.depth -= 1
        return value

    def _opened(self) -> Node | Group:
        """Read a number, a name, a command, or what is in brackets. All nesting passes through here, or an exponent."""
        kind, text = self._next()
        if text in _CLOSING and kind in "oc":
            return self._brackets()
        self.i += 1
        if kind == "n":
            return self._number(text)
        if kind == "w":
            return self._word(text)
        if kind == "c":
            return self._command(text[1:])
        if text == "|":
            self.bars += 1
            value = _node(self._expression())
            self._expect("|")
            self.bars -= 1
            return ("f", "abs", value)
        raise UnreadableError(f"{text!r} is not expected" if text else "it ends too early")

    def _number(self, text: str) -> Node:
        after = self._next()
        if after.kind == "n" or (after.text == r"\frac" and (self._next(2).kind == "n" or self._next(1).kind == "n")):
            raise UnreadableError("two numbers without a sign between them")
        if text.isdecimal() and len(text) < 20:
            return ("n", Fraction(int(text)))
        mantissa, _, power = text.replace(",", "").lower().partition("e")
        if len(mantissa) > 200 or len(power) > 4:
            raise UnreadableError("a number has too many digits")
        return ("n", Fraction(mantissa) * Fraction(10) ** int(power or 0))

    def _word(self, word: str) -> Node:
        if word in FUNCTIONS or word in ("sqrt", "abs"):
            return self._function(word)
        if len(word) > 2 or (len(word) == 2 and (word.isupper() or word in _NO_PRODUCTS)):
            raise UnreadableError(f"the word {word!r}")
        if self._next().text == "(" and (word in ("f", "g", "h") or word.isupper()):
            raise UnreadableError("a function without a definition")
        if len(word) == 2:  # leave the second letter, which may have a power or an index
            self.i -= 1
            self.tokens[self.i : self.i + 1] = [Token("w", letter) for letter in word]
            self.i += 1
        return ("v", word[0] + self._index())

    def _index(self) -> str:
        self.i += self._next().kind == "i"
        return self.tokens[self.i - 1].text if self.tokens[self.i - 1].kind == "i" else ""

    def _command(self, name: str) -> Node | Group:
        if name == "frac":
            return ("/", self._argument(), self._argument())
        if name == "sqrt":
            return self._root()
        if name == "binom":
            n, k = self._argument(), self._argument()
            is_small = n[0] == k[0] == "n" and n[1].denominator == k[1].denominator == 1
            if is_small and 0 <= k[1] <= n[1] <= LARGEST_FACTORIAL:
                return ("n", Fraction(comb(int(n[1]), int(k[1]))))
            raise UnreadableError("a binomial coefficient of other numbers")
        if name in FUNCTIONS:
            return self._function(name)
        if name == "begin":
            return self._matrix()
        if name in GREEK:
            return ("v", f"\\{name}{self._index()}")
        if name in _STYLES:
            return self._argument()
        raise UnreadableError(f"the command \\{name}")

    def _root(self) -> Node:
        index = "2"
        if self._take("["):
            index = self._next().text
            self.i += 1
            self._expect("]")
        if not index.isdigit() or not 1 < int(index) < 100 or (self._next().kind == "n" and len(self._next().text) > 1):
            raise UnreadableError("a root of another index, or without braces")
        return ("^", self._argument(), ("n", Fraction(1, int(index))))

    def _function(self, name: str) -> Node:
        """Read the argument of a function: in brackets, or all factors that follow."""
        if name in ("sqrt", "abs"):
            value = _node(self._primary())
            return ("^", value, ("n", Fraction(1, 2))) if name == "sqrt" else ("f", name, value)
        base = self._index()[1:] if name == "log" else ""
        power = self._exponent() if self._take("^") else None
        if power == ("*", MINUS_ONE, ("n", Fraction(1))):
            name, power = f"arc{name}", None
        value = _node(self._factor())
        while self.tokens[self.i - 1].text not in (")", "}") and self._starts_factor():
            if self._next().text == "(" or self._next().text.strip("\\") in FUNCTIONS:
                break
            value = _times(value, self._factor())
        if self._take("°"):
            value = _times(value, ("/", ("v", r"\pi"), ("n", Fraction(180))))
        if base:
            below: Node = ("n", Fraction(int(base))) if base.isdecimal() and len(base) < 9 else ("v", base)
            return ("/", ("f", "ln", value), ("f", "ln", below))
        return ("f", name, value) if power is None else ("^", ("f", name, value), power)

    def _brackets(self) -> Node | Group:
        """Read what is in brackets: an expression in parentheses or braces, or a group of items."""
        opening, outer = self._next().text, self.bars
        self.i, self.bars = self.i + 1, 0
        items: list[Part] = []
        while not self._take(*_CLOSING[opening]):
            if items:
                self._expect(",", ";")
            item = self._value() if opening == r"\{" else self._measured()
            items.extend(item.items if isinstance(item, Group) and item.form == "list" else (item,))
        self.bars = outer
        pair = opening + self.tokens[self.i - 1].text
        forms = {item.form if isinstance(item, Group) else "" for item in items}
        if (not items and pair != r"\{\}") or (pair in ("(]", "[)") and len(items) != 2):
            raise UnreadableError("brackets that do not match, or are empty")
        if len(items) == 1 and (pair in ("()", "{}") or forms == {"matrix"}):
            return items[0] if isinstance(items[0], Group) else _bare(items[0])
        if pair == "[]" and forms == {"[]"}:
            return Group("matrix", tuple(items))
        return Group(_FORMS.get(pair, pair), tuple(items))

    def _matrix(self) -> Group:
        rows: list[list[Part]] = [[]]
        while not self._take(r"\end"):
            rows[-1].append(self._value())
            if self._take("\\\\"):
                rows.append([])
            elif not self._take("&") and self._next().text != r"\end":
                raise UnreadableError("a matrix of other notation")
        rows = [row for row in rows if row]
        if len({len(row) for row in rows}) != 1:
            raise UnreadableError("rows of different lengths")
        return Group("matrix", tuple(Group("[]", tuple(row)) for row in rows))


def _node(value: Node | Group) -> Node:
    if isinstance(value, Group):
        raise UnreadableError("arithmetic with several values")
    return value


def _bare(value: Part) -> Node:
    if not isinstance(value, Scalar) or value.unit:
        raise UnreadableError("arithmetic, or a relation, of several values or of units")
    return value.node


def _times(one: Node | Group, other: Node | Group) -> Node:
    return ("*", _node(one), _node(other))


def _signed(sign: str, value: Node | Group) -> Node:
    return _times(MINUS_ONE, value) if sign == "-" else _node(value)
