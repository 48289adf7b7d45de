"""What a change of structure must not change: public names, help texts, scores, results, files and pages.

    python -m tools.goldens record before.json
    python -m tools.goldens compare before.json --allow "help/answersim evaluate" --allow wheel

``record`` writes one JSON file. ``compare`` records again and prints each difference by section and key. Its exit
status is 1 if there are differences that no ``--allow`` permits. Floats are recorded to the last bit, and times are not
recorded. The paper's sets ($ANSWERSIM_DATA) are read for the pages.

``tools.golden_sections`` has one function per section.
"""

from __future__ import annotations

import difflib
import json
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from tools.golden_sections import SECTIONS, Entries

Content: TypeAlias = dict[str, dict[str, Any]]

MOST_LINES = 30  # printed per difference
LONG = 160  # the characters of two texts from which their difference is shown by lines


def record(sections: Mapping[str, Callable[[], Entries]]) -> Content:
    """Return the content of these sections by name and key."""
    content: Content = {}
    for name, entries in sections.items():
        start = time.perf_counter()
        content[name] = dict(entries())
        typer.echo(f"{name}: {len(content[name])} entries in {time.perf_counter() - start:.0f} s", err=True)
    return content


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """Return the leaves of nested dictionaries and lists by their path.

    >>> flat({"rows": [{"n": 1}]})
    {'/rows/0/n': 1}
    """
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        return {path: value}
    return {key: leaf for name, item in items for key, leaf in flat(item, f"{path}/{name}").items()}


def differences(before: Any, after: Any) -> list[str]:
    """Return what differs between two values of one key, as lines. There are none if they are equal."""
    if isinstance(before, str) and isinstance(after, str) and len(before + after) > LONG:
        return list(difflib.unified_diff(_lines(before), _lines(after), n=0, lineterm=""))[2:]
    old, new = flat(before), flat(after)
    lines = [f"{path} {old.get(path, 'absent')} -> {new.get(path, 'absent')}" for path in {**old, **new}]
    changed = [line for line, path in zip(lines, {**old, **new}, strict=True) if _at(old, path) != _at(new, path)]
    if changed and old.keys() != new.keys() and _numbers(old) and _numbers(old) == _numbers(new):
        changed.insert(0, "only names, texts or places differ: both have the same numbers")
    return changed


def _lines(text: str) -> list[str]:
    """Return the lines of a text, or the parameters of a signature, which has one line."""
    return text.splitlines() if "\n" in text else text.replace(", ", ",\n").splitlines()


def _at(leaves: Mapping[str, Any], path: str) -> tuple[bool, str, Any]:
    value = leaves.get(path)
    return path in leaves, type(value).__name__, value


def _numbers(leaves: Mapping[str, Any]) -> Counter[Any]:
    values = leaves.values()
    return Counter(
        value for value in values if not isinstance(value, str) or re.fullmatch(r"-?0x[01]\.\w+p.\d+", value)
    )


def main(
    action: Annotated[str, typer.Argument(help="record or compare.")],
    file: Annotated[Path, typer.Argument(help="The JSON file.")],
    allow: Annotated[
        list[str] | None, typer.Option(help="SECTION or SECTION/START of keys that may differ. May be repeated.")
    ] = None,
    section: Annotated[list[str] | None, typer.Option(help="Only this section. May be repeated.")] = None,
) -> None:
    """Record what may not change, or compare it with a record."""
    chosen = section or list(SECTIONS)
    if action not in ("record", "compare") or (unknown := set(chosen) - set(SECTIONS)):
        what = f"the action is {action!r}" if action not in ("record", "compare") else f"unknown sections: {unknown}"
        raise typer.BadParameter(f"{what}; give record or compare, and sections of {', '.join(SECTIONS)}")
    before: Content = json.loads(file.read_text(encoding="utf-8")) if action == "compare" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        after = record({name: SECTIONS[name] for name in chosen})
    if action == "record":
        file.write_text(json.dumps(after, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
        return
    n_refused = print_differences({name: before.get(name, {}) for name in chosen}, after, allow or ())
    raise typer.Exit(int(n_refused > 0))


def print_differences(before: Content, after: Content, allow: Sequence[str] = ()) -> int:
    """Print the differences by section and key. Return how many keys differ and are not allowed to."""
    refused = allowed = 0
    for name in before:
        for key in {**before[name], **after[name]}:
            lines = differences(before[name].get(key, "absent"), after[name].get(key, "absent"))
            if not lines:
                continue
            is_allowed = any(f"{name}/{key}".startswith(start if "/" in start else f"{start}/") for start in allow)
            allowed, refused = allowed + is_allowed, refused + (not is_allowed)
            typer.echo(f"{name}/{key}: {'allowed' if is_allowed else 'DIFFERENT'}, {len(lines)} lines")
            for line in lines[: 0 if is_allowed else MOST_LINES]:
                typer.echo(f"    {line[:300]}")
    typer.echo(f"{refused} keys differ, and {allowed} others that may")
    return refused


if __name__ == "__main__":
    typer.run(main)
