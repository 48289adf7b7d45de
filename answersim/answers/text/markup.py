"""An answer as its reader sees it: without comments, hidden text, tags, signs of Markdown and invisible characters."""

from __future__ import annotations

import html

from answersim.answers.text.patterns import Patterns, word_sets

_P, _W = Patterns("markup"), word_sets("markup")
_LINE_SIGNS = ("#", *(sign + blank for sign in "-+*" for blank in " \t"))
_CLOSED_COMMENTS = (("/*", "*/"), ("{#", "#}"))  # these are comments only if they are closed


def visible(text: str, *, formulas: bool = False) -> str:
    r"""Return the text without markup, as a page would show it. A text without markup is returned as it is.

    Not read are comments, hidden elements, attributes, and text that is struck out. Tags of HTML, signs of emphasis,
    code fences, bullets, the commands ``\boxed`` and ``\text`` of TeX, and typographic quotation marks are removed
    around what they enclose, and characters without a width everywhere. A tag counts if it is closed, or if it has a
    name of HTML that needs no end: ``x < y`` and ``vector<int>`` stay. An element of another name shows it.

    ``formulas``: whether TeX stays as it is, for a reader of formulas.

    >>> visible("London <!-- Paris -->"), visible("**Paris**"), visible('<b class="x">Paris</b>')
    ('London', 'Paris', 'Paris')
    >>> visible("~~Paris~~ London"), visible("2 * 3 * 4"), visible("vector<int>")
    ('London', '2 * 3 * 4', 'vector<int>')
    """
    return _finished(_unmarked(text, formulas)) if _may_have_markup(text) else text


def visible_lines(text: str) -> tuple[str, str]:
    """Return a text without markup, with TeX as it is; and the same with the signs at the start of a line."""
    if not _may_have_markup(text):
        return text, text
    unmarked = _unmarked(text, formulas=True)
    return _finished(unmarked), _finished(unmarked, headings=True)


def _may_have_markup(text: str) -> bool:
    """Return whether a text has a sign of markup. Searches of single signs are faster than a pattern."""
    if "*" in text or "$" in text or "<" in text or "_" in text or "`" in text or "\\" in text or "[" in text:
        return True
    is_marked = "{" in text or "~" in text or "&" in text or (not text.isascii() and _P.any.search(text) is not None)
    return is_marked or _has_line_signs(text)


def _has_line_signs(text: str) -> bool:
    """Return whether a line begins with the sign of a heading, or with that of an item and a blank."""
    if not ("#" in text or "-" in text or "+" in text or "*" in text):
        return False
    return any(line.lstrip(" \t").startswith(_LINE_SIGNS) for line in text.split("\n"))


def _unmarked(text: str, formulas: bool) -> str:
    """Return the text without what may stand anywhere in a line."""
    if not text.isascii():
        text = _P.invisible.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    if "<" in text or ("*" in text and "/*" in text) or ("{" in text and "{#" in text):
        text = _without_tags(_without_comments(text))
    if "[" in text:
        text = _P.link.sub(r"\1", _P.image.sub(" ", _P.definition.sub("", text)))
    if "`" in text or ("~" in text and "~~" in text):
        text = _P.struck.sub(" ", _P.code.sub(r"\2", _P.fence.sub("", text)))
    if not formulas and ("\\" in text or "$" in text):
        text = _P.boxed.sub(r"\1", _P.dollars.sub(r"\2", _P.boxed.sub(r"\1", text)))
    for sign, emphasis in (("*", _P.stars), ("_", _P.lines)):
        if sign in text:  # the pattern also looks at the character before the first sign
            at = max(text.index(sign) - 1, 0)
            text = text[:at] + emphasis.sub(r"\2", text[at:])
    return text


def _finished(text: str, *, headings: bool = False) -> str:
    """Return the text without quotation marks around it, and without signs at the start of its lines."""
    text = (_P.line_start.sub("", text) if not headings and _has_line_signs(text) else text).strip()
    return text if text.isascii() else _P.quoted_whole.sub(r"\1\2", text)


def without_citations(text: str) -> str:
    """Return the text without marks of citations behind words and sentences."""
    return _P.citation.sub("", text) if "[" in text or "(" in text else text


def visible_pair(gold: str, pred: str) -> tuple[str, str]:
    """Return both answers without markup. If the gold answer is a tag, the prediction keeps its tags too."""
    if not _P.any.search(gold) and not _P.any.search(pred):
        return gold, pred
    seen = visible(gold)
    if "<" in seen and _P.tag.search(seen):
        return seen, _without_comments(pred).strip()
    return seen, visible(pred)


def _without_comments(text: str) -> str:
    """Return the text with a space for each comment."""
    if "<!" in text or "<?" in text or "]]>" in text:
        text = _P.comment.sub(" ", text)
    for opening, closing in _CLOSED_COMMENTS:
        pieces, at = [], 0
        while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start + len(opening))) >= 0:
            pieces.append(text[at:start])
            at = end + len(closing)
        text = " ".join((*pieces, text[at:]))
    return text


def _without_tags(text: str) -> str:
    """Return the text without tags and what hidden elements contain; as it is if it has only tags, as "<b>" has."""
    tags = list(_P.tag.finditer(text, text.index("<"))) if "<" in text else []
    open_tags: dict[str, list[int]] = {}
    partners: dict[int, int] = {}  # of an opening tag the closing one, and the other way around
    for i, tag in enumerate(tags):
        opened = open_tags.setdefault(tag[2].lower(), [])
        if not tag[1]:
            opened.append(i)
        elif opened:
            partners[i] = opened.pop()
            partners[partners[i]] = i
    pieces: list[str] = []
    shown_until, until = 0, 0  # texts up to here are in the pieces; and up to here they are hidden
    for i, tag in enumerate(tags):
        name = tag[2].lower()
        if i not in partners and not tag[4] and name not in _W.alone:
            continue
        if tag.start() >= until:
            partner = tags[partners[i]] if partners.get(i, i) > i else None
            label = "" if name in _W.shown | _W.unread else _P.joint.sub(" ", name)
            is_label = partner is not None and not _W.answers.issuperset(label.split())
            named = f" {label}: " if is_label and partner and text[tag.end() : partner.start()].strip() else ""
            pieces += (text[shown_until : tag.start()], " " if name in _W.blocks else named)
        shown_until = max(shown_until, tag.end())
        if partners.get(i, i) > i and (name in _W.unread or _P.hidden.search(tag[3])):
            until = max(until, tags[partners[i]].start())
            shown_until = max(shown_until, until)
            pieces.append(" ")
    pieces.append(text[shown_until:])
    return "".join(pieces) if _P.tag.sub("", text).strip() else text
