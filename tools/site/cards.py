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
_EXAMPLE = 120  # characters of an example of an accepted answer
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
    parts = (_head, _definition, _agreement, _failures, _cost, _weights, _equality, _citation)
    text = "\n".join(part(name) for part in parts)
    return re.sub(r"\n{3,}", "\n\n", text)


def card_pages() -> dict[str, str]:
    """Return the pages by path: one card per metric, and an index with a table."""
    header = ("metric", "what it computes", *(f"AUC, {_TITLES[key]}" for key in _HEADLINE), "pairs/s", "MB")
    rows = "\n".join(_table(header, [_row(name) for name in names()]))
    index = Path(__file__).with_name("cards.md").read_text(encoding="utf-8")
    pages = {f"{FOLDER}/{name}.md": card(name) for name in names()}
    return {f"{FOLDER}/index.md": index.format(table=rows, entries="\n".join(names())), **pages}


def _row(name: str) -> tuple[str, ...]:
    found = {row["dataset"]: row for row in quality(name) if row["metric"] == _full(name)}
    auc = [_interval(found[key], "auc") if key in found else "-" for key in _HEADLINE]
    spent = costs(name)[:1]  # the first row is the one without questions
    speed = [(f"{cost['pairs_per_cpu_second']:,.0f}", f"{cost['megabytes']:.0f}") for cost in spent] or [("-", "-")]
    return (f"[`{name}`]({name}.md)", lookup.entry(name).summary, *auc, *speed[0])


def _head(name: str) -> str:
    entry = lookup.entry(name)
    aliases = [alias for alias in (entry.name, *lookup.aliases_of(entry.name)) if alias != name]
    other = f" Other name: {', '.join(f'`{alias}`' for alias in aliases)}." if aliases else ""
    return f"# `{name}`\n\n{entry.summary[0].upper()}{entry.summary[1:]}.{other}\n"


def _definition(name: str) -> str:
    entry = lookup.entry(name)
    reads = "yes, if it is given" if lookup.reads_question(name) else "no"
    parts = ", ".join(f"[`{part}`]({part}.md)" for part in entry.parts) or "-"
    rows = (
        ("languages", entry.languages),
        ("range", entry.range),
        ("direction", "higher means more similar"),
        ("gold and prediction can be exchanged", "yes" if entry.symmetric else "no"),
        ("an answer and itself", "1" if entry.one_on_itself else "may be below 1"),
        ("reads the question", reads),
        ("parts", parts),
        ("options", ", ".join(f"`{option}`" for option in lookup.options_of(name)) or "-"),
    )
    table = _table(("property", "value"), rows)
    lines = ["## Definition", "", "```text", entry.formula, "```", *table]
    if entry.examples:
        pairs = tuple((_cell(gold), _cell(pred), f"{score:.3f}") for gold, pred, score in entry.examples)
        lines += _table(("gold answer", "prediction", "score"), pairs)
    return "\n".join([*lines, ""])


def _cost(name: str) -> str:
    rows = costs(name)
    if not rows:
        if name not in lookup.remote_names():
            return "## Cost\n\nNot measured. `python -m benchmarks.speed` measures it.\n"
        price = "The service has its own price: `judge.usage` counts calls and tokens ([a judge](../docs/judge.md))"
        return f"## Cost\n\n{_SERVICE}. {price}.\n"
    header = ("input", "passes per pair", "MB of weights", "pairs per CPU second")
    lines = [
        (
            *(_input(row), str(row["sequences"]), f"{row['megabytes'] or 0:.{1 if row['megabytes'] else 0}f}"),
            f"{row['pairs_per_cpu_second']:,.0f}",
        )
        for row in rows
    ]
    note = (
        f"One thread, {rows[0]['pairs']} pairs without a cache. A pass is one token "
        "sequence through the network. [How it was measured](../benchmarks/results/README.md); "
        "[speed beside other libraries](../docs/scale.md#speed)."
    )
    return "\n".join(["## Cost", *_table(header, lines), "", note, ""])


def _weights(name: str) -> str:
    """Return the table of the weights of a metric, or of those of its parts; "" if it reads words only."""
    parts = [part for part in (name, *_all_parts(name)) if part in WEIGHTS]
    rows = []
    for part in parts:
        for profile, by_language in WEIGHTS[part].items():
            for code, weights in by_language.items():
                made_for = "English" if profile in ENGLISH else _MADE_FOR[code]
                layer = "" if weights.layer is None else f", layer {weights.layer}"
                adapter = "" if weights.adapter is None else f", adapter {weights.adapter.name}"
                files = f"{weights.model}{layer}{adapter}"
                rows.append((f"`{part}`", profile, made_for, files, "never" if weights.never_run else _ran(profile)))
    if not rows:
        return ""
    header = ("metric", "profile", "made for", "weights", "run by this project")
    note = (
        "Without `profile=`, English selects `embedded`, and every other language `multilingual`: see "
        "[languages](../docs/languages.md)."
    )
    return "\n".join(["## Weights", *_table(header, tuple(rows)), "", note, ""])


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


def _equality(name: str) -> str:
    equal = lookup.entry(name).equal_to
    if not equal:
        return ""
    within = "to within 1e-9" if lookup.entry(name).kind == "lexical" else "to within this tolerance"
    return (
        f"## Equal to\n\n{equal}. Tests require equality {within}. "
        "[Known differences](../docs/agreement.md#equality-with-the-reference-implementations).\n"
    )


def _agreement(name: str) -> str:
    rows = quality(name)
    if not rows:
        how = f"`answersim correlate FILE --label COLUMN -m {name}` measures it on your labels"
        if name not in lookup.remote_names():
            return f"## Agreement with annotators\n\nNot measured. {how}.\n"
        return f"## Agreement with annotators\n\n{_SERVICE}. {how} ([a judge](../docs/judge.md)).\n"
    header = ("set", "input", "answers", "questions", "correct", "AUC [95 %]", "accuracy [95 %]")
    lines = [
        (
            *(_TITLES[row["dataset"]], _input(row), f"{row['n']:,}", f"{row['questions']:,}"),
            *(f"{100 * row['base_rate']:.1f} %", _interval(row, "auc"), _interval(row, "accuracy")),
        )
        for row in rows
    ]
    learned = f" Other parts of EVOUNA were used ({LEARNED[name]})." if name in LEARNED else ""
    note = (
        "Only sets that no metric was trained or tuned on. The intervals resample questions. The threshold of the "
        f"accuracy is cross-fitted.{learned} [All measures and sets](../benchmarks/results/judged.md); "
        "[correlations with graded labels](../docs/choosing.md#correlation-with-graded-labels)."
    )
    return "\n".join(["## Agreement with annotators", *_table(header, lines), "", note, ""])


def _failures(name: str) -> str:
    lines = ["## Known failures", ""]
    examined, recorded = doctor(name), _examples(name)
    if examined:
        lines += _weakest(examined)
    if recorded:
        families = {family.family: family for family in minimal_pairs("en", "dev")}
        rows = []
        for example in recorded["examples"]:
            family = families[example["family"]]
            same, different = (f"{_cell(getattr(family, key))} ({example[key]:.2f})" for key in ("same", "different"))
            rows.append((example["kind"], _cell(family.question) or "-", _cell(family.gold), same, different))
        header = ("kind", "question", "gold answer", "means the same (score)", "does not (score)")
        lines += ["The worst minimal pair of each of its weakest kinds, in the wrong order or tied:"]
        lines += [*_table(header, rows), ""]
    if examined:
        lines += [*_accepted(examined), *_properties(examined)]
    if not recorded and not examined:
        why = f"{_SERVICE}. " if name in lookup.remote_names() else "Not examined. "
        lines += [f"{why}`answersim doctor {name}` examines it.", ""]
    return "\n".join([*lines, "[What the doctor examines](../docs/choosing.md#what-a-metric-cannot-see).", ""])


def _weakest(examined: Mapping[str, Any]) -> list[str]:
    every, *kinds = examined["kinds"]
    weakest = sorted(kinds, key=lambda row: row["ordered"]["value"])[:_WEAKEST]
    share = f"Of {every['n']} minimal pairs, {_estimate(every['ordered'])} are in the right order"
    rows = [(row["kind"], f"{row['n']}", _estimate(row["ordered"]), f"{row['tied']:.2f}") for row in weakest]
    table = _table(("kind", "pairs", "right order [95 %]", "tied"), rows)
    return [f"{share}. A tie counts one half. The weakest kinds:", *table, ""]


def _accepted(examined: Mapping[str, Any]) -> list[str]:
    wrong = [row for row in examined["attacks"] if not row["pattern"].startswith("right")]
    worst = sorted((row for row in wrong if row["accepted"]["value"] > 0), key=lambda row: -row["accepted"]["value"])
    if not worst or examined["threshold"] is None:
        return []
    threshold = f"{examined['threshold']:.3f} ({examined['threshold_origin']})"
    cells = ((row["pattern"], _estimate(row["accepted"]), _cell(row["example"], _EXAMPLE)) for row in worst[:_WEAKEST])
    table = _table(("answer", "accepted [95 %]", "example"), [(*cell[:2], cell[2] or "-") for cell in cells])
    return [f"Wrong answers that it accepts, at the threshold {threshold}:", *table, ""]


def _properties(examined: Mapping[str, Any]) -> list[str]:
    broken = [row for row in examined["findings"] if row["holds"] is False]
    listed = [f"- {row['promise']}: not in {row['broken']} of {row['cases']} cases" for row in broken]
    return ["Properties that do not hold for all cases:", "", *listed, ""] if broken else []


def _citation(name: str) -> str:
    signed = signature(name)
    measured = {row["signature"] for row in [*quality(name), *costs(name), doctor(name), _examples(name)] if row}
    other = sorted({text.replace("|question:yes", "") for text in measured} - {signed})
    note = f"\n\nFigures of this card were measured with another signature: {', '.join(f'`{o}`' for o in other)}."
    own = re.match(r"ours(?:; see (\S+))?", source := lookup.entry(name).source)
    if own:
        source = f"this project{f' (`{own[1]}`)' if own[1] else ''}{source[own.end() :]}"
    return (
        f"## Signature and citation\n\n{f'`{signed}`' if signed else 'The server and the prompt decide the signature.'}"
        f"{note if other and signed else ''}\n\nState the signature beside each score. `answersim show {name}` prints "
        "BibTeX of the package ([CITATION.cff](../CITATION.cff)) and of the papers of the metric. Its source is "
        f"{source}.\n"
    )


def signature(name: str) -> str:
    """Return the signature of a metric with its default settings, or "" for a metric that calls a service."""
    return "" if name in lookup.remote_names() else answersim.metric(name).signature


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


def _input(row: Mapping[str, Any]) -> str:
    return "with the question" if row["metric"].endswith(QUESTION) else "two answers"


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


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table whose cells are Markdown, between two empty lines."""
    lines = [header, ["---"] * len(header), *rows]
    return ["", *(f"| {' | '.join(line)} |" for line in lines), ""]
