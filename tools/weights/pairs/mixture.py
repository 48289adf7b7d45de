"""The training data of a cross-encoder for answers: sources of labeled pairs by name, for train, dev and test."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from answersim._base.errors import unknown
from answersim.evaluation.data.labeled import read_csv
from answersim.metrics.checkpoints.search import sha256
from answersim.training.data.pairs import SPLITS, TrainingPair, in_split, plain, read_pairs, resplit
from benchmarks import number_pairs
from benchmarks.system_answers import (
    DIVER,
    EFFICIENTQA,
    EVOUNA,
    EVOUNA_NQ,
    NQ_OPEN_SAS,
    SystemAnswer,
    load_diver,
    load_efficientqa,
    load_evouna,
)
from tools.pairs.alias_pairs import AliasPairConfig, alias_pairs
from tools.pairs.alias_tables import read_legislators
from tools.weights.pairs import (
    commitment_pairs,
    confusable_pairs,
    contrast_pairs,
    date_pairs,
    drawn_meanings,
    graded_answers,
    judged_pairs,
    lexicon,
    negation_pairs,
    reading_pairs,
    sts,
    wordnet_pairs,
)

STSB = "stsb"
TASK7 = f"train/semeval2013-task7/{graded_answers.ARCHIVE}"
SAS = (NQ_OPEN_SAS, "sas/NQ-open_SAS.csv")
NAMES = "names/name_pairs_score_split.csv"
LEGISLATORS = ("names/legislators-current.csv", "names/legislators-historical.csv")
DICTIONARY = Path("/usr/share/wordnet")  # of the Debian package wordnet-base
WORDNET = {"train": 30_000, "dev": 1_500}  # pairs drawn
DATES = {"train": 8_000, "dev": 500}
NUMBERS = 12_000  # of all splits
CONFUSABLE = {"train": 24_000, "dev": 1_500}
NEGATIONS = {"train": 24_000, "dev": 1_500}
DRAWN = {"train": 12_000, "dev": 1_500}
DETAILS = {"train": 4_000, "dev": 400}
XQUAD = "xquad"
OTHERS = ("de", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "zh")  # languages of STS-B beside English
TURNS, STEP = 2, 3  # a row of STS-B is read in two languages, three apart
CONTRAST_ROUNDS = 3  # how often the minimal pairs of a question are drawn for training
COMMITMENT_ROUNDS = 2  # the same for texts that commit to an answer
GOLDS = 3  # gold answers that a wrong answer is paired with
STRANGER = 0.05  # the label of two people drawn at random
NAMESAKE = 0.2  # and of two with the same last name

Pairs: TypeAlias = "list[TrainingPair]"
Mixture: TypeAlias = "tuple[tuple[str, int], ...]"  # sources, and how many pairs an epoch takes of each; 0 for all

TABLE = Path(__file__).parents[1] / "mixture.tsv"  # in a column: 0 for every pair once, "-" for no pair


class Places(NamedTuple):
    """The places of the sources: the folder of data sets, and the dictionary files of WordNet."""

    data: Path
    dictionary: Path = DICTIONARY


class Source(NamedTuple):
    """A source of pairs: a function that returns them (for a split and a seed), and the files that it reads."""

    pairs: Callable[[Places, str, int], Pairs]
    files: Callable[[Places], Sequence[Path]]


def load(name: str, places: Places, split: str, seed: int, *, empty: bool = False) -> Pairs:
    """Load all pairs of this source and split. Random draws depend on the seed only.

    ``empty``: whether the source may have no pairs of the split.

    Raises:
        LookupError: If no source has this name.
        FileNotFoundError: If a file of the source is missing. The message names it.
        ValueError: If a file has other content than expected, there is no such split, or the source has no pairs of it.
    """
    source = _source(name)
    if split not in SPLITS:
        raise ValueError(f"split is {split!r}, but it must be one of {', '.join(SPLITS)}")
    for path in source.files(places):
        if not path.is_file():
            raise FileNotFoundError(
                f"no {path}, which the source {name!r} reads; put it there, or leave the source out"
            )
    pairs = source.pairs(places, split, seed)
    if not pairs and not empty:
        raise ValueError(f"the source {name!r} has no pairs of the split {split!r}")
    return pairs


def default_data() -> Path:
    """Return the folder that ``$ANSWERSIM_DATA`` names. Raise FileNotFoundError if it is not set."""
    home = os.environ.get("ANSWERSIM_DATA")
    if not home:
        raise FileNotFoundError("no data folder: name it with --data, or set $ANSWERSIM_DATA")
    return Path(home)


def table_rows() -> list[dict[str, str]]:
    """Return the rows of ``mixture.tsv``: how many pairs of each source a network takes, and who made them."""
    header, *lines = (line.split("\t") for line in TABLE.read_text("utf-8").splitlines())
    return [dict(zip(header, line, strict=True)) for line in lines]


def write_blind(areas: Mapping[str, str]) -> None:
    """Write what a model that is blind to one answer scores, by source, into ``mixture.tsv``."""
    rows = [{**row, "blind": areas.get(row["source"], row["blind"])} for row in table_rows()]
    lines = ["\t".join(row) for row in (rows[0], *map(dict.values, rows))]
    TABLE.write_text("\n".join(lines) + "\n", "utf-8")


def mixture_of(network: str) -> Mixture:
    """Return the column of this network. Raise LookupError if the table has none.

    >>> mixture_of("bi-encoder")[:2]
    (('sts', 1500), ('task7', 2450))
    """
    rows = table_rows()
    if network not in rows[0]:
        raise unknown("column of the mixture", network, rows[0])
    return tuple((row["source"], int(row[network])) for row in rows if row[network] != "-")


def check_mixture(mixture: Mixture) -> None:
    """Check that a mixture names existing sources, each once, with a number of pairs.

    Raise ValueError if it is empty, contains a source twice, or a negative number. Raise LookupError if a source is
    unknown.
    """
    if not mixture or len({name for name, _ in mixture}) < len(mixture):
        raise ValueError(f"mixture is {mixture!r}, but it must contain at least one source, and each once")
    for name, take in mixture:
        _source(name)
        if take < 0:
            raise ValueError(f"mixture takes {take} pairs of {name}, but a number of pairs must be 0 or more")


def hashes(names: Sequence[str], places: Places) -> dict[str, str]:
    """Return the SHA-256 of every file of these sources, by its path below the folder of its kind.

    Raise LookupError if no source has one of the names, FileNotFoundError if a file is missing.
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
    """Load STS-B. Training pairs that are in dev or test are left out."""
    folder = places.data / STSB
    pairs = sts.read_csv(sts.csv_path(folder, language, split))
    if split == "train":
        held = [sts.read_csv(sts.csv_path(folder, language, part)) for part in ("dev", "test")]
        pairs = sts.without_overlap(pairs, *held)
    return [TrainingPair(*pair[:2], pair.score / sts.HIGHEST, split, f"sts:{language}") for pair in pairs]


def _aliases(places: Places, split: str, seed: int) -> Pairs:
    judged = _evouna_answers(places, split)
    rng = _rng(seed, _split_number(split), 7)
    return judged_pairs.alias_pairs(judged, most=6, rng=rng) + judged_pairs.alias_answer_pairs(judged, rng=rng)


def _evouna_answers(places: Places, split: str) -> list[SystemAnswer]:
    return load_evouna(split, path=places.data / EVOUNA)  # type: ignore[arg-type] # checked there


def _efficientqa(places: Places, split: str) -> list[SystemAnswer]:
    """Load the judged answers to questions of this split that have nothing in common with NQ-open of the SAS paper.

    The 863 questions of that set are left out, and 112 others that share a pair of gold answer and prediction with it.
    """
    paths = {"path": places.data / EFFICIENTQA, "sas_path": places.data / NQ_OPEN_SAS}
    answers = load_efficientqa(certain=False, nq_open_sas=False, **paths)
    held_out = _sas_pairs(places)
    shared = {
        answer.question for answer in answers if any(_key(gold, answer.answer) in held_out for gold in answer.golds)
    }
    return [answer for answer in answers if answer.part == split and answer.question not in shared]


def _sas_pairs(places: Places) -> set[frozenset[str]]:
    """Return the pairs of NQ-open of the SAS paper, in any order, by letters and digits only."""
    rows = [row for path in SAS for row in read_csv(places.data / path, ["answer1", "answer2"])]
    return {_key(row["answer1"], row["answer2"]) for row in rows}


def _key(first: str, second: str) -> frozenset[str]:
    return frozenset(map(plain, (first, second)))


def _without_sas(pairs: Pairs, places: Places) -> Pairs:
    """Return the pairs that are not in NQ-open of the SAS paper."""
    held_out = _sas_pairs(places)
    return [pair for pair in pairs if _key(pair.first, pair.second) not in held_out]


def _nq(places: Places, split: str) -> list[SystemAnswer]:
    return load_evouna(split, path=places.data / EVOUNA_NQ)  # type: ignore[arg-type] # checked there


def _diver(places: Places, split: str) -> list[SystemAnswer]:
    paths = {"path": places.data / DIVER, "evouna_path": places.data / EVOUNA}
    return load_diver(split, **paths)  # type: ignore[arg-type] # checked there


VERDICTS = {"efficientqa": _efficientqa, "judged": _evouna_answers, "judged-nq": _nq, "diver": _diver}


def _verdicts(kind: str, places: Places, split: str, seed: int) -> Pairs:
    answers = VERDICTS[kind](places, split)
    rng = _rng(seed, _split_number(split), 23, list(VERDICTS).index(kind))
    pairs = contrast_pairs.verdict_pairs(answers, kind, most_golds=GOLDS if split == "train" else 1, rng=rng)
    return _without_sas(pairs, places)


def _contrast(places: Places, split: str, seed: int) -> Pairs:
    answers = [*_evouna_answers(places, split), *_efficientqa(places, split)]
    pairs: dict[TrainingPair, None] = {}
    for round_ in range(CONTRAST_ROUNDS if split == "train" else 1):
        rng = _rng(seed, _split_number(split), 29, round_)
        pairs |= dict.fromkeys(contrast_pairs.contrast_pairs(answers, rng=rng))
    return _without_sas(list(pairs), places)


def _commitment(places: Places, split: str, seed: int) -> Pairs:
    answers = [answer for load_answers in VERDICTS.values() for answer in load_answers(places, split)]
    pairs: dict[TrainingPair, None] = {}
    for round_ in range(COMMITMENT_ROUNDS if split == "train" else 1):
        rng = _rng(seed, _split_number(split), 43, round_)
        pairs |= dict.fromkeys(commitment_pairs.commitment_pairs(answers, split, rng=rng))
    return _without_sas(list(pairs), places)


def _confusable(places: Places, split: str, seed: int) -> Pairs:
    if split not in CONFUSABLE:
        return []
    rng = _rng(seed, _split_number(split), 31)
    return confusable_pairs.confusable_pairs(CONFUSABLE[split], split, rng=rng)


def _task7(places: Places, split: str, seed: int) -> Pairs:
    return graded_answers.graded_pairs(places.data / TASK7, split)


def _wordnet(places: Places, split: str, seed: int) -> Pairs:
    if split not in WORDNET:
        return []
    dictionary = wordnet_pairs.read_dictionary(places.dictionary)
    return wordnet_pairs.wordnet_pairs(dictionary, WORDNET[split], split, rng=_rng(seed, _split_number(split), 11))


def _negations(places: Places, split: str, seed: int) -> Pairs:
    if split not in NEGATIONS:
        return []
    dictionary = wordnet_pairs.read_dictionary(places.dictionary)
    return negation_pairs.negation_pairs(dictionary, NEGATIONS[split], split, rng=_rng(seed, _split_number(split), 47))


def _drawn(source: str, places: Places, split: str, seed: int) -> Pairs:
    if split not in DRAWN:
        return []
    rng = _rng(seed, _split_number(split), 53, list(drawn_meanings.KINDS).index(source))
    words = lexicon.read_lexicon(places.dictionary)
    return drawn_meanings.drawn_pairs(source, words, DRAWN[split], split, rng=rng)


def _details(places: Places, split: str, seed: int) -> Pairs:
    if split not in DETAILS:
        return []
    rng = _rng(seed, _split_number(split), 59)
    words, sentences = lexicon.read_lexicon(places.dictionary), _sts("en", places, split, seed)
    return drawn_meanings.detail_pairs(sentences, words, DETAILS[split], split, rng)


def _reading(languages: Sequence[str], places: Places, split: str, seed: int) -> Pairs:
    rng = _rng(seed, _split_number(split), 61, len(languages))
    return reading_pairs.reading_pairs(places.data / XQUAD, languages, split, rng=rng)


def _graded(language: str, places: Places, split: str, seed: int) -> Pairs:
    file = graded_answers.SAF.get(language, graded_answers.ADS)
    return graded_answers.graded_file(places.data / file, language, split)


def _sts_languages(places: Places, split: str, seed: int) -> Pairs:
    """Load STS-B in all languages but English, each row in two of them."""
    read = [sts.read_csv(sts.csv_path(places.data / STSB, language, split)) for language in OTHERS]
    held = sts.keys(pair for part in sts.SPLITS if part != split for pair in sts.read_csv(_english(places, part)))
    kept = [i for i, pair in enumerate(sts.read_csv(_english(places, split))) if sts.key(pair) not in held]
    turns = [(i, turn, OTHERS[(i + turn * STEP) % len(OTHERS)]) for turn in range(TURNS) for i in kept]
    rows = [(read[OTHERS.index(language)][i], language) for i, _, language in turns]
    return [TrainingPair(*pair[:2], pair.score / sts.HIGHEST, split, f"sts:{language}") for pair, language in rows]


def _english(places: Places, split: str) -> Path:
    return sts.csv_path(places.data / STSB, "en", split)


def _numbers(languages: tuple[str, ...], places: Places, split: str, seed: int) -> Pairs:
    config = number_pairs.NumberPairConfig(languages=languages, size=NUMBERS, negatives=0.55, seed=seed)
    return in_split(number_pairs.number_pairs(config), split)


def _dates(places: Places, split: str, seed: int) -> Pairs:
    if split not in DATES:
        return []
    return date_pairs.date_pairs(DATES[split], split, rng=_rng(seed, _split_number(split), 13))


def _names(places: Places, split: str, seed: int) -> Pairs:
    return in_split(resplit(read_pairs(places.data / NAMES), rng=_rng(seed, 17)), split)


def _legislators(places: Places, split: str, seed: int) -> Pairs:
    config = AliasPairConfig(
        most_spellings=0,
        last_names=1,
        last_name_label=NAMESAKE,
        rules=("initials", "inverted", "nickname", "title-added"),
    )
    generated = alias_pairs(read_legislators([places.data / name for name in LEGISLATORS]), config, _rng(seed, 19))
    pairs = [pair if pair.label is not None else pair._replace(label=STRANGER) for pair in generated.pairs]
    return in_split(pairs, split)


def _below_data(*names: str) -> Callable[[Places], Sequence[Path]]:
    return lambda places: [places.data / name for name in names]


def _stsb_files(language: str) -> Callable[[Places], Sequence[Path]]:
    return lambda places: [sts.csv_path(places.data / STSB, language, split) for split in sts.SPLITS]


def _xquad_files(languages: Sequence[str]) -> Callable[[Places], Sequence[Path]]:
    return _below_data(*(f"{XQUAD}/{language}.json" for language in languages))


def _lexicon_files(places: Places) -> Sequence[Path]:
    return [*_dictionary_files(places), *(places.dictionary / name for name in lexicon.FILES)]


def _dictionary_files(places: Places) -> Sequence[Path]:
    return [places.dictionary / f"data.{part}" for part in wordnet_pairs.PARTS]


SOURCES: Mapping[str, Source] = {
    "sts": Source(partial(_sts, "en"), _stsb_files("en")),
    "aliases": Source(_aliases, _below_data(EVOUNA)),
    "judged": Source(partial(_verdicts, "judged"), _below_data(EVOUNA, *SAS)),
    "judged-nq": Source(partial(_verdicts, "judged-nq"), _below_data(EVOUNA_NQ, *SAS)),
    "diver": Source(partial(_verdicts, "diver"), _below_data(DIVER, EVOUNA, *SAS)),
    "efficientqa": Source(partial(_verdicts, "efficientqa"), _below_data(EFFICIENTQA, *SAS)),
    "commitment": Source(_commitment, _below_data(EVOUNA, EVOUNA_NQ, DIVER, EFFICIENTQA, *SAS)),
    "contrast": Source(_contrast, _below_data(EVOUNA, EFFICIENTQA, *SAS)),
    "confusable": Source(_confusable, lambda places: []),
    "task7": Source(_task7, _below_data(TASK7)),
    "wordnet": Source(_wordnet, _dictionary_files),
    "roles": Source(partial(_drawn, "roles"), _lexicon_files),
    "amounts": Source(partial(_drawn, "amounts"), _lexicon_files),
    "near": Source(partial(_drawn, "near"), _lexicon_files),
    "details": Source(_details, lambda places: [*_stsb_files("en")(places), *_lexicon_files(places)]),
    "xquad": Source(partial(_reading, reading_pairs.LANGUAGES), _xquad_files(reading_pairs.LANGUAGES)),
    "xquad-en": Source(partial(_reading, ("en",)), _xquad_files(("en",))),
    "saf-de": Source(partial(_graded, "de"), _below_data(graded_answers.SAF["de"])),
    "saf-en": Source(partial(_graded, "en"), _below_data(graded_answers.SAF["en"])),
    "ads-zh": Source(partial(_graded, "zh"), _below_data(graded_answers.ADS)),
    "sts-others": Source(
        _sts_languages, lambda places: [path for name in ("en", *OTHERS) for path in _stsb_files(name)(places)]
    ),
    "negations": Source(_negations, _dictionary_files),
    "numbers": Source(partial(_numbers, ("en",)), lambda places: []),
    "numbers-both": Source(partial(_numbers, ("en", "de")), lambda places: []),
    "dates": Source(_dates, lambda places: []),
    "names": Source(_names, _below_data(NAMES)),
    "legislators": Source(_legislators, _below_data(*LEGISLATORS)),
}
