"""LaTeX and plain notation -> tokens of a formula: one pass, with a limit on the length; what looks like mathematics."""

from __future__ import annotations

import re
from typing import NamedTuple

from answersim.typed.tokens import fold

LONGEST_FORMULA = 1000  # characters of a text that is read as a formula
_MOST_WRAPPERS = 8
_SYMBOLS = str.maketrans(
    {
        "×": r"\times ", "⋅": r"\cdot ", "·": r"\cdot ", "∙": r"\cdot ", "÷": "/", "√": " sqrt ", "π": r"\pi ",
        "∞": r"\infty ", "±": r"\pm ", "∓": r"\mp ", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "∪": r"\cup ",
        "∈": r"\in ", "∅": r"\emptyset ", "ℝ": r"\mathbb{R}", "º": "°", "θ": r"\theta ", "α": r"\alpha ",
        "β": r"\beta ", "γ": r"\gamma ", "λ": r"\lambda ", "φ": r"\phi ", "∠": r"\angle ", "⟨": r"\langle ",
        "⟩": r"\rangle ", "−": "-", "﹣": "-", "∛": r"\sqrt[3]", "⁻": "^-",
    }
)  # fmt: skip
RELATIONS = {"=": "=", "<": "<", ">": ">", r"\le": "<=", r"\leq": "<=", r"\leqslant": "<=", r"\ge": ">="}
RELATIONS |= {r"\geq": ">=", r"\geqslant": ">=", r"\lt": "<", r"\gt": ">", r"\ne": "!=", r"\neq": "!="}
FUNCTIONS = frozenset("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh ln log lg exp".split())
GREEK = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi "
    "varphi chi psi omega Gamma Delta Theta Lambda Sigma Phi Psi Omega ell".split()
)
_OTHER_COMMANDS = frozenset(
    "frac dfrac tfrac cfrac sqrt binom dbinom tbinom pi infty pm mp le leq leqslant ge geq geqslant lt gt ne neq times "
    "cdot div cup cap in notin emptyset varnothing mathbb langle rangle begin circ degree angle overline vec hat bar "
    "sum prod int iint lim max min sup inf equiv pmod mod bmod approx sim to rightarrow implies iff forall exists "
    "setminus subset subseteq mid lfloor rfloor lceil rceil vert lvert rvert left right nabla partial cdots ldots "
    "dots triangle perp parallel overrightarrow det ast star choose over infin".split()
)
COMMANDS = FUNCTIONS | GREEK | _OTHER_COMMANDS
WORDS = {"pi": r"\pi", "infinity": r"\infty", "inf": r"\infty", "oo": r"\infty", "theta": r"\theta"}
NAMES = FUNCTIONS | frozenset(WORDS) | frozenset(("sqrt", "abs", "or", "and"))
# Units of two letters and more that are not products of variables. In \text, each word is a unit.
UNIT_WORDS = frozenset(
    "cm mm km nm kg mg lb lbs oz ft in yd mi ml hr hrs min mins sec secs mph kph rpm deg degrees degree units unit "
    "square sq cubic meters meter metres inches inch feet foot yards yard miles mile hours hour minutes minute "
    "seconds second days day weeks week months month years year dollars dollar cents cent percent radians rad liters "
    "liter litres grams gram kilograms kilometers centimeters millimeters pounds ounces".split()
)
_TEXT = r"\\(?:text|textbf|textit|textrm|textnormal|mathrm|mathbf|mathit|mathsf|mbox|hbox|rm)"
_TEXT_ONLY = re.compile(rf"{_TEXT}\s*\{{([^{{}}\\]*)\}}")
_SIZES = re.compile(
    r"(?<!\\)\\(?:left|right|[bB]ig[glr]?|[bB]igg[lr]?|displaystyle|textstyle|limits|quad|qquad|,|;|:|!| |\n)(?![a-zA-Z])\.?"
    r"|~|\\(?:hspace|vspace|phantom)\{[^{}]*\}"
)
_THOUSANDS = re.compile(r"(?<=\d)(?:\{,\}|,\\!|\\,)(?=\d{3}(?!\d))")
_DECIMAL_COMMA = re.compile(r"(?<=\d)\{,\}(?=\d)")
_DEGREE = re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![a-zA-Z]))|\\degree(?![a-zA-Z])")
_FRACTION = re.compile(r"\\[dtc]frac(?![a-zA-Z])")
_DOLLARS = re.compile(r"(?<!\\)\$(?=\S)([^$]*[^\s$\\])\$(?!\d)")
_BY = re.compile(r"(?<=\d) ?[xX] ?(?=10\s*\^)")
_TOKEN = re.compile(
    r"(?P<n>[1-9]\d{0,2}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][+-]?\d+(?![\d.]))?|\.\d+)"
    rf"|(?P<t>{_TEXT}\s*\{{[^{{}}]*\}})"
    r"|(?P<c>\\[a-zA-Z]+|\\.)|(?P<w>[a-zA-Z]+)|(?P<s>\s+)|(?P<o>.)",
    re.DOTALL,
)
_LATEX = re.compile(r"\\([a-zA-Z]+|[(\[{%$])|(?<!\\)\$[^$\s][^$]*\$|[\^_]\{")
_OPERATOR = re.compile(r"[\^=<>+*√≤≥±∞π≠∪∈×·⋅÷²³]|\bsqrt\b|(?<=\d)pi\b| [-/] ")
_OPENING = "([{"
_CLOSING = ")]}"


class Token(NamedTuple):
    """A token: its kind ("n" number, "t" text, "c" command, "w" letters, "o" another character), text, and space."""

    kind: str
    text: str
    spaced: bool = False


class Notation(NamedTuple):
    """A text without what only sets it: the tokens, and what they are made of.

    Attributes:
        text: The text without delimiters, boxes and spacing commands.
        tokens: The tokens.
        grouped: Whether a comma may separate thousands or items, as in 10,100 outside brackets.
    """

    text: str
    tokens: tuple[Token, ...]
    grouped: bool

    @property
    def key(self) -> str:
        """The tokens in one line. Two formulas with one key are the same."""
        return " ".join(token.text for token in self.tokens)


def has_latex(text: str) -> bool:
    """Return whether a text contains a known LaTeX command, a formula in dollar signs, or an index in braces.

    >>> has_latex("\\\\frac12"), has_latex("$5 and $10"), has_latex("C:\\\\temp")
    (True, False, False)
    """
    if "\\" not in text and "$" not in text and "{" not in text:
        return False
    for match in _LATEX.finditer(text):
        name = match[1]
        if name is None:
            if match[0][0] != "$" or _DOLLARS.match(text, match.start()):
                return True
        elif len(name) == 1 or name in COMMANDS or name in ("boxed", "fbox", "text", "mathrm", "mbox", "textbf"):
            return True
    return False


def has_operator(text: str) -> bool:
    """Return whether a text contains a sign that ordinary answers seldom contain, or a bracketed list."""
    return _OPERATOR.search(text) is not None or ("," in text and text.lstrip(" -$\\")[:1] in ("(", "[", "{"))


def without_wrappers(text: str) -> str:
    r"""Return the text without dollar signs, boxes, spacing commands and a period at the end.

    >>> without_wrappers(r"$\boxed{\frac{1}{2}}$.")
    '\\frac{1}{2}'
    """
    text = text.strip().rstrip(".,;: \n")
    for _ in range(_MOST_WRAPPERS):
        before = text
        text = _DOLLARS.sub(r"\1", text.replace("$$", "$"))
        for opening, closing in ((r"\(", r"\)"), (r"\[", r"\]"), ("**", "**")):
            if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening):
                text = text[len(opening) : -len(closing)]
        for command in (r"\boxed", r"\fbox", r"\displaystyle"):
            if text.startswith(command):
                inner = text[len(command) :].strip()
                if command == r"\displaystyle":
                    text = inner
                elif _is_one_group(inner):
                    text = inner[1:-1]
        text = text.strip().rstrip(".,;: \n")
        if text == before:
            break
    return text + (" " if text.endswith("\\") else "")


def _is_one_group(text: str) -> bool:
    """Return whether a text is one group in braces."""
    depth = 0
    for i, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return character == "}" and i == len(text) - 1
    return False


def plain_text(text: str) -> str | None:
    r"""Return what a text in LaTeX writes in words: no command is left; None if it contains others than \text.

    >>> plain_text(r"\text{June } 20"), plain_text(r"5\text{ cm}"), plain_text(r"\frac12")
    ('June  20', '5 cm', None)
    """
    text = _TEXT_ONLY.sub(r"\1", _set(without_wrappers(text))).replace(r"\%", "%").replace(r"\$", "$")
    return None if "\\" in text or "{" in text or "^" in text else text.strip()


def _set(text: str) -> str:
    """Return a text without commands that only set it."""
    text = _FRACTION.sub(r"\\frac", _DEGREE.sub("°", _DECIMAL_COMMA.sub(".", _THOUSANDS.sub("", text))))
    return _SIZES.sub(" ", text)


def notation(text: str) -> Notation | None:
    """Return the tokens of a text, or None if it is too long or empty."""
    if len(text) > LONGEST_FORMULA:
        return None
    text = without_wrappers(fold(text.translate(_SYMBOLS)))
    text = _BY.sub(r"\\times ", _set(text))
    found: list[Token] = []
    depth, spaced, grouped = 0, False, False
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup or "o", match[0]
        if kind == "s":
            spaced = True
            continue
        if kind == "o":
            depth += (token in _OPENING) - (token in _CLOSING)
        elif kind == "n" and "," in token:
            if depth > 0 and not re.search(r",0", token):
                for item in re.split("(,)", token):
                    found.append(Token("o" if item == "," else "n", item, spaced))
                spaced = False
                continue
            grouped = grouped or depth == 0
        elif kind == "c" and token in (r"\{", r"\}", r"\langle", r"\rangle"):
            depth += 1 if token in (r"\{", r"\langle") else -1
        elif kind == "t":
            kind, token = _text_token(token)
        elif kind == "w" and token in WORDS:
            kind, token = "c", WORDS[token]
        found.append(Token(kind, token, spaced))
        spaced = False
    return Notation(text, tuple(found), grouped) if found else None


def _text_token(token: str) -> tuple[str, str]:
    """Return the kind and the text of a token such as \\text{ cm}. One letter in \\mathbf is a variable."""
    command, _, content = token[:-1].partition("{")
    content = " ".join(content.split())
    if len(content) == 1 and content.isalpha() and command.strip() not in (r"\text", r"\mathrm", r"\mbox"):
        return "w", content
    return "t", content
