"""Write a mixture of the sources of training pairs as one file, so that other trainers can use the same pairs.

    python -m tools.weights.write_mixture --output pairs.csv --mixture sts=0,verdicts=0,wordnet=8000

The file is for ``answersim train names --pairs pairs.csv --keep-split``. It contains train and dev, but not test. A
cross-encoder draws its pairs again for each epoch, but the file contains one draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

from answersim._base.io import files
from answersim._base.runtime.cli_errors import user_errors
from answersim.training.data.pairs import TrainingPair, write_pairs
from tools.weights.pairs import mixture
from tools.weights.pairs.mixture import ANSWERS, Mixture, Places, check_mixture, read_mixture


class Mixed(NamedTuple):
    """Pairs of train and dev, and what was left out of train."""

    pairs: list[TrainingPair]  # train before dev, each source by source. No text is in both, in any case.
    shared: int  # the different texts that were in both
    left_out: int  # the pairs of train that contained one of them


def mixed(sources: Mixture, seed: int, places: Places) -> Mixed:
    """Return as many training pairs of every source as the mixture states (0: all), and the same share of its dev.

    A training pair with a text that is in a drawn dev pair is left out before its source is drawn from. Apart from
    that, the draw from a source depends on the seed only, not on the other sources. Raise FileNotFoundError if a file
    of a source is missing. Raise ValueError if a source has fewer pairs than requested, or a file has other content
    than expected.
    """
    take = dict(sources)
    train = {name: mixture.load(name, places, "train", seed) for name in take}
    dev: list[TrainingPair] = []
    for name, size in take.items():
        source_pairs = mixture.load(name, places, "dev", seed)
        share = min(size / len(train[name]), 1.0)
        dev += _drawn(source_pairs, max(round(share * len(source_pairs)), 1) if size else 0, name, seed)
    dev_texts = {text.casefold() for pair in dev for text in pair[:2]}
    kept = {name: [pair for pair in pairs if not _texts(pair) & dev_texts] for name, pairs in train.items()}
    texts = {text for pairs in train.values() for pair in pairs for text in _texts(pair)}
    drawn = [pair for name, size in take.items() for pair in _drawn(kept[name], size, name, seed)]
    left_out = sum(len(train[name]) - len(kept[name]) for name in take)
    return Mixed(drawn + dev, len(texts & dev_texts), left_out)


def _texts(pair: TrainingPair) -> set[str]:
    return {pair.first.casefold(), pair.second.casefold()}


def _drawn(pairs: Sequence[TrainingPair], size: int, name: str, seed: int) -> list[TrainingPair]:
    """Draw this many of the pairs, each at most once, in order; 0 means all."""
    if size > len(pairs):
        raise ValueError(
            f"the mixture takes {size:,} pairs of {name}, but only {len(pairs):,} share no text with dev; give fewer, "
            f"or 0 for all"
        )
    places = np.random.default_rng([seed, 23, *name.encode()]).permutation(len(pairs))[: size or None]
    return [pairs[i] for i in sorted(places)]


def main(
    output: Annotated[Path, typer.Option(help="The file to write, .csv or .tsv.")],
    sources: Annotated[
        str | None,
        typer.Option(
            "--mixture",
            "--take",
            help="Sources and training pairs, such as sts=0,dates=800. 0: all. Default: those of the preset cpu.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The random seed.")] = 0,
    data: Annotated[Path | None, typer.Option(help="The folder of data sets. Default: $ANSWERSIM_DATA.")] = None,
    dictionary: Annotated[Path, typer.Option(help="The folder of the data files of WordNet.")] = mixture.DICTIONARY,
) -> None:
    """Write the training and dev pairs of some sources as one file."""
    with user_errors():
        _check_writable(output)
        chosen = ANSWERS if sources is None else read_mixture(sources)
        check_mixture(chosen)
        places = Places(data or mixture.default_data(), dictionary)
        _check_no_input(output, chosen, places)
        drawn = mixed(chosen, seed, places)
        write_pairs(drawn.pairs, output)
        typer.echo(f"{drawn.left_out:,} training pairs left out: {drawn.shared:,} texts are in dev pairs too")
        typer.echo(f"written: {output}, {len(drawn.pairs):,} pairs")


def _check_writable(path: Path) -> None:
    """Check that pairs can be written there, because the work before takes a minute."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        raise ValueError(f"{path} has the suffix {path.suffix!r}; pairs are written as .csv or .tsv")
    files.check_writable(path, files.Table(TrainingPair._fields, []))


def _check_no_input(path: Path, sources: Mixture, places: Places) -> None:
    """Check that the file to write is not one of those that are read."""
    read = {file.resolve() for name, _ in sources for file in mixture.SOURCES[name].files(places)}
    if path.resolve() in read:
        raise ValueError(f"--output {path} is one of the files that are read; choose another one")


if __name__ == "__main__":
    typer.run(main)
