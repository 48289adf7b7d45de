"""Make the classifier of abstentions, ``abstention_weights.npz``, from templates in ten languages.

    ANSWERSIM_DATA=... python -m tools.weights.abstentions

Abstentions come from ``sources/abstentions.tsv``, attempts from ``sources/attempts.tsv`` (hedged answers, denials,
titles), both from ``sources/phrases.tsv``, and attempts also from right answers (EVOUNA, DIVER-QA, SAF: half of the
questions; XQuAD), sentences of STS and nouns of WordNet. The tests have phrases of another writer.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

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
LEARNED = 2000  # sentences of the train part of STS, of each language
LEARNED_EN = 6000  # of English, whose sentences differ more
NOUNS = 10_000  # nouns of WordNet
PER_FORM = 80  # texts of one template
PHRASE = 5.0  # the weight of each text of a phrase
RIGHT = 2.0  # of an answer that annotators called right, and of a made answer of known words
REGULARIZATION = 30.0  # the inverse of its strength
LEVELS = 20  # of a weight
_OPENINGS = table(__file__, "openings.json")  # of refusals, by language
# What texts may be about: clauses and nouns of a language.
_TOPICS = {(lang, kind): topics.split("|") for lang, kind, topics in table(__file__, "topics.tsv")}
_SLIP = re.compile("(I.m|I am) sorry,? but I (can|could|do|am)", re.IGNORECASE)  # annotators called some of these right
_WH = re.compile(r"^(who|what|which|when|where|how|why) (is|was|are|were|did|does|do) ")


class Text(NamedTuple):
    """A text of the training."""

    text: str  # the text
    abstains: bool = False  # whether it is an abstention
    weight: float = 1.0  # how much it counts


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
    """Return all texts of the training."""
    rights = [row for row in right_answers(places.data) if not _SLIP.match(row[1])]
    questions = sorted({question for question, _ in rights})
    train = set(rng.sample(questions, len(questions) // 2))
    listed = [Text(answer, weight=RIGHT) for question, answer in rights if question in train]
    records = [row for path in (EVOUNA, EVOUNA_NQ) for row in json.loads((places.data / path).read_text("utf-8"))]
    golds = [row["golden_answer"].split("/")[0] for row in records if row["question"] in train]
    listed += map(Text, golds)
    for lang in STS:
        held_out = set(sentences(places.data, lang, "dev"))
        learned = [text for text in sentences(places.data, lang, "train") if text not in held_out]
        listed += map(Text, rng.sample(learned, LEARNED_EN if lang == "en" else LEARNED))
        listed += map(Text, parts(learned, rng))
    reading = {(pair.second, pair.source[-2:]) for pair in mixture.load("xquad", places, "train") if pair.label}
    listed += [Text(text) for text, _ in sorted(reading)]
    listed += map(Text, wordnet_nouns(places.dictionary, rng)[:NOUNS])
    listed += [Text(text, weight=RIGHT) for text in _of_words(rng)]
    topics = [_WH.sub("", question.rstrip("?").lower()) for question in sorted(train)]
    for name, abstains in (("abstentions", True), ("attempts", False)):
        for lang, _, template in table(__file__, f"{name}.tsv"):
            listed += [Text(text, abstains, 1.5) for text in expanded(template, lang, golds, topics, rng)]
    return [*listed, *phrases()]


def phrases() -> Iterator[Text]:
    """Yield the phrases of ``phrases.tsv``, each with and without its last sign and its capital letter."""
    for _, abstains, phrase in table(__file__, "phrases.tsv"):
        bare = phrase.rstrip(".。…!")
        for text in dict.fromkeys((phrase, bare, phrase.lower(), bare.lower())):
            yield Text(text, abstains == "1", PHRASE)


def right_answers(data: Path) -> Iterator[tuple[str, str]]:
    """Yield questions and answers that annotators called right."""
    for path in (EVOUNA, EVOUNA_NQ):
        for answer in load_evouna(path=data / path):
            if answer.verdict and answer.answer:
                yield answer.question, answer.answer.strip()
    for record in read_csv(data / DIVER, ["questions", "prediction", "eval"]):
        if record["eval"] == "1":
            yield record["questions"], record["prediction"]
    for source in ("saf-de", "saf-en"):
        rows = map(json.loads, (data / FILES[source][0]).read_text(encoding="utf-8").splitlines())
        yield from ((row["question"], row["pred"]) for row in rows if row["verdict"] == "Correct")


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


def main(
    output: Annotated[Path, typer.Option(help="The file of the weights.")] = ngrams.FOLDER / "abstention_weights.npz",
    seed: Annotated[int, typer.Option(help="The seed of the texts.")] = 0,
) -> None:
    """Train the classifier."""
    listed = texts(mixture.Places(mixture.default_data()), random.Random(seed))
    features, labels = ngrams.matrix([hashed(text.text) for text in listed]), [text.abstains for text in listed]
    fit = ngrams.fitted(features, labels, [text.weight for text in listed], REGULARIZATION)
    ngrams.store(output, *fit, LEVELS)
    typer.echo(f"{output}: {output.stat().st_size:,} bytes, from {len(listed):,} texts")


if __name__ == "__main__":
    run_program(main)
