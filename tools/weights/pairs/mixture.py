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
    negation_pairs,
    reading_pairs,
    sts,
    wordnet_pairs,
)
from tools.weights.pairs.graded_answers import ADS, SAF
from tools.weights.pairs.lexicon import FILES as LEXICON
from tools.weights.pairs.lexicon import read_lexicon
from tools.weights.pairs.wordnet_pairs import read_dictionary

TASK7 = f"train/semeval2013-task7/{graded_answers.ARCHIVE}"
SAS = (NQ_OPEN_SAS, "sas/NQ-open_SAS.csv")
NAMES = "names/name_pairs_score_split.csv"
LEGISLATORS = ("names/legislators-current.csv", "names/legislators-historical.csv")
DICTIONARY = Path("/usr/share/wordnet")  # of the Debian package wordnet-base
WORDNET = tuple(f"data.{part}" for part in wordnet_pairs.PARTS)
XQUAD = "xquad"
NUMBERS = 12_000  # pairs of all splits
# Pairs of each split of the sources that are drawn without end. Other splits have none.
DRAWN: dict[str, Mapping[str, int]] = {
    "wordnet": {"train": 30_000, "dev": 1_500},
    "dates": {"train": 8_000, "dev": 500},
    "confusable": {"train": 24_000, "dev": 1_500},
    "negations": {"train": 24_000, "dev": 1_500},
    **{name: {"train": 12_000, "dev": 1_500} for name in drawn_meanings.KINDS},
    "details": {"train": 4_000, "dev": 400},
}
CONTRAST_ROUNDS = 3  # how often the minimal pairs of a question are drawn for training
COMMITMENT_ROUNDS = 2  # the same for texts that commit to an answer
GOLDS = 3  # gold answers that a wrong answer is paired with
STRANGER = 0.05  # the label of two people drawn at random
NAMESAKE = 0.2  # and of two with the same last name

Pairs: TypeAlias = "list[TrainingPair]"
Mixture: TypeAlias = "tuple[tuple[str, int], ...]"  # sources, and how many pairs an epoch takes of each; 0 for all
Draw: TypeAlias = "Callable[..., Pairs]"  # of a number of pairs, a split and rng

TABLE = Path(__file__).parents[1] / "mixture.tsv"  # in a column: 0 for every pair once, "-" for no pair


class Places(NamedTuple):
    """The places of the sources: the folder of data sets, and the dictionary files of WordNet."""

    data: Path
    dictionary: Path = DICTIONARY


class Source(NamedTuple):
    """A source of pairs: a function that returns them for a split and a seed, and the files that it reads."""

    pairs: Callable[[Places, str, int], Pairs]
    data: Sequence[str] = ()  # below the folder of data sets
    dictionary: Sequence[str] = ()  # in the folder of WordNet

    def files(self, places: Places) -> dict[str, Path]:
        """Return the places of the files by name."""
        read = ((places.data, self.data), (places.dictionary, self.dictionary))
        return {name: folder / name for folder, names in read for name in names}


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
    for path in source.files(places).values():
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
    files = {name: path for source in names for name, path in _source(source).files(places).items()}
    return {name: sha256(path) for name, path in sorted(files.items())}


def _source(name: str) -> Source:
    if name not in SOURCES:
        raise unknown("source of training pairs", name, SOURCES)
    return SOURCES[name]


def _rng(seed: int, *place: int) -> np.random.Generator:
    return np.random.default_rng([seed, *place])


def _drawn(
    name: str, stream: Sequence[int], reader: Callable[[Places, str], Draw], places: Places, split: str, seed: int
) -> Pairs:
    """Draw the pairs of a split. ``stream``: numbers that no other source has. ``reader``: reads what is drawn from."""
    if split not in DRAWN[name]:
        return []
    return reader(places, split)(DRAWN[name][split], split, rng=_rng(seed, SPLITS.index(split), *stream))


def _of_dictionary(draw: Callable[..., Pairs], places: Places, split: str) -> Draw:
    return partial(draw, read_dictionary(places.dictionary))


def _of_meanings(source: str, places: Places, split: str) -> Draw:
    return partial(drawn_meanings.drawn_pairs, source, read_lexicon(places.dictionary))


def _of_details(places: Places, split: str) -> Draw:
    return partial(drawn_meanings.detail_pairs, sts.english(places.data, split), read_lexicon(places.dictionary))


def _in_rounds(
    draw: Callable[[np.random.Generator], Pairs], rounds: int, stream: int, places: Places, split: str, seed: int
) -> Pairs:
    """Draw pairs in several rounds for training, each once and none of NQ-open of the SAS paper."""
    pairs: dict[TrainingPair, None] = {}
    for round_ in range(rounds if split == "train" else 1):
        pairs |= dict.fromkeys(draw(_rng(seed, SPLITS.index(split), stream, round_)))
    return _without_sas(list(pairs), places)


def _aliases(places: Places, split: str, seed: int) -> Pairs:
    judged = _evouna(EVOUNA, places, split)
    rng = _rng(seed, SPLITS.index(split), 7)
    return judged_pairs.alias_pairs(judged, most=6, rng=rng) + judged_pairs.alias_answer_pairs(judged, rng=rng)


def _evouna(file: str, places: Places, split: str) -> list[SystemAnswer]:
    return load_evouna(split, path=places.data / file)  # type: ignore[arg-type] # checked there


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


def _diver(places: Places, split: str) -> list[SystemAnswer]:
    paths = {"path": places.data / DIVER, "evouna_path": places.data / EVOUNA}
    return load_diver(split, **paths)  # type: ignore[arg-type] # checked there


VERDICTS: Mapping[str, Callable[[Places, str], list[SystemAnswer]]] = {
    "efficientqa": _efficientqa,
    "judged": partial(_evouna, EVOUNA),
    "judged-nq": partial(_evouna, EVOUNA_NQ),
    "diver": _diver,
}


def _verdicts(kind: str, places: Places, split: str, seed: int) -> Pairs:
    answers = VERDICTS[kind](places, split)
    rng = _rng(seed, SPLITS.index(split), 23, list(VERDICTS).index(kind))
    pairs = contrast_pairs.verdict_pairs(answers, kind, most_golds=GOLDS if split == "train" else 1, rng=rng)
    return _without_sas(pairs, places)


def _contrast(places: Places, split: str, seed: int) -> Pairs:
    answers = [*VERDICTS["judged"](places, split), *_efficientqa(places, split)]
    draw = lambda rng: contrast_pairs.contrast_pairs(answers, rng=rng)  # noqa: E731
    return _in_rounds(draw, CONTRAST_ROUNDS, 29, places, split, seed)


def _commitment(places: Places, split: str, seed: int) -> Pairs:
    answers = [answer for load_answers in VERDICTS.values() for answer in load_answers(places, split)]
    draw = lambda rng: commitment_pairs.commitment_pairs(answers, split, rng=rng)  # noqa: E731
    return _in_rounds(draw, COMMITMENT_ROUNDS, 43, places, split, seed)


def _reading(languages: Sequence[str], places: Places, split: str, seed: int) -> Pairs:
    rng = _rng(seed, SPLITS.index(split), 61, len(languages))
    return reading_pairs.reading_pairs(places.data / XQUAD, languages, split, rng=rng)


def _numbers(languages: tuple[str, ...], places: Places, split: str, seed: int) -> Pairs:
    config = number_pairs.NumberPairConfig(languages=languages, size=NUMBERS, negatives=0.55, seed=seed)
    return in_split(number_pairs.number_pairs(config), split)


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


def _graded(file: str, language: str) -> Source:
    return Source(lambda places, split, seed: graded_answers.graded_file(places.data / file, language, split), (file,))


def _read(languages: Sequence[str]) -> Source:
    return Source(partial(_reading, languages), [f"{XQUAD}/{language}.json" for language in languages])


SOURCES: Mapping[str, Source] = {
    "sts": Source(lambda places, split, seed: sts.english(places.data, split), sts.files("en")),
    "aliases": Source(_aliases, (EVOUNA,)),
    "judged": Source(partial(_verdicts, "judged"), (EVOUNA, *SAS)),
    "judged-nq": Source(partial(_verdicts, "judged-nq"), (EVOUNA_NQ, *SAS)),
    "diver": Source(partial(_verdicts, "diver"), (DIVER, EVOUNA, *SAS)),
    "efficientqa": Source(partial(_verdicts, "efficientqa"), (EFFICIENTQA, *SAS)),
    "commitment": Source(_commitment, (EVOUNA, EVOUNA_NQ, DIVER, EFFICIENTQA, *SAS)),
    "contrast": Source(_contrast, (EVOUNA, EFFICIENTQA, *SAS)),
    "confusable": Source(partial(_drawn, "confusable", (31,), lambda *_: confusable_pairs.confusable_pairs)),
    "task7": Source(lambda places, split, seed: graded_answers.graded_pairs(places.data / TASK7, split), (TASK7,)),
    "wordnet": Source(
        partial(_drawn, "wordnet", (11,), partial(_of_dictionary, wordnet_pairs.wordnet_pairs)), (), WORDNET
    ),
    **{
        name: Source(partial(_drawn, name, (53, i), partial(_of_meanings, name)), (), (*WORDNET, *LEXICON))
        for i, name in enumerate(drawn_meanings.KINDS)
    },
    "details": Source(partial(_drawn, "details", (59,), _of_details), sts.files("en"), (*WORDNET, *LEXICON)),
    "xquad": _read(reading_pairs.LANGUAGES),
    "xquad-en": _read(("en",)),
    "saf-de": _graded(SAF["de"], "de"),
    "saf-en": _graded(SAF["en"], "en"),
    "ads-zh": _graded(ADS, "zh"),
    "sts-others": Source(lambda places, split, seed: sts.translated(places.data, split), sts.files("en", *sts.OTHERS)),
    "negations": Source(
        partial(_drawn, "negations", (47,), partial(_of_dictionary, negation_pairs.negation_pairs)), (), WORDNET
    ),
    "numbers": Source(partial(_numbers, ("en",))),
    "numbers-both": Source(partial(_numbers, ("en", "de"))),
    "dates": Source(partial(_drawn, "dates", (13,), lambda *_: date_pairs.date_pairs)),
    "names": Source(_names, (NAMES,)),
    "legislators": Source(_legislators, LEGISLATORS),
}
