"""Make the calibrations that ship, and check on other sets what they promise.

    python -m benchmarks.calibrations --scores runs/calibration-scores

They stand on the 15 % of EVOUNA's TriviaQA questions that are its part "test": five systems' answers with a person's
verdict, of which no shipped weight saw any. (The adapters were trained on the part "train"; the part "dev" chose among
them and gave the weights of ``answersim``.) Checked they are on sets that people judged elsewhere: EfficientQA, NQ-open
and SQuAD of the SAS paper. Those are looked at here after everything is made, and choose nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

import answersim
from answersim import catalog, data
from answersim.calibration.model import Calibration, Side
from answersim.calibration.storing import SHIPPED, write
from answersim.calibration.wording import promises
from answersim.cli_errors import user_errors
from answersim.commands.calibrate import cut_words, number, percent
from answersim.data.system_answers import EVOUNA, SOURCES, load_efficientqa, load_evouna
from answersim.scoring import signed
from answersim.signature import asks_question
from answersim.stats.reliability import reliability
from answersim.stats.resampling import Estimate, percentile
from answersim.stats.thresholds import resampled
from answersim.types import FloatArray, Scores
from benchmarks.judged import learned, parts_line

COMMAND = "python -m benchmarks.calibrations"
# Without em and containment, which have two values, BLEU, which has hardly more, and bleu-paper, which is mostly 0.
METRICS = tuple(name for name in answersim.names() if name not in ("em", "containment", "bleu", "bleu-paper"))
WITH_QUESTION = "-question"  # ends the name of a calibration that is for scores made with the question
SEED = 0
TARGET, TARGET_DIFFERENT = 0.95, 0.90  # too few answers are wrong for a promise of .95 on that side
RESAMPLES = 1000
MADE_ON = "evouna, test"


class Set(NamedTuple):
    """Answers that people judged.

    Attributes:
        name: Of the set, with the rule for labels.
        pairs: Each prediction with all gold answers of its question; the best one counts.
        right: Whether people call it equivalent, shape (n,).
        groups: The question of each, where it is known; else each is its own.
        questions: The question of each, or None if the set has none.
    """

    name: str
    pairs: Sequence[tuple[Any, str]]
    right: Any
    groups: Any
    questions: Sequence[str] | None = None


class Check(NamedTuple):
    """How a calibration does on a set that it does not know.

    Attributes:
        n: The pairs.
        equivalent: The share that people call equivalent.
        said: The mean probability: what the calibration says this share is.
        error: The expected calibration error, with its interval.
        floor: What that would be by chance alone.
        accuracy: Of the threshold for the best accuracy.
        verdict_equivalent: How often this verdict is right, with its interval.
        share_equivalent: How often it is given.
        verdict_different: As before, of the other verdict.
        share_different: How often that is given.
    """

    n: int
    equivalent: float
    said: float
    error: Estimate
    floor: float
    accuracy: Estimate
    verdict_equivalent: Estimate
    share_equivalent: float
    verdict_different: Estimate
    share_different: float


def main(
    output: Annotated[Path, typer.Option(help="The folder to write into.")] = SHIPPED,
    scores: Annotated[Path | None, typer.Option(help="A folder to keep scores in, and to find them in again.")] = None,
    metrics: Annotated[str, typer.Option(help="Metrics, separated by commas; all that ship when not given.")] = "",
) -> None:
    """Make the calibrations that ship, with their cards; of metrics that read questions also one with the question."""
    with user_errors():
        names = [name.strip() for name in metrics.split(",") if name.strip()] or all_names()
        if not output.is_dir():
            raise FileNotFoundError(f"--output is {output}, but there is no such folder; make it first")
        sets = list(judged_sets())
        columns = {each.name: columns_for(each, names, scores) for each in {id(s.pairs): s for s in sets}.values()}
        by_pairs = {id(each.pairs): columns[each.name] for each in sets if each.name in columns}
        made_on, *others = sets
        for name in names:
            found = make(name, made_on, by_pairs[id(made_on.pairs)][name])
            checks = {
                each.name: check(found, each, by_pairs[id(each.pairs)][name])
                for each in others
                if name in by_pairs[id(each.pairs)]
            }
            whole = with_checks(found, checks)
            write(whole, output / f"{name}.json")
            (output / f"{name}.md").write_text(card(name, whole, checks), encoding="utf-8")
            typer.echo(f"{name}: {output / name}.json")


def all_names() -> list[str]:
    """Return the names of all calibrations that ship.

    They are those of their metrics. "sas-question" is for the scores of ``sas`` with the question.
    """
    reading = catalog.names_that_read_questions()
    return [*METRICS, *(f"{name}{WITH_QUESTION}" for name in METRICS if name in reading)]


def judged_sets() -> Iterator[Set]:
    """The set that calibrations are made on, then those they are checked on."""
    evouna, efficientqa = load_evouna("test"), load_efficientqa()
    for name, answers in ((MADE_ON, evouna), ("EfficientQA", efficientqa)):
        yield Set(
            name,
            [(each.golds, each.answer) for each in answers],
            np.array([each.verdict for each in answers]),
            [each.question for each in answers],
            [each.question for each in answers],
        )
    for name in ("nq-open", "squad"):
        loaded = data.load(name)
        loaded = loaded.where(~np.isnan(loaded.labels))
        for cut, words in ((2, "the same"), (1, "similar or the same")):
            title = f"{'NQ-open' if name == 'nq-open' else 'SQuAD'} of the SAS paper, {words}"
            yield Set(title, loaded.pairs, loaded.labels >= cut, list(range(len(loaded))), loaded.questions)


def columns_for(asked: Set, names: Sequence[str], folder: Path | None) -> dict[str, Scores]:
    """Return the scores on a set that each of these calibrations is for.

    A calibration with the question gets none on a set without questions.
    """
    plain = [name for name in names if not name.endswith(WITH_QUESTION)]
    found = columns_of(asked, plain, folder) if plain else {}
    reading = [name.removesuffix(WITH_QUESTION) for name in names if name.endswith(WITH_QUESTION)]
    if reading and asked.questions is not None:
        scored = columns_of(asked, reading, folder, with_question=True)
        found |= {f"{name}{WITH_QUESTION}": scores for name, scores in scored.items()}
    return found


def columns_of(
    asked: Set, names: Sequence[str], folder: Path | None, *, with_question: bool = False
) -> dict[str, Scores]:
    """The scores of these metrics on a set, from the folder as far as it holds those of the same signatures.

    ``with_question`` gives them the questions of the set.
    """
    built = {name: answersim.metric(name) for name in names}
    lines = {name: signed(each, with_question) for name, each in built.items()}
    file = None if folder is None else folder / f"{asked.name.split(',')[0].replace(' ', '-')}-{len(asked.pairs)}.npz"
    kept: dict[str, FloatArray] = {}
    if file is not None and file.is_file():
        with np.load(file) as opened:
            kept = {signature: opened[signature] for signature in opened.files}
    if missing := [each for name, each in built.items() if lines[name] not in kept]:
        scored = answersim.score_pairs(asked.pairs, missing, questions=asked.questions if with_question else None)
        kept |= {each.signature: each.values for each in scored.values()}
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(file, **kept)  # type: ignore[arg-type] # its keyword arguments are arrays
    return {name: Scores(kept[line], line) for name, line in lines.items()}


def make(name: str, judged: Set, scores: Scores) -> Calibration:
    """The calibration of this metric, with its story."""
    return answersim.calibrate(
        scores,
        judged.right,
        groups=judged.groups,
        target=TARGET,
        target_different=TARGET_DIFFERENT,
        resamples=RESAMPLES,
        rng=np.random.default_rng(SEED),
        metric={"name": name.removesuffix(WITH_QUESTION), "lang": "en", "profile": None, "options": {}},
        story={
            "data": "EVOUNA, TriviaQA part, the 15 % of its questions whose hash puts them into the part 'test'",
            "source": SOURCES[EVOUNA],
            "licence": "Apache-2.0",
            "parts": parts_line(),
            "learned": learned(name.removesuffix(WITH_QUESTION)) or "nothing",
            "references": "every gold answer of the question; the one that scores highest counts",
            "command": COMMAND,
            "seed": SEED,
        },
    )


def check(found: Calibration, judged: Set, scores: Scores) -> Check:
    """How this calibration does on this set."""
    right = np.asarray(judged.right, dtype=bool)
    numbers: dict[Any, int] = {}
    groups = np.array([numbers.setdefault(each, len(numbers)) for each in judged.groups])
    rng = np.random.default_rng(SEED)
    samples = list(resampled(groups, RESAMPLES, rng))
    probabilities, verdicts = found.probability(scores), found.verdicts(scores)
    shown = reliability(probabilities, right, samples, rng=rng)

    def share(hits: Any, among: Any) -> Estimate:
        hits, size = (hits & among).astype(np.int64), int(among.sum())
        drawn = np.concatenate(samples).astype(np.int64)
        held = drawn @ among.astype(np.int64)
        each = np.divide(drawn @ hits, held, out=np.full(len(held), np.nan), where=held > 0)
        return Estimate(float(hits.sum() / size) if size else float("nan"), *percentile(each))

    called = scores.values >= found.threshold("accuracy").cut.value
    return Check(
        len(right),
        float(right.mean()),
        float(probabilities.mean()),
        shown.error,
        shown.floor,
        share(called == right, np.ones_like(right)),
        share(right, verdicts == "equivalent"),
        float((verdicts == "equivalent").mean()),
        share(~right, verdicts == "different"),
        float((verdicts == "different").mean()),
    )


def with_checks(found: Calibration, checks: Mapping[str, Check]) -> Calibration:
    """The same calibration, whose story holds the checks."""
    from dataclasses import replace

    told = {name: json.loads(json.dumps(_rounded(each._asdict()))) for name, each in checks.items()}
    return replace(found, story={**found.story, "checks": told})


def card(name: str, found: Calibration, checks: Mapping[str, Check]) -> str:
    """What a reader should know of a calibration that ships, in Markdown."""
    facts, shown = found.facts, found.reliability
    lines = [
        f"# Calibration of `{name}`",
        "",
        f"For scores with the signature `{found.signature}` and no others; {_use_of_questions(found)}.",
        "",
        f"- Data: {found.story['data']}: {facts.n:,} answers to {facts.groups:,} questions, "
        f"{facts.equivalent / facts.n:.1%} of them right. {found.story['source']}.",
        f"- Parts: {found.story['parts']}. `{name}` learned from EVOUNA: {found.story['learned']}. This calibration is "
        "made of the part test, which is therefore no check of it.",
        f"- Licence: {found.story['licence']}; the file holds numbers only, no text.",
        f"- Several references: {found.story['references']}.",
        f"- Made by `{found.story['command']}` (seed {found.story['seed']}, {facts.folds} folds by question, "
        f"{facts.resamples:,} resamples of questions). No weight of the metric was trained or chosen on these answers.",
        f"- Curve: {found.method}. AUC {found.quality.auc:.3f}. Brier {_interval(shown.brier, 3)}, of a constant "
        f"{found.quality.constant:.3f}. Calibration error {_interval(shown.error, 3)}, by chance {shown.floor:.3f}.",
        "",
        "## What it promises",
        "",
        f"The targets: of the answers called equivalent {facts.target:.0%} are, and of those called different "
        f"{facts.target_different:.0%} (with a confidence of {facts.confidence:.0%}), **for further answers of the "
        "same kind**:",
        "",
        *(f"- {line}" for line in promises(found)),
        "",
        "On questions held out, in percent:",
        "",
        "| verdict | score | given to | right |",
        "|---|---|---|---|",
        _side_line("equivalent", found.equivalent),
        _side_line("different", found.different),
        "",
        "| threshold for | score from | accuracy | precision | recall |",
        "|---|---|---|---|---|",
        *(
            f"| {each.rule} | {number(each.cut.value)} [{number(each.cut.low)}, {number(each.cut.high)}] | "
            f"{percent(each.accuracy)} | {percent(each.precision)} | {percent(each.recall)} |"
            for each in found.thresholds
        ),
        "",
        "## What it keeps elsewhere",
        "",
        "Looked at after it was made; nothing was changed for it. In percent, but for the error:",
        "",
        "| set | pairs | equivalent | said | calibration error (by chance) | accuracy "
        "| `equivalent` is right (given to) | `different` is right (given to) |",
        "|---|---:|---:|---:|---|---|---|---|",
        *(_check_line(each, told) for each, told in checks.items()),
        "",
        _verdict_on(found, checks),
        "",
    ]
    return "\n".join(lines)


def _use_of_questions(found: Calibration) -> str:
    if asks_question(found.signature):
        return "the metric reads the question of every answer"
    return "without questions given to the metric"


def _check_line(name: str, told: Check) -> str:
    return (
        f"| {name} | {told.n:,} | {told.equivalent:.1%} | {told.said:.1%} | {_interval(told.error, 3)} "
        f"({told.floor:.3f}) | {percent(told.accuracy)} | {percent(told.verdict_equivalent)} "
        f"({told.share_equivalent:.1%}) | {percent(told.verdict_different)} ({told.share_different:.1%}) |"
    )


def _verdict_on(found: Calibration, checks: Mapping[str, Check]) -> str:
    """In words, where the promise fails: where the whole interval lies below the target."""
    said = []
    targets = {"equivalent": found.facts.target, "different": found.facts.target_different}
    for verdict, target in targets.items():
        if getattr(found, verdict).kind == "best cut":
            said.append(f"Nothing is promised of `{verdict}`.")
            continue
        own = {name: getattr(told, f"verdict_{verdict}") for name, told in checks.items()}
        failed = [name for name, each in own.items() if _broken(each, target)]
        never = [name for name, each in own.items() if np.isnan(each.value)]
        if len(never) == len(own):
            said.append(f"`{verdict}` is never given on these sets.")
        elif failed:
            said.append(f"**The promise of `{verdict}` fails on: {'; '.join(failed)}.**")
        else:
            said.append(f"The promise of `{verdict}` fails on none of these sets as far as their intervals can tell.")
    off = [name for name, told in checks.items() if told.error.low > 2 * told.floor]
    if off:
        said.append(f"Its probabilities are off (an error of more than twice what chance makes) on: {'; '.join(off)}.")
    shares = [told.equivalent for told in checks.values()]
    said.append(
        f"Where it was made {found.facts.equivalent / found.facts.n:.0%} of the answers are right, on these sets "
        f"{min(shares):.0%} to {max(shares):.0%}: with fewer right answers, fewer of those called equivalent are. Make "
        "one with labels of your own (`answersim calibrate`) wherever that share may differ."
    )
    return " ".join(said)


def _broken(each: Estimate, target: float) -> bool:
    """Whether the whole interval lies below the target; not where there is none."""
    return bool(each.high < target)


def _interval(each: Estimate, digits: int) -> str:
    return f"{each.value:.{digits}f} [{each.low:.{digits}f}, {each.high:.{digits}f}]"


def _side_line(verdict: str, side: Side) -> str:
    if side.kind == "never":
        return f"| {verdict} | never | - | - |"
    where = cut_words("from" if verdict == "equivalent" else "below", side)
    return f"| {verdict} | {where} | {percent(side.share)} | {percent(side.right)} |"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_rounded(each) for each in value]
    return (None if np.isnan(value) else round(value, 4)) if isinstance(value, float) else value


if __name__ == "__main__":
    typer.run(main)
