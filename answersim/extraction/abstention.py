"""Does a text attempt an answer? Refusals and "I don't know" by rules, in English and German."""

from __future__ import annotations

import re

from answersim.arguments import text as checked_text
from answersim.errors import unknown
from answersim.extraction.reasoning import without_reasoning

_CLOSED_EN = (
    r"(?:i\s+)?(?:do\s+not|don'?t|did\s+not|didn'?t)\s+know(?:\s+(?:the\s+answer|that|this|it|for\s+(?:sure|certain))"
    r"(?:\s+to\s+(?:that|this|the|your)\s+question)?)?",
    r"(?:i\s+have\s+)?no\s+(?:idea|clue)", r"i\s+am\s+unsure", r"i\s+am\s+not\s+(?:sure|certain|aware)",
    r"not\s+(?:sure|certain)",
    r"idk", r"dunno", r"no\s+answer", r"n\s*/\s*a", r"pass", r"cannot\s+(?:answer|say|tell|be\s+determined)",
    r"(?:it|this|that|the\s+answer|this\s+question)?\s*(?:is|remains)?\s*unknown(?:\s+to\s+me)?", r"unanswerable",
    r"(?:the\s+question\s+is\s+)?(?:not\s+answerable|unanswerable)", r"not\s+(?:enough|sufficient)\s+information",
    r"insufficient\s+(?:information|context|data)", r"(?:the\s+)?answer\s+(?:is\s+)?not\s+(?:found|given|"
    r"available|provided|known)",
    r"not\s+(?:found|given|available|provided|mentioned|specified|stated|known|answerable)",
    r"no\s+information(?:\s+available)?",
    r"none\s+given", r"null", r"cannotanswer", r"noanswer", r"i\s+(?:give\s+up|pass|abstain)", r"unknown",
)  # fmt: skip
_CLOSED_DE = (
    r"(?:das\s+)?weiß\s+ich\s+(?:leider\s+)?nicht", r"ich\s+weiß\s+(?:es\s+|das\s+|die\s+antwort\s+"
    r")?(?:leider\s+)?nicht",
    r"keine\s+(?:ahnung|antwort|angabe|angaben|information(?:en)?)", r"unbekannt", r"(?:ich\s+bin\s+)?nicht\s+sicher",
    r"ich\s+bin\s+(?:mir\s+)?(?:nicht|un)\s*sicher", r"k\.?\s*a\.?", r"nicht\s+(?:bekannt|beantwortbar|"
    r"angegeben|genannt|verfügbar)",
    r"(?:die\s+frage\s+ist\s+)?nicht\s+(?:zu\s+)?beantwort(?:en|bar)", r"das\s+ist\s+(?:mir\s+)?(?:nicht\s+"
    r"bekannt|unbekannt)",
    r"(?:dazu\s+)?(?:kann\s+ich\s+)?(?:leider\s+)?nichts\s+sagen", r"weiß\s+nicht",
)  # fmt: skip
# A refusal anywhere in the first sentence; what follows may be an explanation, but not an answer.
_OPEN_EN = (
    r"\bi\s+(?:really\s+|simply\s+|honestly\s+|just\s+)?(?:do\s+not|don'?t|did\s+not|didn'?t)\s+(?:actually\s+|"
    r"really\s+)?know\b",
    r"\bi\s+(?:do\s+not|don'?t)\s+have\s+(?:any\s+|enough\s+|sufficient\s+|access|specific\s+|reliable\s+|the\s+)?"
    r"(?:information|knowledge|data|details|context|access|answer|real-?time)",
    r"\bi\s*(?:'m|\s+am)\s+(?:not\s+(?:sure|certain|aware|able)|unsure|unable|uncertain|unfamiliar)\b",
    r"\bi\s+(?:cannot|can\s*not|can'?t|could\s+not|couldn'?t|won'?t|will\s+not)\s+(?:\w+\s+)?(?:answer|provide|"
    r"determine|find|help|say|tell|"
    r"assist|verify|confirm|identify|give|comply|recall|discuss|share)",
    r"\b(?:the|this|your|provided|given)\s+(?:\w+\s+){0,2}(?:context|passage|text|document|documents|article|"
    r"information|question)\s+"
    r"(?:does\s+not|doesn'?t|do\s+not|don'?t|cannot|can'?t)\s+(?:\w+\s+)?(?:mention|contain|provide|state|say|"
    r"specify|include|give|be\s+answered)",
    r"\b(?:there\s+is|there's)\s+(?:no|not\s+enough|insufficient)\s+(?:\w+\s+){0,2}(?:information|data|record|"
    r"evidence|mention|answer|details)",
    r"\b(?:it\s+is|it's)\s+(?:not\s+(?:possible|clear|known|specified|stated|mentioned)|unclear|impossible|"
    r"unknown)\b",
    r"\b(?:as|since)\s+an?\s+(?:ai|language\s+model|large\s+language\s+model|assistant)\b",
    r"\b(?:is|are|was|were)\s+not\s+(?:mentioned|specified|stated|provided|given|available|known|found|"
    r"publicly\s+known|disclosed)\b(?!\s+(?:to|for|as|by)\b)",
    r"\bcannot\s+be\s+(?:determined|answered|found|inferred|verified|established)", r"\bno\s+(?:definitive|"
    r"clear)\s+answer\b",
    r"\bi\s+(?:really\s+|honestly\s+|simply\s+)?(?:have|'ve)\s+(?:no|not\s+enough)\s+(?:\w+\s+)?(?:idea|clue|"
    r"information|knowledge|data|record)\b",
    r"\A(?:it\s+is\s+)?not\s+(?:mentioned|specified|stated|provided|given|available|answerable)\b",
    r"\bi\s+(?:was|am|were)\s+(?:not\s+able|unable)\s+to\b", r"\bsorry\b.{0,40}\b(?:can'?t|cannot|unable|not\s+"
    r"able|don'?t|do\s+not)\b",
)  # fmt: skip
_OPEN_DE = (
    r"\bkann\s+ich\b[^.;]{0,60}\bnicht\b",
    r"\bich\s+(?:weiß|kenne|kann|finde|habe)\b[^.;]{0,60}\b(?:nicht|keine|kein|keinen)\b", r"\b(?:das\s+"
    r")?weiß\s+ich\s+(?:leider\s+)?nicht\b",
    r"\b(?:der|die|das)\s+(?:\w+\s+)?(?:text|kontext|abschnitt|information|frage|"
    r"dokument)\b[^.;]{0,60}\b(?:nicht|keine|kein)\b",
    r"\bich\s+bin\s+(?:mir\s+)?(?:nicht\s+sicher|unsicher|nicht\s+in\s+der\s+lage)\b", r"\bals\s+(?:ki|"
    r"sprachmodell|ki-modell)\b",
    r"\bes\s+(?:ist|gibt)\s+(?:mir\s+)?(?:leider\s+)?(?:unbekannt|nicht\s+bekannt|unklar|keine\s+(?:angaben?|"
    r"informationen?|antwort))\b",
    r"\b(?:wird|werden|ist|sind)\s+(?:im\s+\w+\s+|hier\s+)?nicht\s+(?:erwähnt|genannt|angegeben|bekannt|"
    r"beantwortet)\b",
    r"\bleider\b[^.;]{0,40}\b(?:nicht|keine)\b",
)  # fmt: skip
# A hedge that an answer follows: "I'm not sure, but I think it is Rome".
_ANSWERS = re.compile(
    r"\b(?:but|however|though|although|maybe|perhaps|probably|possibly|my\s+(?:best\s+)?guess|i\s+(?:think|"
    r"believe|guess|would\s+(?:say|guess))|"
    r"it\s+(?:may|might|could)\s+(?:be|have)|most\s+likely|likely|if\s+i\s+had\s+to|"
    r"aber|jedoch|vielleicht|vermutlich|wahrscheinlich|ich\s+(?:glaube|denke|vermute|tippe)|"
    r"möglicherweise)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_ANSWER = re.compile(
    r"\b(?:help|please|provide|more\s+(?:information|context|details)|clarify|rephrase|look\s+up|search|check|"
    r"consult|recommend|suggest|"
    r"verify|refer|knowledge|cutoff|assist|question|context|specify|sources?|bitte|frage|helfen|"
    r"information(?:en)?)\b",
    re.IGNORECASE,
)
LANGUAGES = ("en", "de")  # with phrases of abstention
_RULES = {"en": (_CLOSED_EN, _OPEN_EN), "de": (_CLOSED_DE + _CLOSED_EN, _OPEN_DE + _OPEN_EN)}
_CLOSED = {lang: re.compile(rf"(?:{'|'.join(closed)})", re.IGNORECASE) for lang, (closed, _) in _RULES.items()}
_OPEN = {lang: re.compile("|".join(opened), re.IGNORECASE) for lang, (_, opened) in _RULES.items()}
_POLITE = re.compile(
    r"(?:(?:i'?m|i\s+am|we'?re)?\s*(?:so\s+|very\s+)?sorry|apologies|unfortunately|sadly|honestly|well|hmm+|um+|"
    r"oh|leider|entschuldigung|"
    r"tut\s+mir\s+leid|es\s+tut\s+mir\s+leid|i'?m\s+afraid|(?:answer|antwort|a)(?=\s*:))\s*[,.:;!-]*\s*(?:but\s+"
    r"|aber\s+)?(?:dass\s+)?",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"\\(?:boxed|fbox|mbox|text\w*|mathrm|mathbf)")
_SAID = re.compile(
    r"\b(?:said|says|replied|answered|claimed|sang|sings|titled|called|entitled|song|album|film|"
    r"sagte|heißt)\b",
    re.I,
)
_THEN = re.compile(r"\A(?P<claim>[^,.;]{1,60}),?\s+(?:but|though|although|aber)\s*\Z", re.IGNORECASE)
_NO_CLAIM = re.compile(
    r"\b(?:question|sorry|apolog\w*|thank\w*|understand|help|try|tried|love|wish|frage|"
    r"leider|ich|i)\b",
    re.I,
)
_READ = 400  # characters at the start of a text that decide


def attempted(text: str, lang: str = "en") -> bool:
    """Return whether a text attempts an answer: it is not empty, no refusal, and not "I don't know".

    A hedge that an answer follows is an attempt. Names such as "Unknown Pleasures" and answers such as "No" or "None of
    them" are attempts. Reasoning is removed first, so that reasoning without an answer is none.

    Args:
        text: The prediction.
        lang: "en" or "de", whose phrases are known. German texts are also compared with the English phrases.

    Raises:
        LookupError: If there are no phrases of this language.

    >>> attempted("I don't know."), attempted("Unknown Pleasures"), attempted("I'm not sure, but I think Rome")
    (False, True, True)
    """
    code = re.split("[-_]", lang, maxsplit=1)[0].lower()
    if code not in _RULES:
        raise unknown("language with phrases of abstention", lang, _RULES)
    _, left = without_reasoning(checked_text("text", text))
    plain = " ".join(_COMMAND.sub(" ", left.replace("’", "'")).split())
    plain = re.sub(r"[*_`$#<>{}\\\[\]()\"“”„]+", " ", plain).strip(" .!?,;:-–—…")
    if not re.search(r"\w", plain):
        return bool(re.search(r"[^\s*_`$#<>{}\\\[\]()\"“”„.!?,;:–—…-]", left))
    plain = " ".join(plain.split())
    for _ in range(3):
        polite = _POLITE.match(plain)
        if polite is None or polite.end() in (0, len(plain)):
            break
        plain = plain[polite.end() :]
    start = plain[:_READ]
    closed, refused = _CLOSED[code].fullmatch(plain.casefold().strip(" .!?,")), _OPEN[code].search(start)
    if closed:
        return False
    if refused is None:
        phrase = _CLOSED[code].match(start)
        # "Unknown." or "No idea, ..." at the start of a longer text
        if phrase is None or not re.match(r"\s*[.;!,–—-]\s", start[phrase.end() :]) or _is_short(phrase.group()):
            return True
        refused = phrase
    if _is_title(start, refused):
        return True
    if refused.start() > 0 and _states_before(start[: refused.start()]):
        return True
    follows = _ANSWERS.search(start, refused.end())
    return follows is not None and not _NO_ANSWER.search(follows["rest"]) and bool(re.search(r"\w", follows["rest"]))


def _is_short(phrase: str) -> bool:
    """Return whether a phrase is too short to be a refusal at the start of a longer text, such as "pass"."""
    return len(phrase.split()) < 2 and phrase.casefold() not in ("unknown", "unbekannt", "idk", "dunno")


def _states_before(before: str) -> bool:
    """Return whether an answer precedes the refusal: "Rome. I am not sure about the year.", "Rome, but ..."."""
    claim = _THEN.match(before)
    if claim is not None and not _NO_CLAIM.search(claim["claim"]):
        return True
    return bool(re.search(r"\w[^.!?]*[.!?]\s*\Z", before) or _SAID.search(before)) or before.count(" ") > 12


def _is_title(start: str, refused: re.Match[str]) -> bool:
    """Return whether the text is a title that begins like a refusal: "I Don't Know How to Love Him"."""
    words = [word for word in re.findall(r"[\w']+", start)[1:] if len(word) > 3]
    return len(words) > 1 and refused.end() < len(start) and all(word[0].isupper() for word in words)
