"""The options of the commands, in groups: types and defaults. ``options.tsv`` has the names and the help of each.

An option has one meaning in all commands that have it, and one help text. A command may add a note.
"""

from __future__ import annotations

import csv
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
from answersim._base.runtime.option_groups import OptionGroup, Use, listed, option, refuse_given
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

with Path(__file__).with_suffix(".tsv").open(encoding="utf-8", newline="") as _file:
    _ROWS = {row["option"]: row for row in csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE)}

OF_SYSTEMS = "Of one table with several systems, one column per system."  # the note of labels and scores


def written(rows: str) -> str:
    """Return the note of the output of a command that writes a result, or a table with these rows."""
    return f".json, .md and .tex contain the result, and .csv, .tsv, .jsonl and .parquet {rows}."


def systems(without: str = "", **notes: str) -> Use:
    """Return how a command reads a table or a log with several systems, or one per system."""
    note = "For several systems in one table, separate columns with commas or repeat the option."
    return Use(without=without, several="pred", defaults=None, pred=note, **notes)


SYSTEMS = systems()


def table_option(name: str, default: Any, **settings: Any) -> Any:
    """Return the option in this row of ``options.tsv``."""
    row = _ROWS[name]
    return option(default, row["help"], *row["names"].split(), is_first=row["shown by"] == "--help", **settings)


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

    gold: str = table_option("gold", "gold")
    pred: tuple[str, ...] = table_option("pred", ("pred",))
    question: str | None = table_option("question", None)
    id: str | None = table_option("id", None)
    group: str | None = table_option("group", None)
    references: Path | None = table_option("references", None)
    split_gold: str | None = table_option("split_gold", None)
    skip_bad: bool = table_option("skip_bad", False)
    log: str | None = table_option("log", None, metavar="FORMAT")
    encoding: str | None = table_option("encoding", None)
    delimiter: str | None = table_option("delimiter", None)

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

    metric: tuple[str, ...] = table_option("metric", (), multiple="names")
    lang: str | None = table_option("lang", "auto")
    profile: str | None = table_option("profile", None)
    option: tuple[str, ...] = table_option("option", (), multiple="verbatim")
    extract: str | None = table_option("extract", None)
    extract_gold: str | None = table_option("extract_gold", None)

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

    device: str | None = table_option("device", None)
    cache: bool = table_option("cache", True)
    progress: bool = table_option("progress", True)


@dataclass(frozen=True, repr=False, eq=False)
class Judge(OptionGroup):
    """A language model as a metric."""

    heading: ClassVar[str] = "Judge"
    last: ClassVar[bool] = True

    base_url: str | None = table_option("base_url", None)
    model: str | None = table_option("model", None)
    record: Path | None = table_option("record", None)
    replay: bool = table_option("replay", False)
    prompt: str | None = table_option("prompt", None)

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
        """Return the metrics by name, built with all their options; a foreign one by ``foreign_metric(name)``."""
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
        """Return for each metric, by name, its options: settings, network, judge and extraction."""
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

    def refuse_beside_scores(self, context: typer.Context) -> None:
        """Raise ValueError or TypeError if an option of metrics is given: --score supplies the scores."""
        unread = ("metric", "verifier", "option", "extract", "extract_gold", "device")
        refuse_given(context, unread, "--score names a column of given scores; leave one of them out")
        if self.of_judge:
            raise TypeError("--score names a column, so no judge runs; leave the options of a judge out")

    def networks_of(self, names: Sequence[str], settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the options of networks by metric. Raise ValueError if --option gives one, TypeError if none fits."""
        options = lookup.network_options(names, self.device)
        for network_settings in options.values():
            _refuse_twice(network_settings, settings)
        return options

    def judges_of(self, names: Sequence[str], settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return for each metric, by name, the given options that it accepts; none if it calls no service."""
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

    calibration: str | None = table_option("calibration", "shipped")
    low: float = table_option("low", LOW)
    high: float = table_option("high", HIGH)
    threshold: float | None = table_option("threshold", None)

    @property
    def settings(self) -> Verdicts:
        """The options as the value that a function accepts for ``calibration``."""
        return Verdicts(self.calibration, self.low, self.high, self.threshold)


@dataclass(frozen=True, repr=False, eq=False)
class Labels(OptionGroup):
    """Human labels and recorded scores."""

    heading: ClassVar[str] = "Labels and recorded scores"

    label: tuple[str, ...] = table_option("label", ())
    labels: tuple[str, ...] = table_option("labels", (), multiple="verbatim")
    label_from: float | None = table_option("label_from", None)
    score: tuple[str, ...] = table_option("score", ())

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

    level: float = table_option("level", 0.95)
    resamples: int = table_option("resamples", 1000, min=1)
    seed: int = table_option("seed", 0)

    @property
    def settings(self) -> Bootstrap:
        """The options as the value that a function accepts."""
        return Bootstrap(self.level, self.resamples, self.seed)


@dataclass(frozen=True, repr=False, eq=False)
class Result(OptionGroup):
    """What is printed and written."""

    heading: ClassVar[str] = "Result"

    by: tuple[str, ...] = table_option("by", (), multiple=True)
    rows: int = table_option("rows", 10, min=0)
    format: str = table_option("format", "text")
    output: Path | None = table_option("output", None)
    verbose: bool = table_option("verbose", False)
    report: Path | None = table_option("report", None)
    prefix: str = table_option("prefix", "")


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
