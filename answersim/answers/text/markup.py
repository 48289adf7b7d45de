"""An answer as its reader sees it: without comments, hidden text, tags, signs of Markdown and invisible characters."""

from __future__ import annotations

import html
import re

# What may be markup. A text without any of these, and without signs at the start of a line, is returned as it is.
_ANY_ASCII = "<*_`~&{[$\\"
_ANY = re.compile(f"[{re.escape(_ANY_ASCII)}“„«‹\u00ad\u200b-\u200f\u2060\ufeff]")
_MAY_BE = re.compile(rf"{_ANY.pattern}|^[ \t]*(?:#|[-+*][ \t])", re.MULTILINE)
_SHORT = 200  # characters
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]|(?<=[ -~])[\u200c\u200d](?=[ -~])")
_COMMENT = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[|\]\]>|<!doctype[^<>]{0,200}>|<\?[^<>]{0,200}\?>", re.DOTALL | re.I
)
_CLOSED_COMMENTS = (("/*", "*/"), ("{#", "#}"))  # these are comments only if they are closed
_QUOTED = r"\"[^\"<]{0,500}\"|'[^'<]{0,500}'"
_TAG = re.compile(rf"<(/?)([A-Za-z][\w:-]{{0,30}})((?:\s(?:{_QUOTED}|[^<>\"']){{0,500}})?)\s{{0,9}}(/?)>")
_UNREAD = frozenset("script style template noscript del s strike head title".split())  # hidden or struck out
_HIDDEN = re.compile(
    r"\bhidden\b(?!\s{0,9}=\s{0,9}[\"']?false)|\bsize\s{0,9}=\s{0,9}[\"']?0\b"
    r"|(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|opacity\s{0,9}:\s{0,9}0(?![.\d]{0,9}[1-9])"
    r"|font-size\s{0,9}:\s{0,9}0(?![.\d]{0,9}[1-9])|color\s{0,9}:\s{0,9}(?:transparent|white|#fff(?:fff)?)\b)",
    re.I,
)
# Elements that occur without a closing tag, and those that begin a new line.
_ALONE = frozenset("br hr img wbr li p div span td th tr input meta link".split())
_BLOCKS = frozenset("br hr p div li ul ol td th tr table blockquote pre h1 h2 h3 h4 h5 h6 section article".split())
_DEFINITION = re.compile(
    r"^ {0,3}\[[^\]\n]{1,100}\]:[ \t]*(?:[#<]|https?:)[^\n]*$", re.MULTILINE
)  # [//]: # (a comment)
_FENCE = re.compile(r"^[ \t]*(?:```+|~~~+)[^\n`~]*$\n?", re.MULTILINE)
_CODE = re.compile(r"(`{1,3})([^`]+)\1")
_STRUCK = re.compile(r"~~[^~\n]+~~")
_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^()\n]{0,1000}\)")
_LINK = re.compile(r"\[([^\[\]\n]{2,500})\]\([^()\n]{0,1000}\)")
_EMPHASIS = (
    re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\1(?![\w*])"),
    re.compile(r"(?<![\w_])(_{1,3})(?=[^\s_])(?=[a-z]*[^a-z_\n])([^_\n]*[^\s_])\1(?![\w_])"),  # not __init__
)
_LINE_START = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+(?!\d)|[-*+][ \t]+(?=[^\W\d]|[12]\d{3}\b))", re.MULTILINE)
_LINE_SIGNS = ("#", *(sign + blank for sign in "-+*" for blank in " \t"))
_CITATION = re.compile(r"(?<=[\w.)\]!?])\s?\[\d{1,3}(?:[,–-]\s?\d{1,3}){0,9}\](?=[\s.,;]|\Z)")
_QUOTED_WHOLE = re.compile(r"^[“„«‹]\s?([^“”„«»‹›]+?)\s?[”“»›]([.!?]?)$")
_BOXED = re.compile(r"\\(?:boxed|text|textbf|textit|mathrm|mathbf|emph)\s?\{([^{}]*)\}")
_DOLLARS = re.compile(r"(?<![\w$\\])(\$\$?)(?=[^\s$\d])([^$\n]*[^\s$])\1(?!\d)")


def visible(text: str, *, formulas: bool = False, headings: bool = False) -> str:
    r"""Return the text without markup, as a page would show it. A text without markup is returned as it is.

    Not read are comments, hidden elements, attributes, and text that is struck out. Tags, signs of emphasis, code
    fences, bullets, the commands ``\boxed`` and ``\text`` of TeX, and typographic quotation marks are removed around
    what they enclose, and characters without a width everywhere. A tag counts if it is closed, or if it has a name of
    HTML that needs no end: ``x < y`` and ``vector<int>`` stay.

    ``formulas``: whether TeX stays as it is, for a reader of formulas. ``headings``: whether signs at the start of a
    line stay, for a reader of marks such as "####".

    >>> visible("London <!-- Paris -->"), visible("**Paris**"), visible('<b class="x">Paris</b>')
    ('London', 'Paris', 'Paris')
    >>> visible("~~Paris~~ London"), visible("2 * 3 * 4"), visible("vector<int>")
    ('London', '2 * 3 * 4', 'vector<int>')
    """
    found = _MAY_BE.search(text) if len(text) < _SHORT else _may_have_markup(text)
    return _finished(_unmarked(text, formulas), headings) if found else text


def visible_lines(text: str) -> tuple[str, str]:
    """Return a text without markup, with TeX as it is; and the same with the signs at the start of a line.

    >>> visible_lines("# **Rome**")
    ('Rome', '# Rome')
    """
    if not (_MAY_BE.search(text) if len(text) < _SHORT else _may_have_markup(text)):
        return text, text
    unmarked = _unmarked(text, formulas=True)
    return _finished(unmarked, headings=False), _finished(unmarked, headings=True)


def _may_have_markup(text: str) -> bool:
    """Return what ``_MAY_BE`` finds. For a long text, searches of single signs are faster."""
    if any(sign in text for sign in _ANY_ASCII) or (not text.isascii() and _ANY.search(text) is not None):
        return True
    return _has_line_signs(text)


def _has_line_signs(text: str) -> bool:
    """Return whether a line begins with the sign of a heading, or with that of an item and a blank."""
    if not ("#" in text or "-" in text or "+" in text or "*" in text):
        return False
    return any(line.lstrip(" \t").startswith(_LINE_SIGNS) for line in text.split("\n"))


def _unmarked(text: str, formulas: bool) -> str:
    """Return the text without what may stand anywhere in a line."""
    if not text.isascii():
        text = _INVISIBLE.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    if "<" in text or "/*" in text or "{#" in text:
        text = _without_tags(_without_comments(text))
    if "[" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub(" ", _DEFINITION.sub("", text)))
    if "`" in text or "~~" in text:
        text = _STRUCK.sub(" ", _CODE.sub(r"\2", _FENCE.sub("", text)))
    if not formulas and ("\\" in text or "$" in text):
        text = _BOXED.sub(r"\1", _DOLLARS.sub(r"\2", _BOXED.sub(r"\1", text)))
    for sign, pattern in zip("*_", _EMPHASIS, strict=True):
        if sign in text:
            text = pattern.sub(r"\2", text)
    return text


def _finished(text: str, headings: bool) -> str:
    """Return the text without signs at the start of its lines, and without quotation marks around it."""
    text = (_LINE_START.sub("", text) if not headings and _has_line_signs(text) else text).strip()
    return text if text.isascii() else _QUOTED_WHOLE.sub(r"\1\2", text)


def without_citations(text: str) -> str:
    """Return the text without marks of citations behind words and sentences.

    >>> without_citations("It is 12.[1]"), without_citations("[1] and x[1]y")
    ('It is 12.', '[1] and x[1]y')
    """
    return _CITATION.sub("", text) if "[" in text else text


def visible_pair(gold: str, pred: str) -> tuple[str, str]:
    """Return both answers without markup. If the gold answer is a tag, the prediction keeps its tags too.

    >>> visible_pair("<div>", "The <div> element <!-- or <p> -->"), visible_pair("div", "<div>div</div>")
    (('<div>', 'The <div> element'), ('div', 'div'))
    """
    if not _ANY.search(gold) and not _ANY.search(pred):
        return gold, pred
    seen = visible(gold)
    if "<" in seen and _TAG.search(seen):
        return seen, _without_comments(pred).strip()
    return seen, visible(pred)


def _without_comments(text: str) -> str:
    """Return the text with a space for each comment."""
    text = _COMMENT.sub(" ", text)
    for opening, closing in _CLOSED_COMMENTS:
        pieces, at = [], 0
        while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start + len(opening))) >= 0:
            pieces.append(text[at:start])
            at = end + len(closing)
        text = " ".join((*pieces, text[at:]))
    return text


def _without_tags(text: str) -> str:
    """Return the text without tags and without what hidden elements contain.

    If only tags are left, such as an answer "<b>", the text is returned as it is.
    """
    tags = list(_TAG.finditer(text))
    open_tags: dict[str, list[int]] = {}
    closed_by: dict[int, int] = {}  # the opening tag: the closing one
    for i, tag in enumerate(tags):
        name = tag[2].lower()
        if not tag[1]:
            open_tags.setdefault(name, []).append(i)
        elif open_tags.get(name):
            closed_by[open_tags[name].pop()] = i
    ends = set(closed_by.values())
    pieces: list[str] = []
    shown_until, until = 0, 0  # texts up to here are in the pieces; and up to here they are hidden
    for i, tag in enumerate(tags):
        name = tag[2].lower()
        if not (i in closed_by or i in ends or tag[4] or name in _ALONE):
            continue
        if tag.start() >= until:
            pieces += (text[shown_until : tag.start()], " " if name in _BLOCKS else "")
        shown_until = max(shown_until, tag.end())
        if i in closed_by and (name in _UNREAD or _HIDDEN.search(tag[3])):
            until = max(until, tags[closed_by[i]].start())
            shown_until = max(shown_until, until)
            pieces.append(" ")
    pieces.append(text[shown_until:])
    return "".join(pieces) if _TAG.sub("", text).strip() else text
