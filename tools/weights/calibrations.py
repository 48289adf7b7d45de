"""Make the calibrations that ship, and check them on other sets.

    python -m tools.weights.calibrations --scores runs/calibration-scores
    python -m tools.weights.calibrations --check-rules

They are made from the part "test" of three sets with human verdicts (``PARTS``), which trained no shipped weight.
Each of them is also a check of a calibration from the other two. The other checks (``check_sets``) select nothing.

After a change of the rules of ``typed``, ``--check-rules`` compares what the old and the new rules do on all these sets
(see ``rule_revisions``). Calibrations whose scores did not change stay valid. It lists the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
import typer

import answersim
from answersim._base.runtime.cli_errors import user_errors
from answersim._base.signature import asks_question
from answersim._base.text_tables import content
from answersim.calibration.model.model import LEAST_WORDS, Calibration
from answersim.calibration.model.rule_revisions import FINGERPRINT, TABLE, rules_of
from answersim.calibration.scores import Scores
from answersim.calibration.storing import SHIPPED, shipped, write
from answersim.calibration.transfer import KEY, condition, transfer, transfer_of
from answersim.calibration.wording import decision, number, percent
from answersim.evaluation import data
from answersim.scoring.cache import ScoreCache
from answersim.stats.calibration.reliability import reliability
from answersim.stats.calibration.thresholds import resampled
from answersim.stats.intervals.bounded_mean import bounded_mean
from answersim.stats.intervals.cluster_bootstrap import numbered
from answersim.types import Metric
from benchmarks import system_answers
from benchmarks.judged_sets import learned
from benchmarks.options import names_in, run_program
from benchmarks.stored_parts import with_stored_parts
from benchmarks.system_answers import DIVER, EVOUNA, EVOUNA_NQ, SOURCES, SystemAnswer, locate
from benchmarks.tables import rounded
from tools.tables import rendered
from tools.weights import rule_revisions
from tools.weights.rule_revisions import with_metadata

COMMAND = "python -m tools.weights.calibrations"
CARD = Path(__file__).parent / "sources/calibration_card.md"
WITH_QUESTION = "-question"  # suffix of a calibration for scores that were computed with the question
STRONG = "-strong"  # suffix of a calibration for scores in the profile "strong", before the suffix of the question
SEED = 0
TARGET = 0.95  # of the threshold for a precision
RESAMPLES = 1000
# The fewest words of predictions that calibrations of shared words are for. Of sentences, most answers with any word of
# the gold answer are right, so that "equivalent" begins near 0. That would accept "Michelle Obama" for "Barack Obama".
LEAST_OF = dict.fromkeys(("f1", "rouge-l", "meteor"), 12)
LEAST = 100  # pairs of a check
NEUTRAL = ("f1", "recall", "rouge-l", "typed+recall")  # the rule is the same in every language, on its words
BASIS = (
    "TriviaQA (EVOUNA), NQ (EVOUNA) and DIVER-QA, parts test: each system by a calibration from the two other sets; "
    "EfficientQA, 863 questions"
)
PARTS = (
    "the 15 % of the questions of each set whose hash puts them into the part 'test', without those of the sample "
    "that ships"
)
GERMAN = "GermanQuAD of the SAS paper, similar or the same"
DIGITS = 4  # of the numbers of a check


class Set(NamedTuple):
    """Answers with human verdicts."""

    name: str  # the name of the set, with the rule for labels
    pairs: Sequence[tuple[Any, str]]  # each prediction with all gold answers of its question; the best one counts
    right: Any  # whether annotators call the prediction equivalent, shape (n,)
    groups: Any  # the question of each pair if it is known; otherwise each pair is its own group
    questions: Sequence[str] | None = None  # the question of each pair, or None if the set has none
    systems: Sequence[str] | None = None  # the system of each pair, for the error of transfer, or None
    lang: str = "en"  # the language of the answers


Scored: TypeAlias = tuple[Set, Scores]
Make: TypeAlias = Callable[[Sequence[Scored], int], Calibration]


class Made(NamedTuple):
    """A calibration with what it was checked by."""

    calibration: Calibration
    checks: Mapping[str, Mapping[str, Any]]  # by the name of the set; see ``check``
    own: tuple[str, ...]  # the names of the sets that it was made from


def main(
    output: Annotated[Path, typer.Option(help="The folder to write into.")] = SHIPPED,
    scores: Annotated[Path | None, typer.Option(help="A folder that stores the scores of networks.")] = None,
    metrics: Annotated[str, typer.Option(help="Metrics, separated by commas; the default is all shipped ones.")] = "",
    check_rules: Annotated[bool, typer.Option(help="Only check the rules of typed values; make nothing.")] = False,
) -> None:
    """Make the calibrations that ship, with their cards."""
    with user_errors():
        if not output.is_dir():
            raise FileNotFoundError(f"--output is {output}, but there is no such folder; create it first")
        ships = output.resolve() == SHIPPED.resolve()
        own, others = list(calibration_sets()), list(check_sets())
        pairs = rule_revisions.distinct_pairs([*own, *others])
        if check_rules:
            results = rule_revisions.check(output, pairs)
            if ships:
                rule_revisions.record(results, output, TABLE)
            typer.echo("\n".join(result.line() for result in results))
            raise typer.Exit(0 if all(result.equal for result in results) else 1)
        names = names_in(metrics) or [name for name in shipped() if "-multilingual" not in name]
        distinct = {id(judged.pairs): judged for judged in (*own, *others)}
        columns = {place: columns_for(judged, names, scores) for place, judged in distinct.items()}

        def scored(name: str, sets: Sequence[Set]) -> list[Scored]:
            with_scores = [(judged, columns[id(judged.pairs)].get(name)) for judged in sets]
            return [of_length(judged, column, least_of(name)) for judged, column in with_scores if column is not None]

        for name in names:
            made = make_checked(partial(make, name), scored(name, own), scored(name, others))
            calibration = made.calibration
            if rules_of(calibration.signature):
                fingerprint = rule_revisions.fingerprint(calibration.metric, pairs)
                calibration = with_metadata(calibration, **{FINGERPRINT: fingerprint})
            calibration = checked_in_german(name, calibration) if name in NEUTRAL else calibration
            write_files(name, made._replace(calibration=calibration), output)
        if ships:
            rule_revisions.record(rule_revisions.check(output, pairs), output, TABLE)


def write_files(name: str, made: Made, output: Path) -> None:
    """Write the calibration and its card."""
    write(made.calibration, output / f"{name}.json")
    (output / f"{name}.md").write_text(card(name, made), encoding="utf-8")
    typer.echo(f"{name}: AUC {made.calibration.quality.auc:.3f}")


def metric_of(name: str) -> tuple[str, str | None]:
    """Return the metric and the profile of a calibration by its name; None is the default profile.

    >>> metric_of("answersim-question"), metric_of("sas-strong-question")
    (('answersim', None), ('sas', 'strong'))
    """
    without = name.removesuffix(WITH_QUESTION)
    strong = without.removesuffix(STRONG)
    return strong, None if strong == without else STRONG.removeprefix("-")


def least_of(name: str) -> int:
    """Return the fewest words of the predictions that a calibration is for."""
    return LEAST_OF.get(metric_of(name)[0], 0)


def of_length(judged: Set, scores: Scores, least: int) -> tuple[Set, Scores]:
    """Return the pairs whose predictions have at least this number of words, with their scores."""
    rows = [i for i, (_, pred) in enumerate(judged.pairs) if len(pred.split()) >= least]
    columns = ((name, getattr(judged, name)) for name in ("pairs", "groups", "questions", "systems"))
    kept: dict[str, Any] = {name: column and [column[i] for i in rows] for name, column in columns}
    return judged._replace(right=np.asarray(judged.right)[rows], **kept), Scores(scores.values[rows], scores.signature)


def calibration_sets() -> Iterator[Set]:
    """Yield the sets that calibrations are made from. No question is in two of them, or in the sample that ships."""
    evouna = system_answers.load_evouna("test")
    in_sample = set(data.load("evouna").questions or ())
    by_name = {"TriviaQA (EVOUNA)": evouna, "NQ (EVOUNA)": system_answers.load_evouna("test", path=locate(EVOUNA_NQ))}
    for name, answers in by_name.items():
        yield of_systems(name, [answer for answer in answers if answer.question not in in_sample])
    known = {answer.question.strip().lower() for answer in evouna}
    diver = [answer for answer in system_answers.load_diver("test") if answer.question.strip().lower() not in known]
    # A source has too few answers of a system for the error of transfer.
    yield of_systems("DIVER-QA", [answer._replace(system="all sources") for answer in diver])


def check_sets() -> Iterator[Set]:
    """Yield the sets that the calibrations are only checked on."""
    yield of_systems("EfficientQA, 863 questions", system_answers.load_efficientqa(nq_open_sas=True))
    for name, title in (("nq-open", "NQ-open"), ("squad", "SQuAD")):
        loaded = (whole := data.load(name)).where(~np.isnan(whole.labels))
        for cut, words in ((2, "the same"), (1, "similar or the same")):
            judged = (loaded.pairs, loaded.labels >= cut, list(range(len(loaded))), loaded.questions)
            yield Set(f"{title} of the SAS paper, {words}", *judged)


def of_systems(name: str, answers: Sequence[SystemAnswer]) -> Set:
    """Return the answers of systems as a set."""
    questions, systems = [answer.question for answer in answers], [answer.system for answer in answers]
    pairs, right = [(answer.golds, answer.answer) for answer in answers], [answer.verdict for answer in answers]
    return Set(name, pairs, np.array(right), questions, questions, systems)


def columns_for(judged: Set, names: Sequence[str], folder: Path | None) -> dict[str, Scores]:
    """Return the scores on a set that each of these calibrations is for. The folder stores those of networks.

    A calibration with the question gets no scores on a set without questions.
    """
    columns: dict[str, Scores] = {}
    for asked in (False, True):
        chosen = [name for name in names if name.endswith(WITH_QUESTION) == asked]
        if chosen and (judged.questions is not None or not asked):
            built = {name: answersim.metric(metric_of(name)[0], profile=metric_of(name)[1]) for name in chosen}
            scored = scores_of(judged, list(built.values()), folder, with_question=asked)
            columns |= {name: scored[metric.signature] for name, metric in built.items()}
    return columns


def scores_of(
    judged: Set, metrics: Sequence[Metric], folder: Path | None, *, with_question: bool
) -> Mapping[str, Scores]:
    """Return the scores of these metrics on a set by signature. A composite is made of its stored parts."""
    store = None if folder is None else ScoreCache(folder)
    stored = [metric if store is None else with_stored_parts(metric, store) for metric in metrics]
    return answersim.score_pairs(judged.pairs, stored, question=judged.questions if with_question else None)


def make_checked(make: Make, own: Sequence[Scored], others: Sequence[Scored] = ()) -> Made:
    """Return a calibration with its checks and its error of transfer.

    ``make``: makes it from sets, with a number of resamples. Each set of ``own`` is checked by a calibration from the
    others. ``others``: sets for checks only. Sets with fewer than 100 pairs are no checks.
    """
    calibration = make(own, RESAMPLES)
    held_out = [scored for scored in own if len(own) > 1 and len(scored[0].pairs) >= LEAST]
    applied = [(make([other for other in own if other is not scored], 2), *scored) for scored in held_out]
    applied += [(calibration, *other) for other in others if len(other[0].pairs) >= LEAST]
    checks = {judged.name: check(used, judged, scores) for used, judged, scores in applied}
    gaps = {name: gap for made in applied for name, gap in differences(*made)}
    known = {KEY: rounded(content(transfer(gaps, BASIS)), DIGITS)} if len(gaps) > 1 else {}
    whole = with_metadata(calibration, checks=rounded(checks, DIGITS), **known)
    return Made(whole, checks, tuple(judged.name for judged, _ in own))


def differences(calibration: Calibration, judged: Set, scores: Scores) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield the systems of a set with the mean probability minus the share of right answers, and its standard error.

    Only systems with at least 100 answers are listed. The error is over questions.
    """
    systems, right, groups = np.array(judged.systems or ()), np.asarray(judged.right), np.array(judged.groups)
    for system in dict.fromkeys(judged.systems or ()):
        at = systems == system
        if at.sum() >= LEAST:
            apart = calibration.probability(Scores(scores.values[at], scores.signature)) - right[at]
            totals = np.bincount(numbered(groups[at].tolist()), weights=apart - apart.mean())
            yield f"{judged.name}: {system}", (float(apart.mean()), float(np.sqrt(totals @ totals)) / len(apart))


def make(name: str, own: Sequence[Scored], resamples: int = RESAMPLES) -> Calibration:
    """Return the calibration of this name from all pairs of these sets."""
    (metric, profile), least = metric_of(name), least_of(name)
    metadata = {
        "data": data_of(own, PARTS + (f"; only predictions of at least {least} words" if least else "")),
        "source": "; ".join(dict.fromkeys(SOURCES[file] for file in (EVOUNA, EVOUNA_NQ, DIVER))),
        "license": "Apache-2.0 and MIT",
        "learned": learned(metric) or "nothing",
        "references": "every gold answer of the question; the one that scores highest counts",
        "command": COMMAND,
        "seed": SEED,
        **({LEAST_WORDS: least} if least else {}),
    }
    described: dict[str, Any] = {"name": metric, "lang": "en", "profile": profile, "options": {}}
    return made_of(own, own[0][1].signature, described, metadata, resamples)


def made_of(
    own: Sequence[Scored], signature: str, metric: Mapping[str, Any], metadata: Mapping[str, Any], resamples: int
) -> Calibration:
    """Return the calibration of scores with this signature from all pairs of these sets."""
    return answersim.calibrate(
        Scores(np.concatenate([scores.values for _, scores in own]), signature),
        np.concatenate([judged.right for judged, _ in own]),
        groups=[group for judged, _ in own for group in judged.groups],
        target=TARGET,
        bootstrap=answersim.Bootstrap(resamples=resamples, rng=SEED),
        metric=metric,
        metadata=metadata,
    )


def data_of(own: Sequence[Scored], parts: str) -> str:
    """Return the sizes and names of these sets, and which parts of them were read."""
    return ", ".join(f"{len(judged.pairs):,} answers of {judged.name}" for judged, _ in own) + f": {parts}"


def checked_in_german(name: str, calibration: Calibration) -> Calibration:
    """Return the calibration of a metric of ``NEUTRAL`` with its check in German. Nothing was tuned on this set."""
    loaded = (whole := data.load("germanquad")).where(~np.isnan(whole.labels))
    judged = Set(GERMAN, loaded.pairs, loaded.labels >= 1, list(range(len(loaded))), lang="de")
    scores = answersim.score_pairs(judged.pairs, [name], lang="de")[name]
    result = check(calibration, *of_length(judged, scores, least_of(name)))
    return with_metadata(calibration, languages={"de": {"data": GERMAN, **rounded(result, DIGITS)}})


def check(calibration: Calibration, judged: Set, scores: Scores) -> dict[str, Any]:
    """Evaluate this calibration on this set, whatever the language in the signature of the scores.

    ``equivalent`` is the share that annotators call equivalent, which the mean ``probability`` estimates. ``error`` is
    the expected calibration error, and ``accuracy`` that of the threshold for the best accuracy, with their intervals.
    """
    right, groups, rng = np.asarray(judged.right, dtype=bool), numbered(judged.groups), np.random.default_rng(SEED)
    samples = list(resampled(groups, RESAMPLES, rng))
    probabilities = replace(calibration, signature=scores.signature).probability(scores)
    shown = reliability(probabilities, right, samples, rng=rng)
    accuracy = bounded_mean((scores.values >= calibration.threshold("accuracy").cut.value) == right, groups=groups)
    shares = {"n": len(right), "equivalent": float(right.mean()), "probability": float(probabilities.mean())}
    return {**shares, "error": shown.error, "by_chance": shown.by_chance, "accuracy": accuracy}


def card(name: str, made: Made) -> str:
    """Return the card of a calibration that ships, in Markdown."""
    calibration, filters = made.calibration, {"number": number, "percent": percent}
    return rendered(
        CARD,
        filters | {"interval": lambda one: f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"},
        **{part: getattr(calibration, part) for part in ("metadata", "provenance", "quality", "reliability")},
        **{"name": name, "calibration": calibration, "checks": made.checks, "own": made.own, "least": LEAST},
        **{"asks": asks_question(calibration.signature), "decision": decision(calibration)},
        right=calibration.provenance.equivalent / calibration.provenance.n,
        transfer=condition(transfer_of(calibration)),
    )


if __name__ == "__main__":
    run_program(main)
