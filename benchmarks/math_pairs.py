"""Pairs of mathematical answers with a known relation: spellings of one value are equal, changed values are not."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

SEED = 39
EACH = 24  # pairs of each family


class MathPair(NamedTuple):
    """Two answers, whether they mean the same, and the family of the pair."""

    gold: str
    pred: str
    equal: bool
    family: str


Spelled = tuple[list[str], list[str]]  # spellings of a value, spellings of other values


def decimal(value: Fraction) -> str | None:
    """Return a fraction as a decimal number, or None if it has more than four decimals."""
    return None if (value * 10_000).denominator > 1 else f"{float(value):.4f}".rstrip("0").rstrip(".")


def fractions(rng: random.Random) -> Spelled:
    """Proper and improper fractions, mixed and decimal numbers, percentages."""
    q = rng.choice((2, 3, 4, 5, 7, 8, 9, 12, 16, 20, 25))
    value = Fraction(rng.choice([n for n in range(1, 3 * q) if n % q]), q)
    p, q, k = value.numerator, value.denominator, rng.randrange(2, 5)
    same = [rf"\frac{{{p}}}{{{q}}}", rf"\dfrac{{{p}}}{{{q}}}", f"{p}/{q}", rf"\tfrac{{{k * p}}}{{{k * q}}}"]
    if max(p, q) < 10:
        same.append(rf"\frac{p}{q}" if p < 10 else rf"\frac{{{p}}}{q}")
    if p > q:
        same += [rf"{p // q}\frac{{{p % q}}}{{{q}}}", f"{p // q} {p % q}/{q}"]
    if text := decimal(value):
        same += [text, rf"{decimal(value * 100)}\%", f"{decimal(value * 100)} %"]
    return same, [rf"\frac{{{q}}}{{{p}}}", f"{p + q}/{q}", rf"-\frac{{{p}}}{{{q}}}", rf"\frac{{{p + q}}}{{{q}}}"]


def integers(rng: random.Random) -> Spelled:
    """Integers with thousands separators, in scientific notation, as products and powers."""
    n = rng.randrange(2, 90) * 1000
    power = len(str(n)) - 1
    same = [str(n), f"{n:,}", f"{n:,}".replace(",", "{,}"), rf"{n // 10} \times 10", f"{n}.0"]
    same += [rf"{decimal(Fraction(n, 10**power))} \times 10^{{{power}}}", rf"{n // 1000} \cdot 10^3"]
    return same, [str(n + 1), f"-{n:,}", f"{n * 10:,}".replace(",", "{,}"), rf"{n // 1000} \cdot 10^4"]


def roots(rng: random.Random) -> Spelled:
    """Square roots and cube roots."""
    a, b = rng.randrange(2, 9), rng.choice((2, 3, 5, 6, 7, 10, 11, 13))
    same = [rf"{a}\sqrt{{{b}}}", rf"\sqrt{{{a * a * b}}}", rf"\sqrt{{{b}}} \cdot {a}", f"{a}sqrt({b})"]
    same += [rf"\frac{{{a * b}}}{{\sqrt{{{b}}}}}", f"{a}√{b}", rf"{a} \cdot {b}^{{1/2}}"]
    other = [rf"{b + 1}\sqrt{{{a}}}", rf"{a}\sqrt{{{b + 1}}}", rf"-{a}\sqrt{{{b}}}", rf"{a}\sqrt[3]{{{b}}}"]
    if rng.random() < 0.3:
        same = [rf"{a}\sqrt[3]{{{b}}}", rf"\sqrt[3]{{{a**3 * b}}}", rf"{a} \cdot {b}^{{\frac{{1}}{{3}}}}"]
        other[-1] = rf"{a}\sqrt{{{b}}}"
    return same, other


def term(coefficient: int, power: int, x: str) -> str:
    """Return a term with its sign, such as " - 3x^2"."""
    letters = "" if power == 0 else x if power == 1 else f"{x}^{power}"
    size = "" if abs(coefficient) == 1 and letters else str(abs(coefficient))
    return f" {'-' if coefficient < 0 else '+'} {size}{letters}"


def polynomial(coefficients: Sequence[int], x: str, order: Sequence[int]) -> str:
    """Return a polynomial with its terms in this order; the coefficients begin with the constant."""
    text = "".join(term(coefficients[i], i, x) for i in order if coefficients[i]).removeprefix(" + ")
    return f"-{text[3:]}" if text.startswith(" - ") else text


def polynomials(rng: random.Random) -> Spelled:
    """Quadratic polynomials: expanded, in another order, factored."""
    x, a, b, k = rng.choice("xyzt"), rng.randrange(1, 9), rng.randrange(1, 9), rng.randrange(1, 5)
    expanded = [-k * a * b, k * (a - b), k]  # k (x + a) (x - b)
    order = [2, 1, 0]
    same = [polynomial(expanded, x, order), polynomial(expanded, x, order).replace(" ", "")]
    same += [polynomial(expanded, x, [0, 1, 2]), polynomial(expanded, x, [1, 2, 0])]
    size = "" if k == 1 else str(k)
    same += [f"{size}({x} + {a})({x} - {b})", rf"{size}\left({x} - {b}\right)\left({x} + {a}\right)"]
    changed = [[k * a * b, *expanded[1:]], [expanded[0] + 1, *expanded[1:]], [*expanded[:2], k + 1]]
    return same, [*(polynomial(other, x, order) for other in changed), f"{size}({x} - {a})({x} - {b})"]


def rational_functions(rng: random.Random) -> Spelled:
    """Quotients of linear polynomials."""
    x, a, b, c = rng.choice("xn"), rng.randrange(1, 7), rng.randrange(1, 7), rng.randrange(7, 12)
    k = rng.randrange(2, 4)
    same = [rf"\frac{{{a}{x} + {b}}}{{{x} - {c}}}", f"({a}{x}+{b})/({x}-{c})", rf"\dfrac{{{b}+{a}{x}}}{{{x}-{c}}}"]
    same += [rf"-\frac{{{a}{x}+{b}}}{{{c}-{x}}}", rf"\frac{{{k * a}{x} + {k * b}}}{{{k}{x} - {k * c}}}"]
    other = [rf"\frac{{{a}{x} - {b}}}{{{x} - {c}}}", rf"\frac{{{x} - {c}}}{{{a}{x} + {b}}}"]
    return same, [*other, f"({a}{x}+{b})/({x}+{c})", f"({a + 1}{x}+{b})/({x}-{c})"]


def intervals(rng: random.Random) -> Spelled:
    """Intervals with open and closed ends, and inequalities."""
    low = rng.randrange(-9, 5)
    high = low + rng.randrange(2, 9)
    opening, closing = rng.choice("(["), rng.choice(")]")
    less = [" < " if opening == "(" else r" \le ", " < " if closing == ")" else r" \leq "]
    same = [f"{opening}{low}, {high}{closing}", rf"\left{opening}{low},{high}\right{closing}"]
    same += [rf"x \in {opening}{low},{high}{closing}", f"{low}{less[0]}x{less[1]}{high}"]
    turned = {"(": "[", "[": "(", ")": "]", "]": ")"}
    other = [f"{turned[opening]}{low}, {high}{closing}", f"{opening}{low}, {high}{turned[closing]}"]
    return same, [*other, f"{opening}{low - 1}, {high}{closing}", rf"{opening}{low}, \infty)"]


def tuples(rng: random.Random) -> Spelled:
    """Ordered pairs and triples."""
    items = [Fraction(rng.randrange(-9, 10)) for _ in range(rng.choice((2, 3)))]
    items[0] = Fraction(rng.choice((1, 3, 5, 7)), 2)
    latex = [str(v) if v.denominator == 1 else rf"\frac{{{v.numerator}}}{{2}}" for v in items]
    plain = [decimal(v) or "" for v in items]
    same = [f"({', '.join(latex)})", f"({','.join(plain)})", rf"\left( {', '.join(latex)} \right)"]
    same.append(f"({', '.join(map(str, items))})")
    changed = [str(items[1] + 1), *latex[2:]]
    return same, [
        f"({', '.join(reversed(latex))})",
        f"({', '.join((latex[0], *changed))})",
        f"({latex[1]}, {latex[0]})",
    ]


def sets(rng: random.Random) -> Spelled:
    """Sets and lists of solutions, in any order."""
    items = sorted(rng.sample(range(-9, 10), rng.choice((2, 3))))
    turned = list(reversed(items))
    same = [rf"\{{{', '.join(map(str, items))}\}}", rf"\{{{','.join(map(str, turned))}\}}"]
    same += [
        ", ".join(map(str, items)),
        ", ".join(map(str, turned)),
        rf"\left\{{ {', '.join(map(str, turned))} \right\}}",
    ]
    same.append(" or ".join(f"x = {item}" for item in items))
    changed = [items[0] - 1, *items[1:]]
    other = [rf"\{{{', '.join(map(str, changed))}\}}", rf"\{{{', '.join(map(str, items[1:]))}\}}"]
    return same, [*other, ", ".join(map(str, changed))]


def matrices(rng: random.Random) -> Spelled:
    """Matrices of two rows."""
    (a, b), (c, d) = rows = [[rng.randrange(-9, 10), rng.randrange(-9, 10)] for _ in range(2)]
    body = r" \\ ".join(" & ".join(map(str, row)) for row in rows)
    same = [rf"\begin{{pmatrix}} {body} \end{{pmatrix}}", rf"\begin{{bmatrix}}{a}&{b}\\{c}&{d}\end{{bmatrix}}"]
    same += [rf"\left[\begin{{array}}{{cc}}{body}\end{{array}}\right]", f"[[{a}, {b}], [{c}, {d}]]"]
    turned = rf"\begin{{pmatrix}} {a} & {c} \\ {b + 1} & {d} \end{{pmatrix}}"
    return same, [turned, rf"\begin{{pmatrix}} {a} & {b} \\ {c} & {d + 1} \end{{pmatrix}}"]


def equations(rng: random.Random) -> Spelled:
    """Values with a name, and lines."""
    m, b = rng.randrange(2, 9), rng.randrange(1, 9)
    if rng.random() < 0.5:
        return [f"x = {b}", str(b), f"x={b}", f"{b} = x", rf"\boxed{{x = {b}}}"], [f"x = {b + 1}", str(-b), f"x = -{b}"]
    same = [f"y = {m}x + {b}", f"y={b}+{m}x", f"y - {m}x = {b}", f"{2 * m}x - 2y = -{2 * b}"]
    return same, [f"y = {m}x - {b}", f"y = {b}x + {m + 9}", f"y + {m}x = {b}"]


def angles(rng: random.Random) -> Spelled:
    """Multiples of pi."""
    q = rng.choice((2, 4, 5, 8))
    p = rng.choice([n for n in range(1, 2 * q) if Fraction(n, q).denominator == q and n > 1])
    same = [rf"\frac{{{p}\pi}}{{{q}}}", rf"\frac{{{p}}}{{{q}}}\pi", rf"{p}\pi/{q}", f"{p}π/{q}"]
    same += [rf"{decimal(Fraction(p, q))}\pi", rf"\pi \cdot \frac{{{p}}}{{{q}}}"]
    return same, [rf"\frac{{{q}\pi}}{{{p}}}", rf"\frac{{{p}}}{{{q}}}", rf"-\frac{{{p}\pi}}{{{q}}}", rf"{p}\pi"]


def complex_numbers(rng: random.Random) -> Spelled:
    """Complex numbers."""
    a, b = rng.randrange(1, 10), rng.randrange(2, 10)
    same = [f"{a} + {b}i", f"{b}i+{a}", f"{a}+{b} i", rf"{a} + \sqrt{{-{b * b}}}", f"-(-{a} - {b}i)"]
    return same, [f"{a} - {b}i", f"{b} + {a + 10}i", f"-{a} + {b}i"]


def plus_minus(rng: random.Random) -> Spelled:
    """Two values in one."""
    a, b = rng.randrange(1, 10), rng.choice((2, 3, 5, 7))
    same = [rf"{a} \pm \sqrt{{{b}}}", rf"{a}+\sqrt{{{b}}}, {a}-\sqrt{{{b}}}", rf"\{{{a}-\sqrt{b}, {a}+\sqrt{b}\}}"]
    same += [rf"x = {a} \pm \sqrt{{{b}}}", f"{a} ± √{b}"]
    return same, [rf"-{a} \pm \sqrt{{{b}}}", rf"{a} \pm \sqrt{{{b + 1}}}", rf"\pm {a}", rf"{a}+\sqrt{{{b}}}"]


def units(rng: random.Random) -> Spelled:
    """Values with a unit, which may be missing."""
    n = rng.randrange(2, 90)
    text, short, other = rng.choice((("cm", "cm", "kg"), ("meters", "m", "hours"), ("hours", "h", "dollars")))
    if rng.random() < 0.3:
        return [rf"{n}^\circ", rf"{n}^{{\circ}}", str(n), f"{n}°", f"{n} degrees"], [rf"{n + 1}^\circ", str(n + 9)]
    if rng.random() < 0.3:
        return [rf"\${n}", str(n), f"{n} dollars", rf"${n}$"], [rf"\${n + 1}", str(n + 9)]
    same = [rf"{n}\text{{ {text}}}", rf"{n} \mathrm{{{short}}}", f"{n} {text}"]
    return same, [rf"{n + 1}\text{{ {text}}}", rf"{n}\text{{ {other}}}", f"{n + 7}"]


def powers(rng: random.Random) -> Spelled:
    """Powers of numbers and of letters."""
    n, k = rng.randrange(2, 6), rng.randrange(2, 6)
    if rng.random() < 0.5:
        same = [f"{n}^{{{k}}}", str(n**k), rf"{n}^{{{k - 1}}} \cdot {n}", rf"\frac{{{n}^{{{k + 2}}}}}{{{n * n}}}"]
        return same, [f"{n}^{{{k + 1}}}", str(n**k + 1), rf"{n}^{{-{k}}}"]
    same = [f"a^{{-{k}}}b", rf"\frac{{b}}{{a^{k}}}", f"b/a^{k}", rf"b \cdot a^{{-{k}}}"]
    return same, [f"a^{{{k}}}b", rf"\frac{{a^{k}}}{{b}}", f"a^{{-{k + 1}}}b"]


def inequalities(rng: random.Random) -> Spelled:
    """Inequalities with one bound."""
    n, m = rng.randrange(1, 20), rng.randrange(2, 5)
    same = [f"x > {n}", f"{n} < x", f"x>{n}", rf"({n}, \infty)", f"{m}x > {m * n}"]
    return same[: 3 + (rng.random() < 0.5)], [rf"x \ge {n}", f"x < {n}", f"x > {n + 1}", f"{n} > x"]


FAMILIES: tuple[Callable[[random.Random], Spelled], ...] = (
    fractions, integers, roots, polynomials, rational_functions, intervals, tuples, sets, matrices, equations, angles,
    complex_numbers, plus_minus, units, powers, inequalities,
)  # fmt: skip

HAND = r"""
\frac{3}{4} = 0.75; \frac{3}{4} = 3/4; \frac{3}{4} = 75\%; 2\sqrt{3} = \sqrt{12}; x^2+1 = 1+x^2; \{1,2\} = \{2,1\};
\frac{1}{2} = \frac12; x=5 = 5; \boxed{7} = 7; $8$ = 8; 90^\circ = 90; \$5 = 5; \sqrt[3]{27} = 3; 1.2 \times 10^{5} =
120000; x>3 = 3<x; \pm 2 = 2, -2; \frac{x^2-1}{x-1} = x+1; 1\frac12 = \frac32; \frac{\sqrt6}{3} = \sqrt{\frac23};
(-\infty, 1) \cup (2, 3] = (2,3] \cup (-\infty,1); \frac{1}{1+i} = \frac{1-i}{2}; |{-3}| = 3; 5! = 120; \binom{5}{2} =
10; 10{,}000 = 10000; \text{(B)} = \text{(B)}; 6 - 5i = 6-5i; \frac{14}{3} \text{ cm} = \frac{14}{3}; \left(3,
\frac{\pi}{2}\right) = (3, \pi/2); f(x) = x^2 = x^2; \frac{\sqrt{2}}{2} = \frac{1}{\sqrt{2}}; 2516_8 = 2516_{8}; 4/3
!= \frac34; 3\sqrt{2} != 2\sqrt{3}; x^2+2x-1 != x^2+2x+1; [0,1] != [0,1); (4,3) != (3,4); 3x+5 != 3x-5; 10 - 4 != 10 +
4; a+b != a-b; (1,2) != [1,2]; (2,1) != (1,2); 5\text{ cm} != 5\text{ m}; 19, 46, 82 != 21, 36, 82; 72 != 27;
\frac{1}{3} != \frac{1}{2}; x > 3 != x \ge 3; \{1,2\} != \{1,2,3\}; 2\pi != \frac{\pi}{2}; -\frac12 != \frac12; x = 3
!= x = -3; 2^{10} != 10^2; \sqrt{2} != 2; 3+4i != 3-4i; \begin{pmatrix}1\\2\end{pmatrix} !=
\begin{pmatrix}2\\1\end{pmatrix}; \frac{a}{b} != \frac{b}{a}; e^2 != 2e; 12\% != 12.5\%; y = 2x != y = x/2; x^2+y^2=25
!= x^2+y^2=5; \ln 2 != \ln 3; 1.5 != 1.05; 1,000 != 100
"""


def constructed(seed: int = SEED, each: int = EACH) -> list[MathPair]:
    """Return pairs of all families, half of them equal."""
    rng = random.Random(seed)
    found = []
    for family in FAMILIES:
        for i in range(each):
            same, other = family(rng)
            gold = rng.choice(same)
            pred = rng.choice(other if i % 2 else [text for text in same if text != gold])
            style = rng.random()
            pred = f"${pred}$" if style < 0.15 and "$" not in pred else pred
            pred = rf"\boxed{{{pred}}}" if 0.15 < style < 0.3 and "boxed" not in pred else pred
            found.append(MathPair(gold, pred, i % 2 == 0, family.__name__))
    return found


def by_hand() -> list[MathPair]:
    """Return the pairs that were written by hand."""
    found = []
    for entry in " ".join(HAND.split()).split("; "):
        sign = " != " if " != " in entry else " = "
        gold, pred = entry.rsplit(sign, 1)
        found.append(MathPair(gold, pred, sign == " = ", "by hand"))
    return found
