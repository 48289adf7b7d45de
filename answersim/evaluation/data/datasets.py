"""The sets by name: the three of the SAS paper, cleaned as in ``sets.md`` and checked by Table 1; what ships."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from answersim._base.arguments import text
from answersim._base.errors import unknown
from answersim._base.io.folders import CACHE_VARIABLE
from answersim.answers.text.tokens import language
from answersim.evaluation.data.fetch import COMMAND, DATA_VARIABLE, places
from answersim.evaluation.data.labeled import LabeledPairs, read_csv, read_pairs
from answersim.types import Pair

_CLEANINGS = ("paper", "recorded", "none")

# The columns of the recorded tables by the names of the catalog; "names": trained on the name pairs of the paper.
RECORDED = {row["metric"]: row["column"] for row in read_csv(Path(__file__).with_name("recorded.csv"))}

_QUESTIONS = "sas/nq_open_with_questions.csv"
_ANNOTATED = "sas/recorded/nq_open_sas_low_scores_annotated.csv"


class DatasetNotFoundError(LookupError):
    """None of the searched places contains the files of this set."""


class Sizes(NamedTuple):
    """The line of a set in Table 1 of the paper."""

    size: int  # all pairs
    f1_zero: int  # pairs without a common word
    f1_nonzero: int  # pairs with a common word
    shares: tuple[float, float, float]  # labels 0, 1 and 2 in percent of the labeled pairs, with one decimal place


# The sets by name. Those of the paper have a released and a recorded file, the numbers of their rows, and Table 1.
_SETS = {row["name"]: row for row in read_csv(Path(__file__).with_name("sets.csv"))}
RECORDED_FILES = {name: row["recorded"] for name, row in _SETS.items() if row["recorded"]}
TABLE_1 = {
    name: Sizes(
        *(int(row["size"]), int(row["f1_zero"]), int(row["f1_nonzero"])),
        (float(row["share_0"]), float(row["share_1"]), float(row["share_2"])),
    )
    for name, row in _SETS.items()
    if row["recorded"]
}


def names() -> tuple[str, ...]:
    """Return the sets that ``load`` accepts. "evouna", "probe" and "probe-de" ship, the others must be fetched."""
    return tuple(_SETS)


def about(name: str) -> str:
    """Return a one-line description of this set, or raise a LookupError for an unknown name.

    >>> about("probe").partition(";")[0]
    'original English pairs by kind of error, with questions'
    """
    return _SETS[_known(name)]["about"]


def _known(name: str) -> str:
    """Return the name of a set, or raise a LookupError for any other."""
    if text("name", name, "probe") not in _SETS:
        raise unknown("data set", name, _SETS)
    return str(name)


def load(
    name: str, *, lang: str | None = None, cleaning: Literal["paper", "recorded", "none"] = "paper"
) -> LabeledPairs:
    """Return the labeled pairs of this set.

    ============  =====================================================  =======  ============  =========
    ``cleaning``  rows                                                     squad    germanquad    nq-open
    ============  =====================================================  =======  ============  =========
    "paper"       those of Table 1, without pairs without label              939    421 of 423      3,559
    "recorded"    those of Tables 2 and 3, repetitions and all               942           425      3,559
    "none"        those of the released file, as they parse                  942           425      3,658
    ============  =====================================================  =======  ============  =========

    With "recorded" and "none", three German pairs have no label (nan): two empty ones, and one whose row is broken.
    "paper" is checked against Table 1 before these are dropped. For NQ-open, "paper" and "recorded" are the same
    rows, with repaired text, corrected labels, questions and, for 99 pairs with a low SAS score, the category of the
    error. "none" has the labels and the text as released, a question if the pair is in the other files (3,653 of
    3,658), the categories of 147 pairs, and no recorded scores.

    Args:
        name: "squad", "germanquad", "nq-open" (from ``$ANSWERSIM_DATA`` or the cache), "evouna", "probe" (shipped).
        lang: For the probe, "en" (the meaning of "probe" alone) or "de" (also called "probe-de"). Every other set has
            one language.
        cleaning: See above. A set that ships needs no cleaning and has the same rows with each value.

    Returns:
        The pairs, gold first. SQuAD and GermanQuAD compare the answers of two annotators. The first answer counts as
        gold.

    Raises:
        LookupError: If no set has this name; DatasetNotFoundError (a subclass) if its files are not found.
        ValueError: If the set does not have the language, or a file is not the one of the paper.

    Source: Risch et al. 2021 (the pairs); Mustafazade & Ebbinghaus 2022, section 3 and Table 1 (the cleaning); Wang et
    al. 2023, "Evaluating Open-QA Evaluation" ("evouna").
    """
    name = _known(name)
    if text("cleaning", cleaning, "paper") not in _CLEANINGS:
        raise unknown("cleaning", cleaning, _CLEANINGS)
    if lang is not None:
        name = _in_language(name, lang)
    if name == "nq-open":
        return _nq_open(cleaning)
    return _two_annotators(name, cleaning) if name in RECORDED_FILES else _shipped(name)


def locate(name: str, path: str) -> Path:
    """Return the path of this file of this set: below ``$ANSWERSIM_DATA``, else in the cache."""
    tried = []
    for where, folder in places():
        file = folder / path
        if file.is_file():
            return file
        tried.append(f"{where} ({file})")
    if not os.environ.get(DATA_VARIABLE):
        tried.insert(0, f"${DATA_VARIABLE} (not set)")
    if not any(place.startswith("the cache") for place in tried):
        tried.append("the cache (there is no home folder)")
    raise DatasetNotFoundError(
        f"the data set {name!r} was not found; searched: {', '.join(tried)}. "
        f"Run '{COMMAND}' to fetch it into the cache (${CACHE_VARIABLE} sets its folder), or set ${DATA_VARIABLE}"
    )


def present(name: str) -> bool:
    """Return whether the files of this set are present. Raise a LookupError for an unknown name."""
    name = _known(name)
    try:
        for path in _needed(name):
            locate(name, path)
    except DatasetNotFoundError:
        return False
    return True


def sizes(data: LabeledPairs) -> Sizes:
    """Return the numbers of Table 1 for these pairs. It needs the recorded F1."""
    zero = int((data.recorded["f1"] == 0).sum())
    labeled = data.labels[~np.isnan(data.labels)]
    shares = [round(100 * float((labeled == label).mean()), 1) for label in (0, 1, 2)]
    return Sizes(len(data), zero, len(data) - zero, (shares[0], shares[1], shares[2]))


def _needed(name: str) -> tuple[str, ...]:
    if name not in RECORDED_FILES:
        return ()
    extra = (_QUESTIONS, _ANNOTATED) if name == "nq-open" else ()
    return (_SETS[name]["file"], RECORDED_FILES[name], *extra)


def _in_language(name: str, lang: str) -> str:
    code = language(lang)
    offered = {row["lang"]: key for key, row in _SETS.items() if key == name or key.startswith(f"{name}-")}
    if code not in offered:
        raise ValueError(f"the data set {name!r} has no answers in {lang!r}; it has them in {', '.join(offered)}")
    return offered[code]


def _two_annotators(name: str, cleaning: str) -> LabeledPairs:
    """Load SQuAD or GermanQuAD. The recorded table has the rows of the released file, in the same order."""
    _, data = _table(name, "recorded", "recorded_rows", RECORDED)
    if cleaning != "none":
        return _as_in_table_1(data) if cleaning == "paper" else data
    path, released = _table(name, "file", "rows")
    if released.pairs != data.pairs:
        first = next(i for i, (a, b) in enumerate(zip(released.pairs, data.pairs, strict=True)) if a != b)
        raise ValueError(f"{path}, row {first + 1} is {released.pairs[first]}, but was scored as {data.pairs[first]}")
    return replace(released, recorded=data.recorded)


def _nq_open(cleaning: str) -> LabeledPairs:
    if cleaning == "none":
        return _nq_open_as_released()
    _, data = _table("nq-open", "recorded", "recorded_rows", RECORDED)
    rows = read_csv(locate("nq-open", _QUESTIONS), ["", "question", "answer1", "answer2"])
    at = _same_rows(data.pairs, [Pair(row["answer1"], row["answer2"]) for row in rows])
    annotated = {row[""]: row["Explanation"].strip() for row in _annotations()}
    data = replace(
        data,
        questions=tuple(rows[i]["question"] for i in at),
        categories=tuple(annotated.get(rows[i][""], "") for i in at),
    )
    return _as_in_table_1(data) if cleaning == "paper" else data


def _nq_open_as_released() -> LabeledPairs:
    _, data = _table("nq-open", "file", "rows")
    annotations = _annotations()
    rows = read_csv(locate("nq-open", _QUESTIONS), ["question", "answer1", "answer2"]) + annotations
    questions = {(row["answer1"], row["answer2"]): row["question"] for row in reversed(rows)}
    categories = {(row["answer1"], row["answer2"]): row["Explanation"].strip() for row in annotations}
    return replace(
        data,
        questions=tuple(questions.get(pair, "") for pair in data.pairs),
        categories=tuple(categories.get(pair, "") for pair in data.pairs),
    )


def _annotations() -> list[dict[str, str]]:
    needed = ["", "question", "answer1", "answer2", "Explanation"]
    return read_csv(locate("nq-open", _ANNOTATED), needed, encoding="mac_roman")


def _table(name: str, file: str, rows: str, recorded: Mapping[str, str] | None = None) -> tuple[Path, LabeledPairs]:
    """Return the place and the pairs of a file of this set, both by their columns in the table of sets."""
    path = locate(name, _SETS[name][file])
    settings: Any = {"gold": "answer1", "pred": "answer2", "recorded": recorded}
    data = read_pairs(path, name=name, lang=_SETS[name]["lang"], **settings)
    _expect(path, "rows", len(data), int(_SETS[name][rows]))
    return path, data


def _as_in_table_1(data: LabeledPairs) -> LabeledPairs:
    first = {pair: i for i, pair in reversed(list(enumerate(data.pairs)))}
    data = data.take(sorted(first.values()))
    _expect(locate(data.name, RECORDED_FILES[data.name]), "sizes", sizes(data), TABLE_1[data.name])
    return data.where(~np.isnan(data.labels))


def _expect(path: Path, property_name: str, actual: object, expected: object) -> None:
    if actual != expected:
        raise ValueError(
            f"{path} differs from the file of the paper: its {property_name} are {actual}, but should be {expected}; "
            f"run '{COMMAND}' to fetch the published file"
        )


def _same_rows(pairs: Sequence[Pair], among: Sequence[Pair]) -> list[int]:
    """Return the position of each of ``pairs`` in ``among``, which contains them all in the same order.

    Some texts were repaired in one of the two, so only ASCII letters and digits are compared.
    """
    plain = [letters_and_digits(pair) for pair in among]
    at: list[int] = []
    i = -1
    for pair in pairs:
        try:
            i = plain.index(letters_and_digits(pair), i + 1)
        except ValueError:
            raise ValueError(
                f"{pair} is in the recorded scores of NQ-open, but not in {_QUESTIONS}; fetch both files again"
            ) from None
        at.append(i)
    return at


def letters_and_digits(pair: Pair) -> tuple[str, ...]:
    r"""Return both texts without all that a repair of the files changes: escapes, broken UTF-8, spaces and marks.

    >>> letters_and_digits(Pair("O'Neill\u2013", "Maló 1"))
    ('ONeill', 'Mal1')
    """
    texts = (unicodedata.normalize("NFKC", re.sub(r"\\+u[0-9a-f]{4}", "", text)) for text in pair)
    return tuple(re.sub(r"[^A-Za-z0-9]", "", text) for text in texts)


def _shipped(name: str) -> LabeledPairs:
    """Load a set that ships. Of the sample of EVOUNA by ``tools.evouna_sample``, the categories are the systems."""
    with as_file(files("answersim.evaluation.data") / _SETS[name]["file"]) as path:
        return read_pairs(path, name=name, lang=_SETS[name]["lang"], question="question", category="category")
