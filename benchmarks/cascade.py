"""The share of judged answers that a cascade decides early, the cost in agreement, and whether its promised risk holds.

    python -m benchmarks.cascade --cache runs/scores
    python -m benchmarks.cascade --sets evouna-test --no-simulations --no-speed --format markdown

Cascades are compared with their last stage alone. "default" has the calibrations that ship. They were made from the
parts test of EVOUNA and DIVER-QA, so that they are in-sample there. "fitted" has a calibration of ``recall`` made from
the part train, and cuts that were chosen on the part dev (``answersim.fit_cascade``, risk 1 %, confidence 90 %). Its
last stage is calibrated on dev.

"annotators" are cascades whose last stage replays recorded verdicts: the human labels of the set, as if an annotator
read the remaining answers. EVOUNA has no recorded verdicts of a language model. The last stage alone then makes no
error, so that an added error is any error. All golds of a question are references. Intervals resample questions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import typer

import answersim
from answersim.calibration.fitting import calibrate
from answersim.calibration.model import Calibration
from answersim.composite.cascade import Cascade
from answersim.data.system_answers import SystemAnswer, load_evouna
from answersim.evaluation.cascade_summary import last_alone, summarize_cascade
from answersim.evaluation.cascades import CascadeFit, fit_cascade
from answersim.runtime.cli_errors import user_errors
from answersim.scoring.cache import cache_of
from answersim.scoring.pairs import check
from answersim.stats.resampling import Bootstrap
from answersim.types import Capabilities, FloatArray, Metric, Pair, reads_questions
from benchmarks.cascade_risk import Simulated, simulated
from benchmarks.judged_costs import seconds
from benchmarks.judged_sets import SETS
from benchmarks.options import FORM, OUTPUT, chosen, program, write_out
from benchmarks.paper_sets import say
from benchmarks.tables import Format, Table, render, rounded, save

DEFAULT = ("evouna-test", "efficientqa-sas", "efficientqa-other", "evouna-dev")
ANNOTATORS = "annotators"
RISKS = (0.01, 0.02, 0.03)
CONFIDENCE = 0.9  # the part dev has 293 questions, and 95 % for a risk of 1 % takes 299
REPEATS = 300
TIMED = 300  # answers
_SIMULATED = ("labels", "per question", "alike", "traps", "broken", "exact", "ignoring questions", "saved", "exact")

app = program()


class CascadeRow(NamedTuple):
    """A cascade on a set of judged answers."""

    dataset: str  # the set
    cascade: str  # "default", "fitted" or "annotators", and its stages
    low: float  # the probability up to which a stage decides "different"
    high: float  # the probability from which on a stage decides "equivalent"
    n: int  # the number of answers
    pairs: int  # the number of pairs of a gold answer and an answer
    decided: Mapping[str, float]  # the share of the answers that each stage settled, by its name
    saved: float  # the share of the pairs that the last stage did not score
    accuracy: float  # the share of the answers with the verdict of the annotators
    alone: float  # the same share for the last stage alone
    # the share of the answers with the same verdict as by the last stage alone, with its interval
    agreement: tuple[float, float, float]
    more_errors: tuple[float, float, float]  # the share of errors minus that of the last stage alone, with its interval
    signature: str  # the signature of the cascade


class FitRow(NamedTuple):
    """Cuts that were chosen on the part dev of EVOUNA."""

    cascade: str  # the name of the cascade, as in ``CascadeRow``
    risk: float  # the promised maximum share of added errors
    low: float  # the lower cut
    high: float  # the upper cut
    n: int  # the number of labeled answers
    independent: float  # the number of independent answers that they are worth
    added: float  # the share of added errors on them
    bound: float  # its upper bound
    early: float  # the share of the answers that are decided before the last stage
    checked: float  # the share of added errors on the part test
    checked_early: float  # the share of the answers of the part test that are decided early


class SpeedRow(NamedTuple):
    """The speed of the default cascade and of its last stage alone, without a cache and after a first call."""

    metric: str  # the name of the metric
    answers: int  # the number of answers of the part test of EVOUNA that were timed
    pairs: int  # the number of their pairs
    pairs_per_second: float  # pairs per second of wall time
    pairs_per_cpu_second: float  # pairs per second of CPU time in the same run


@dataclass(frozen=True)
class Recorded:
    """A judge that replays recorded verdicts, by the question and the answer."""

    verdicts: Mapping[tuple[str, str], float] = field(compare=False, repr=False)  # 1 or 0 by question and answer
    signature: str = "recorded|verdicts:annotators|rev:1"
    capabilities: ClassVar = Capabilities(reads_questions=True, batches_all=True, cost="remote")

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        """Return the verdict of each pair. Raise KeyError if there is none."""
        asked = [""] * len(pairs) if questions is None else questions
        return np.array([self.verdicts[key] for key in zip(asked, (pair.pred for pair in pairs), strict=True)])


@app.command()
def main(
    sets: str = typer.Option(",".join(DEFAULT), help="Sets, separated by commas."),
    cache: Path | None = typer.Option(None, help="A folder that keeps the scores of networks for the next run."),
    simulations: bool = typer.Option(True, "--simulations/--no-simulations", help="Simulate the promised risk."),
    repeats: int = typer.Option(REPEATS, min=1, help="Simulations of each setting."),
    speed: bool = typer.Option(True, "--speed/--no-speed", help="Measure pairs per second as well."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
    records: Path | None = typer.Option(None, help="A file for all numbers as JSON."),
) -> None:
    """Compare cascades with their last stage alone, choose cuts with a stated risk, and simulate this risk."""
    with user_errors():
        names = chosen("data set", sets, SETS)
        answers = {name: SETS[name].load() for name in names}
        cascades, fits = fitted(cache)
        found = [
            row(name, title, cascade, listed, cache)
            for name, listed in answers.items()
            for title, cascade in {**cascades, **by_annotators(fits, listed)}.items()
        ]
        fit_rows = list(fit_table(fits, load_evouna("test"), cache))
        speeds = list(timed(cascades["default"], load_evouna("test"))) if speed else []
        risks = list(simulated(repeats)) if simulations else []
    groups: tuple[Sequence[Any], ...] = (found, fit_rows, speeds, risks)
    lines = [{"table": type(line).__name__, **line._asdict()} for group in groups for line in group]
    if records is not None:
        save("[\n" + ",\n".join(json.dumps(rounded(line), ensure_ascii=False) for line in lines) + "\n]\n", records)
    write_out(render(list(tables(found, fit_rows, speeds, risks)), lines, form.value), output)


class Fit(NamedTuple):
    """A cascade with cuts that were chosen on the part dev of EVOUNA."""

    title: str
    fit: CascadeFit


def fitted(cache: Path | None) -> tuple[dict[str, Cascade], list[Fit]]:
    """Return the cascades that end with ``answersim``, and all fits."""
    dev, train = load_evouna("dev"), load_evouna("train")
    say("calibrations of the parts train and dev of EVOUNA")
    recall = calibration("recall", train, cache)
    own = {"recall": recall, "answersim": [calibration("answersim", dev, cache, asked) for asked in (False, True)]}
    default = cascade_of({})
    base = cascade_of({"calibrations": own})
    fits = [Fit("fitted: typed, recall, answersim", fit_on(base, dev, RISKS[0], cache))]
    for names in (["typed", "recall"], ["typed", "recall", "answersim"]):
        given = {name: own[name] for name in names[1:]}
        annotators = cascade_of({"stages": [*names, recorded(dev)], "calibrations": given})
        fits += [
            Fit(f"{ANNOTATORS}: {', '.join(names)}, {ANNOTATORS}", fit_on(annotators, dev, risk, cache))
            for risk in RISKS
        ]
    return {"default": default, fits[0].title: fits[0].fit.metric}, fits


def cascade_of(options: Mapping[str, Any]) -> Cascade:
    """Return the cascade with these options."""
    built = answersim.metric("cascade", **options)
    assert isinstance(built, Cascade)
    return built


def recorded(answers: Sequence[SystemAnswer]) -> Recorded:
    """Return the verdicts of the annotators as a metric."""
    return Recorded({(answer.question, answer.answer): float(answer.verdict) for answer in answers})


def by_annotators(fits: Sequence[Fit], answers: Sequence[SystemAnswer]) -> dict[str, Cascade]:
    """Return the cascades of the smallest risk that end with the annotators of these answers."""
    found = {}
    for title, fit in fits:
        if title.startswith(ANNOTATORS) and fit.risk == RISKS[0]:
            found[title] = _with_last(fit.metric, recorded(answers))
    return found


def _with_last(cascade: Cascade, metric: Metric) -> Cascade:
    *others, last = cascade.stages
    return Cascade((*others, last.__class__(last.name, metric, last.low, last.high, raw=True)), cascade.lang)


def calibration(name: str, answers: Sequence[SystemAnswer], cache: Path | None, asked: bool = False) -> Calibration:
    """Return a calibration of a metric by its name, made from these answers."""
    scores = answersim.score(
        [answer.golds for answer in answers],
        [answer.answer for answer in answers],
        name,
        question=[answer.question for answer in answers] if asked else None,
        cache=cache,
    )
    labels = [answer.verdict for answer in answers]
    return calibrate(scores, labels, groups=[answer.question for answer in answers], bootstrap=Bootstrap(resamples=200))


def fit_on(cascade: Cascade, answers: Sequence[SystemAnswer], risk: float, cache: Path | None) -> CascadeFit:
    """Choose the cuts of a cascade on these answers."""
    golds, preds, labels = columns(answers)
    data = {"gold": [list(each) for each in golds], "pred": preds, "label": labels, "question": questions(answers)}
    return fit_cascade(cascade, data, "label", question="question", risk=risk, confidence=CONFIDENCE, cache=cache)


def columns(answers: Sequence[SystemAnswer]) -> tuple[list[Any], list[str], list[int]]:
    """Return golds, predictions and labels."""
    return (
        [answer.golds for answer in answers],
        [answer.answer for answer in answers],
        [int(answer.verdict) for answer in answers],
    )


def questions(answers: Sequence[SystemAnswer]) -> list[str]:
    """Return the question of each answer."""
    return [answer.question for answer in answers]


def row(dataset: str, title: str, cascade: Cascade, answers: Sequence[SystemAnswer], cache: Path | None) -> CascadeRow:
    """Return the results of a cascade on a set."""
    say(f"{dataset}: {title}, {len(answers):,} answers")
    golds, preds, labels = columns(answers)
    result = summarize_cascade(
        cascade, golds, preds, question=questions(answers), alone=True, labels=labels, cache=cache
    )
    assert result.agreement is not None
    assert result.accuracy is not None
    assert result.more_errors is not None
    usage = result.usage
    shares = {name: count / usage.n for name, count in zip(usage.names, usage.decided, strict=True)}
    sure = cascade.stages[-2]
    return CascadeRow(
        *(dataset, title, sure.low, sure.high, usage.n, usage.pairs, shares, usage.saved / usage.pairs),
        *(result.accuracy.value, result.accuracy.value + result.more_errors.value),
        (result.agreement.value, result.agreement.low, result.agreement.high),
        (result.more_errors.value, result.more_errors.low, result.more_errors.high),
        result.scores.signature,
    )


def fit_table(fits: Sequence[Fit], test: Sequence[SystemAnswer], cache: Path | None) -> Iterator[FitRow]:
    """Yield a row for each fit, checked on these answers."""
    golds, preds, labels = columns(test)
    for title, fit in fits:
        step = fit.chosen
        cascade = _with_last(fit.metric, recorded(test)) if title.startswith(ANNOTATORS) else fit.metric
        result = summarize_cascade(cascade, golds, preds, question=questions(test), cache=cache)
        alone = last_alone(cascade, check(golds, preds, questions(test)), cache_of(cache))
        verdicts, truth = result.scores.values >= 0.5, np.array(labels) == 1
        added = float(((verdicts != truth) & ((alone >= 0.5) == truth)).mean())
        early = 1 - result.usage.decided[-1] / result.usage.n
        yield FitRow(
            *(title, fit.risk, step.low, step.high, fit.n, fit.independent, step.added, step.bound, step.early),
            *(added, early),
        )


def timed(cascade: Cascade, answers: Sequence[SystemAnswer]) -> Iterator[SpeedRow]:
    """Yield the speed of a cascade, and of its last stage alone, with all gold answers and the questions."""
    n = min(TIMED, len(answers))
    spread = [answers[i * len(answers) // n] for i in range(n)]
    pairs = [(answer.golds, answer.answer) for answer in spread]
    last = cascade.stages[-1].metric
    assert last is not None
    for name, metric in (("cascade", cascade), (cascade.names[-1], last)):
        say(f"speed of {name}")
        asked = questions(spread) if reads_questions(metric) else None
        seconds(metric, pairs[:4], asked and asked[:4])
        wall, cpu = seconds(metric, pairs, asked)
        many = sum(len(golds) for golds, _ in pairs)
        yield SpeedRow(name, n, many, many / wall, many / cpu)


def tables(
    found: Sequence[CascadeRow], fits: Sequence[FitRow], speeds: Sequence[SpeedRow], risks: Sequence[Simulated]
) -> Iterator[Table]:
    """Yield the tables of the page."""
    for dataset in dict.fromkeys(line.dataset for line in found):
        judged_set = SETS[dataset]
        rows = [line for line in found if line.dataset == dataset]
        header = ("cascade", "decided by", "pairs saved", "correct", "alone", "other verdict than alone", "more errors")
        yield Table.of(
            f"{judged_set.title}: {rows[0].n:,} answers, {rows[0].pairs:,} pairs; {judged_set.use}",
            header,
            (
                (
                    f"{line.cascade} ({line.low:g}, {line.high:g})",
                    ", ".join(f"{name} {100 * share:.1f} %" for name, share in line.decided.items()),
                    _percent(line.saved),
                    _percent(line.accuracy),
                    _percent(line.alone),
                    f"{_percent(1 - line.agreement[0])} {_ends(1 - line.agreement[2], 1 - line.agreement[1])}",
                    f"{_percent(line.more_errors[0])} {_ends(*line.more_errors[1:])}",
                )
                for line in rows
            ),
        )
    of_fits = (
        "cascade",
        "risk",
        "cuts",
        "answers (independent)",
        "added",
        "bound",
        "early",
        "test: added",
        "test: early",
    )
    yield Table.of(
        f"Cuts chosen on EVOUNA, dev, with a confidence of {_percent(CONFIDENCE)}, and checked on EVOUNA, test",
        of_fits,
        (
            (
                line.cascade,
                _percent(line.risk),
                f"{line.low:g}, {line.high:g}" if line.high <= 1 else "never",
                f"{line.n:,} ({line.independent:,.0f})",
                *map(_percent, (line.added, line.bound, line.early, line.checked, line.checked_early)),
            )
            for line in fits
        ),
    )
    if speeds:
        yield Table.of(
            f"Speed: {speeds[0].answers} answers of EVOUNA, test, {speeds[0].pairs:,} pairs, with questions",
            ("metric", "pairs/s", "pairs/CPU s"),
            ((line.metric, f"{line.pairs_per_second:.0f}", f"{line.pairs_per_cpu_second:.0f}") for line in speeds),
        )
    if risks:
        yield Table.of(
            f"Simulations of the promise: risk {_percent(risks[0].risk)}, confidence {_percent(risks[0].confidence)}, "
            f"{risks[0].repeats:,} each",
            (*_SIMULATED, "possible"),
            (
                (line.labels, line.size, f"{line.alike:g}", _percent(line.traps), *map(_percent, line[-6:]))
                for line in risks
            ),
        )


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.2f} %"


def _ends(low: float, high: float) -> str:
    return f"[{100 * low:.2f}, {100 * high:.2f}]"


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.cascade")
