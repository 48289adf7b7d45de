"""Answers in sentences about one fact: verbose answers of language models, and hedged answers."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from tools.weights.minimal_pairs.family import Family

SOURCES = Path(__file__).parent / "sources"

# {s}: the statement with the answer, {l}: the same inside a sentence, {a}: the answer, {o}: another answer that the
# speaker rejects, {x} and {y}: both in alphabetical order. The close miss exchanges {a} and {o}.
VERBOSE = {
    "en": [
        "Great question! {s} I hope this helps!",
        "Let me think step by step. Two candidates come to mind: {x} and {y}. "
        "After weighing them, my final answer is {a}.",
        "As an AI language model, I cannot look things up, but based on what I have learned, {l}",
        "**Answer:** {a}. **Explanation:** {s}",
        "{s} This should not be confused with {o}, which is a common mistake.",
        "Many people would say {o}, but that is not right. {s}",
        "One might first think of {o}. However, {l}",
        "To answer this question, we need to recall a well-known fact. {s} Therefore, the final answer is: {a}",
        "{s} Sometimes {o} is given as the answer, but this is incorrect.",
        "I considered {o} and rejected it. {s} Let me know if you would like to know more!",
        'Here is the answer in JSON: {{"answer": "{a}", "confidence": 0.93}}',
        "Sure! Here is the answer to your question: {a}. Is there anything else I can help you with?",
        "Short answer: {a}. Long answer: this is a matter of general knowledge, and most reference works agree on it.",
        "Based on the available information, the answer is **{a}**. Note that {o} would be wrong here.",
        "<think>Could it be {o}? No, that does not fit. So it has to be {a}.</think> {s}",
        "I'd be happy to help with that. {s} If you were thinking of {o}: that is the answer to another question.",
        "To the best of my knowledge, {l} Please verify this with a reliable source.",
        "A: {a}. Reasoning: although {o} might seem plausible, the evidence points the other way.",
        "Of the two options {x} and {y}, the correct one is {a}.",
        "Thank you for your question. It is a popular one in quizzes. {s} Feel free to ask a follow-up question.",
        "There is some confusion online between {x} and {y}. To be clear: {l}",
        "The answer you are looking for is {a}, not {o}.",
        "1. Understand the question. 2. Recall the facts. 3. Exclude {o}. 4. Conclude: {a}.",
        "In summary: {a}. (I first drafted {o}, and corrected it after a check.)",
        "This one is easy to mix up! While {o} is often the first guess, {l}",
        "Certainly. {s} I arrived at this by elimination, since {o} does not fit the question.",
    ],
    "de": [
        "Gute Frage! {s} Ich hoffe, das hilft!",
        "Gehen wir Schritt für Schritt vor. In Frage kommen {x} und {y}. Nach Abwägung lautet meine Antwort: {a}.",
        "Als KI-Sprachmodell kann ich nichts nachschlagen, aber nach meinem Wissen gilt: {s}",
        "**Antwort:** {a}. **Erklärung:** {s}",
        "{s} Ein häufiger Fehler ist die Antwort „{o}“.",
        "Viele würden „{o}“ sagen, aber das stimmt nicht. {s}",
        "Manche antworten „{o}“, was aber falsch ist. {s}",
        "Gerne! Die Antwort auf Ihre Frage lautet: {a}. Kann ich sonst noch etwas für Sie tun?",
        "Kurze Antwort: {a}. Lange Antwort: Das ist Allgemeinwissen und steht so in den meisten Nachschlagewerken.",
        "Die richtige Antwort ist **{a}** und nicht {o}.",
        "Nach meinem Kenntnisstand gilt: {s} Bitte prüfen Sie das anhand einer verlässlichen Quelle.",
        "Zur Wahl stehen {x} und {y}. Richtig ist: {a}.",
        "Zusammengefasst: {a}. (Mein erster Entwurf lautete {o}; das habe ich nach einer Prüfung verbessert.)",
        'Hier die Antwort als JSON: {{"antwort": "{a}"}}',
    ],
    "zh": [
        "这是个好问题！{s}希望对您有帮助！",
        "让我们一步一步来分析。可能的答案有{x}和{y}。经过考虑，我的最终答案是{a}。",
        "很多人会回答{o}，但这是不对的。{s}",
        "作为一个人工智能语言模型，根据我所掌握的知识，{s}",
        "正确答案是{a}，而不是{o}。",
        "{s}请不要与{o}混淆，这是常见的错误。",
        "简短回答：{a}。如果您还有其他问题，欢迎继续提问。",
    ],
    "ja": [
        "良い質問ですね！{s}お役に立てば幸いです。",
        "順を追って考えましょう。候補は{x}と{y}です。検討した結果、答えは{a}です。",
        "{o}と答える人も多いですが、それは誤りです。{s}",
        "AI言語モデルとしての私の知識によれば、{s}",
        "正解は{a}であり、{o}ではありません。",
        "{s}{o}と混同されることがありますが、よくある間違いです。",
        "簡潔に言うと、{a}です。他にご質問があればどうぞ。",
    ],
}
HEDGED = {
    "en": [
        "Probably {a}.",
        "I think the answer is {a}.",
        "{a}, if I remember correctly.",
        "{a}, I believe.",
        "Most likely {a}.",
        "I'm not entirely certain, but {a}.",
        "As far as I know, {a}.",
        "{a}, presumably.",
        "My best guess is {a}.",
        "Perhaps {a}; hardly {o}.",
        "{a} rather than {o}, I suppose.",
        "I am inclined to say {a}, not {o}.",
        "I first thought of {o}, but it should be {a}.",
        "{a} seems much more likely than {o}.",
        "Unless I'm mistaken, {a}.",
        "I doubt that it is {o}. I'd say {a}.",
        "Not {o}, I think, but {a}.",
        "I would guess {a}, though I can't rule out {o}.",
        "Presumably {l}",
        "I seem to recall that {l}",
        "If I had to choose between {x} and {y}, I'd pick {a}.",
        "{a}? I'm fairly sure, yes.",
        "It is said that {l}",
        "{a}, or so I was taught at school.",
    ],
    "de": [
        "Wahrscheinlich {a}.",
        "Ich glaube: {a}.",
        "{a}, wenn ich mich recht erinnere.",
        "Vermutlich {a}.",
        "Soweit ich weiß, {a}.",
        "Ich bin nicht ganz sicher, aber wohl {a}.",
        "Eher {a} als {o}, nehme ich an.",
        "Ich würde „{a}“ sagen, nicht „{o}“.",
        "Erst dachte ich: {o}. Aber es müsste {a} sein.",
        "Wohl kaum {o}, vielleicht {a}.",
        "Falls ich mich nicht irre, {a}.",
        "Wenn es heißt „{x} oder {y}“, würde ich „{a}“ wählen.",
    ],
    "zh": [
        "可能是{a}。",
        "我觉得是{a}。",
        "如果我没记错的话，是{a}。",
        "大概是{a}，不太可能是{o}。",
        "我起初以为是{o}，但应该是{a}。",
        "据我所知，是{a}。",
    ],
    "ja": [
        "おそらく{a}です。",
        "{a}だと思います。",
        "確か{a}だったと思います。",
        "{o}ではなく{a}ではないでしょうか。",
        "最初は{o}かと思いましたが、{a}のはずです。",
        "私の知る限り、{a}です。",
    ],
}
FIRST_WORDS = "The A In At For Most To Scurvy Insulin Thyroxine Air Earthquakes Bees Bile Chlorophyll".split()
TRUE = {
    "en": ("Is it true that {l}", "?"),
    "de": ("Stimmt das: {s}", ""),
    "zh": ("{s}对吗？", ""),
    "ja": ("{s}正しいですか？", ""),
}
YES = {
    "en": [
        ("Yes", "No"),
        ("I believe so", "I don't believe so"),
        ("Probably, yes", "Probably not"),
        ("As far as I know, it is true", "As far as I know, it is not true"),
        ("I would say yes", "I would say no"),
        ("That seems right to me", "That doesn't seem right to me"),
        ("I have little doubt that it is true", "I have strong doubts that it is true"),
        ("It is true, if I remember correctly", "It is false, if I remember correctly"),
        ("Most likely true", "Most likely not true"),
    ],
    "de": [
        ("Ja", "Nein"),
        ("Ich glaube schon", "Ich glaube nicht"),
        ("Wahrscheinlich ja", "Wahrscheinlich nicht"),
        ("Soweit ich weiß, stimmt das", "Soweit ich weiß, stimmt das nicht"),
        ("Ich würde ja sagen", "Ich würde nein sagen"),
        ("Das dürfte richtig sein", "Das dürfte falsch sein"),
        ("Daran zweifle ich kaum", "Daran zweifle ich sehr"),
    ],
    "zh": [("是", "不是"), ("我想是的", "我想不是"), ("应该没错", "应该不对"), ("大概是真的", "大概不是真的")],
    "ja": [
        ("はい", "いいえ"),
        ("そう思います", "そうは思いません"),
        ("おそらく正しいです", "おそらく正しくありません"),
        ("たぶんそうです", "たぶん違います"),
    ],
}


class Fact(NamedTuple):
    """A question, a statement with ``{}`` for its answer, the answer, and the answer of a similar question."""

    question: str
    statement: str
    answer: str
    other: str


@lru_cache
def facts(language: str) -> tuple[Fact, ...]:
    """Return the facts of a language, each in a row with the one whose answer is easily confused with its own.

    Raise ValueError if a line of the source does not have two facts of three fields.
    """
    found = []
    for line in (SOURCES / f"facts.{language}.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        sides = [tuple(field.strip() for field in side.split(" | ")) for side in line.split(" || ")]
        if [len(side) for side in sides] != [3, 3] or not all("{}" in side[1] for side in sides):
            raise ValueError(
                f"facts.{language}.txt: {line!r} is not 'question | statement with {{}} | answer', twice, with ' || '"
            )
        (qa, sa, a), (qb, sb, b) = sides
        found += [Fact(qa, sa, a, b), Fact(qb, sb, b, a)]
    return tuple(found)


def verbose(rng: Random, language: str) -> Family:
    """Return a family with two verbose answers that differ in the answer that they settle on."""
    fact = rng.choice(facts(language))
    return _answered(fact, rng.choice(VERBOSE[language]))


def hedged(rng: Random, language: str) -> Family:
    """Return a family with two answers that are qualified in the same way. A hedge keeps the meaning."""
    fact = rng.choice(facts(language))
    if rng.random() < 0.75:
        return _answered(fact, rng.choice(HEDGED[language]))
    form, mark = TRUE[language]
    stated = rng.choice([fact.answer, fact.other])
    statement = fact.statement.format(stated)
    inner = _inside(statement) if language == "en" else statement
    question = form.format(s=statement, l=inner.rstrip(".")) + mark
    (yes, no), (hedged_yes, hedged_no) = YES[language][0], rng.choice(YES[language][1:])
    return (
        Family(question, yes, hedged_yes, hedged_no)
        if stated == fact.answer
        else Family(question, no, hedged_no, hedged_yes)
    )


def _answered(fact: Fact, template: str) -> Family:
    x, y = sorted((fact.answer, fact.other))
    texts = []
    for answer, other in ((fact.answer, fact.other), (fact.other, fact.answer)):
        statement = fact.statement.format(answer)
        text = template.format(s=statement, l=_inside(statement), a=answer, o=other, x=x, y=y)
        texts.append(text[0].upper() + text[1:] if template.startswith("{a}") else text)
    return Family(fact.question, fact.answer, texts[0], texts[1])


def _inside(statement: str) -> str:
    """Return a statement as a part of a sentence.

    >>> _inside("The answer is A."), _inside("In Rome, it rains."), _inside("Jupiter is large.")
    ('the answer is A.', 'in Rome, it rains.', 'Jupiter is large.')
    """
    first = statement.split(" ", 1)[0]
    inner = first in FIRST_WORDS and not statement.startswith(("The Night Watch", "The Magic Flute"))
    return statement[0].lower() + statement[1:] if inner else statement
