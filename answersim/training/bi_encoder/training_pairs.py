"""The pairs that train a bi-encoder: from a file, a table of aliases or the rules of numbers, with their labels."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim.checkpoints import search
from answersim.errors import unknown
from answersim.training.data.training_input import TrainingInput

if TYPE_CHECKING:
    from answersim.training.data.alias_tables import Entity

NAMES = Path("names/name_pairs_score_split.csv")  # the file of the paper, below $ANSWERSIM_DATA
FORMATS = ("csv", "dbpedia", "legislators")


@dataclass(frozen=True)
class Sources:
    """How the pairs of a table are made, and which of them the teacher labels."""

    # the text between the aliases in one cell of a CSV table; None if a cell contains one alias
    separator: str | None = None
    groups: tuple[str, ...] = ()  # only entities of these groups; () for all
    variants: tuple[str, ...] = ()  # rules of ``variants`` that add spellings
    sampling: str = "random"  # which pairs the teacher labels: random, bm25 or semantic
    k: int = 1  # the number of partners per text. For random pairs, how often every name is paired.
    symmetric: bool = False  # whether every sampled pair comes in both orders
    seed: int = 0  # the random seed
    most_spellings: int = 3  # entities with more spellings are left out. With 0, none is.


def default_file() -> Path:
    """Return the file of name pairs of the paper below ``$ANSWERSIM_DATA``, or raise a FileNotFoundError."""
    home = os.environ.get("ANSWERSIM_DATA")
    path = Path(home or "") / NAMES
    if not home or not path.is_file():
        raise FileNotFoundError(
            f"no name pairs: {f'there is no {path}' if home else '$ANSWERSIM_DATA is not set'}; put the file "
            f"{NAMES.name} of the paper there, or name a file of pairs with --pairs or a table of aliases with --table"
        )
    return path


def from_table(path: Path, kind: str, sources: Sources, encode: Callable[[Sequence[str]], Any] | None) -> TrainingInput:
    """Return the pairs of a table of aliases: aliases and variants labeled 1, sampled pairs that need a teacher.

    ``path``: a table, or for legislators a folder of their CSV files. ``kind``: one of FORMATS. ``encode``: for
    semantic sampling: a function from texts to vectors, shape (n, d). Raise LookupError if the kind or a rule of
    variants is unknown. Raise FileNotFoundError or ValueError if there is no such table, or it is not of this kind.
    """
    from answersim.training.data.alias_pairs import AliasPairConfig, alias_pairs
    from answersim.training.data.sampling import Sampling, sample

    if kind not in FORMATS:
        raise unknown("format of tables", kind, FORMATS)
    sampling = Sampling(sources.sampling, sources.k, sources.symmetric)
    at_random = sources.sampling == "random" and not sources.symmetric
    config = AliasPairConfig(
        groups=sources.groups,
        most_spellings=sources.most_spellings,
        rules=sources.variants,
        rounds=sources.k if at_random else 0,
    )
    built = alias_pairs(_entities(path, kind, sources), config, np.random.default_rng([sources.seed, 1]))
    pairs = built.pairs
    if not at_random:
        pairs = [*pairs, *sample(pairs, sampling, np.random.default_rng([sources.seed, 2]), encode)]
    files = sorted(path.glob("*.csv")) if path.is_dir() else [path]
    metadata = {
        "files": {file.name: search.sha256(file) for file in files},
        "split": "by entity",
        "counts": built.counts._asdict(),
        "sampling": sources.sampling,
        "variants": list(sources.variants),
    }
    return TrainingInput(pairs, metadata)


def from_numbers(languages: Sequence[str], kinds: Sequence[str], size: int, seed: int) -> TrainingInput:
    """Return numbers in digits and words, all labeled. No names or a size of 0 mean all, or those of the paper.

    Raise ValueError if a language, kind or size is unknown. Raise MissingExtraError if num2words is not installed.
    """
    from answersim.training.data.number_pairs import NumberPairConfig, number_pairs

    given = {"languages": tuple(languages), "kinds": tuple(kinds), "size": size}
    config = NumberPairConfig(seed=seed, **{key: value for key, value in given.items() if value})  # type: ignore[arg-type]
    metadata = {"split": "by number", "languages": list(config.languages), "kinds": list(config.kinds)}
    return TrainingInput(number_pairs(config), metadata)


def paper_numbers(seed: int) -> TrainingInput:
    """Return the number pairs of the paper, split by number, because the paper describes no split.

    Raise MissingExtraError if num2words is not installed.
    """
    from answersim.training.data.number_pairs import PAPER_SIZE, paper_pairs

    pairs = paper_pairs(seed)
    return TrainingInput(pairs, {"split": "by number", "left_out": PAPER_SIZE - len(pairs)})


def encoder(base: str) -> Callable[[Sequence[str]], Any]:
    """Return a function from texts to the sentence vectors of the base, shape (n, d), for semantic sampling."""

    def encode(texts: Sequence[str]) -> Any:
        from answersim.neural.bi_encoder import sentence_settings
        from answersim.neural.encoders import Request
        from answersim.neural.transformer import Transformer

        checkpoint = search.find(base)
        pooling, limit = sentence_settings(checkpoint)
        return Transformer(checkpoint=checkpoint).encode([Request(texts, limit, pooling=pooling)])[0].pooled

    return encode


@contextmanager
def first_alone() -> Iterator[None]:
    """Let the first process under torchrun run alone and the others after it, so that they read its results."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield
        return
    import torch
    from accelerate import PartialState

    with PartialState(cpu=not torch.cuda.is_available()).main_process_first():
        yield


def _entities(path: Path, kind: str, sources: Sources) -> Iterator[Entity]:
    from answersim.training.data import alias_tables

    if kind == "dbpedia":
        yield from alias_tables.read_dbpedia(path)
    elif kind == "legislators":
        if path.is_dir() and not (files := sorted(path.glob("legislators-*.csv"))):
            raise FileNotFoundError(
                f"{path} contains no legislators-*.csv; name the folder of the files of congress-legislators"
            )
        yield from alias_tables.read_legislators(files if path.is_dir() else [path])
    else:
        yield from alias_tables.read_aliases(path, sources.separator)
