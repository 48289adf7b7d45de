"""Revisions of the rules of composite metrics that leave the scores of a shipped calibration as they are.

A calibration that ships records a fingerprint of what the rules do to scores on its sets. It is valid for the
revisions that ``rule_revisions.json`` lists for it, which ``tools.weights.rule_revisions`` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

TABLE = Path(__file__).parent / "rule_revisions.json"
FINGERPRINT = "rules"  # the key of the fingerprint in the metadata of a calibration
_KEYS = ("rules:", "claims:")  # the parts of a signature that contain revisions of rules


def rules_of(signature: str) -> str:
    """Return the parts of a signature that contain revisions of rules; "" if there are none.

    >>> rules_of("typed+f1|text:en|rules:en.4|claims:1|rev:1"), rules_of("f1|text:en|rev:1")
    ('rules:en.4|claims:1', '')
    """
    return "|".join(field for field in signature.split("|") if field.startswith(_KEYS))


@lru_cache(maxsize=256)
def equal_signatures(signature: str, fingerprint: object) -> tuple[str, ...]:
    """Return the signature of a calibration, and those with the other revisions that its fingerprint is listed for."""
    ours = rules_of(signature)
    if not ours or not isinstance(fingerprint, str):
        return (signature,)
    others = [rules for rules in revisions(TABLE).get(fingerprint, ()) if rules != ours]
    return (signature, *(signature.replace(f"|{ours}", f"|{rules}") for rules in others))


@lru_cache(maxsize=4)
def revisions(table: Path) -> Mapping[str, tuple[str, ...]]:
    """Return the revisions of the rules by fingerprint, as in ``rules:en.4|claims:1``. The table is read once."""
    listed = json.loads(table.read_text(encoding="utf-8"))
    return {fingerprint: tuple(rules) for fingerprint, rules in listed.items()}
