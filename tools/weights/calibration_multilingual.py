"""Make the calibrations of ``answersim`` in the profile ``multilingual``: one for all languages, with its checks.

    python -m tools.weights.calibration_multilingual --scores runs/scores

The answers are held out from the training of the network and from the fit of the ensemble: articles of XQuAD in 12
languages (an answer with a sentence that contains it or not, and with other answers), graded answers in German (SAF)
and Chinese, and English answers with human verdicts (EVOUNA, main gold answer). A set is checked by a calibration from
the other ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import answersim
from answersim._base.runtime.cli_errors import user_errors
from answersim.calibration.model import Calibration
from answersim.calibration.scores import Scores
from answersim.calibration.shipped_index import ANY_LANGUAGE
from answersim.calibration.storing import SHIPPED, write
from answersim.metrics.catalog import lookup
from answersim.scoring.cache import ScoreCache
from answersim.training.data.pairs import TrainingPair
from benchmarks.stored_parts import with_stored_parts
from tools.weights.calibrations import (
    LEAST,
    RESAMPLES,
    SEED,
    TARGET,
    WITH_QUESTION,
    Check,
    Made,
    Scored,
    Set,
    _rounded,
    card,
    check,
)
from tools.weights.cross_encoder import spread
from tools.weights.pairs import mixture
from tools.weights.pairs.reading_pairs import LANGUAGES

NAME = "answersim-multilingual"
COMMAND = "python -m tools.weights.calibration_multilingual"
RIGHT = 0.7  # the least grade of a right answer
PER_LANGUAGE = 100  # pairs of XQuAD
JUDGED = 250  # English answers of a set
GRADED = {"saf-de": ("de", "SAF, German"), "ads-zh": ("zh", "answers on algorithms, Chinese")}
ENGLISH = {"judged": "TriviaQA (EVOUNA)", "judged-nq": "NQ (EVOUNA)"}


def sets(places: mixture.Places) -> Iterator[tuple[str, Set]]:
    """Yield the sets with their language."""
    reading = mixture.load("xquad", places, "test", 0)
    for lang in LANGUAGES:
        pairs = [pair for pair in reading if pair.source == f"xquad:{lang}"]
        yield lang, _set(f"XQuAD, {lang}", spread(pairs, PER_LANGUAGE))
    for source, (lang, title) in GRADED.items():
        yield lang, _set(title, mixture.load(source, places, "test", 0))
    for source, title in ENGLISH.items():
        yield "en", _set(title, spread(mixture.load(source, places, "test", 0), JUDGED))


def _set(title: str, pairs: Sequence[TrainingPair]) -> Set:
    questions = [pair.question for pair in pairs]
    right = np.array([(pair.label or 0.0) >= RIGHT for pair in pairs])
    return Set(title, [((pair.first,), pair.second) for pair in pairs], right, questions, questions)


def scored(places: mixture.Places, folder: Path | None, *, with_question: bool) -> list[tuple[str, Scored]]:
    """Return the sets with their language and their scores."""
    result = []
    for lang, judged in sets(places):
        metric = lookup.metric("answersim", lang=lang, profile="multilingual")
        stored = metric if folder is None else with_stored_parts(metric, ScoreCache(folder))
        asked = judged.questions if with_question else None
        scores = answersim.score_pairs(judged.pairs, [stored], question=asked)
        result.append((lang, (judged, next(iter(scores.values())))))
    return result


def make(own: Sequence[tuple[str, Scored]], resamples: int = RESAMPLES) -> Calibration:
    """Return the calibration from all these sets."""
    judged = [one for _, (one, _) in own]
    signature = next((scores.signature for lang, (_, scores) in own if lang == "de"), own[0][1][1].signature)
    return answersim.calibrate(
        Scores(np.concatenate([scores.values for _, (_, scores) in own]), signature),
        np.concatenate([one.right for one in judged]),
        groups=[group for one in judged for group in one.groups],
        target=TARGET,
        bootstrap=answersim.Bootstrap(resamples=resamples, rng=SEED),
        metric={"name": "answersim", "lang": "de", "profile": "multilingual", "options": {}},
        metadata={
            ANY_LANGUAGE: True,
            "data": ", ".join(f"{len(one.pairs):,} answers of {one.name}" for one in judged)
            + ": questions and articles of the part 'test'",
            "source": "XQuAD, SAF, SAS-Datasets, EVOUNA",
            "license": "CC BY-SA 4.0, MIT and Apache-2.0",
            "learned": "other questions and articles of these sets",
            "references": "one gold answer per question",
            "command": COMMAND,
            "seed": SEED,
        },
    )


def make_checked(own: Sequence[tuple[str, Scored]]) -> Made:
    """Return the calibration with a check of each set by a calibration from the other ones."""
    whole, checks = make(own), dict[str, Check]()
    languages: dict[str, dict[str, Any]] = {}
    for lang, (judged, scores) in own:
        if len(judged.pairs) < LEAST:
            continue
        others = [one for one in own if one[1][0] is not judged]
        used = make(others, resamples=2)
        checks[judged.name] = check(replace(used, signature=scores.signature), judged, scores)
        if lang != "en":
            numbers = json.loads(json.dumps(_rounded(checks[judged.name]._asdict())))
            languages.setdefault(lang, {"data": judged.name, **numbers})
    numbers = {title: json.loads(json.dumps(_rounded(one._asdict()))) for title, one in checks.items()}
    metadata = {**whole.metadata, "checks": numbers, "languages": languages}
    return Made(replace(whole, metadata=metadata), checks, (), tuple(judged.name for _, (judged, _) in own))


def main(
    output: Annotated[Path, typer.Option(help="The folder to write into.")] = SHIPPED,
    scores: Annotated[Path | None, typer.Option(help="A folder that stores the scores of networks.")] = None,
) -> None:
    """Make the calibrations and their cards."""
    with user_errors():
        places = mixture.Places(mixture.default_data())
        for suffix in ("", WITH_QUESTION):
            made = make_checked(scored(places, scores, with_question=bool(suffix)))
            write(made.calibration, output / f"{NAME}{suffix}.json")
            (output / f"{NAME}{suffix}.md").write_text(card(f"{NAME}{suffix}", made), encoding="utf-8")
            for title, one in made.checks.items():
                typer.echo(f"{NAME}{suffix}, {title}: accuracy {one.accuracy.value:.3f}, error {one.error.value:.3f}")


if __name__ == "__main__":
    typer.run(main)
