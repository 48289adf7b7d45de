r"""The rule of Minerva in lm-eval's ``minerva_math`` (its text part also alone), and its normalization in DAPO."""

from __future__ import annotations

import json
import re
from itertools import repeat
from pathlib import Path
from typing import Any

from answersim.metrics.official.drop import ANSWER
from answersim.metrics.official.latex_equality import equal
from answersim.metrics.official.math_strings import last_boxed, last_boxed_or_blank, unboxed_or_raise
from answersim.metrics.official.raised import or_raises

_DATA = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))  # what is replaced, and deleted
_DOLLARS = re.compile(r"^[^$\n]*\$([^$\n]*)\$.*", re.MULTILINE)
_COMMANDS = ("\\text{", "\\textbf{", "\\overline{", "\\boxed{")  # the last one ends with the last brace of its line
_FRACTION, _ROOT = re.compile(r"frac([^{])(.)"), re.compile(r"sqrt([^{])")
_FINAL = re.compile(r"Final Answer: The final answer is(.*?). I hope it is correct.")
_HOPE = "I hope it is correct."
_READ, _READ_BOX = 300, 100  # characters at the end of the output that DAPO reads


def normalized(text: str, *, feet: bool = True) -> str:
    r"""Return an answer in the form in which Minerva compares it.

    Words are deleted inside other words too: "banana pie" loses "a ", and "sue" and "cm" disappear everywhere.
    ``feet``: whether "ft" is deleted, as in lm-eval. The list in DAPO lacks it.

    >>> normalized("$x = 34$ degrees"), normalized("1,000")
    ('34', '1000')

    Source: ``normalize_final_answer`` (Lewkowycz et al. 2022, appendix D.1).
    """
    text = text.split("=")[-1]
    for old, new in _DATA["replaced"]:
        text = text.replace(old, new)
    for word in _DATA["deleted"]:
        if feet or word != "ft":
            text = text.replace(word, "")
    text = _DOLLARS.sub(r"$\1$", text)
    for command in _COMMANDS:
        text = "\n".join(map(_unbraced, repeat(command), text.split("\n")))
    text = _ROOT.sub(r"sqrt{\1}", _FRACTION.sub(r"frac{\1}{\2}", text)).replace("$", "")
    digits = text.replace(",", "")
    return digits if digits.isdigit() else text


def _unbraced(command: str, line: str) -> str:
    """Return a line without a command and its braces, in linear time."""
    ends = line.rfind if command == _COMMANDS[-1] else line.find
    pieces, position = [], 0
    while (begin := line.find(command, position)) >= 0 and (end := ends("}", begin + len(command))) >= 0:
        pieces += [line[position:begin], line[begin + len(command) : end]]
        position = end + 1
    return "".join(pieces) + line[position:]


def lmeval_text(golds: list[str], pred: str) -> dict[str, Any]:
    """Return the texts that lm-eval compares: the answer after "The final answer is", and the boxed gold answer.

    The equality by sympy is not run: see the profile ``minerva``.
    """
    match = _FINAL.search(f"{pred}{_HOPE}")
    extracted = match.group(1).strip() if match else "[invalidanswer]"
    return {
        "unnormalized": extracted,
        "pred_norm": normalized(extracted),
        "gold_norm": or_raises(lambda: normalized(unboxed_or_raise(last_boxed_or_blank(golds[0])))),
    }


def minerva(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as lm-eval: 1 if sympy finds no difference of the texts of ``lmeval_text`` within five seconds, else 0.

    Raise MissingExtraError if the extra "math" is not installed.
    """
    texts = lmeval_text(golds, pred)
    gold = texts["gold_norm"]
    return texts | {"exact_match": int(equal(texts["pred_norm"], gold)) if isinstance(gold, str) else gold}


def dapo(golds: list[str], pred: str, *, strict_box_verify: bool = False) -> dict[str, Any]:
    r"""Score as the recipe DAPO in verl: the last "Answer:" in the last 300 characters, +1.0 or -1.0.

    ``strict_box_verify``: whether the last box of the last 100 characters is compared instead, as it is.
    """
    end = pred[-_READ:]
    gold = normalized(golds[0], feet=False).strip()
    answer: str | None
    if strict_box_verify:
        boxed = last_boxed(end[-_READ_BOX:])
        answer = None if boxed is None else unboxed_or_raise(boxed)
        correct = answer == golds[0]
    else:
        answers = ANSWER.findall(end)
        answer = normalized(answers[-1] if answers else "[INVALID]", feet=False).strip()
        correct = answer == gold
    return {"score": 1.0 if correct else -1.0, "acc": correct, "pred": answer, "gold_norm": gold}
