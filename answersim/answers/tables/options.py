"""Gold answers of multiple-choice questions with the options of their rows, which a column "choices" lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answersim import answers as room
from answersim._base.errors import ReadingWarning
from answersim._base.golds import ChoiceGold, StructuredGold, options_in
from answersim.answers.tables.answer_values import noted


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
    if not any(options):
        return list(golds), []
    n, lacking = len(options), [listed for listed in options if not listed]
    more = "such rows are compared without options"
    notes = noted(where, n, "the column 'choices' lists no options", lacking, more)
    positions = {i: int(gold) for i, gold in enumerate(golds) if options[i] and is_position(gold, options[i])}
    if positions:
        first = _first_position(positions, options, f"{where}, row {numbers[min(positions)]}")
        golds = [chr(ord("A") + positions[i] - first) if i in positions else gold for i, gold in enumerate(golds)]
        reading = f"whole numbers are positions of options, counted from {first}"
        notes += noted(where, n, reading, list(positions), "because they are none of the options")
    strange = [i for i, gold in enumerate(golds) if options[i] and _is_beyond(gold, options[i])]
    cells = [f"{golds[i]!r} in row {numbers[i]}" for i in strange]
    notes += noted(where, n, "gold answers are letters of no option", cells)
    return [_with(gold, listed) for gold, listed in zip(golds, options, strict=True)], notes


def is_position(gold: Any, options: Sequence[str]) -> bool:
    """Return whether a gold answer is a whole number that can be a position, and none of these options."""
    is_number = isinstance(gold, str) and gold.isascii() and gold.isdigit() and int(gold) <= len(options) < 27
    return is_number and not room.typed.choice.chosen_options(
        gold, options, lambda option, answer: room.relation.relate(option, answer).relation == "equal"
    )


def _is_beyond(gold: Any, options: Sequence[str]) -> bool:
    """Return whether a gold answer is the letter of an option that is not there."""
    is_letter = isinstance(gold, str) and len(gold) == 1 and "A" <= gold <= "Z"
    return is_letter and ord(gold) - ord("A") >= len(options) and gold not in options


def _first_position(positions: dict[int, int], options: Sequence[Sequence[str]], where: str) -> int:
    has_zero = 0 in positions.values()
    if has_zero is any(position == len(options[i]) for i, position in positions.items()):
        evidence = ("neither 0 nor the number of options occurs", "both 0 and the number of options occur")[has_zero]
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
