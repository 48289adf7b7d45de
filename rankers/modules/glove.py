"""Word vectors of GloVe: a text file with one word and its numbers per line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

    from rankers.modules.vocabulary import Words

DATA_VARIABLE = "ANSWERSIM_DATA"
FOLDER = "vectors"
SOURCE = "https://nlp.stanford.edu/projects/glove/ (glove.840B.300d.zip, glove.6B.zip)"


def path(name: str) -> Path:
    """Return the file at this path, or with this name in ``$ANSWERSIM_DATA/vectors``.

    Raises:
        FileNotFoundError: If it is in neither place. The message names both places and the source of the file.
    """
    home = os.environ.get(DATA_VARIABLE)
    places = [Path(name), *([Path(home) / FOLDER / name] if home else [])]
    for place in places:
        if place.is_file():
            return place
    raise FileNotFoundError(
        f"no file of word vectors at {' or '.join(map(str, places))}; get it from {SOURCE}, unpack it, and put it into "
        f"${DATA_VARIABLE}/{FOLDER}, or give its path"
    )


def table(words: Words, file: Path, size: int, *, seed: int = 0) -> Tensor:
    """Return the vector of each word, float32, (words, size).

    Padding is 0. A word that the file does not have gets a random vector, normal with the standard deviation of the
    vectors that were found. Words are lowercase here; if the file has a word in lowercase, that line counts.

    Args:
        words: The vocabulary.
        file: A file of GloVe: word, space, numbers. A word may contain spaces, as in five lines of the 840B file.
        size: The dimension of a vector.
        seed: The random seed of the vectors of words that the file does not have.

    Raises:
        ValueError: If a line has another number of numbers, or one that is not finite (the message names the line), or
            the file has none of the words.
    """
    import torch

    place = {word: i + 2 for i, word in enumerate(words.words)}
    vectors = np.zeros((words.size, size), dtype=np.float32)
    found: dict[str, bool] = {}  # by word: whether its line was already lowercase
    with file.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            cells = line.rstrip("\r\n").split(" ")
            if number == 1 and len(cells) == 2 and all(map(str.isdigit, cells)):
                continue  # the header of a file that gensim or fastText wrote: how many words and numbers
            word = " ".join(cells[:-size])
            if not word:
                raise ValueError(
                    f"{file}, line {number}: {len(cells) - 1} numbers, but a vector has {size}; give inputs.size"
                )
            known = word.lower()
            if known not in place or found.get(known):
                continue
            if known in found and word != known:
                continue
            vectors[place[known]] = _numbers(cells[-size:], f"{file}, line {number}")
            found[known] = word == known
    if not found:
        raise ValueError(f"{file} has none of the {len(place):,} words of the training texts; give another file")
    rng = np.random.default_rng(seed)
    present = [place[word] for word in found]
    missing = sorted(set(range(1, words.size)) - set(present))
    vectors[missing] = rng.normal(scale=float(vectors[present].std()), size=(len(missing), size))
    return torch.from_numpy(vectors)


def _numbers(cells: list[str], where: str) -> np.ndarray:
    try:
        numbers = np.array(cells, dtype=np.float32)
    except ValueError:
        raise ValueError(
            f"{where}: {' '.join(cells)!r:.60} are not {len(cells)} numbers; does inputs.size agree with the file, "
            "such as 300 for glove.840B.300d.txt?"
        ) from None
    if not np.isfinite(numbers).all():
        raise ValueError(f"{where}: a number is not finite; get the file again")
    return numbers
