"""What a cross-encoder for answers is trained on: sources of labeled pairs by name, for training, dev and test."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from answersim.checkpoints import sha256
from answersim.data.judged import EVOUNA, load_evouna
from answersim.errors import unknown
from answersim.training.data import date_pairs, graded_answers, judged_pairs, number_pairs, sts, wordnet_pairs
from answersim.training.data.alias_pairs import Settings as AliasSettings
from answersim.training.data.alias_pairs import alias_pairs
from answersim.training.data.alias_tables import read_legislators
from answersim.training.data.pairs import SPLITS, TrainingPair, in_split, read_pairs, resplit

STSB = "stsb"
TASK7 = f"train/semeval2013-task7/{graded_answers.ARCHIVE}"
NAMES = "names/name_pairs_score_split.csv"
LEGISLATORS = ("names/legislators-current.csv", "names/legislators-historical.csv")
DICTIONARY = Path("/usr/share/wordnet")  # where Debian's wordnet-base puts it
WORDNET = {"train": 30_000, "dev": 1_500}  # pairs drawn
DATES = {"train": 8_000, "dev": 500}
NUMBERS = 12_000  # of all splits
STRANGER = 0.05  # the label of two people drawn at random
NAMESAKE = 0.2  # and of two with the same last name

Pairs: TypeAlias = "list[TrainingPair]"


class Pool(NamedTuple):
    """Pairs of one source to draw from, and how many an epoch takes; all of them, each once, where that is 0."""

    pairs: Pairs
    take: int


class Places(NamedTuple):
    """Where the sources lie: the folder of data sets, and WordNet's dictionary files."""

    data: Path
    dictionary: Path = DICTIONARY


class Source(NamedTuple):
    """Where pairs come from: how they are made (of a split, by a seed), and the files that are read for them."""

    pairs: Callable[[Places, str, int], Pairs]
    files: Callable[[Places], Sequence[Path]]


def load(name: str, places: Places, split: str, seed: int) -> Pairs:
    """All pairs of this source and split, at least one; what is drawn at random follows from the seed.

    Raises:
        LookupError: No source has this name.
        FileNotFoundError: A file of the source is missing; names it.
        ValueError: A file is not what it should be, there is no such split, or the source has no pairs of it.
    """
    source = _source(name)
    if split not in SPLITS:
        raise ValueError(f"split is {split!r}, but must be one of {', '.join(SPLITS)}")
    for path in source.files(places):
        if not path.is_file():
            raise FileNotFoundError(
                f"no {path}, which the source {name!r} reads; put it there, or leave the source out"
            )
    pairs = source.pairs(places, split, seed)
    if not pairs:
        raise ValueError(f"the source {name!r} has no pairs of the split {split!r}")
    return pairs


def default_data() -> Path:
    """The folder that ``$ANSWERSIM_DATA`` names; FileNotFoundError where it names none."""
    home = os.environ.get("ANSWERSIM_DATA")
    if not home:
        raise FileNotFoundError("no data folder: name it with --data, or set $ANSWERSIM_DATA")
    return Path(home)


def hashes(names: Sequence[str], places: Places) -> dict[str, str]:
    """The SHA-256 of every file that these sources read, by its path below the folder of its kind.

    Raises:
        LookupError: No source has one of the names.
        FileNotFoundError: A file is missing.
    """
    files = {path for name in names for path in _source(name).files(places)}
    roots = (places.data, places.dictionary)
    named = {str(path.relative_to(next(root for root in roots if path.is_relative_to(root)))): path for path in files}
    return {name: sha256(path) for name, path in sorted(named.items())}


def _source(name: str) -> Source:
    if name not in SOURCES:
        raise unknown("source of training pairs", name, SOURCES)
    return SOURCES[name]


def _rng(seed: int, *place: int) -> np.random.Generator:
    return np.random.default_rng([seed, *place])


def _split_number(split: str) -> int:
    return SPLITS.index(split)


def _sts(language: str, places: Places, split: str, seed: int) -> Pairs:
    """STS-B; of the training pairs those that are not in dev or test."""
    folder = places.data / STSB
    pairs = sts.read_csv(sts.csv_path(folder, language, split))
    if split == "train":
        held = [sts.read_csv(sts.csv_path(folder, language, each)) for each in ("dev", "test")]
        pairs = sts.without_overlap(pairs, *held)
    return [TrainingPair(*pair[:2], pair.score / sts.HIGHEST, split, f"sts:{language}") for pair in pairs]


def _evouna(kind: str, places: Places, split: str, seed: int) -> Pairs:
    judged = load_evouna(split, path=places.data / EVOUNA)  # type: ignore[arg-type] # checked there
    rng = _rng(seed, _split_number(split), 7)
    if kind == "strangers":
        return judged_pairs.stranger_pairs(judged, 4 * len(judged_pairs.by_question(judged)), rng=rng)
    if kind == "aliases":
        return judged_pairs.alias_pairs(judged, most=6, rng=rng) + judged_pairs.alias_answer_pairs(judged, rng=rng)
    return judged_pairs.verdict_pairs(judged, sentences=kind == "sentences")


def _task7(places: Places, split: str, seed: int) -> Pairs:
    return graded_answers.graded_pairs(places.data / TASK7, split)


def _wordnet(places: Places, split: str, seed: int) -> Pairs:
    if split not in WORDNET:
        return []
    dictionary = wordnet_pairs.read_dictionary(places.dictionary)
    return wordnet_pairs.wordnet_pairs(dictionary, WORDNET[split], split, rng=_rng(seed, _split_number(split), 11))


def _numbers(places: Places, split: str, seed: int) -> Pairs:
    settings = number_pairs.Settings(languages=("en",), size=NUMBERS, negatives=0.55, seed=seed)
    return in_split(number_pairs.number_pairs(settings), split)


def _dates(places: Places, split: str, seed: int) -> Pairs:
    if split not in DATES:
        return []
    return date_pairs.date_pairs(DATES[split], split, rng=_rng(seed, _split_number(split), 13))


def _names(places: Places, split: str, seed: int) -> Pairs:
    return in_split(resplit(read_pairs(places.data / NAMES), rng=_rng(seed, 17)).pairs, split)


def _legislators(places: Places, split: str, seed: int) -> Pairs:
    settings = AliasSettings(
        most_spellings=0,
        last_names=1,
        last_name_label=NAMESAKE,
        rules=("initials", "inverted", "nickname", "title-added"),
    )
    found = alias_pairs(read_legislators([places.data / each for each in LEGISLATORS]), settings, _rng(seed, 19))
    pairs = [pair if pair.label is not None else pair._replace(label=STRANGER) for pair in found.pairs]
    return in_split(pairs, split)


def _below_data(*names: str) -> Callable[[Places], Sequence[Path]]:
    return lambda places: [places.data / name for name in names]


def _stsb_files(language: str) -> Callable[[Places], Sequence[Path]]:
    return lambda places: [sts.csv_path(places.data / STSB, language, split) for split in sts.SPLITS]


def _dictionary_files(places: Places) -> Sequence[Path]:
    return [places.dictionary / f"data.{part}" for part in wordnet_pairs.PARTS]


SOURCES: Mapping[str, Source] = {
    "sts": Source(partial(_sts, "en"), _stsb_files("en")),
    "sts-de": Source(partial(_sts, "de"), _stsb_files("de")),
    "verdicts": Source(partial(_evouna, "verdicts"), _below_data(EVOUNA)),
    "sentences": Source(partial(_evouna, "sentences"), _below_data(EVOUNA)),
    "aliases": Source(partial(_evouna, "aliases"), _below_data(EVOUNA)),
    "strangers": Source(partial(_evouna, "strangers"), _below_data(EVOUNA)),
    "task7": Source(_task7, _below_data(TASK7)),
    "wordnet": Source(_wordnet, _dictionary_files),
    "numbers": Source(_numbers, lambda places: []),
    "dates": Source(_dates, lambda places: []),
    "names": Source(_names, _below_data(NAMES)),
    "legislators": Source(_legislators, _below_data(*LEGISLATORS)),
}
