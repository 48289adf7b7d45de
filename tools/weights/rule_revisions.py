"""What the rules of composite metrics do to scores on the sets of the shipped calibrations: fingerprints and a table.

    python -m tools.weights.calibrations --check-rules

A calibration of ``typed+NAME`` or ``answersim`` stays valid for a new revision of the rules if the rules do the same on
every pair that it was made from or checked on. This is decided without networks: the parts of a metric are replaced by
stubs whose scores depend only on the texts they get. The scores of the metric are the same for two revisions only if
both raise, lower and bound the same pairs and show the same texts to the parts, whatever the scores of the parts are.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.calibration.model.model import Calibration
from answersim.calibration.model.rule_revisions import FINGERPRINT, rules_of
from answersim.calibration.storing import read, write
from answersim.metrics import planning
from answersim.metrics.composite.ensemble import AnswerSimilarity, read_weights, weights_file
from answersim.metrics.composite.typed import TypedMetric
from answersim.types import TYPED, Capabilities, Metric, Pair

LEVELS = (0.02, 0.5, 0.97)  # scores of the stubs
DIGITS = 6  # of a score in the fingerprint: processors differ in the last digits of an exponential
_CHUNK = 20_000  # pairs


@dataclass(frozen=True)
class TextStub:
    """A metric whose score is a level and at most .01 more, which depends on the texts of the pair."""

    level: float
    signature: str = "stub"
    capabilities: ClassVar[Capabilities] = Capabilities()

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return one number per pair, in order, shape (n,)."""
        checksums = [zlib.crc32(f"{gold}\0{pred}".encode()) for gold, pred in pairs]
        return self.level + 0.01 * np.array(checksums, dtype=np.float64) / 2**32


class Checked(NamedTuple):
    """The result of the check of one calibration."""

    name: str  # the name of the calibration
    signed: str  # the rules in its signature, as in ``rules:en.4|claims:1``
    rules: str  # the rules here
    recorded: str | None  # the fingerprint in its metadata; None if there is none
    fingerprint: str  # the fingerprint of the rules here

    @property
    def equal(self) -> bool:
        """Whether the rules here do the same as those that the calibration was made with."""
        return self.fingerprint == self.recorded if self.recorded is not None else self.signed == self.rules

    def line(self) -> str:
        """Return the result for the user."""
        if self.equal:
            made = "which are the rules here" if self.signed == self.rules else f"and {self.rules} changes no score"
            return f"{self.name}: made with {self.signed}, {made}, so it stays valid"
        why = "changes scores" if self.recorded is not None else "cannot be compared, because it has no fingerprint"
        return (
            f"{self.name}: made with {self.signed}; {self.rules} {why}. Make it again with "
            f"python -m tools.weights.calibrations --metrics {self.name} --scores FOLDER"
        )


def stub_metric(metric: Mapping[str, Any], level: float) -> Metric:
    """Return a metric with the rules of this one, and stubs of a level in place of its parts."""
    name, lang = str(metric["name"]), str(metric["lang"])
    if name.startswith(TYPED):
        return TypedMetric(TextStub(level), lang)
    if name != "answersim":
        raise ValueError(f"{name} has no rules, so there is nothing to compare")
    weights = read_weights(weights_file(metric["profile"]))
    return AnswerSimilarity(tuple(TextStub(level, part) for part in weights.parts), weights, lang)


def fingerprint(metric: Mapping[str, Any], pairs: Sequence[Pair]) -> str:
    """Return sixteen hexadecimal digits over what the rules of this metric do to the scores of these pairs."""
    digest = hashlib.sha256()
    for stub in (stub_metric(metric, level) for level in LEVELS):
        for start in range(0, len(pairs), _CHUNK):
            scores = planning.score_all([stub], pairs[start : start + _CHUNK], None)[0]
            digest.update(np.round(scores * 10**DIGITS).astype("<i8").tobytes())
    return digest.hexdigest()[:16]


def distinct_pairs(sets: Iterable[Any]) -> list[Pair]:
    """Return the pairs of sets of judged answers, with each gold answer, each once and in order."""
    pairs = (([gold] if isinstance(gold, str) else gold, pred) for judged in sets for gold, pred in judged.pairs)
    return list(dict.fromkeys(Pair(gold, pred) for golds, pred in pairs for gold in golds))


def check(folder: Path, pairs: Sequence[Pair]) -> list[Checked]:
    """Compare the rules here with those of each calibration in this folder that has rules."""
    by_metric: dict[str, tuple[str, str]] = {}
    results = []
    for path in sorted(folder.glob("*.json"), key=lambda path: path.stem):
        calibration = read(path)
        if signed := rules_of(calibration.signature):
            if (key := json.dumps(dict(metric := calibration.metric), sort_keys=True)) not in by_metric:
                by_metric[key] = rules_of(stub_metric(metric, LEVELS[0]).signature), fingerprint(metric, pairs)
            (rules, digits), recorded = by_metric[key], calibration.metadata.get(FINGERPRINT)
            results.append(Checked(path.stem, signed, rules, recorded, digits))
    return results


def record(results: Sequence[Checked], folder: Path, table: Path) -> None:
    """Write fingerprints of equal results into their calibrations, and their rules into the table, by fingerprint.

    Fingerprints that no calibration has leave the table.
    """
    used = {result.recorded or result.fingerprint for result in results}
    listed: dict[str, list[str]] = {
        key: rules for key, rules in json.loads(table.read_text(encoding="utf-8")).items() if key in used
    }
    for result in results:
        if not result.equal:
            continue
        if result.recorded is None:
            path = folder / f"{result.name}.json"
            write(with_metadata(read(path), **{FINGERPRINT: result.fingerprint}), path)
        rules = listed.setdefault(result.fingerprint, [])
        rules += [one for one in (result.signed, result.rules) if one not in rules]
    text = json.dumps({key: sorted(set(rules)) for key, rules in sorted(listed.items())}, indent=2)
    table.write_text(f"{text}\n", encoding="utf-8")


def with_metadata(calibration: Calibration, **entries: Any) -> Calibration:
    """Return the calibration with further entries in its metadata."""
    return replace(calibration, metadata={**calibration.metadata, **entries})
