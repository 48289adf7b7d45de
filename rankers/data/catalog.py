"""The table of all named corpora. A new corpus needs a module in this package and a line here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from answersim._base import arguments
from answersim._base.errors import unknown
from rankers.data import forums, sentences, toy, trec
from rankers.data.corpus import DATA_VARIABLE, Corpus, Request
from rankers.types import Questions

_ALL = (
    toy.TOY,
    sentences.WIKIQA,
    sentences.RAW,
    sentences.SELQA,
    forums.ANTIQUE,
    forums.MINI,
    forums.YAHOO,
    sentences.TRECQA,
    forums.FIQA,
    trec.TRECDL19,
)
_CORPORA: Mapping[str, Corpus] = MappingProxyType({corpus.name: corpus for corpus in _ALL})


def corpora() -> Mapping[str, Corpus]:
    """Return every corpus by its name, with its description, splits, files, options, source and license.

    >>> corpora()["wikiqa"].splits
    ('train', 'dev', 'test')
    """
    return _CORPORA


def load(
    corpus: str,
    split: str,
    *,
    home: str | os.PathLike[str] | None = None,
    seed: int = 0,
    check: bool = True,
    **options: Any,
) -> Questions:
    """Return the questions of this split, each with its candidates in an order that the seed decides.

    The order of one question's candidates depends on corpus, split, question and seed: not on the other questions,
    nor on the file. Ids reveal neither label nor place: they are those of the corpus if these reveal nothing,
    otherwise they are hashes of the text. Candidates that repeat a text are kept, unless its ``notes`` state otherwise.

    Args:
        corpus: A name in ``corpora()``; "toy" is shipped. The others are in the data folder.
        split: One of its splits.
        home: The data folder. The default is ``$ANSWERSIM_DATA``.
        seed: The random seed of the order of the candidates, and of everything else that a corpus draws, such as
            negatives for training.
        check: Whether a file is rejected if its counts are not the published ones.
        options: The options of this corpus. See ``Corpus.options``.

    Raises:
        LookupError: If there is no such corpus, split, option or choice, or no data folder is set.
        TypeError: If an argument has another type than stated.
        FileNotFoundError: If a file does not exist. The message names the file and its source.
        ValueError: If a file is not the published one: a line is malformed, or the file has more or fewer entries than
            published. The message gives the path and the line, or both counts.
        MissingExtraError: If a BM25 pool (FiQA) is needed and bm25s is not installed.

    >>> questions = load("toy", "test")
    >>> len(questions), len(questions.items[0].candidates), questions.relevant
    (120, 8, 2)
    """
    definition = _named(corpus, split)
    arguments.whole("seed", seed)
    arguments.flag("check", check)
    if home is not None:
        arguments.path("home", home)
    settings = definition.settings(options)
    return definition.read(Request(definition, _home(definition, home), split, seed, check, settings))


def _named(corpus: str, split: str) -> Corpus:
    for what, name in (("corpus", corpus), ("split", split)):
        if not isinstance(name, str):
            raise TypeError(f"{what} is {name!r:.60}, but it must be a name; rankers.data.corpora() lists them")
    if corpus not in _CORPORA:
        raise unknown("corpus", corpus, _CORPORA)
    if split not in _CORPORA[corpus].files:
        raise unknown(f"split of {corpus}", split, _CORPORA[corpus].splits)
    return _CORPORA[corpus]


def _home(corpus: Corpus, home: str | os.PathLike[str] | None) -> Path:
    if corpus.home is not None:
        return corpus.home
    folder = home if home is not None else os.environ.get(DATA_VARIABLE)
    if not folder:
        raise LookupError(
            f"{corpus.name} is not shipped: set ${DATA_VARIABLE} to the folder that contains ranking/, or give "
            f"home=...; "
            f"'toy' needs no folder"
        )
    return Path(folder)


_EVERY = 8  # one of this many questions of a divided dev split is not trained on


def trainable(
    corpus: str, *, home: str | os.PathLike[str] | None = None, seed: int = 0, **options: Any
) -> tuple[Questions, Questions]:
    """Return questions for training, and others that choose the best epoch, but never a test split.

    If a corpus has a dev split but no train split, such as SelQA, the dev split is divided: every eighth question,
    beginning with the first, chooses the epoch, and the others are for training. The notes of both parts state this.

    Args:
        corpus: A name in ``corpora()``.
        home: The data folder. The default is ``$ANSWERSIM_DATA``.
        seed: As for ``load``.
        options: The options of this corpus.

    Raises:
        LookupError: If there is no such corpus, or it has neither split.
        FileNotFoundError: If a file does not exist. The message names the file and its source.
    """
    definition = corpora().get(corpus)
    if definition is None or ("dev" in definition.splits and "train" in definition.splits):
        return (
            load(corpus, "train", home=home, seed=seed, **options),
            load(corpus, "dev", home=home, seed=seed, **options),
        )
    if "dev" not in definition.splits:
        raise LookupError(
            f"{corpus} has no split to be trained on, only {', '.join(definition.splits)}: give another corpus"
        )
    whole = load(corpus, "dev", home=home, seed=seed, **options)
    kept = [place % _EVERY == 0 for place in range(len(whole))]
    parts = []
    for name, wanted, of in (("train", False, "seven"), ("dev", True, "one")):
        items = tuple(question for question, is_kept in zip(whole, kept, strict=True) if is_kept is wanted)
        note = f"{of} of eight questions of the dev split: {corpus} has no train split"
        parts.append(replace(whole, split=f"dev-as-{name}", items=items, notes=(*whole.notes, note)))
    return parts[0], parts[1]
