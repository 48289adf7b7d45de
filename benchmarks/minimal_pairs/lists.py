"""Lists: complete or not, and in an order that matters or does not."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.minimal_pairs.family import Family

ITEMS: dict[str, dict[str, list[str]]] = {
    "en": {
        "Which instruments does the band use?": "guitar, drums, flute, trumpet, cello, harp, piano, banjo, clarinet, organ".split(
            ", "
        ),
        "What did she buy at the market?": "apples, bread, cheese, olives, honey, eggs, carrots, butter, almonds, lemons".split(
            ", "
        ),
        "Which countries took part?": "Brazil, Kenya, Norway, Japan, Chile, Egypt, Ireland, Vietnam, Portugal, Canada".split(
            ", "
        ),
        "Which cities did they visit?": "Lisbon, Vienna, Oslo, Prague, Dublin, Athens, Warsaw, Naples, Geneva, Bergen".split(
            ", "
        ),
        "Who sat on the committee?": "Ana Ruiz, Ben Okafor, Clara Hahn, David Lindqvist, Elif Demir, Farid Nazari, Grace Liu, Hugo Blanc".split(
            ", "
        ),
        "Which colors are on the flag?": "red, white, blue, green, gold, black, orange, purple, maroon".split(", "),
        "Which metals does the alloy contain?": "copper, zinc, tin, nickel, lead, iron, manganese, aluminum, silver".split(
            ", "
        ),
        "Which languages are taught there?": "French, Arabic, Swahili, Korean, Greek, Hindi, Welsh, Basque, Turkish".split(
            ", "
        ),
        "Which animals live in the reserve?": "otters, wolves, lynxes, herons, beavers, badgers, owls, elk, foxes".split(
            ", "
        ),
        "Which subjects are compulsory?": "history, algebra, chemistry, music, geography, drawing, biology, rhetoric".split(
            ", "
        ),
        "What are the ingredients of the sauce?": "garlic, basil, pine nuts, olive oil, Parmesan, salt, pepper, vinegar".split(
            ", "
        ),
        "Which sports does the club offer?": "rowing, judo, fencing, handball, archery, climbing, sailing, badminton".split(
            ", "
        ),
        "Which tools are in the box?": "hammer, pliers, chisel, saw, wrench, file, drill, clamp, ruler".split(", "),
        "Which symptoms does the leaflet list?": "fever, rash, headache, nausea, dizziness, cough, fatigue, insomnia".split(
            ", "
        ),
    },
    "de": {
        "Welche Instrumente spielt die Gruppe?": "Gitarre, Flöte, Trompete, Cello, Harfe, Klavier, Klarinette, Orgel".split(
            ", "
        ),
        "Was kaufte sie auf dem Markt?": "Äpfel, Brot, Käse, Oliven, Honig, Eier, Möhren, Butter, Mandeln".split(", "),
        "Welche Länder nahmen teil?": "Brasilien, Kenia, Norwegen, Japan, Chile, Ägypten, Irland, Portugal".split(", "),
        "Welche Städte besuchten sie?": "Lissabon, Wien, Oslo, Prag, Dublin, Athen, Warschau, Neapel, Genf".split(", "),
        "Wer saß im Ausschuss?": "Anna Kern, Björn Voss, Clara Hahn, Deniz Aydın, Elke Brandt, Frank Ott, Gesa Lohmann".split(
            ", "
        ),
        "Welche Farben hat die Flagge?": "Rot, Weiß, Blau, Grün, Gold, Schwarz, Orange, Violett".split(", "),
        "Welche Metalle enthält die Legierung?": "Kupfer, Zink, Zinn, Nickel, Blei, Eisen, Mangan, Silber".split(", "),
        "Welche Tiere leben im Schutzgebiet?": "Otter, Wölfe, Luchse, Reiher, Biber, Dachse, Eulen, Füchse".split(", "),
        "Welche Fächer sind Pflicht?": "Geschichte, Chemie, Musik, Erdkunde, Kunst, Biologie, Latein".split(", "),
    },
    "zh": {
        "她在市场买了什么？": "苹果、面包、鸡蛋、蜂蜜、土豆、黄油、柠檬、大蒜".split("、"),
        "他们去了哪些城市？": "北京、上海、广州、成都、西安、杭州、南京、昆明".split("、"),
        "乐队使用哪些乐器？": "吉他、长笛、小号、钢琴、二胡、琵琶、古筝、竖琴".split("、"),
        "保护区里有哪些动物？": "狐狸、狼、水獭、猫头鹰、鹿、野猪、熊、獾".split("、"),
    },
    "ja": {
        "市場で何を買いましたか？": "りんご、パン、卵、はちみつ、じゃがいも、バター、レモン、にんにく".split("、"),
        "どの都市を訪れましたか？": "東京、大阪、名古屋、札幌、福岡、仙台、広島、金沢".split("、"),
        "どの楽器を使いますか？": "ギター、フルート、トランペット、ピアノ、尺八、三味線、琴、ハープ".split("、"),
    },
}
ORDERED: dict[str, list[str]] = {
    "en": [
        "In which order did the runners finish?",
        "In which order do the trains leave?",
        "List the winners from first to third place.",
        "In which order are the steps carried out?",
        "Rank the entries from the largest to the smallest.",
        "Who ruled after whom, from first to last?",
        "In which order were they elected?",
        "In which order are the stations along the line, from north to south?",
    ],
    "de": [
        "In welcher Reihenfolge kamen die Läufer ins Ziel?",
        "Nennen Sie die Sieger, vom ersten bis zum letzten Platz.",
        "In welcher Reihenfolge fahren die Züge ab?",
        "Wer regierte nach wem, vom Ersten bis zum Letzten?",
    ],
    "zh": ["选手们按什么顺序到达终点？", "请从第一名到最后一名列出。"],
    "ja": ["どの順番でゴールしましたか？", "1位から順に挙げてください。"],
}
RANKED = {
    "en": [
        "Amara, Bruno, Chen, Dagny, Emil, Fatima, Goran, Hana, Ivo, Jana".split(", "),
        "Alpha, Boreas, Comet, Delphin, Express, Falcon, Gryphon".split(", "),
        "Elmwood, Fairview, Granton, Hillside, Ironbridge, Junction Road, Kingsmead".split(", "),
    ],
    "de": [
        "Anton, Berta, Claus, Dora, Emil, Frieda, Gustav, Hanna".split(", "),
        "Ahorntal, Birkenau, Dornbach, Eichfeld, Fichtenberg".split(", "),
    ],
    "zh": ["小王、小李、小张、小陈、小刘、小赵".split("、")],
    "ja": ["田中、佐藤、鈴木、高橋、伊藤、山本".split("、")],
}
JOINED = {
    "en": [
        "{0}, {1}",
        "{0} and {1}",
        "{0}, and {1}",
        "{0}; {1}",
        "{0} / {1}",
        "{0} & {1}",
        "{0} as well as {1}",
        "{0} + {1}",
        "numbered",
        "bulleted",
    ],
    "de": ["{0}, {1}", "{0} und {1}", "{0}; {1}", "{0} / {1}", "{0} sowie {1}", "{0} + {1}", "numbered", "bulleted"],
    "zh": ["{0}、{1}", "{0}和{1}", "{0}，{1}", "{0}以及{1}", "numbered"],
    "ja": ["{0}、{1}", "{0}と{1}", "{0}・{1}", "{0}および{1}", "numbered"],
}
IN_ORDER = {
    "en": [
        "{0}, {1}",
        "{0}, then {1}",
        "first {0}, then {1}",
        "{0}, followed by {1}",
        "numbered",
        "{0} > {1}",
        "{0} before {1}",
    ],
    "de": ["{0}, {1}", "{0}, dann {1}", "erst {0}, dann {1}", "{0}, gefolgt von {1}", "numbered", "{0} > {1}"],
    "zh": ["{0}、{1}", "先{0}，后{1}", "numbered", "{0}，然后{1}"],
    "ja": ["{0}、{1}", "{0}、次に{1}", "numbered", "{0}、それから{1}"],
}
_INNER = {"en": ", ", "de": ", ", "zh": "、", "ja": "、"}


def incomplete(rng: Random, language: str) -> Family | None:
    """Return a family about a complete list. The close miss lacks one item, or has one that does not belong to it.

    Either is equally likely, so that the length of a candidate does not show its label.
    """
    question = rng.choice(list(ITEMS[language]))
    items = rng.sample(ITEMS[language][question], rng.randrange(3, 6))
    dropped = rng.choice(items)
    lacking = [item for item in items if item != dropped]
    first, second = (items, lacking) if rng.random() < 0.5 else (lacking, items)
    gold_style, style = rng.sample(JOINED[language], 2)
    shuffled = rng.sample(first, len(first))
    missed = rng.sample(second, len(second))
    return Family(
        question,
        joined(first, gold_style, language),
        joined(shuffled, style, language),
        joined(missed, style, language),
    )


def order(rng: Random, language: str) -> Family | None:
    """Return a family about the order of a list.

    If the question asks for an order, the rewrite keeps it and the close miss changes it. If it does not, the rewrite
    changes the order, and the close miss replaces an item.
    """
    if rng.random() < 0.5:
        question = rng.choice(ORDERED[language])
        items = rng.sample(rng.choice(RANKED[language]), rng.randrange(3, 5))
        i, j = rng.sample(range(len(items)), 2)
        changed = list(items)
        changed[i], changed[j] = changed[j], changed[i]
        gold_style, style = rng.sample(IN_ORDER[language], 2)
        return Family(
            question,
            joined(items, gold_style, language),
            joined(items, style, language),
            joined(changed, style, language),
        )
    question = rng.choice(list(ITEMS[language]))
    size = rng.randrange(3, 5)
    items = rng.sample(ITEMS[language][question], size + 1)
    i = rng.randrange(size)
    first, second = items[:size], [*items[:i], items[size], *items[i + 1 : size]]
    gold_style, style = rng.sample(JOINED[language], 2)
    shuffled = first
    while shuffled == first:
        shuffled = rng.sample(first, size)
    return Family(
        question,
        joined(first, gold_style, language),
        joined(shuffled, style, language),
        joined(rng.sample(second, size), style, language),
    )


def joined(items: Sequence[str], style: str, language: str) -> str:
    """Return these items as one text.

    >>> joined(["a", "b", "c"], "{0} and {1}", "en"), joined(["a", "b"], "numbered", "en")
    ('a, b and c', '1. a 2. b')
    """
    if style == "numbered":
        return " ".join(f"{i}. {item}" for i, item in enumerate(items, 1))
    if style == "bulleted":
        return " ".join(f"- {item}" for item in items)
    if (
        any(
            mark in style for mark in (";", "/", " + ", ">", "before", "then", "dann", "然后", "それから", "次に", "・")
        )
        and "first" not in style
        and "erst" not in style
    ):
        mark = style.removeprefix("{0}").removesuffix("{1}")
        return mark.join(items)
    return style.format(_INNER[language].join(items[:-1]), items[-1])
