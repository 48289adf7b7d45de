"""The options of the commands, in groups. Each option has one name and one meaning, and one help text plus a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from answersim._base.arguments import number_or_text
from answersim._base.io import files, output_files
from answersim._base.io.detection import read_options
from answersim._base.runtime.option_groups import OptionGroup, Use, listed
from answersim._base.runtime.option_groups import option as _option
from answersim.answers.tables.reader import read_answers
from answersim.calibration.model.decision import HIGH, LOW
from answersim.calibration.verdicts import Verdicts
from answersim.metrics.catalog import lookup
from answersim.metrics.judge.usage import UsageTotal, collected
from answersim.scoring.languages.by_language import by_language
from answersim.scoring.languages.table_language import AUTO, languages_of, table_language
from answersim.scoring.metrics import default_for
from answersim.stats.intervals.resampling import Bootstrap

if TYPE_CHECKING:
    from answersim.answers.tables.table import Answers
    from answersim.types import Metric as BuiltMetric

_later = partial(_option, is_first=False)  # shown by --help-all alone

OF_SYSTEMS = "Of one table with several systems, one column per system."  # the note of labels and scores


def written(rows: str) -> str:
    """Return the note of the output of a command that writes a result, or a table with these rows."""
    return f".json, .md and .tex contain the result, and .csv, .tsv, .jsonl and .parquet {rows}."


def systems(without: str = "", **notes: str) -> Use:
    """Return how a command reads a table or a log with several systems, or one per system."""
    note = "For several systems in one table, separate columns with commas or repeat the option."
    return Use(without=without, several="pred", defaults=None, pred=note, **notes)


SYSTEMS = systems()


Verifier = Annotated[
    str | None,
    "A verifier instead of a metric, whose errors the labels measure: module:function (golds, completions, questions) "
    "-> rewards; a column of recorded verdicts; an address (http://...), whose key is in $ANSWERSIM_VERIFIER_KEY; a "
    "metric, such as a judge with its record; 'reward' or 'rules' for answersim.Reward.",
]


@dataclass(frozen=True, repr=False, eq=False)
class Reading(OptionGroup):
    """How the answers are read."""

    heading: ClassVar[str] = "Answers"

    gold: str = _option("gold", "The column of gold answers. A value may be a list of texts that are all correct.")
    pred: tuple[str, ...] = _option(("pred",), "The column of predictions.")
    question: str | None = _option(None, "The column of questions. Metrics that can read the question then do.")
    id: str | None = _later(None, "The column that identifies a row. Default for several files: id.")
    group: str | None = _later(None, "The column that dependent rows have in common, if it is not the question.")
    references: Path | None = _later(None, "For several files: the table with gold answers and questions.")
    split_gold: str | None = _later(None, "A separator between several references in one gold value.")
    skip_bad: bool = _later(False, "Leave out rows without a gold answer or a prediction, and count them.")
    log: str | None = _later(
        None,
        "Read a log of another tool: auto, inspect, lm-eval (or lm-eval:FILTER). Its columns are question, gold and "
        "pred.",
        "--from",
        metavar="FORMAT",
    )
    encoding: str | None = _later(
        None, "The encoding of text files, such as cp1252 or utf-16. By default, it is detected."
    )
    delimiter: str | None = _later(
        None, "The delimiter of CSV and TSV, such as ';' or tab. By default, it is detected."
    )

    def opened(self, stack: ExitStack) -> None:
        """Read text files with the stated encoding and delimiter. Raise ValueError if one is stated for a log."""
        stated = {"--encoding": self.encoding, "--delimiter": self.delimiter}
        if self.log is not None and (flags := [flag for flag, value in stated.items() if value is not None]):
            raise ValueError(f"{flags[0]} is given, but a log has its own format; leave it out")
        stack.enter_context(read_options(self.encoding, self.delimiter))

    @property
    def preds(self) -> str | tuple[str, ...]:
        """The column of predictions, or the columns if there are several."""
        return self.pred[0] if len(self.pred) == 1 else self.pred

    def answers(self, data: Any) -> Answers:
        """Return the answers in the files of a command."""
        references = None if self.references is None else files.buffer_stdin(self.references)
        names = ("gold", "question", "id", "group", "split_gold", "skip_bad")
        columns = {name: getattr(self, name) for name in names}
        return read_answers(data, pred=self.preds, references=references, format=self.log, **columns)

    def read(self, paths: Sequence[Path], *outputs: Path | None) -> Answers:
        """Return the answers in the files of a command. Errors are those of ``received``."""
        return self.answers(self.received(paths, *outputs))

    def received(self, paths: Sequence[Path], *outputs: Path | None) -> Any:
        """Return the files of a command, as the functions of the library accept them: one path, or a list."""
        if sum(str(path) == "-" for path in [*paths, self.references]) > 1:
            raise ValueError("standard input (-) is given twice, but it can be read once")
        missing = [path for path in paths if not path.suffix and not path.exists()] if len(paths) > 1 else []
        if missing and self.pred != ("pred",):
            raise FileNotFoundError(
                f"no file at {missing[0]}; for two columns write --pred {','.join((*self.pred, str(missing[0])))}"
            )
        read = [files.buffer_stdin(path) for path in paths]
        for output in outputs:
            output_files.refuse_overwriting_input([*read, self.references], output)
        return read if len(read) > 1 else read[0]


@dataclass(frozen=True, repr=False, eq=False)
class Metric(OptionGroup):
    """Which metric scores the answers, and how it reads them."""

    heading: ClassVar[str] = "Metric"

    metric: tuple[str, ...] = _option(
        (),
        "The metric, or several, separated by commas, if the command compares metrics. Default: answersim.",
        "--metric",
        "-m",
        multiple="names",
    )
    lang: str | None = _later(
        "auto",
        "Language of the answers, an ISO 639-1 code. auto: that of the column lang; else English, unless the texts of "
        "a table are clearly in another language.",
    )
    profile: str | None = _later(
        None,
        "The profile, which selects weights and tokenizers: embedded (default), paper, strong, multilingual or modern. "
        "For lexical metrics also squad.",
    )
    option: tuple[str, ...] = _later(
        (), "A setting NAME=VALUE of the metric. May be repeated.", "--option", multiple="verbatim"
    )
    extract: str | None = _option(
        None,
        "Read the final answer out of each prediction by a rule: auto, boxed, answer-tag, hash, final, last-line, "
        "last-number, choice, reasoning, or a regular expression with one group. A suffix :empty or :error states what "
        "happens without one; by default, the whole text is read.",
    )
    extract_gold: str | None = _later(None, "The same rule for gold answers, such as hash for GSM8K.")

    def one(self) -> str | None:
        """Return the name of the metric of a command that uses one. Raise ValueError if several are given."""
        if (n := len(self.metric)) > 1:
            names = ", ".join(self.metric)
            raise ValueError(f"--metric names {n} metrics ({names}), but this command uses one; give one")
        return self.metric[0] if self.metric else None

    def settings(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the settings of --option. Raise ValueError if there are some and they are not for a single metric."""
        if self.option and len(names) != 1:
            raise ValueError(f"--option is for one metric at a time, but {len(names)} were given")
        return dict(setting(item) for item in self.option)

    @property
    def extraction(self) -> dict[str, str]:
        """The options of a metric on final answers; empty without one."""
        rules = {"extract": self.extract, "extract_gold": self.extract_gold}
        return {name: rule for name, rule in rules.items() if rule is not None}

    @property
    def place(self) -> dict[str, Any]:
        """The language and the profile. Without a table, the language is English unless it is given."""
        return {"lang": None if self.lang == "auto" else self.lang, "profile": self.profile}


@dataclass(frozen=True, repr=False, eq=False)
class Network(OptionGroup):
    """Where networks run, and what is stored and shown."""

    heading: ClassVar[str] = "Computation"
    last: ClassVar[bool] = True

    device: str | None = _later(
        None,
        "Where networks run: auto (default, a GPU if there is one), cpu, cuda or mps; then the precision, which is "
        "signed (fp32, bf16, fp16), and the tokens per batch: cuda,bf16,8192.",
    )
    cache: bool = _later(True, "Store the scores of neural metrics on disk and reuse them.")
    progress: bool = _later(True, "Show progress bars on a terminal.")


@dataclass(frozen=True, repr=False, eq=False)
class Judge(OptionGroup):
    """A language model as a metric."""

    heading: ClassVar[str] = "Judge"
    last: ClassVar[bool] = True

    base_url: str | None = _later(
        None,
        "For a judge: the address of the server up to /chat/completions, such as http://localhost:8000/v1. Its key is "
        "in $ANSWERSIM_JUDGE_KEY.",
    )
    model: str | None = _later(None, "For a judge: the model. Several models, separated by commas, form a panel.")
    record: Path | None = _later(None, "For a judge: the file that records all requests and replies.")
    replay: bool = _later(False, "For a judge: send no requests. A reply that the record lacks is an error.")
    prompt: str | None = _later(
        None, "For a judge: the prompt: equivalent (default), grades, entailment, same, or a file."
    )

    def opened(self, stack: ExitStack) -> None:
        """Print what the judges did when the command ends, also after an interruption."""

        def print_usage() -> None:
            if totals.usage.pairs or totals.usage.replies:
                with suppress(OSError):  # standard error is full or closed
                    for line in totals.usage.summary():
                        typer.echo(f"judge: {line}", err=True)

        totals = UsageTotal()
        stack.callback(print_usage)
        stack.enter_context(collected(totals))

    @property
    def of_judge(self) -> dict[str, Any]:
        """The options of a judge that are given, by name."""
        values = ((name, getattr(self, name)) for name in JUDGE)
        return {name: str(value) if isinstance(value, Path) else value for name, value in values if value}


JUDGE = tuple(item.name for item in fields(Judge))  # the parameters of a command


@dataclass(frozen=True, repr=False, eq=False)
class Scoring(Network, Judge, Metric):
    """The metric of a command with all its options."""

    def subjects(self, names: Sequence[str], foreign_metric: Callable[[str], Any] = str) -> dict[str, Any]:
        """Return by name the metrics, built with all their options.

        ``foreign_metric``: called with the name of a function or of a metric of another library; by default, the name
        stays. Errors are those of ``options_of`` and ``refuse_for``.
        """
        own = [name for name in names if ":" not in name]
        if foreign := [name for name in names if ":" in name]:
            self.refuse_for(foreign[0], alone=not own)
        built = self.built(*own) if own or not foreign else {}
        return {name: built[name] if name in built else foreign_metric(name) for name in names}

    def refuse_for(self, name: str, *, alone: bool = True) -> None:
        """Raise ValueError if a setting of metrics is given, but this name is not one of 'answersim show'.

        ``alone``: whether no other metric could use the options of networks and judges.
        """
        settings: dict[str, Any] = {"option": self.option, **self.extraction}
        settings |= {**self.of_judge, "device": self.device} if alone else {}
        if flags := [f"--{option.replace('_', '-')}" for option, value in settings.items() if value]:
            raise ValueError(f"{flags[0]} is for a metric of 'answersim show', and not for {name}; leave it out")

    def options_of(self, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return for each metric, by name, its options: settings, network, judge and extraction.

        Raise TypeError if none of the metrics accepts a given option, ValueError if --option and another option give
        the same one.
        """
        settings = self.settings(names)
        networks, judges = self.networks_of(names, settings), self.judges_of(names, settings)
        return {name: settings | networks.get(name, {}) | judges[name] | self.extraction for name in names}

    def for_table(self, answers: Answers) -> Scoring:
        """Return these settings with the language of the answers."""
        return replace(self, lang=table_language(self.lang or AUTO, answers))

    def for_rows(self, answers: Answers) -> Scoring:
        """Return these settings with the language of the answers, or with those of its rows, separated by commas."""
        return replace(self, lang=",".join(languages_of(self.lang or AUTO, answers)))

    @property
    def first_language(self) -> str:
        """The language of most rows, after ``for_table`` or ``for_rows``."""
        return str(self.lang).partition(",")[0]

    def built(self, *names: str) -> dict[str, BuiltMetric]:
        """Return the metrics by their names, built with all their options. Errors are those of ``options_of``."""
        options, codes = self.options_of(names), str(self.lang).split(",")
        if len(codes) == 1:
            return {name: lookup.metric(name, **self.place, **options[name]) for name in names}

        def build(name: str, code: str) -> BuiltMetric:
            return lookup.metric(name, lang=code, profile=self.profile, **options[name])

        return {name: by_language(name, codes, partial(build, name)) for name in names}

    def name_for(self, verdict: Verdict) -> str:
        """Return the name of the one metric: by default, that of the calibration."""
        return self.one() or default_for(verdict.calibration)

    def of_one(self, name: str) -> dict[str, Any]:
        """Return the arguments of a function with one metric: the metric, built with its options, and its cache."""
        return {"metric": self.built(name), "cache": self.cache, "progress": self.progress}

    def verifier(self, name: str) -> Any:
        """Return a verifier as the metric of a function: a metric, built with its options, or the text that names it.

        A name that is neither a metric nor "module:function", an address, "reward" or "rules" is that of a column of
        recorded verdicts. Raise ValueError if a metric is given too, or a setting of metrics for something else.
        """
        if self.metric:
            raise ValueError("--metric and --verifier are both given, but one decides; leave one of them out")
        try:
            lookup.entry(name)
        except LookupError:
            self.refuse_for(name)
            return name if ":" in name or name in ("reward", "rules") else f"column:{name}"
        return self.built(name)

    def networks_of(self, names: Sequence[str], settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the options of networks by metric. Raise ValueError if --option gives one, TypeError if none fits."""
        options = lookup.network_options(names, self.device)
        for network_settings in options.values():
            _refuse_twice(network_settings, settings)
        return options

    def judges_of(self, names: Sequence[str], settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return for each metric, by name, the given options that it accepts.

        ``names``: the metrics that are used together. A metric that calls no service gets no options.
        """
        judge_settings = self.of_judge
        _refuse_twice(judge_settings, settings)
        remote = [name for name in names if lookup.calls_service(name)]
        if judge_settings and not remote:
            first = next(iter(judge_settings))
            hint = "; the weights of a neural metric are --option model=NAME" if first == "model" else ""
            raise TypeError(
                f"--{first.replace('_', '-')} is given, but {', '.join(names)} calls no service{hint}; leave it out, "
                "or add -m judge"
            )
        return {name: judge_settings if name in remote else {} for name in names}


@dataclass(frozen=True, repr=False, eq=False)
class Verdict(OptionGroup):
    """Which answers are right."""

    heading: ClassVar[str] = "Verdicts"

    calibration: str | None = _later(
        "shipped",
        "What decides which answers are right: a file of 'answersim calibrate', the name of a shipped calibration, or "
        "shipped for that of the metric.",
        "--calibration",
        "-c",
    )
    low: float = _later(LOW, "The probability up to which an answer is wrong (different). Between both: unsure.")
    high: float = _later(HIGH, "The probability from which an answer is right (equivalent).")
    threshold: float | None = _later(None, "The score from which an answer is right, instead of a calibration.")

    @property
    def settings(self) -> Verdicts:
        """The options as the value that a function accepts for ``calibration``."""
        return Verdicts(self.calibration, self.low, self.high, self.threshold)


@dataclass(frozen=True, repr=False, eq=False)
class Labels(OptionGroup):
    """Human labels and recorded scores."""

    heading: ClassVar[str] = "Labels and recorded scores"

    label: tuple[str, ...] = _option((), "The column of human labels. An empty cell means no label.")
    labels: tuple[str, ...] = _option(
        (),
        "Human labels of some answers: a sheet of 'answersim label', a table with ids, or a column of the answers. "
        "NAME=LABELS for one of several systems. May be repeated.",
        multiple="verbatim",
    )
    label_from: float | None = _option(None, "Labels of at least this value count as equivalent.")
    score: tuple[str, ...] = _option((), "The column of recorded scores.")

    @property
    def given(self) -> list[str] | dict[str, str] | None:
        """The human labels as the functions of the library accept them: by the name of the system if one is stated."""
        named: dict[str, str] = {}
        unnamed: list[str] = []
        for text in self.labels:
            name, equals, place = text.partition("=")
            if not equals or Path(text).exists():
                unnamed += [text] if Path(text).exists() else listed([text])
            elif name in named:
                raise ValueError(f"--labels gives labels of {name!r} twice; give one table per system")
            else:
                named[name] = place
        if named and unnamed:
            raise ValueError(f"--labels {unnamed[0]} names no system, but another one does; give NAME=LABELS for all")
        return named or unnamed or None

    @property
    def files(self) -> list[Path]:
        """The files of human labels, which no output may replace."""
        sources = self.given or []
        return [path for path in map(Path, sources.values() if isinstance(sources, dict) else sources) if path.exists()]


@dataclass(frozen=True, repr=False, eq=False)
class Intervals(OptionGroup):
    """Intervals and what is drawn at random."""

    heading: ClassVar[str] = "Intervals"

    level: float = _later(0.95, "Coverage of the intervals.")
    resamples: int = _later(1000, "The number of bootstrap resamples.", min=1)
    seed: int = _later(0, "The seed of everything that is drawn at random.")

    @property
    def settings(self) -> Bootstrap:
        """The options as the value that a function accepts."""
        return Bootstrap(self.level, self.resamples, self.seed)


@dataclass(frozen=True, repr=False, eq=False)
class Result(OptionGroup):
    """What is printed and written."""

    heading: ClassVar[str] = "Result"

    by: tuple[str, ...] = _option((), "Subsets by a column, or by: length, question. May be repeated.", multiple=True)
    rows: int = _option(10, "The number of rows that are printed or drawn at most.", "--rows", "-n", min=0)
    format: str = _later("text", "The format that is printed: text, markdown, json or latex.")
    output: Path | None = _option(None, "Write this file.", "--output", "-o")
    verbose: bool = _option(
        False,
        "Also print means, attempts, calibrations and signatures, as JSON and files contain them.",
        "--verbose",
        "-v",
    )
    report: Path | None = _option(None, "Write the result as an HTML page here, with all its answers.")
    prefix: str = _later("", "A prefix of the names of the new columns.")


def _refuse_twice(stated: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    if twice := [name for name in stated if name in settings]:
        raise ValueError(f"{twice[0]} is given by --option and by --{twice[0].replace('_', '-')}; give it once")


def setting(text: str) -> tuple[str, Any]:
    """Split NAME=VALUE into the name and the value: a whole number, a decimal number, or text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ValueError(f"--option {text!r} is not a setting; write NAME=VALUE, for example layer=3")
    if name in ("lang", "profile"):
        raise ValueError(f"--option {text!r} duplicates another option; write --{name} {value}")
    return name, number_or_text(value)
