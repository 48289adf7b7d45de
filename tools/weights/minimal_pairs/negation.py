"""States that exclude each other: an assertion, and the denial of its opposite."""

from __future__ import annotations

from random import Random

from tools.weights.minimal_pairs.family import Family, draw

# Subject, and two adjectives of which exactly one applies to it.
STATES = {
    "en": [
        ("the bridge", "open", "closed"),
        ("the tournament", "legal", "illegal"),
        ("the pharaoh in the story", "alive", "dead"),
        ("the ticket", "valid", "invalid"),
        ("the claim", "true", "false"),
        ("the enzyme", "present", "absent"),
        ("the number", "even", "odd"),
        ("the set", "finite", "infinite"),
        ("the skeleton", "complete", "incomplete"),
        ("the comet", "visible", "invisible"),
        ("the patient", "awake", "asleep"),
        ("the reaction", "reversible", "irreversible"),
        ("the governor", "married", "unmarried"),
        ("the ship", "armed", "unarmed"),
        ("the cable", "connected", "disconnected"),
        ("the gate", "locked", "unlocked"),
        ("the seat", "occupied", "vacant"),
        ("the mushroom", "edible", "inedible"),
        ("the inscription", "legible", "illegible"),
        ("the root of the equation", "rational", "irrational"),
        ("the course", "mandatory", "optional"),
        ("the exhibition", "permanent", "temporary"),
        ("the hearing", "public", "private"),
        ("the lamp", "on", "off"),
        ("the bill", "paid", "unpaid"),
        ("the isotope", "stable", "unstable"),
        ("the author of the letter", "known", "unknown"),
        ("the crew", "safe", "in danger"),
        ("the test result", "positive", "negative"),
        ("the village", "inhabited", "uninhabited"),
        ("the road", "paved", "unpaved"),
        ("the plot", "fictional", "real"),
        ("the witness", "reliable", "unreliable"),
        ("the treaty", "in force", "suspended"),
        ("the file", "encrypted", "unencrypted"),
        ("the tax", "direct", "indirect"),
        ("the bird", "able to fly", "unable to fly"),
        ("the sample", "contaminated", "uncontaminated"),
        ("the strait", "navigable", "impassable"),
        ("the valve", "symmetric", "asymmetric"),
    ],
    "de": [
        ("die Brücke", "offen", "geschlossen"),
        ("der Vertrag", "gültig", "ungültig"),
        ("die Behauptung", "wahr", "falsch"),
        ("die Zahl", "gerade", "ungerade"),
        ("die Menge", "endlich", "unendlich"),
        ("das Skelett", "vollständig", "unvollständig"),
        ("der Komet", "sichtbar", "unsichtbar"),
        ("die Maschine", "in Betrieb", "außer Betrieb"),
        ("der Pilz", "essbar", "ungenießbar"),
        ("die Inschrift", "lesbar", "unlesbar"),
        ("der Minister", "verheiratet", "unverheiratet"),
        ("die Tür", "verschlossen", "unverschlossen"),
        ("die Lampe", "an", "aus"),
        ("das Isotop", "stabil", "instabil"),
        ("der Verfasser", "bekannt", "unbekannt"),
        ("die Insel", "bewohnt", "unbewohnt"),
        ("der Zeuge", "zuverlässig", "unzuverlässig"),
        ("die Teilnahme", "freiwillig", "verpflichtend"),
        ("die Sitzung", "öffentlich", "nichtöffentlich"),
        ("der Patient", "am Leben", "tot"),
        ("die Rechnung", "bezahlt", "unbezahlt"),
        ("der Befund", "positiv", "negativ"),
    ],
    "zh": [
        ("门", "开着的", "关着的"),
        ("这个数", "奇数", "偶数"),
        ("这个说法", "对的", "错的"),
        ("检测结果", "阳性的", "阴性的"),
        ("这条鱼", "活的", "死的"),
        ("这个集合", "有限的", "无限的"),
        ("座位", "空的", "有人的"),
        ("这笔钱", "已付的", "未付的"),
    ],
    "ja": [
        ("その数", "偶数", "奇数"),
        ("その主張", "真実", "虚偽"),
        ("検査結果", "陽性", "陰性"),
        ("その集合", "有限", "無限"),
        ("参加", "任意", "強制"),
        ("その契約", "有効", "無効"),
        ("会議", "公開", "非公開"),
        ("その島", "有人島", "無人島"),
    ],
}
# {s} the subject, {a} what applies, {b} what does not: all ways to state the same.
STATED = {
    "en": [
        "{S} is {a}.",
        "{S} is not {b}.",
        "{S} isn't {b}.",
        "{S} is {a}, not {b}.",
        "It is not true that {s} is {b}.",
        "{S} is by no means {b}.",
        "It is false that {s} is {b}.",
        "Nobody claims that {s} is {b}; in fact it is {a}.",
        "No, {s} is not {b}.",
        "Indeed, {s} is {a}.",
        "{S} is {a} and never was {b}.",
        "Contrary to the rumor, {s} is not {b}.",
        "It would be wrong to call {s} {b}.",
        "{S} cannot be said to be {b}.",
    ],
    "de": [
        "{S} ist {a}.",
        "{S} ist nicht {b}.",
        "{S} ist {a} und nicht {b}.",
        "Es stimmt nicht, dass {s} {b} ist.",
        "{S} ist keineswegs {b}.",
        "Nein, {s} ist nicht {b}.",
        "In der Tat ist {s} {a}.",
        "Anders als gemeldet ist {s} nicht {b}.",
        "Es ist falsch, dass {s} {b} ist.",
    ],
    "zh": ["{s}是{a}。", "{s}不是{b}。", "{s}是{a}，不是{b}。", "说{s}是{b}，这并不正确。", "{s}绝不是{b}。"],
    "ja": [
        "{s}は{a}です。",
        "{s}は{b}ではありません。",
        "{s}は{b}ではなく{a}です。",
        "{s}が{b}だというのは誤りです。",
        "{s}は決して{b}ではない。",
    ],
}
ASKED = {"en": "Is {s} {a}?", "de": "Ist {s} {a}?", "zh": "{s}是{a}吗？", "ja": "{s}は{a}ですか？"}
AFFIRMED = {
    "en": [
        ("Yes", "No"),
        ("Yes, {s} is {a}.", "No, {s} is not {a}."),
        ("{S} is not {b}.", "{S} is {b}."),
        ("It is.", "It is not."),
        ("That is the case.", "That is not the case."),
    ],
    "de": [
        ("Ja", "Nein"),
        ("Ja, {s} ist {a}.", "Nein, {s} ist nicht {a}."),
        ("{S} ist nicht {b}.", "{S} ist {b}."),
        ("Das trifft zu.", "Das trifft nicht zu."),
    ],
    "zh": [("是", "不是"), ("{s}不是{b}。", "{s}是{b}。"), ("没错。", "不对。")],
    "ja": [
        ("はい", "いいえ"),
        ("{s}は{b}ではありません。", "{s}は{b}です。"),
        ("その通りです。", "そうではありません。"),
    ],
}


def family(rng: Random, language: str) -> Family | None:
    """Return a family about one of two states that exclude each other."""
    subject, a, b = rng.choice(STATES[language])
    if rng.random() < 0.5:
        a, b = b, a
    slots = {"s": subject, "S": subject[0].upper() + subject[1:], "a": a, "b": b}
    if rng.random() < 0.3:
        forms = [[form.format(**slots) for form in side] for side in zip(*AFFIRMED[language], strict=True)]
        return draw(rng, forms[0], forms[1], ASKED[language].format(**slots))
    exchanged = slots | {"a": b, "b": a}
    texts = [[form.format(**values) for form in STATED[language]] for values in (slots, exchanged)]
    return draw(rng, texts[0], texts[1])
