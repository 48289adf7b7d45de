"""What is known of metrics without scoring: a row for each in the list, and the lines about one of them."""

from __future__ import annotations

from answersim._base.runtime.cli_errors import one_line
from answersim._base.text_tables import TextTable
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints import profiles
from answersim.metrics.judge.metric import Judge
from answersim.metrics.judge.prompts import REGISTRY, Prompt
from answersim.metrics.neural.engines.choice import engine
from answersim.types import OFFICIAL, TYPED

SHOWN = ("answersim", "typed+recall", "recall", "em", "f1", "judge")  # the metrics that most need


def overview() -> TextTable:
    """Return the table of all metrics, their aliases, what wraps them, and the metrics of plug-ins."""
    rows: list[tuple[str, str, str]] = [
        (name, lookup.entry(name).kind, lookup.entry(name).summary) for name in (*SHOWN, *lookup.names())
    ]
    rows += [(name, lookup.REMOTE, lookup.entry(name).summary) for name in lookup.remote_names()]
    rows += [(alias, "alias", f"another name for {full}") for alias, full in lookup.ALIASES.items()]
    rows.append((f"{TYPED}NAME", "wrapper", "a metric of this list, overruled if both answers are typed values"))
    rows.append((f"{OFFICIAL}NAME", "wrapper", "the rule of a benchmark; 'answersim official' lists them"))
    rows += [(name, "plug-in", _plug_in_summary(name)) for name in lookup.plug_ins()]
    rows += [
        (name, "plug-in", f"not used, because its name is taken: {origin}") for name, origin in lookup.clashes().items()
    ]
    return TextTable("", ("metric", "kind", "what it computes"), tuple(dict.fromkeys(rows)))


def description(name: str, lang: str = "en", profile: str | None = None) -> dict[str, str]:
    """Return what a metric computes, its weights and its signature, as texts by their names.

    A judge has no signature here, because that depends on its server. Missing weights or extras of a metric with a
    network are its signature. Raise LookupError if there is no such metric, language or profile.

    >>> description("f1")["signature"]
    'f1|text:en|rev:1'
    """
    entry = lookup.entry(name)
    profile = lookup.selected_profile(name, lang, profile)
    parts = lookup.parts_of(name, profile)
    lines = {"metric": entry.name, "computes": entry.summary, "source": entry.source}
    if aliases := lookup.aliases_of(entry.name):
        lines["alias"] = ", ".join(aliases)
    if entry.kind == "neural":
        lines |= _weights(entry.name, lang, profile)
    if parts:
        lines["parts"] = ", ".join(parts)
    if lookup.reads_question(entry.name, lang, profile):
        lines["question"] = "read if it is given"
    lines["options"] = ", ".join(lookup.options_of(entry.name)) or "none"
    if entry.kind == lookup.REMOTE:
        return lines
    try:
        lines["signature"] = lookup.metric(entry.name, lang=lang, profile=profile).signature
        if any(lookup.entry(inner).kind == "neural" for inner in (entry.name, *parts)):
            lines["engine"] = engine(entry.name)
    except (ImportError, LookupError, OSError, ValueError) as error:
        if entry.kind not in ("neural", "composite"):
            raise
        lines["signature"] = f"not available here: {one_line(error)}"  # weights or an extra are missing or damaged
    return lines


def judge_description(prompt: Prompt) -> dict[str, str]:
    """Return what identifies a judge with this prompt, as texts by their names."""
    offered = ", ".join(f"{verdict} ({score:g})" for verdict, score in prompt.verdicts)
    return {
        "prompts": ", ".join(known.fingerprint for known in REGISTRY.values()),
        "prompt": prompt.fingerprint,
        "verdicts": offered,
        "signature": Judge(prompt, "MODEL").signature,
    }


def _plug_in_summary(name: str) -> str:
    """Return what a plug-in computes, or why it cannot be used."""
    try:
        return lookup.entry(name).summary
    except ValueError as error:
        return f"cannot be used: {one_line(error)}"


def _weights(name: str, lang: str, profile: str | None) -> dict[str, str]:
    """Return the weights of a metric with a network, and a note if this project never ran them."""
    weights = profiles.weights(name, lang, profile)
    layer = "" if weights.layer is None else f", layer {weights.layer}"
    adapter = "" if weights.adapter is None else f", adapter {weights.adapter.name}"
    order = "" if weights.order is None else f", order {weights.order}"
    revision = "" if weights.revision is None else f", revision {weights.revision}"
    lines = {"weights": f"{weights.model}{revision}{layer}{adapter}{order} (profile {profile or 'embedded'})"}
    if weights.never_run:
        lines["note"] = "this project never ran these weights, only small random weights of the same architecture"
        if weights.revision is None:
            lines["note"] += "; no revision is pinned, so the hub may change them"
    return lines
