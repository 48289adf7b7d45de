"""Make the calibrations that ship, and check their promises on other sets.

    python -m tools.weights.calibrations --scores runs/calibration-scores
    python -m tools.weights.calibrations --check-rules

They are made from the 15 % of the TriviaQA questions of EVOUNA that form the part "test": the answers of five systems
with human verdicts, none of which a shipped weight was trained on. (The adapters were trained on the part "train". The
part "dev" selected among them and determined the weights of ``answersim``.) They are checked on sets from other
annotators: EfficientQA, NQ-open and SQuAD of the SAS paper. These are evaluated last and select nothing.

After a change of the rules of ``typed``, ``--check-rules`` compares what the old and the new rules do on all these sets
(see ``rule_revisions``). It needs no network. Calibrations whose scores did not change stay valid, and the new revision
is written into their table. It lists the others, which must be made again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

import answersim
from answersim import data
from answersim.calibration.model import Calibration
from answersim.calibration.parts import VerdictThreshold
from answersim.calibration.rule_revisions import TABLE, rules_of
from answersim.calibration.storing import SHIPPED, write
from answersim.calibration.tables import format_cut, number, percent
from answersim.calibration.transfer import KEY, condition, transfer, transfer_of
from answersim.calibration.wording import promises
from answersim.catalog import lookup
from answersim.data.system_answers import EVOUNA, SOURCES, SystemAnswer, load_efficientqa, load_evouna
from answersim.runtime.cli_errors import user_errors
from answersim.scoring.cache import ScoreCache
from answersim.signature import asks_question
from answersim.stats.bounded_mean import bounded_mean
from answersim.stats.reliability import reliability
from answersim.stats.resampling import Estimate
from answersim.stats.thresholds import resampled
from answersim.types import Scores
from benchmarks.judged_sets import learned, parts_line
from benchmarks.options import names_in
from benchmarks.stored_parts import with_stored_parts
from tools.weights import rule_revisions
from tools.weights.populations import (
    BASIS,
    BASIS_OF_TAUGHT,
    QUESTIONS,
    TAUGHT,
    differences,
    load_diver_sources,
    load_nq,
    metadata,
    populations,
)

COMMAND = "python -m tools.weights.calibrations"
# Without em and containment, which have two values, BLEU, which has few more, and bleu-paper, which is mostly 0.
METRICS = (
    *(name for name in answersim.names() if name not in ("em", "containment", "bleu", "bleu-paper")),
    "typed+recall",  # of an install without networks
)
WITH_QUESTION = "-question"  # suffix of a calibration for scores that were computed with the question
STRONG = "-strong"  # suffix of a calibration for scores in the profile "strong", before the suffix of the question
IN_STRONG = ("sas", "answersim")  # the metrics that also have calibrations in that profile
SEED = 0
TARGET, TARGET_DIFFERENT = 0.95, 0.90  # too few negatives for a promise of .95 on that side
RESAMPLES = 1000
MADE_ON = "evouna, test"
SHORT = 5  # words of the longest short answer
LENGTHS = {"-short": (0, SHORT), "-long": (SHORT + 1, 10**9)}  # suffixes of calibrations for a range of words
BY_LENGTH = ("answersim",)  # the metrics that also have calibrations by the length of the prediction
LEAST = 100  # pairs of a check


class Set(NamedTuple):
    """Answers with human verdicts."""

    name: str  # the name of the set, with the rule for labels
    pairs: Sequence[tuple[Any, str]]  # each prediction with all gold answers of its question; the best one counts
    right: Any  # whether annotators call the prediction equivalent, shape (n,)
    groups: Any  # the question of each pair if it is known; otherwise each pair is its own group
    questions: Sequence[str] | None = None  # the question of each pair, or None if the set has none
    # the system or source of each pair, for the error of transfer; None if the labels are no verdicts on the answers of
    # systems
    systems: Sequence[str] | None = None


class Check(NamedTuple):
    """The quality of a calibration on a set that it was not made from."""

    n: int  # the number of pairs
    equivalent: float  # the share that annotators call equivalent
    probability: float  # the mean probability, which estimates this share
    error: Estimate  # the expected calibration error, with its interval
    by_chance: float  # the error that chance alone would cause
    accuracy: Estimate  # the accuracy of the threshold for the best accuracy
    verdict_equivalent: Estimate  # how often this promised verdict is correct, with its interval
    share_equivalent: float  # how often it is given
    verdict_different: Estimate  # how often the other verdict is correct, with its interval
    share_different: float  # how often the other verdict is given


def main(
    output: Annotated[Path, typer.Option(help="The folder to write into.")] = SHIPPED,
    scores: Annotated[Path | None, typer.Option(help="A folder that stores the scores of networks.")] = None,
    metrics: Annotated[str, typer.Option(help="Metrics, separated by commas; the default is all shipped ones.")] = "",
    check_rules: Annotated[bool, typer.Option(help="Only check the rules of typed values; make nothing.")] = False,
) -> None:
    """Make the calibrations that ship, with their cards; of metrics that read questions also one with the question."""
    with user_errors():
        names = names_in(metrics) or all_names()
        if not output.is_dir():
            raise FileNotFoundError(f"--output is {output}, but there is no such folder; create it first")
        sets, further = list(judged_sets()), {taught: list(transfer_sets(taught)) for taught in (False, True)}
        pairs = rule_revisions.distinct_pairs([*sets, *further[False]])
        if check_rules:
            results = rule_revisions.check(output, pairs)
            if output.resolve() == SHIPPED.resolve():
                rule_revisions.record(results, output, TABLE)
            typer.echo("\n".join(result.line() for result in results))
            raise typer.Exit(0 if all(result.equal for result in results) else 1)
        columns_needed = list(dict.fromkeys(without_length(name)[0] for name in names))
        columns = {
            judged_set.name: columns_for(judged_set, columns_needed, scores)
            for judged_set in {id(s.pairs): s for s in sets}.values()
        }
        for taught, of_taught in further.items():
            theirs = [name for name in columns_needed if is_taught(name) == taught]
            columns |= {judged_set.name: columns_for(judged_set, theirs, scores) for judged_set in of_taught}
        every = (*sets, *further[False], *further[True])
        by_pairs = {id(s.pairs): columns[s.name] for s in every if s.name in columns}
        made_on, *others = sets
        for name in names:
            column, length = without_length(name)
            calibration = make(name, *of_length(made_on, by_pairs[id(made_on.pairs)][column], length))
            checks = {
                judged_set.name: check(
                    calibration, *of_length(judged_set, by_pairs[id(judged_set.pairs)][column], length)
                )
                for judged_set in others
                if column in by_pairs[id(judged_set.pairs)] and (in_range(judged_set, length).sum() >= LEAST)
            }
            scored = [
                of_length(judged_set, by_pairs[id(judged_set.pairs)][column], length)
                for judged_set in every
                if judged_set.systems is not None and column in by_pairs[id(judged_set.pairs)]
            ]
            whole = with_transfer(with_checks(calibration, checks), scored, basis_of(name))
            if rules_of(whole.signature):
                whole = rule_revisions.with_fingerprint(whole, rule_revisions.fingerprint(whole.metric, pairs))
            write(whole, output / f"{name}.json")
            (output / f"{name}.md").write_text(card(name, whole, checks), encoding="utf-8")
            typer.echo(f"{name}: {output / name}.json")
        if output.resolve() == SHIPPED.resolve():
            rule_revisions.record(rule_revisions.check(output, pairs), output, TABLE)


def all_names() -> list[str]:
    """Return the names of all calibrations that ship.

    These are the names of their metrics, with suffixes. "sas-question" is for the scores of ``sas`` with the question.
    "answersim-short" and "answersim-long" are for predictions of up to five words, and for longer ones. "sas-strong"
    and "sas-strong-question" are for the profile "strong".
    """
    reading = lookup.names_that_read_questions()
    names = [*METRICS, *(f"{name}{WITH_QUESTION}" for name in METRICS if name in reading)]
    by_length = [f"{name}{suffix}" for name in names if metric_of(name) in BY_LENGTH for suffix in LENGTHS]
    strong = [f"{name}{STRONG}" for name in IN_STRONG]
    return [*names, *by_length, *strong, *(f"{name}{WITH_QUESTION}" for name in strong)]


def without_length(name: str) -> tuple[str, tuple[int, int] | None]:
    """Return the name of a calibration without the suffix of a length, and the words that it is for; None for any.

    >>> without_length("answersim-question-short"), without_length("f1")
    (('answersim-question', (0, 5)), ('f1', None))
    """
    for suffix, length in LENGTHS.items():
        if name.endswith(suffix):
            return name.removesuffix(suffix), length
    return name, None


def metric_of(name: str) -> str:
    """Return the metric of a calibration.

    >>> metric_of("answersim-question-long"), metric_of("bertscore-names"), metric_of("sas-strong-question")
    ('answersim', 'bertscore-names', 'sas')
    """
    return without_length(name)[0].removesuffix(WITH_QUESTION).removesuffix(STRONG)


def profile_of(name: str) -> str | None:
    """Return the profile of a calibration; None is the default one.

    >>> profile_of("answersim-strong-question"), profile_of("answersim-short")
    ('strong', None)
    """
    return STRONG.removeprefix("-") if without_length(name)[0].removesuffix(WITH_QUESTION).endswith(STRONG) else None


def is_taught(name: str) -> bool:
    """Return whether the metric of this calibration learned from the parts train of NQ and DIVER-QA."""
    return metric_of(name) in TAUGHT


def basis_of(name: str) -> str:
    """Return the sets of the error of transfer of this calibration, in words."""
    return BASIS_OF_TAUGHT if is_taught(name) else BASIS


def in_range(judged: Set, length: tuple[int, int] | None) -> NDArray[np.bool_]:
    """Return whether the prediction of each pair has a number of words in this range, both ends included, (n,)."""
    low, high = length or (0, 10**9)
    return np.array([low <= len(pred.split()) <= high for _, pred in judged.pairs], dtype=np.bool_)


def of_length(judged: Set, scores: Scores, length: tuple[int, int] | None) -> tuple[Set, Scores]:
    """Return the pairs whose predictions have this length, with their scores."""
    if length is None:
        return judged, scores
    rows = np.flatnonzero(in_range(judged, length)).tolist()
    questions = None if judged.questions is None else [judged.questions[i] for i in rows]
    systems = None if judged.systems is None else [judged.systems[i] for i in rows]
    part = judged._replace(
        pairs=[judged.pairs[i] for i in rows],
        right=np.asarray(judged.right)[rows],
        groups=[judged.groups[i] for i in rows],
        questions=questions,
        systems=systems,
    )
    return part, Scores(scores.values[rows], scores.signature)


def judged_sets() -> Iterator[Set]:
    """Yield the set that calibrations are made from, then the sets that they are checked on."""
    evouna, efficientqa = load_evouna("test"), load_efficientqa(nq_open_sas=True)
    yield from (of_systems(MADE_ON, evouna), of_systems("EfficientQA, 863 questions", efficientqa))
    for name in ("nq-open", "squad"):
        loaded = data.load(name)
        loaded = loaded.where(~np.isnan(loaded.labels))
        for cut, words in ((2, "the same"), (1, "similar or the same")):
            title = f"{'NQ-open' if name == 'nq-open' else 'SQuAD'} of the SAS paper, {words}"
            yield Set(title, loaded.pairs, loaded.labels >= cut, list(range(len(loaded))), loaded.questions)


def transfer_sets(taught: bool) -> Iterator[Set]:
    """Yield further sets of systems and sources for the error of transfer. No calibration is made from them.

    ``taught``: whether they are for metrics that learned from the parts train of these sets.
    """
    title = "part test" if taught else f"{QUESTIONS} questions"
    yield of_systems(f"NQ (EVOUNA), {title}", load_nq(held_out=taught))
    yield of_systems("DIVER-QA, dev and test" if taught else "DIVER-QA", load_diver_sources(held_out=taught))


def of_systems(name: str, answers: Sequence[SystemAnswer]) -> Set:
    """Return the answers of systems as a set."""
    questions = [answer.question for answer in answers]
    return Set(
        name,
        [(answer.golds, answer.answer) for answer in answers],
        np.array([answer.verdict for answer in answers]),
        questions,
        questions,
        [answer.system for answer in answers],
    )


def columns_for(judged: Set, names: Sequence[str], folder: Path | None) -> dict[str, Scores]:
    """Return the scores on a set that each of these calibrations is for.

    A calibration with the question gets none on a set without questions.
    """
    plain = [name for name in names if not name.endswith(WITH_QUESTION)]
    columns = columns_of(judged, plain, folder) if plain else {}
    reading = [name.removesuffix(WITH_QUESTION) for name in names if name.endswith(WITH_QUESTION)]
    if reading and judged.questions is not None:
        scored = columns_of(judged, reading, folder, with_question=True)
        columns |= {f"{name}{WITH_QUESTION}": scores for name, scores in scored.items()}
    return columns


def columns_of(
    judged: Set, names: Sequence[str], folder: Path | None, *, with_question: bool = False
) -> dict[str, Scores]:
    """Return the scores for these calibrations on a set. The folder stores those of networks by signature and text.

    A composite is made of its stored parts, so that a changed rule or weight runs no network. ``names`` have no suffix
    of a question. ``with_question`` passes the questions of the set to the metrics.
    """
    built = {name: answersim.metric(metric_of(name), profile=profile_of(name)) for name in names}
    store = None if folder is None else ScoreCache(folder)
    stored = [metric if store is None else with_stored_parts(metric, store) for metric in built.values()]
    questions = judged.questions if with_question else None
    scored = answersim.score_pairs(judged.pairs, stored, question=questions)
    return {name: scored[metric.signature] for name, metric in built.items()}


def make(name: str, judged: Set, scores: Scores) -> Calibration:
    """Return the calibration of this metric, with its metadata."""
    return answersim.calibrate(
        scores,
        judged.right,
        groups=judged.groups,
        target=TARGET,
        target_different=TARGET_DIFFERENT,
        bootstrap=answersim.Bootstrap(resamples=RESAMPLES, rng=SEED),
        metric={"name": metric_of(name), "lang": "en", "profile": profile_of(name), "options": {}},
        metadata={
            "data": "EVOUNA, TriviaQA part, the 15 % of its questions whose hash puts them into the part 'test'"
            + _length_words(name),
            "source": SOURCES[EVOUNA],
            "license": "Apache-2.0",
            "parts": parts_line(),
            "learned": learned(metric_of(name)) or "nothing",
            "references": "every gold answer of the question; the one that scores highest counts",
            "command": COMMAND,
            "seed": SEED,
        },
    )


def _length_words(name: str) -> str:
    length = without_length(name)[1]
    if length is None:
        return ""
    return f"; only predictions of up to {SHORT} words" if length[0] == 0 else f"; only predictions above {SHORT} words"


def check(calibration: Calibration, judged: Set, scores: Scores) -> Check:
    """Evaluate this calibration on this set."""
    right = np.asarray(judged.right, dtype=bool)
    numbers: dict[Any, int] = {}
    groups = np.array([numbers.setdefault(group, len(numbers)) for group in judged.groups])
    rng = np.random.default_rng(SEED)
    samples = list(resampled(groups, RESAMPLES, rng))
    probabilities, verdicts = calibration.probability(scores), calibration.promised_verdicts(scores)
    shown = reliability(probabilities, right, samples, rng=rng)

    def share(hits: Any, among: Any) -> Estimate:
        return bounded_mean(hits[among], groups=groups[among])

    called = scores.values >= calibration.threshold("accuracy").cut.value
    return Check(
        len(right),
        float(right.mean()),
        float(probabilities.mean()),
        shown.error,
        shown.by_chance,
        share(called == right, np.ones_like(right)),
        share(right, verdicts == "equivalent"),
        float((verdicts == "equivalent").mean()),
        share(~right, verdicts == "different"),
        float((verdicts == "different").mean()),
    )


def with_checks(calibration: Calibration, checks: Mapping[str, Check]) -> Calibration:
    """Return the same calibration with the checks in its metadata."""
    from dataclasses import replace

    numbers = {name: json.loads(json.dumps(_rounded(result._asdict()))) for name, result in checks.items()}
    return replace(calibration, metadata={**calibration.metadata, "checks": numbers})


def with_transfer(calibration: Calibration, scored: Sequence[tuple[Set, Scores]], basis: str) -> Calibration:
    """Return the same calibration with the error of transfer in its metadata, if two systems or sets show it."""
    from dataclasses import replace

    found = populations(calibration, scored)
    if len(found) < 2:
        return calibration
    return replace(calibration, metadata={**calibration.metadata, KEY: metadata(transfer(differences(found), basis))})


def card(name: str, calibration: Calibration, checks: Mapping[str, Check]) -> str:
    """Return the card of a calibration that ships, in Markdown."""
    provenance, shown, metadata = calibration.provenance, calibration.reliability, calibration.metadata
    lines = [
        f"# Calibration of `{name}`",
        "",
        f"For scores with the signature `{calibration.signature}` only. {_use_of_questions(calibration)}",
        "",
        f"- Data: {metadata['data']}: {provenance.n:,} answers to {provenance.groups:,} questions, "
        f"{provenance.equivalent / provenance.n:.1%} of them right. {metadata['source']}.",
        f"- Parts: {metadata['parts']}. `{name}` learned from EVOUNA: {metadata['learned']}. This calibration is "
        "made on the part test, so this part cannot check it.",
        f"- License: {metadata['license']}; the file contains numbers and no text.",
        f"- Several references: {metadata['references']}.",
        f"- Made by `{metadata['command']}` (seed {metadata['seed']}, {provenance.folds} folds by question, "
        f"{provenance.resamples:,} resamples of questions). No weight of the metric was trained or chosen on these "
        "answers.",
        f"- Curve: {calibration.method}. AUC {calibration.quality.auc:.3f}. Brier {_interval(shown.brier, 3)}, of a "
        f"constant {calibration.quality.constant:.3f}. Calibration error {_interval(shown.error, 3)}, by chance "
        f"{shown.by_chance:.3f}.",
        "",
        "## Guarantees",
        "",
        f"The targets are that {provenance.target:.0%} of the promised verdicts `equivalent` and "
        f"{provenance.target_different:.0%} of the promised verdicts `different` are right, with a confidence of "
        f"{provenance.confidence:.0%}, **for further answers of the same kind**:",
        "",
        *(f"- {line}" for line in promises(calibration)),
        "",
        "On held-out questions, in percent:",
        "",
        "| promised verdict | score | given to | right |",
        "|---|---|---|---|",
        _side_line("equivalent", calibration.equivalent),
        _side_line("different", calibration.different),
        "",
        "| threshold for | score from | accuracy | precision | recall |",
        "|---|---|---|---|---|",
        *(
            f"| {threshold.rule} | {number(threshold.cut.value)} "
            f"[{number(threshold.cut.low)}, {number(threshold.cut.high)}] | {percent(threshold.accuracy)} | "
            f"{percent(threshold.precision)} | {percent(threshold.recall)} |"
            for threshold in calibration.thresholds
        ),
        "",
        "## Results on other sets",
        "",
        "These sets were scored after the calibration was made, and did not influence it. All columns but the error "
        "are in percent:",
        "",
        "| set | pairs | equivalent | probability | calibration error (by chance) | accuracy "
        "| promised `equivalent` is right (given to) | promised `different` is right (given to) |",
        "|---|---:|---:|---:|---|---|---|---|",
        *(_check_line(set_name, result) for set_name, result in checks.items()),
        "",
        _verdict_on(calibration, checks),
        "",
        f"Transfer: {condition(transfer_of(calibration))}.",
        "",
    ]
    return "\n".join(lines)


def _use_of_questions(calibration: Calibration) -> str:
    if asks_question(calibration.signature):
        return "The metric reads the question of every answer."
    return "The metric gets pairs without questions."


def _check_line(name: str, result: Check) -> str:
    return (
        f"| {name} | {result.n:,} | {result.equivalent:.1%} | {result.probability:.1%} | {_interval(result.error, 3)} "
        f"({result.by_chance:.3f}) | {percent(result.accuracy)} | {percent(result.verdict_equivalent)} "
        f"({result.share_equivalent:.1%}) | {percent(result.verdict_different)} ({result.share_different:.1%}) |"
    )


def _verdict_on(calibration: Calibration, checks: Mapping[str, Check]) -> str:
    """Describe in words where the promise fails: where the whole interval is below the target."""
    if not checks:
        return f"There is no check, because no other set has {LEAST} answers of this kind."
    sentences = []
    targets = {"equivalent": calibration.provenance.target, "different": calibration.provenance.target_different}
    for verdict, target in targets.items():
        if getattr(calibration, verdict).kind == "best cut":
            sentences.append(f"There is no guarantee for `{verdict}`.")
            continue
        estimates = {name: getattr(result, f"verdict_{verdict}") for name, result in checks.items()}
        failed = [name for name, estimate in estimates.items() if _broken(estimate, target)]
        never = [name for name, estimate in estimates.items() if np.isnan(estimate.value)]
        if len(never) == len(estimates):
            sentences.append(f"`{verdict}` is never given on these sets.")
        elif failed:
            sentences.append(f"**The guarantee of `{verdict}` fails on: {'; '.join(failed)}.**")
        else:
            sentences.append(f"The guarantee of `{verdict}` fails on none of these sets, within their intervals.")
    off = [name for name, result in checks.items() if result.error.low > 2 * result.by_chance]
    if off:
        sentences.append(f"The calibration error is more than twice that of chance on: {'; '.join(off)}.")
    shares = [result.equivalent for result in checks.values()]
    sentences.append(
        f"In the data of the calibration, {calibration.provenance.equivalent / calibration.provenance.n:.0%} of the "
        f"answers are right, and on these sets {min(shares):.0%} to {max(shares):.0%}. With fewer right answers, fewer "
        "verdicts `equivalent` are right. If this share may differ in your data, make a calibration with your own "
        "labels (`answersim calibrate`)."
    )
    return " ".join(sentences)


def _broken(estimate: Estimate, target: float) -> bool:
    """Return whether the whole interval is below the target; False if there is no interval."""
    return bool(estimate.high < target)


def _interval(estimate: Estimate, digits: int) -> str:
    return f"{estimate.value:.{digits}f} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"


def _side_line(verdict: str, side: VerdictThreshold) -> str:
    if side.kind == "never":
        return f"| {verdict} | never | - | - |"
    where = format_cut("from" if verdict == "equivalent" else "below", side)
    return f"| {verdict} | {where} | {percent(side.share)} | {percent(side.right)} |"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [_rounded(part) for part in value]
    return (None if np.isnan(value) else round(value, 4)) if isinstance(value, float) else value


if __name__ == "__main__":
    typer.run(main)
