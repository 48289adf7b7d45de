"""Make the classifier of abstentions, ``abstention_weights.npz``, from templates in ten languages.

    ANSWERSIM_DATA=... python -m tools.weights.abstentions
    ANSWERSIM_DATA=... python -m tools.weights.abstentions --check

Abstentions come from ``sources/abstentions.tsv``, attempts from ``sources/attempts.tsv`` (hedged answers, denials,
titles), both from the phrases of ``sources/phrases.tsv``, and attempts also from right answers of EVOUNA, DIVER-QA and
SAF to half of their questions. ``--check`` prints what the
classifier recognizes of forms and questions that it was not trained on: five trainings, each without a fifth of the
forms. Sentences of STS in ten languages, parts of them, right answers of XQuAD in twelve languages, and nouns of
WordNet are attempts too: of their train parts in the training, of the other parts in the check.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from answersim.answers.extraction.abstention import CLASSES, classes, hashed
from answersim.evaluation.data.labeled import read_csv
from benchmarks.options import run_program
from benchmarks.system_answers import DIVER, EVOUNA, EVOUNA_NQ, load_evouna
from tools.dictionary import entries
from tools.tables import table
from tools.weights import ngrams
from tools.weights.pairs import mixture, sts
from tools.weights.pairs.graded_answers import FILES

STS = "en de es fr it nl pt ru zh ja".split()
CHECKED = 600  # sentences of the dev part of STS of a language, which only the check reads; of English, all
LEARNED = 2000  # sentences of its train part, of each language
LEARNED_EN = 6000  # of English, whose sentences differ more
NOUNS = 10_000  # nouns of WordNet, and as many others for the check
PER_FORM = 80  # texts of one template
PHRASE = 5.0  # the weight of each text of a phrase
RIGHT = 2.0  # of an answer that annotators called right, and of a made answer of known words
REGULARIZATION = 30.0  # the inverse of its strength
LEVELS = 20  # of a weight
FOLDS = 5
_OPENINGS = table(__file__, "openings.json")  # of refusals, by language
# What texts may be about: clauses and nouns of a language.
_TOPICS = {(lang, kind): topics.split("|") for lang, kind, topics in table(__file__, "topics.tsv")}
_SLIP = re.compile("(I.m|I am) sorry,? but I (can|could|do|am)", re.IGNORECASE)  # annotators called some of these right
_WH = re.compile(r"^(who|what|which|when|where|how|why) (is|was|are|were|did|does|do) ")


class Text(NamedTuple):
    """A text of the training."""

    text: str  # the text
    abstains: bool  # whether it is an abstention
    lang: str  # its language
    form: str  # what it was made from: a template, or the source and the question of an answer
    weight: float  # how much it counts


def expanded(
    template: str, lang: str, answers: Sequence[str], topics: Sequence[str], rng: random.Random
) -> Iterator[str]:
    """Yield different texts of a template, at most ``PER_FORM``."""
    made: set[str] = set()
    if re.fullmatch(r"\[[^\[\]]*\][.。]?", template):  # a list of phrases: each counts
        for phrase in template.rstrip(".。")[1:-1].split("|"):
            made |= {phrase, phrase.lower(), f"{phrase}."}
        yield from sorted(made)
        return
    for _ in range(3 * PER_FORM):
        text = re.sub(r"\[([^\]]*)\]", lambda match: rng.choice(match[1].split("|")), template)
        opening, topic = _OPENINGS["openings"].get(lang, [""]), _OPENINGS["about"].get(lang, [""])
        text = text.replace("{sorry}", rng.choice(opening)).replace("{about2}", rng.choice(_OPENINGS["after"]))
        text = text.replace("{about}", rng.choice(topic)).replace("{q}", rng.choice(topics))
        for kind, mark in (("clause", "{c}"), ("noun", "{n}")):
            text = text.replace(mark, rng.choice(_TOPICS.get((lang, kind), ("",))))
        text = re.sub(r"\s+", " ", text.replace("{answer}", rng.choice(answers))).strip()
        text = text[:1].upper() + text[1:] if rng.random() > 0.1 else text.lower()
        text = text.rstrip(".。") if rng.random() < 0.25 else text
        if text and text not in made and len(made) < PER_FORM:
            made.add(text)
            yield text


def texts(places: mixture.Places, rng: random.Random) -> list[Text]:
    """Return all texts of the training and of its check."""
    listed: list[Text] = []
    rights = [row for row in right_answers(places.data) if not _SLIP.match(row[1])]
    questions = sorted({question for question, *_ in rights})
    train = set(rng.sample(questions, len(questions) // 2))
    for question, answer, source in rights:
        listed.append(Text(answer, False, "en", f"{source}|{'train' if question in train else 'test'}", RIGHT))
    records = [row for path in (EVOUNA, EVOUNA_NQ) for row in json.loads((places.data / path).read_text("utf-8"))]
    golds = [row["golden_answer"].split("/")[0] for row in records if row["question"] in train]
    listed += [Text(gold, False, "en", "gold|train", 1.0) for gold in golds]
    for lang in STS:
        tested = sentences(places.data, lang, "dev")
        learned = [text for text in sentences(places.data, lang, "train") if text not in set(tested)]
        listed += [Text(text, False, lang, "sts|test", 1.0) for text in tested[: None if lang == "en" else CHECKED]]
        taken = rng.sample(learned, LEARNED_EN if lang == "en" else LEARNED)
        listed += [Text(text, False, lang, "sts|train", 1.0) for text in taken]
        listed += [Text(text, False, lang, "parts|train", 1.0) for text in parts(learned, rng)]
    for split in ("train", "test"):
        reading = {(pair.second, pair.source[-2:]) for pair in mixture.load("xquad", places, split, 0) if pair.label}
        listed += [Text(text, False, lang, f"xquad|{split}", 1.0) for text, lang in sorted(reading)]
    nouns = wordnet_nouns(places.dictionary, rng)
    listed += [Text(text, False, "en", "nouns|train", 1.0) for text in nouns[:NOUNS]]
    listed += [Text(text, False, "en", "nouns|test", 1.0) for text in nouns[NOUNS : 2 * NOUNS]]
    listed += [Text(text, False, "en", "words|train", RIGHT) for text in _of_words(rng)]
    topics = [_WH.sub("", question.rstrip("?").lower()) for question in sorted(train)]
    for name, abstains in (("abstentions", True), ("attempts", False)):
        for lang, form, template in table(__file__, f"{name}.tsv"):
            made = expanded(template, lang, golds, topics, rng)
            listed += [Text(text, abstains, lang, f"{name}|{lang}|{form}", 1.5) for text in made]
    return [*listed, *phrases()]


def phrases() -> Iterator[Text]:
    """Yield the phrases of ``phrases.tsv``, each with and without its last sign and its capital letter."""
    for lang, abstains, phrase in table(__file__, "phrases.tsv"):
        bare = phrase.rstrip(".。…!")
        for text in dict.fromkeys((phrase, bare, phrase.lower(), bare.lower())):
            yield Text(text, abstains == "1", lang, f"phrases|{lang}|{phrase}", PHRASE)


def right_answers(data: Path) -> Iterator[tuple[str, str, str]]:
    """Yield questions, answers that annotators called right, and the name of their set."""
    for path in (EVOUNA, EVOUNA_NQ):
        for answer in load_evouna(path=data / path):
            if answer.verdict and answer.answer:
                yield answer.question, answer.answer.strip(), "evouna"
    for record in read_csv(data / DIVER, ["questions", "prediction", "eval"]):
        if record["eval"] == "1":
            yield record["questions"], record["prediction"], "diver"
    for source in ("saf-de", "saf-en"):
        rows = map(json.loads, (data / FILES[source][0]).read_text(encoding="utf-8").splitlines())
        yield from ((row["question"], row["pred"], "saf") for row in rows if row["verdict"] == "Correct")


def sentences(data: Path, lang: str, split: str) -> list[str]:
    """Return the different sentences of a file of STS, in its order."""
    return list(dict.fromkeys(text for pair in sts.read(data, lang, split) for text in pair[:2]))


def parts(listed: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Yield parts of sentences that look like short answers: one to three words, or two to six Chinese characters."""
    for text in rng.sample(listed, LEARNED):
        words, space = (text.split(), " ") if " " in text else (list(text), "")
        n = rng.randint(1, 3) if space else rng.randint(2, 6)
        start = rng.randrange(max(1, len(words) - n))
        part = space.join(words[start : start + n]).strip(".,;:。、，")
        if not {"not", "sorry", "secret", "leave"}.intersection(classes(words[start : start + n])):
            yield part


def wordnet_nouns(dictionary: Path, rng: random.Random) -> list[str]:
    """Return nouns of WordNet in a random order, half of them with a capital letter."""
    nouns = [fields[0].replace("_", " ") for fields in entries(dictionary / "index.noun")]
    rng.shuffle(nouns)
    return [noun.capitalize() if i % 2 else noun for i, noun in enumerate(nouns)]


def _of_words(rng: random.Random) -> Iterator[str]:
    """Yield made answers of words of the classes that deny nothing: "Table tennis", "the answer"."""
    kinds = ("info", "text", "say", "know", "can", "grammar")
    usual = [word for word, name in sorted(CLASSES.items()) if name in kinds]
    for _ in range(1500):
        words = [word for word in rng.sample(usual, rng.randint(1, 3)) if "not" not in classes([word])]
        yield " ".join(words).capitalize()


def fitted(listed: Sequence[Text]) -> tuple[NDArray[np.float64], float]:
    """Return the weights, shape (SIZE,), and the intercept of a logistic regression."""
    features, labels = ngrams.matrix([hashed(text.text) for text in listed]), [text.abstains for text in listed]
    return ngrams.fitted(features, labels, [text.weight for text in listed], REGULARIZATION)


def check(listed: Sequence[Text]) -> Iterator[str]:
    """Yield what trainings without a fifth of the forms recognize of these forms, by language and set."""
    forms = sorted({text.form for text in listed if text.form.startswith(("abstentions", "attempts", "phrases"))})
    flagged: dict[str, list[bool]] = {}
    for fold in range(FOLDS):
        held_out = set(forms[fold::FOLDS])
        weights, intercept = fitted([t for t in listed if t.form not in held_out and not t.form.endswith("|test")])
        tested = [t for t in listed if t.form in held_out or (fold == 0 and t.form.endswith("|test"))]
        scores = ngrams.matrix([hashed(t.text) for t in tested]) @ weights + intercept
        for text, score in zip(tested, scores, strict=True):
            source = text.form.split("|")[0]
            kind = f" {'abstentions' if text.abstains else 'attempts'}" if source == "phrases" else ""
            flagged.setdefault(f"{source}{kind} {text.lang}", []).append(bool(score > 0))
    for name, values in sorted(flagged.items()):
        yield f"{name}: {100 * float(np.mean(values)):.2f} % of {len(values):,} are called abstentions"


def main(
    output: Annotated[Path, typer.Option(help="The file of the weights.")] = ngrams.FOLDER / "abstention_weights.npz",
    seed: Annotated[int, typer.Option(help="The seed of the texts.")] = 0,
    only_check: Annotated[bool, typer.Option("--check", help="Print the check, and write nothing.")] = False,
) -> None:
    """Train the classifier."""
    listed = texts(mixture.Places(mixture.default_data()), random.Random(seed))
    if only_check:
        for line in check(listed):
            typer.echo(line)
        return
    weights, intercept = fitted([text for text in listed if not text.form.endswith("|test")])
    ngrams.store(output, weights, intercept, LEVELS)
    typer.echo(f"{output}: {output.stat().st_size:,} bytes, from {len(listed):,} texts")


if __name__ == "__main__":
    run_program(main)
