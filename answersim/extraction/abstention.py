"""Does a text attempt an answer? Refusals and "I don't know" by rules, in English and German."""

from __future__ import annotations

import re

from answersim.arguments import text as checked_text
from answersim.errors import unknown
from answersim.extraction.reasoning import without_reasoning

# The phrases are compared with texts that have single spaces.
_CLOSED_EN = (
    r"(?:i )?(?:do not|don'?t|did not|didn'?t) know(?: (?:the answer|that|this|it|for (?:sure|certain))(?: to (?:that|"
    r"this|the|your) question)?)?|(?:i have )?no (?:idea|clue)|i am unsure|i am not (?:sure|certain|aware)|"
    r"not (?:sure|certain)|idk|dunno|no answer|n ?/ ?a|pass|cannot (?:answer|say|tell|be determined)|"
    r"(?:it|this|that|the answer|this question)? ?(?:is|remains)? ?unknown(?: to me)?|unanswerable|"
    r"(?:the question is )?(?:not answerable|unanswerable)|not (?:enough|sufficient) information|"
    r"insufficient (?:information|context|data)|(?:the )?answer (?:is )?not (?:found|given|available|provided|known)|"
    r"not (?:found|given|available|provided|mentioned|specified|stated|known|answerable)|"
    r"no information(?: available)?|none given|null|cannotanswer|noanswer|i (?:give up|pass|abstain)|unknown"
)
_CLOSED_DE = (
    r"(?:das )?weiß ich (?:leider )?nicht|ich weiß (?:es |das |die antwort )?(?:leider )?nicht|"
    r"keine (?:ahnung|antwort|angabe|angaben|information(?:en)?)|unbekannt|(?:ich bin )?nicht sicher|"
    r"ich bin (?:mir )?(?:nicht|un) ?sicher|k\.? ?a\.?|nicht (?:bekannt|beantwortbar|angegeben|genannt|verfügbar)|"
    r"(?:die frage ist )?nicht (?:zu )?beantwort(?:en|bar)|das ist (?:mir )?(?:nicht bekannt|unbekannt)|"
    r"(?:dazu )?(?:kann ich )?(?:leider )?nichts sagen|weiß nicht"
)
# A refusal anywhere in the first sentence; what follows may be an explanation, but not an answer.
_OPEN_EN = (
    r"\bi (?:really |simply |honestly |just )?(?:do not|don'?t|did not|didn'?t) (?:actually |really )?know\b|"
    r"\bi (?:do not|don'?t) have (?:any |enough |sufficient |access|specific |reliable |the )?(?:information|"
    r"knowledge|data|details|context|access|answer|real-?time)|"
    r"\bi ?(?:'m| am) (?:not (?:sure|certain|aware|able)|unsure|unable|uncertain|unfamiliar)\b|"
    r"\bi (?:cannot|can ?not|can'?t|could not|couldn'?t|won'?t|will not) (?:\w+ )?(?:answer|provide|determine|find|"
    r"help|say|tell|assist|verify|confirm|identify|give|comply|recall|discuss|share)|"
    r"\b(?:the|this|your|provided|given) (?:\w+ ){0,2}(?:context|passage|text|document|documents|article|information|"
    r"question) (?:does not|doesn'?t|do not|don'?t|cannot|can'?t) (?:\w+ )?(?:mention|contain|provide|state|say|"
    r"specify|include|give|be answered)|"
    r"\b(?:there is|there's) (?:no|not enough|insufficient) (?:\w+ ){0,2}(?:information|data|record|evidence|mention|"
    r"answer|details)|"
    r"\b(?:it is|it's) (?:not (?:possible|clear|known|specified|stated|mentioned)|unclear|impossible|unknown)\b|"
    r"\b(?:as|since) an? (?:ai|language model|large language model|assistant)\b|"
    r"\b(?:is|are|was|were) not (?:mentioned|specified|stated|provided|given|available|known|found|publicly known|"
    r"disclosed)\b(?! (?:to|for|as|by)\b)|\bcannot be (?:determined|answered|found|inferred|verified|established)|"
    r"\bno (?:definitive|clear) answer\b|"
    r"\bi (?:really |honestly |simply )?(?:have|'ve) (?:no|not enough) (?:\w+ )?(?:idea|clue|information|knowledge|"
    r"data|record)\b|\A(?:it is )?not (?:mentioned|specified|stated|provided|given|available|answerable)\b|"
    r"\bi (?:was|am|were) (?:not able|unable) to\b|\bsorry\b.{0,40}\b(?:can'?t|cannot|unable|not able|don'?t|do not)\b"
)
_OPEN_DE = (
    r"\bkann ich\b[^.;]{0,60}\bnicht\b|"
    r"\bich (?:weiß|kenne|kann|finde|habe)\b[^.;]{0,60}\b(?:nicht|keine|kein|keinen)\b|"
    r"\b(?:das )?weiß ich (?:leider )?nicht\b|"
    r"\b(?:der|die|das) (?:\w+ )?(?:text|kontext|abschnitt|information|frage|dokument)\b[^.;]{0,60}\b(?:nicht|keine|"
    r"kein)\b|\bich bin (?:mir )?(?:nicht sicher|unsicher|nicht in der lage)\b|\bals (?:ki|sprachmodell|ki-modell)\b|"
    r"\bes (?:ist|gibt) (?:mir )?(?:leider )?(?:unbekannt|nicht bekannt|unklar|keine (?:angaben?|informationen?|"
    r"antwort))\b|"
    r"\b(?:wird|werden|ist|sind) (?:im \w+ |hier )?nicht (?:erwähnt|genannt|angegeben|bekannt|beantwortet)\b|"
    r"\bleider\b[^.;]{0,40}\b(?:nicht|keine)\b"
)
# A hedge that an answer follows: "I'm not sure, but I think it is Rome".
_ANSWERS = re.compile(
    r"\b(?:but|however|though|although|maybe|perhaps|probably|possibly|my (?:best )?guess|i (?:think|believe|guess|"
    r"would (?:say|guess))|it (?:may|might|could) (?:be|have)|most likely|likely|if i had to|aber|jedoch|vielleicht|"
    r"vermutlich|wahrscheinlich|ich (?:glaube|denke|vermute|tippe)|möglicherweise)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_ANSWER = re.compile(
    r"\b(?:help|please|provide|more (?:information|context|details)|clarify|rephrase|look up|search|check|consult|"
    r"recommend|suggest|verify|refer|knowledge|cutoff|assist|question|context|specify|sources?|bitte|frage|helfen|"
    r"information(?:en)?)\b",
    re.IGNORECASE,
)
LANGUAGES = ("en", "de")  # with phrases of abstention
_RULES = {"en": (_CLOSED_EN, _OPEN_EN), "de": (f"{_CLOSED_DE}|{_CLOSED_EN}", f"{_OPEN_DE}|{_OPEN_EN}")}
_CLOSED = {lang: re.compile(rf"(?:{closed})", re.IGNORECASE) for lang, (closed, _) in _RULES.items()}
_OPEN = {lang: re.compile(opened, re.IGNORECASE) for lang, (_, opened) in _RULES.items()}
_POLITE = re.compile(
    r"(?:(?:i'?m|i am|we'?re)? ?(?:so |very )?sorry|apologies|unfortunately|sadly|honestly|well|hmm+|um+|oh|leider|"
    r"entschuldigung|tut mir leid|es tut mir leid|i'?m afraid|(?:answer|antwort|a)(?= ?:)) ?[,.:;!-]* ?(?:but |"
    r"aber )?(?:dass )?",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"\\(?:boxed|fbox|mbox|text\w*|mathrm|mathbf)")
_SAID = re.compile(
    r"\b(?:said|says|replied|answered|claimed|sang|sings|titled|called|entitled|song|album|film|sagte|heißt)\b",
    re.I,
)
_THEN = re.compile(r"\A(?P<claim>[^,.;]{1,60}),?\s+(?:but|though|although|aber)\s*\Z", re.IGNORECASE)
_NO_CLAIM = re.compile(
    r"\b(?:question|sorry|apolog\w*|thank\w*|understand|help|try|tried|love|wish|frage|leider|ich|i)\b",
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

    >>> attempted("I don't know."), attempted("Unknown Pleasures")
    (False, True)
    >>> attempted("I'm not sure, but I think Rome")
    True
    """
    code = re.split("[-_]", lang, maxsplit=1)[0].lower()
    if code not in _RULES:
        raise unknown("language with phrases of abstention", lang, _RULES)
    _, left = without_reasoning(text if type(text) is str else checked_text("text", text))
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
