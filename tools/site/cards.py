"""The cards of the metrics: definitions, costs and failures. Every figure is read from ``benchmarks/results``."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import answersim
from answersim._base.errors import unknown
from answersim.answers.text.languages import SUPPORT
from answersim.evaluation.data.minimal_pairs import minimal_pairs
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints.profiles import ENGLISH, WEIGHTS
from benchmarks.judged_quality import ALL
from benchmarks.judged_scores import QUESTION
from benchmarks.judged_sets import LEARNED, SETS
from tools.site.sources import ROOT
from tools.tables import rendered

RESULTS = ROOT / "benchmarks" / "results"
FOLDER = "cards"
_WEAKEST = 5  # kinds of minimal pairs and attacks on a card
_COMPOSITES = "judged-composites.json"  # the agreement of metrics that judged.json does not list
_TITLES = {  # of the held-out sets, short enough for a column
    "evouna-test": "TriviaQA answers (EVOUNA)",
    "efficientqa-sas": "EfficientQA, 863 questions of the SAS paper",
    "efficientqa-other-test": "EfficientQA, other questions",
}
_HEADLINE = ("evouna-test", "efficientqa-sas")
_CHECKED = ", ".join(sorted({*SUPPORT["checked"], *SUPPORT["judged"]}))
_MADE_FOR = {"*": f"all languages; checked: {_CHECKED}", "en": "English", "de": "German"}
_SERVICE = "It depends on the language model and the prompt"  # of a remote metric


def names() -> tuple[str, ...]:
    """Return the metrics that have a card: all of the catalog, those that wrap others, and those that call a service.

    >>> names()[0], names()[-3:]
    ('em', ('answersim', 'typed', 'judge'))
    """
    return (*answersim.names(), "typed", *lookup.remote_names())


def card(name: str) -> str:
    """Return the card of a metric in Markdown. Raise LookupError if no card has this name."""
    if name not in names():
        raise unknown("card", name, names())
    entry, examined, recorded = lookup.entry(name), doctor(name), _examples(name)
    signed = "" if name in lookup.remote_names() else answersim.metric(name).signature  # with its default settings
    listed = [*quality(name), *costs(name), examined, recorded]
    measured = {row["signature"].replace("|question:yes", "") for row in listed if row}
    own = re.match(r"ours(?:; see (\S+))?", source := entry.source)
    filters = {
        **{"cell": _cell, "interval": _interval, "estimate": _estimate},
        "code": lambda words: ", ".join(f"`{word}`" for word in words),
        "input": lambda row: "with the question" if row["metric"].endswith(QUESTION) else "two answers",
    }
    text = rendered(
        Path(__file__).with_name("card.md"),
        filters,
        **{"name": name, "entry": entry, "quality": quality(name), "costs": costs(name), "weights": _weights(name)},
        aliases=[alias for alias in (entry.name, *lookup.aliases_of(entry.name)) if alias != name],
        **{"reads_question": lookup.reads_question(name), "options": lookup.options_of(name), "titles": _TITLES},
        **{"learned": LEARNED.get(name), "remote": name in lookup.remote_names(), "service": _SERVICE},
        **{"examined": examined, "examples": recorded.get("examples"), "accepted": _accepted(examined)},
        families={family.family: family for family in minimal_pairs("en", "dev")},
        broken=[row for row in examined.get("findings", ()) if row["holds"] is False],
        **{"signed": signed, "others": sorted(measured - {signed})},
        source=f"this project{f' (`{own[1]}`)' if own[1] else ''}{source[own.end() :]}" if own else source,
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def _accepted(examined: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the attacks whose wrong answers are accepted most often; none if there is no threshold."""
    wrong = [row for row in examined.get("attacks", ()) if not row["pattern"].startswith("right")]
    worst = sorted((row for row in wrong if row["accepted"]["value"] > 0), key=lambda row: -row["accepted"]["value"])
    return worst[:_WEAKEST] if examined.get("threshold") is not None else []


def card_pages() -> dict[str, str]:
    """Return the pages by path: one card per metric, and an index with a table."""
    header = ("metric", "what it computes", *(f"AUC, {_TITLES[key]}" for key in _HEADLINE), "pairs/s", "MB")
    rows = "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *map(_row, names())))
    index = Path(__file__).with_name("cards.md").read_text(encoding="utf-8")
    pages = {f"{FOLDER}/{name}.md": card(name) for name in names()}
    return {f"{FOLDER}/index.md": index.format(table=f"\n{rows}\n", entries="\n".join(names())), **pages}


def _row(name: str) -> tuple[str, ...]:
    found = {row["dataset"]: row for row in quality(name) if row["metric"] == _full(name)}
    auc = [_interval(found[key], "auc") if key in found else "-" for key in _HEADLINE]
    spent = costs(name)[:1]  # the first row is the one without questions
    speed = [(f"{cost['pairs_per_cpu_second']:,.0f}", f"{cost['megabytes']:.0f}") for cost in spent] or [("-", "-")]
    return (f"[`{name}`]({name}.md)", lookup.entry(name).summary, *auc, *speed[0])


def _weights(name: str) -> list[tuple[str, ...]]:
    """Return the rows of the table of the weights of a metric, or of those of its parts."""
    rows: list[tuple[str, ...]] = []
    for part in (part for part in (name, *_all_parts(name)) if part in WEIGHTS):
        for profile, by_language in WEIGHTS[part].items():
            for code, weights in by_language.items():
                made_for = "English" if profile in ENGLISH else _MADE_FOR[code]
                layer = "" if weights.layer is None else f", layer {weights.layer}"
                adapter = "" if weights.adapter is None else f", adapter {weights.adapter.name}"
                files = f"{weights.model}{layer}{adapter}"
                rows.append((f"`{part}`", profile, made_for, files, "never" if weights.never_run else _ran(profile)))
    return rows


def _all_parts(name: str) -> Iterator[str]:
    """Yield the parts of a metric, and theirs."""
    for part in lookup.entry(name).parts:
        yield part
        yield from _all_parts(part)


def _ran(profile: str) -> str:
    """Return whether this project ran the weights of a profile, as docs/training.md states it."""
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    match = re.search(rf"^\| `{profile}`[^|]*\|.*\| ([^|]+) \|$", page, re.MULTILINE)
    if match is None:
        raise ValueError(f"docs/training.md has no row for the profile {profile!r} in its table of profiles; add it")
    return match[1].partition(":")[0]


def quality(name: str) -> list[dict[str, Any]]:
    """Return the agreement of a metric, with and without the question, on all answers of each held-out set."""
    wanted = {_full(name), _full(name) + QUESTION}
    held_out = {key for key, judged_set in SETS.items() if judged_set.held_out and not judged_set.recorded_only}
    rows = [*_rows("Quality"), *_rows("Quality", _COMPOSITES)]
    return [row for row in rows if row["metric"] in wanted and row["subset"] == ALL and row["dataset"] in held_out]


def costs(name: str) -> list[dict[str, Any]]:
    """Return the measured costs of a metric, with and without the question, or those of ``costs.json``."""
    listed = [row for row in _rows("Cost") if row["metric"] in {_full(name), _full(name) + QUESTION}]
    measured = _read("costs.json")
    others = [row for row in measured["costs"] if row["metric"] == _full(name)]
    if listed or not others:
        return listed
    (last, *_), (row,) = costs(lookup.entry(name).parts[-1]), others  # it has the networks, if there are any
    speed = {"pairs": measured["pairs"], "pairs_per_cpu_second": measured["pairs"] / row["seconds"]}
    return [{**last, **speed, "metric": _full(name), "signature": row["signature"]}]


def doctor(name: str) -> dict[str, Any]:
    """Return the record of the doctor for a metric, or {} if it has not examined it."""
    metrics: Sequence[dict[str, Any]] = _read("doctor.json")["metrics"]
    return next((metric for metric in metrics if metric["name"] == _full(name)), {})


def _examples(name: str) -> dict[str, Any]:
    """Return the recorded examples of a metric, or {} if there are none."""
    return dict(_read("cards.json").get(_full(name), {}))


def _full(name: str) -> str:
    """Return the name in the result files: the full name of an alias."""
    return lookup.ALIASES.get(name, name)


def _rows(table: str, name: str = "judged.json") -> list[dict[str, Any]]:
    content = _read(name)[table]
    return [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]


@lru_cache
def _read(name: str) -> dict[str, Any]:
    return dict(json.loads((RESULTS / name).read_text(encoding="utf-8")))


def _interval(row: Mapping[str, Any], measure: str) -> str:
    return _unbroken(f"{row[measure]:.3f} [{row[f'{measure}_low']:.3f}, {row[f'{measure}_high']:.3f}]")


def _estimate(value: Mapping[str, Any]) -> str:
    ends = "" if value["low"] is None else f" [{value['low']:.2f}, {value['high']:.2f}]"
    return _unbroken(f"{value['value']:.2f}{ends}")


def _unbroken(text: str) -> str:
    """Return a text that is not broken at its spaces."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _cell(text: str, length: int = 1000) -> str:
    """Return a text of the probe as the cell of a table: on one line, shortened, and not read as Markdown."""
    return re.sub(r"([\\`*_|<>\[\]$#~])", r"\\\1", textwrap.shorten(text, length, placeholder=" ..."))
