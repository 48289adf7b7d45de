"""Record how the shipped calibrations of language-neutral metrics do in another language: German, on GermanQuAD.

The set of the SAS paper is only used for this check, and nothing was tuned on it. Run it after the calibrations::

    python -m tools.weights.calibration_languages
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import typer

import answersim
from answersim.calibration.storing import SHIPPED, in_language, read, shipped, write
from answersim.evaluation import data
from tools.weights.calibrations import Set, _rounded, check, least_of, of_length

NEUTRAL = (
    "f1",
    "recall",
    "rouge-l",
    "typed+recall",
)  # the rule is the same in every language, on words of the language
NAME = "GermanQuAD of the SAS paper, similar or the same"


def main(output: Path = SHIPPED) -> None:
    """Write the check into the metadata of each calibration, and print it."""
    loaded = data.load("germanquad")
    loaded = loaded.where(~np.isnan(loaded.labels))
    judged = Set(NAME, loaded.pairs, loaded.labels >= 1, list(range(len(loaded))))
    for name in NEUTRAL:
        if name not in shipped():
            continue
        calibration = read(output / f"{name}.json")
        every = answersim.score_pairs(judged.pairs, [name], lang="de")[name]
        covered, scores = of_length(judged, every, least_of(name))
        result = check(replace(calibration, signature=scores.signature), covered, scores)
        found = {"data": NAME, **json.loads(json.dumps(_rounded(result._asdict())))}
        whole = replace(calibration, metadata={**calibration.metadata, "languages": {"de": found}})
        write(whole, output / f"{name}.json")
        verdicts = "verdicts" if in_language(whole, scores.signature) is not None else "no verdicts"
        accuracy, error = result.accuracy, result.error
        typer.echo(
            f"{name}: n {result.n}, accuracy {accuracy.value:.3f} [{accuracy.low:.3f}, {accuracy.high:.3f}], "
            f"equivalent {result.equivalent:.3f}, probability {result.probability:.3f}, error {error.value:.3f} "
            f"[{error.low:.3f}, {error.high:.3f}] (by chance {result.by_chance:.3f}): {verdicts}"
        )


if __name__ == "__main__":
    typer.run(main)
