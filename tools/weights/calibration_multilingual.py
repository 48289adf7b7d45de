"""Make the calibrations of ``answersim`` in the profile ``multilingual``: one for all languages, with its checks.

    python -m tools.weights.calibration_multilingual --scores runs/scores

The answers are held out from the training of the network: articles of XQuAD in 12 languages, graded answers in German
(SAF) and Chinese, English answers with human verdicts (EVOUNA, main gold answer), and answers that a language model
wrote in German, French and Japanese, whose wrong ones are near. The ensemble was fitted on other answers, but for the
written ones, so that no language counts as checked by them. A set is checked by a calibration from the other ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim.calibration.model.model import Calibration
from answersim.calibration.shipped_index import ANY_LANGUAGE
from answersim.calibration.storing import SHIPPED
from answersim.metrics.catalog import lookup
from benchmarks.options import run_program
from benchmarks.tables import rounded
from tools.weights import calibrations
from tools.weights.calibrations import SEED, WITH_QUESTION, Scored, Set
from tools.weights.cross_encoder import spread
from tools.weights.pairs import mixture
from tools.weights.pairs.reading_pairs import LANGUAGES
from tools.weights.rule_revisions import with_metadata

NAME, COMMAND = "answersim-multilingual", "python -m tools.weights.calibration_multilingual"
RIGHT = 0.7  # the least grade of a right answer
PER_LANGUAGE = 100  # pairs of XQuAD
WRITTEN = {"de": "written, German", "fr": "written, French", "ja": "written, Japanese"}
PER_WRITTEN = 200
JUDGED = 250  # English answers of a set
GRADED = {"saf-de": ("de", "SAF, German"), "ads-zh": ("zh", "answers on algorithms, Chinese")}
ENGLISH = {"judged": "TriviaQA (EVOUNA)", "judged-nq": "NQ (EVOUNA)"}


def sets(places: mixture.Places) -> Iterator[Set]:
    """Yield the sets."""
    pairs = {source: mixture.load(source, places, "test") for source in ("xquad", *GRADED, *ENGLISH)}
    by_lang = {lang: [pair for pair in pairs["xquad"] if pair.source == f"xquad:{lang}"] for lang in LANGUAGES}
    listed = [(f"XQuAD, {lang}", spread(of_lang, PER_LANGUAGE), lang) for lang, of_lang in by_lang.items()]
    listed += [(title, pairs[source], lang) for source, (lang, title) in GRADED.items()]
    listed += [(title, spread(pairs[source], JUDGED), "en") for source, title in ENGLISH.items()]
    written = mixture.load("written-others", places, "dev")
    for lang, title in WRITTEN.items():
        of_lang = [pair for pair in written if pair.source == f"written:{lang}"]
        listed.append((title, spread(of_lang, PER_WRITTEN), lang))
    for title, of_set, lang in listed:
        answers, questions = [((pair.first,), pair.second) for pair in of_set], [pair.question for pair in of_set]
        right = np.array([(pair.label or 0.0) >= RIGHT for pair in of_set])
        yield Set(title, answers, right, questions, questions, lang=lang)


def make(own: Sequence[Scored], resamples: int) -> Calibration:
    """Return the calibration from all these sets."""
    signature = next((scores.signature for judged, scores in own if judged.lang == "de"), own[0][1].signature)
    metadata = {
        ANY_LANGUAGE: True,
        "data": calibrations.data_of(own, "questions and articles of the part 'test', of written ones 'dev'"),
        "source": "XQuAD, SAF, SAS-Datasets, EVOUNA, written for this project",
        "license": "CC BY-SA 4.0, MIT and Apache-2.0",
        "learned": "other questions and articles of these sets",
        "references": "one gold answer per question",
        "command": COMMAND,
        "seed": SEED,
    }
    metric = {"name": "answersim", "lang": "de", "profile": "multilingual", "options": {}}
    return calibrations.made_of(own, signature, metric, metadata, resamples)


def main(
    output: Annotated[Path, typer.Option(help="The folder to write into.")] = SHIPPED,
    scores: Annotated[Path | None, typer.Option(help="A folder that stores the scores of networks.")] = None,
) -> None:
    """Make the calibrations and their cards."""
    with user_errors():
        places = mixture.Places(mixture.default_data())
        for suffix in ("", WITH_QUESTION):
            own: list[Scored] = []
            for judged in sets(places):
                metric = lookup.metric("answersim", lang=judged.lang, profile="multilingual")
                (column,) = calibrations.scores_of(judged, [metric], scores, with_question=bool(suffix)).values()
                own.append((judged, column))
            made, languages = calibrations.make_checked(make, own), dict[str, dict[str, Any]]()
            for judged, _ in own:  # the first check in each language but English
                if judged.lang != "en" and judged.name in made.checks and judged.name not in WRITTEN.values():
                    check = rounded(made.checks[judged.name], calibrations.DIGITS)
                    languages.setdefault(judged.lang, {"data": judged.name, **check})
            made = made._replace(calibration=with_metadata(made.calibration, languages=languages))
            calibrations.write_files(f"{NAME}{suffix}", made, output)


if __name__ == "__main__":
    run_program(main)
