"""The training data of a cross-encoder for answers: sources of labeled pairs by name, for train, dev and test."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from answersim._base.errors import unknown
from answersim.evaluation.data.labeled import read_csv
from answersim.metrics.checkpoints.search import sha256
from answersim.training.cross_encoder.inputs import without
from answersim.training.data.pairs import SPLITS, TrainingPair, in_split, plain, read_pairs, resplit
from benchmarks import number_pairs, system_answers
from benchmarks.system_answers import DIVER, EFFICIENTQA, EVOUNA, EVOUNA_NQ, NQ_OPEN_SAS, SystemAnswer
from tools.dictionary import PARTS, read_dictionary
from tools.pairs.alias_pairs import AliasPairConfig, alias_pairs
from tools.pairs.alias_tables import read_legislators
from tools.weights.pairs import amounts, judged_pairs, reading_pairs, sts
from tools.weights.pairs import near_meanings as near
from tools.weights.pairs.commitment_pairs import commitment_pairs
from tools.weights.pairs.confusable_pairs import confusable_pairs, date_pairs
from tools.weights.pairs.contrast_pairs import contrast_pairs
from tools.weights.pairs.draws import Kinds, detail_pairs, drawn_pairs
from tools.weights.pairs.graded_answers import FILES, TASK7, WRITTEN, graded_file, graded_pairs, written_pairs
from tools.weights.pairs.wordnet_pairs import LEXICON_FILES, negation_pairs, read_lexicon, wordnet_pairs

SAS = (NQ_OPEN_SAS, "sas/NQ-open_SAS.csv")
NAMES = "names/name_pairs_score_split.csv"
LEGISLATORS = ("names/legislators-current.csv", "names/legislators-historical.csv")
DICTIONARY = Path("/usr/share/wordnet")  # of the Debian package wordnet-base
WORDNET = tuple(f"data.{part}" for part in PARTS)
WORDS = (*WORDNET, *LEXICON_FILES)
NUMBERS = 12_000  # pairs of all splits
SEED = 0  # of all draws: one training can start from another, and must not find its held-out pairs learned
# By source, what draws two meanings of each kind, and the share of the kind.
KINDS: Mapping[str, Kinds] = {
    "roles": {near.listed: 0.55, near.asked: 0.2, near.verbs: 0.25},
    "amounts": {amounts.money: 0.3, amounts.ratio: 0.2, amounts.count: 0.2, amounts.measure: 0.2, amounts.power: 0.1},
    "near": {near.family: 0.25, near.team: 0.1, near.field: 0.3, near.name: 0.15, near.list_: 0.2},
}
# Pairs of each split of the sources that are drawn without end. Other splits have none.
DRAWN: dict[str, Mapping[str, int]] = {
    **{"wordnet": {"train": 30_000, "dev": 1_500}, "dates": {"train": 8_000, "dev": 500}},
    **{name: {"train": 24_000, "dev": 1_500} for name in ("confusable", "negations")},
    **{name: {"train": 12_000, "dev": 1_500} for name in KINDS},
    "details": {"train": 4_000, "dev": 400},
}
CONTRAST_ROUNDS = 3  # how often the minimal pairs of a question are drawn for training
COMMITMENT_ROUNDS = 2  # the same for texts that commit to an answer
GOLDS = 3  # gold answers that a wrong answer is paired with
STRANGER = 0.05  # the label of two people drawn at random
NAMESAKE = 0.2  # and of two with the same last name

Pairs: TypeAlias = list[TrainingPair]
Mixture: TypeAlias = tuple[tuple[str, int], ...]  # sources, and how many pairs an epoch takes of each; 0 for all
Read: TypeAlias = "Callable[[Request], Any]"

TABLE = Path(__file__).parents[1] / "mixture.tsv"  # in a column: 0 for every pair once, "-" for no pair
ROWS = list(csv.DictReader(TABLE.read_text("utf-8").splitlines(), delimiter="\t"))
GROUPS = {row["source"]: row["group"] for row in ROWS}


class Places(NamedTuple):
    """The places of the sources: the folder of data sets, and the dictionary files of WordNet."""

    data: Path
    dictionary: Path = DICTIONARY


class Request(NamedTuple):
    """The pairs that are wanted of a source."""

    places: Places
    split: str

    def rng(self, *stream: int) -> np.random.Generator:
        """Return a generator that depends on the split and these numbers, which no other source has."""
        return np.random.default_rng([SEED, SPLITS.index(self.split), *stream])


class Source(NamedTuple):
    """A source of pairs: a function that returns them, and the files that it reads."""

    pairs: Callable[[Request], Pairs]
    data: Sequence[str] = ()  # below the folder of data sets
    dictionary: Sequence[str] = ()  # in the folder of WordNet

    def files(self, places: Places) -> dict[str, Path]:
        """Return the places of the files by name."""
        read = ((places.data, self.data), (places.dictionary, self.dictionary))
        return {name: folder / name for folder, names in read for name in names}


def load(name: str, places: Places, split: str, *, empty: bool = False) -> Pairs:
    """Load all pairs of this source and split. They are the same in every training.

    ``empty``: whether the source may have no pairs of the split. Otherwise, having none is a ValueError.
    """
    if name not in SOURCES:
        raise unknown("source of training pairs", name, SOURCES)
    source = SOURCES[name]
    if path := next((path for path in source.files(places).values() if not path.is_file()), None):
        raise FileNotFoundError(f"no {path}, which the source {name!r} reads; put it there, or leave the source out")
    pairs = source.pairs(Request(places, split))
    if not pairs and not empty:
        raise ValueError(f"the source {name!r} has no pairs of the split {split!r}")
    return pairs


def default_data() -> Path:
    """Return the folder that ``$ANSWERSIM_DATA`` names."""
    if not (home := os.environ.get("ANSWERSIM_DATA")):
        raise FileNotFoundError("no data folder: set $ANSWERSIM_DATA")
    return Path(home)


def mixture_of(network: str) -> Mixture:
    """Return the column of this network in ``mixture.tsv``.

    >>> mixture_of("bi-encoder")[:2]
    (('sts', 1500), ('task7', 2450))
    """
    if network not in ROWS[0]:
        raise unknown("column of the mixture", network, ROWS[0])
    return tuple((row["source"], int(row[network])) for row in ROWS if row[network] != "-")


def hashes(names: Sequence[str], places: Places) -> dict[str, str]:
    """Return the SHA-256 of every file of these sources, by its path below the folder of its kind."""
    files = {name: path for source in names for name, path in SOURCES[source].files(places).items()}
    return {name: sha256(path) for name, path in sorted(files.items())}


def _drawn(name: str, *stream: int, draw: Callable[..., Pairs], reads: Sequence[Read] = ()) -> Read:
    """Return what draws the pairs of a split. ``reads``: read the first arguments of ``draw``."""

    def pairs(request: Request) -> Pairs:
        size, first = DRAWN[name].get(request.split), (read(request) for read in reads)
        return draw(*first, size, request.split, rng=request.rng(*stream)) if size else []

    return pairs


def _of_data(read: Callable[[Path, str], Pairs]) -> Callable[[Request], Pairs]:
    """Return what reads the pairs of a split in the folder of data sets."""
    return lambda request: read(request.places.data, request.split)


def _words(read: Callable[[Path], Any]) -> Read:
    """Return what reads the files of WordNet."""
    return lambda request: read(request.places.dictionary)


LEXICON = _words(read_lexicon)


def _in_rounds(build: Callable[..., Pairs], kinds: Sequence[str], rounds: int, stream: int) -> Source:
    """Build pairs of judged answers in several rounds for training, each once and none of NQ-open of the SAS paper."""

    def pairs(request: Request) -> Pairs:
        answers = [answer for kind in kinds for answer in VERDICTS[kind][0](request)]
        rngs = (request.rng(stream, i) for i in range(rounds if request.split == "train" else 1))
        built = chain.from_iterable(build(answers, request.split, rng=rng) for rng in rngs)
        return _without_sas(list(dict.fromkeys(built)), request.places)

    return Source(pairs, (*dict.fromkeys(file for kind in kinds for file in VERDICTS[kind][1]), *SAS))


def _aliases(request: Request) -> Pairs:
    return judged_pairs.alias_pairs(judged_pairs.by_question(_evouna(EVOUNA, request)), rng=request.rng(7))


def _evouna(file: str, request: Request) -> list[SystemAnswer]:
    return system_answers.load_evouna(request.split, path=request.places.data / file)  # type: ignore[arg-type] # checked there


def _efficientqa(request: Request) -> list[SystemAnswer]:
    """Load the judged answers to questions of this split that have nothing in common with NQ-open of the SAS paper.

    The 863 questions of that set are left out, and 112 others that share a pair of gold answer and prediction with it.
    """
    data, held_out = request.places.data, _sas_pairs(request.places)
    paths = {"path": data / EFFICIENTQA, "sas_path": data / NQ_OPEN_SAS}
    answers = system_answers.load_efficientqa(certain=False, nq_open_sas=False, **paths)
    pairs = ((answer.question, _key(gold, answer.answer)) for answer in answers for gold in answer.golds)
    shared = {question for question, key in pairs if key in held_out}
    return [answer for answer in answers if answer.part == request.split and answer.question not in shared]


def _sas_pairs(places: Places) -> set[frozenset[str]]:
    """Return the pairs of NQ-open of the SAS paper, in any order, by letters and digits only."""
    rows = chain.from_iterable(read_csv(places.data / path, ["answer1", "answer2"]) for path in SAS)
    return {_key(row["answer1"], row["answer2"]) for row in rows}


def _key(first: str, second: str) -> frozenset[str]:
    return frozenset(map(plain, (first, second)))


def _without_sas(pairs: Pairs, places: Places) -> Pairs:
    held_out = _sas_pairs(places)
    return [pair for pair in pairs if _key(pair.first, pair.second) not in held_out]


def _diver(request: Request) -> list[SystemAnswer]:
    data = request.places.data
    return system_answers.load_diver(request.split, path=data / DIVER, evouna_path=data / EVOUNA)  # type: ignore[arg-type] # the same


# The judged answers of each source, and their files.
VERDICTS: Mapping[str, tuple[Callable[[Request], list[SystemAnswer]], tuple[str, ...]]] = {
    **{"efficientqa": (_efficientqa, (EFFICIENTQA,)), "judged": (partial(_evouna, EVOUNA), (EVOUNA,))},
    **{"judged-nq": (partial(_evouna, EVOUNA_NQ), (EVOUNA_NQ,)), "diver": (_diver, (DIVER, EVOUNA))},
}


def _verdicts(kind: str, request: Request) -> Pairs:
    most, rng = GOLDS if request.split == "train" else 1, request.rng(23, list(VERDICTS).index(kind))
    pairs = judged_pairs.verdict_pairs(VERDICTS[kind][0](request), kind, most_golds=most, rng=rng)
    return _without_sas(pairs, request.places)


def _reading(languages: Sequence[str], request: Request) -> Pairs:
    rng = request.rng(61, len(languages))
    return reading_pairs.reading_pairs(request.places.data, languages, request.split, rng=rng)


def _written(languages: Sequence[str], request: Request) -> Pairs:
    pairs, held_out = (written_pairs(languages, split) for split in (request.split, "dev"))
    return _without_sas(without(pairs, [held_out]) if request.split == "train" else pairs, request.places)


def _numbers(languages: tuple[str, ...], request: Request) -> Pairs:
    config = number_pairs.NumberPairConfig(languages, NUMBERS, negatives=0.55, seed=SEED)
    return in_split(number_pairs.number_pairs(config), request.split)


def _names(request: Request) -> Pairs:
    rng = np.random.default_rng([SEED, 17])
    return in_split(resplit(read_pairs(request.places.data / NAMES), rng=rng), request.split)


def _legislators(request: Request) -> Pairs:
    rules = ("initials", "inverted", "nickname", "title-added")
    config = AliasPairConfig(most_spellings=0, last_names=1, last_name_label=NAMESAKE, rules=rules)
    people = read_legislators([request.places.data / name for name in LEGISLATORS])
    pairs = in_split(alias_pairs(people, config, np.random.default_rng([SEED, 19])).pairs, request.split)
    return [pair if pair.label is not None else pair._replace(label=STRANGER) for pair in pairs]


SOURCES: Mapping[str, Source] = {
    "sts": Source(_of_data(sts.english), sts.files("en")),
    "aliases": Source(_aliases, (EVOUNA,)),
    **{kind: Source(partial(_verdicts, kind), (*files, *SAS)) for kind, (_, files) in VERDICTS.items()},
    "commitment": _in_rounds(commitment_pairs, list(VERDICTS), COMMITMENT_ROUNDS, 43),
    "contrast": _in_rounds(contrast_pairs, ("judged", "efficientqa"), CONTRAST_ROUNDS, 29),
    "confusable": Source(_drawn("confusable", 31, draw=confusable_pairs)),
    "task7": Source(_of_data(graded_pairs), (TASK7,)),
    "wordnet": Source(_drawn("wordnet", 11, draw=wordnet_pairs, reads=[_words(read_dictionary)]), (), WORDNET),
    **{
        name: Source(_drawn(name, 53, i, draw=partial(drawn_pairs, name, kinds), reads=[LEXICON]), (), WORDS)
        for i, (name, kinds) in enumerate(KINDS.items())
    },
    "details": Source(
        _drawn("details", 59, draw=detail_pairs, reads=[_of_data(sts.english), LEXICON]), sts.files("en"), WORDS
    ),
    "written": Source(partial(_written, ("en",)), SAS),
    "written-others": Source(partial(_written, WRITTEN), SAS),
    "xquad": Source(partial(_reading, reading_pairs.LANGUAGES), reading_pairs.files(reading_pairs.LANGUAGES)),
    "xquad-en": Source(partial(_reading, ("en",)), reading_pairs.files(("en",))),
    **{name: Source(_of_data(partial(graded_file, name)), FILES[name][:1]) for name in FILES},
    "sts-others": Source(_of_data(sts.translated), sts.files("en", *sts.OTHERS)),
    "negations": Source(_drawn("negations", 47, draw=negation_pairs, reads=[_words(read_dictionary)]), (), WORDNET),
    "numbers": Source(partial(_numbers, ("en",))),
    "numbers-both": Source(partial(_numbers, ("en", "de"))),
    "dates": Source(_drawn("dates", 13, draw=date_pairs)),
    "names": Source(_names, (NAMES,)),
    "legislators": Source(_legislators, LEGISLATORS),
}
