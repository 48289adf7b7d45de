"""Gold answers of multiple-choice questions with the options of their rows, which a column "choices" lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answersim import answers as room
from answersim._base.errors import ReadingWarning
from answersim._base.golds import ChoiceGold, StructuredGold, options_in


def flaw(cell: Any) -> str:
    """Return why a cell of the column "choices" cannot be read, as a sentence; "" if it can, or is no list."""
    if isinstance(cell, str) and cell.lstrip().startswith("[") and not options_in(cell):
        return f"'choices' is {cell[:60]!r}, but it begins like a JSON list and is none; repair it"
    return ""


def with_options(
    golds: Sequence[Any], cells: Sequence[Any], where: str, numbers: Sequence[int]
) -> tuple[list[Any], list[ReadingWarning]]:
    """Return gold answers with the options of their rows, and notes on rows without options and on positions.

    A gold answer that is a whole number and none of the options is the position of an option, from 0 if a 0 is among
    them, and from 1 if the number of options is. ``golds``: texts, lists of texts, and structures, which are unchanged.
    ``cells``: what the column "choices" has in each row. ``where``, ``numbers``: the data and the number of each row,
    for messages. Raise ValueError if positions are open.
    """
    options = [options_in(cell) for cell in cells]
    n = sum(map(bool, options))
    if not n:
        return list(golds), []
    notes = []
    if n < len(options):
        more = "such rows are compared without options"
        notes.append(
            ReadingWarning(where, "the column 'choices' lists no options", len(options) - n, len(options), more)
        )
    positions = {i: int(gold) for i, gold in enumerate(golds) if options[i] and is_position(gold, options[i])}
    if positions:
        first = _first_position(positions, options, f"{where}, row {numbers[min(positions)]}")
        golds = [chr(ord("A") + positions[i] - first) if i in positions else gold for i, gold in enumerate(golds)]
        reading = f"whole numbers are positions of options, counted from {first}"
        notes.append(
            ReadingWarning(where, reading, len(positions), len(options), "because they are none of the options")
        )
    if strange := [i for i, gold in enumerate(golds) if options[i] and _is_beyond(gold, options[i])]:
        more = f"such as {golds[strange[0]]!r} in row {numbers[strange[0]]}"
        notes.append(ReadingWarning(where, "gold answers are letters of no option", len(strange), len(options), more))
    return [_with(gold, listed) for gold, listed in zip(golds, options, strict=True)], notes


def is_position(gold: Any, options: Sequence[str]) -> bool:
    """Return whether a gold answer is a whole number that can be a position, and none of these options."""
    is_number = isinstance(gold, str) and gold.isascii() and gold.isdigit() and int(gold) <= len(options) < 27
    return is_number and not room.typed.choice.chosen_options(gold, options, _agrees)


def _is_beyond(gold: Any, options: Sequence[str]) -> bool:
    """Return whether a gold answer is the letter of an option that is not there."""
    is_letter = isinstance(gold, str) and len(gold) == 1 and "A" <= gold <= "Z"
    return is_letter and ord(gold) - ord("A") >= len(options) and gold not in options


def _agrees(option: str, answer: str) -> bool:
    return room.relation.relate(option, answer).relation == "equal"


def _first_position(positions: dict[int, int], options: Sequence[Sequence[str]], where: str) -> int:
    has_zero = 0 in positions.values()
    has_last = any(position == len(options[i]) for i, position in positions.items())
    if has_zero is has_last:
        evidence = (
            "both 0 and the number of options occur" if has_zero else "neither 0 nor the number of options occurs"
        )
        raise ValueError(
            f"{where}: the gold answer is a position in 'choices', but whether it counts from 0 or from 1 is open, "
            f"because {evidence}; give letters (A, B, ...) or the texts of options"
        )
    return 0 if has_zero else 1


def _with(gold: Any, options: Sequence[str]) -> Any:
    """Return a gold answer, or each of several, with the options of its question."""
    if isinstance(gold, list):
        return [_with(entry, options) for entry in gold]
    return ChoiceGold(gold, options) if options and not isinstance(gold, StructuredGold) else gold
