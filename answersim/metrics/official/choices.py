"""Letters of choices and numbers in an output: MMLU-Pro and simple-evals."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

_PRO = re.compile(r"answer is \(?([A-J])\)?")
_PRO_COLON = re.compile(r"^.*[aA]nswer:\s*([A-J])", re.MULTILINE)
_PRO_LAST = re.compile(r"\b[A-J]\b(?!.*\b[A-J]\b)", re.DOTALL)
_GPQA = re.compile(r"(?i)Answer[ \t]*:[ \t]*\$?([A-D])\$?")
_NONE = "none"
# "answers": "Answer" in the languages of MMMLU, in the order of the patterns; "|" stands for ``\s*`` before the colon.
# "markup": what is deleted before. "prefixes": "Answer" in the languages of MGSM.
_DATA = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
PREFIXES: dict[str, str] = _DATA["prefixes"]
_LETTERS = "[ \t]*([A-D]|[أ-د]|[অ]|[ব]|[ড]|[ঢ]|[Ａ]|[Ｂ]|[Ｃ]|[Ｄ])"
_MMLU = [re.compile("(?i)" + word.replace("|", r"\s*") + _LETTERS) for word in _DATA["answers"]]
_LATIN = dict(zip("أبجدঅবডঢＡＢＣＤ", "ABCD" * 3, strict=True))
_DIGITS = re.compile(r"\d+\.?\d*")


def mmlu_pro(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as MMLU-Pro on both of its levels.

    "none" stands for the letter that the script would draw by chance; its correctness is None. Level 2 also takes the
    last lone letter, and therefore the pronoun "I".

    Source: ``compute_accuracy.py`` (Wang et al. 2024).
    """
    match = _PRO.search(pred)
    first = match.group(1) if match else _NONE
    second = first
    if second == _NONE:
        if match := _PRO_COLON.search(pred):
            second = match.group(1)
        elif match := _PRO_LAST.search(pred):
            second = match.group(0)
    return {
        "l1": first,
        "correct_l1": None if first == _NONE else first == golds[0],
        "l2": second,
        "correct_l2": None if second == _NONE else second == golds[0],
    }


def simple_evals_mc(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as simple-evals does for MMLU (and MMMLU) and for GPQA."""
    match = _GPQA.search(pred)
    letters = {"mmlu": _mmlu(pred), "gpqa": match.group(1) if match else None}
    return {
        name: {"extracted": letter, "score": 1.0 if letter == golds[0] else 0.0} for name, letter in letters.items()
    }


def _mmlu(pred: str) -> str | None:
    for markup in _DATA["markup"]:
        pred = pred.replace(markup, "")
    for pattern in _MMLU:
        if match := pattern.search(pred):
            letter: str = match.group(1)
            return _LATIN.get(letter, letter).strip()
    return None


def simple_evals_mgsm(golds: list[str], pred: str, *, lang: str = "en") -> dict[str, Any]:
    """Score as simple-evals does for MGSM: the last number after the last prefix. A sign is not read.

    ``golds``: the number, as text. ``lang``: a language of ``PREFIXES``, which has its own word for "Answer". Raise
    KeyError if there is no such language.
    """
    _, prefix, rest = pred.rpartition(PREFIXES[lang])
    numbers = _DIGITS.findall(rest.replace(",", "")) if prefix else []
    extracted = numbers[-1].rstrip(".") if numbers else ""
    stripped = extracted.rstrip("0").rstrip(".") if "." in extracted else extracted
    return {"extracted": extracted, "correct": stripped == golds[0].replace(",", "")}
