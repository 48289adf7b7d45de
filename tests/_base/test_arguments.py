"""Arguments are checked before any work: value, rule and remedy. Signatures and tables are lines of text."""

import datetime
import decimal
import fractions
import linecache
import pickle
import random
import re
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base import arguments
from answersim._base.errors import (
    ExtractionWarning,
    NonFiniteScoreError,
    TruncationWarning,
    deferred_warnings,
    warn_user,
)
from answersim._base.signature import asks_question, computed_once, signature, with_question
from answersim._base.text_tables import TextTable, escaped, html_table, latex_table, markdown_table, printable
from answersim.calibration import storing
from answersim.calibration.scores import Score, Scores
from answersim.evaluation import data, doctor
from answersim.evaluation.agreement.judgments import judgments
from answersim.evaluation.agreement.study import correlate
from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.types import Pair
from tests.cases import cases_of, every

PACKAGE = str(Path(answersim.__file__).parent)
OURS = (TypeError, ValueError, LookupError, OSError)


class Strange:
    """Everything that is asked of it fails."""

    def _fail(self, *_: object) -> Any:
        raise RuntimeError("asked in vain")

    __repr__ = __eq__ = __hash__ = __len__ = __iter__ = __bool__ = __fspath__ = __index__ = __float__ = _fail


class Text(str):
    """A string of a subclass, which lies about itself."""

    __slots__ = ()

    def __str__(self) -> str:
        return "another"

    def lower(self) -> str:
        raise RuntimeError("no lower")


class Unsigned:
    """Called as a metric, with a signature that is none."""

    signature = 5

    def __call__(self, pairs: Any) -> Any:
        return np.zeros(len(pairs))


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts may be paths here; none leads to a file."""
    monkeypatch.chdir(tmp_path)


def odd() -> dict[str, Callable[[], Any]]:
    """Makers of values that a function may be given by mistake; each call makes a new one."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": ["a", "b"], "pred": ["a", "b"], "label": [0, 1]})
    values: dict[str, Callable[[], Any]] = {
        "None": lambda: None,
        "True": lambda: True,
        "0": lambda: 0,
        "-1": lambda: -1,
        "huge": lambda: 10**400,
        "float": lambda: 0.5,
        "nan": lambda: float("nan"),
        "inf": lambda: float("inf"),
        "complex": lambda: 1j,
        "Decimal": lambda: decimal.Decimal("0.5"),
        "Fraction": lambda: fractions.Fraction(1, 2),
        "pandas.NA": lambda: pandas.NA,
        "pandas.NaT": lambda: pandas.NaT,
        "Timestamp": lambda: pandas.Timestamp(0),
        "datetime": lambda: datetime.datetime(2026, 1, 1),
        "numpy.int64": lambda: np.int64(3),
        "numpy.float32": lambda: np.float32(0.5),
        "numpy.bool": lambda: np.bool_(True),
        "numpy.str": lambda: np.str_("a"),
        "numpy.bytes": lambda: np.bytes_(b"a"),
        "numpy.datetime64": lambda: np.datetime64("2026-01-01"),
        "0-d text": lambda: np.array("a"),
        "0-d number": lambda: np.array(1.0),
        "2-d": lambda: np.array([["a", "b"], ["c", "d"]]),
        "objects": lambda: np.array(["a", None], dtype=object),
        "empty": list,
        "empty text": str,
        "text": lambda: "f1",
        "other text": lambda: "no such thing",
        "null": lambda: "a\0b",
        "surrogate": lambda: "\ud800",
        "subclass": lambda: Text("f1"),
        "bytes": lambda: b"f1",
        "bytearray": lambda: bytearray(b"f1"),
        "memoryview": lambda: memoryview(b"f1"),
        "Path": lambda: Path("f1"),
        "list": lambda: ["a", "b"],
        "tuple": lambda: ("a", "b"),
        "nested": lambda: [["a"], [["b"]]],
        "mixed": lambda: ["a", 5],
        "with None": lambda: ["a", None],
        "with nan": lambda: [0.5, float("nan")],
        "with NA": lambda: ["a", pandas.NA],
        "numbers": lambda: [0.5, 1],
        "set": lambda: {"a", "b"},
        "dict": lambda: {"a": "b", "c": "d"},
        "keys": lambda: {"a": 1, "b": 2}.keys(),
        "values": lambda: {1: "a", 2: "b"}.values(),
        "items": lambda: {"a": "b", "c": "d"}.items(),
        "generator": lambda: (entry for entry in "ab"),
        "broken generator": lambda: (1 // 0 for _ in "ab"),
        "map": lambda: map(str, "ab"),
        "zip": lambda: zip("ab", "cd", strict=True),
        "range": lambda: range(2),
        "class": lambda: dict,
        "function": lambda: len,
        "object": object,
        "Strange": Strange,
        "with Strange": lambda: [Strange(), "a"],
        "Unsigned": Unsigned,
        "metric class": lambda: Unsigned,
        "metric": lambda: answersim.metric("f1"),
        "Score": lambda: Score(0.5, "f1|v:1"),
        "Scores": lambda: Scores([0.5, 1.0], "f1|text:en|v:1"),
        "Pair": lambda: Pair("a", "b"),
        "Series": lambda: frame["gold"],
        "Series of NA": lambda: pandas.Series(["a", pandas.NA], dtype="string"),
        "Categorical": lambda: frame["gold"].astype("category"),
        "Index": lambda: pandas.Index(["a", "b"]),
        "DataFrame": lambda: frame,
        "GroupBy": lambda: frame.groupby("gold"),
        "SeriesGroupBy": lambda: frame["gold"].groupby(frame["pred"]),
        "Generator": lambda: np.random.default_rng(0),
        "RandomState": lambda: np.random.RandomState(0),
        "Ellipsis": lambda: ...,
        "exception": lambda: ValueError("x"),
        "exception class": lambda: ValueError,
    }
    return values


TABLE = {"gold": ["Rome", "Oslo", "a b"] * 8, "pred": ["in Rome", "Bergen", "b"] * 8, "label": [1, 0, 1] * 8}
F1 = "f1|text:en|rev:1"
FAMILY = MinimalPair("en", "number", "en-number-001", "dev", "How many?", "eleven", "11", "12")


SIGNED = {"lang": "en", "profile": None}
QUIET = {"progress": False, "cache": None}
NETWORK = {"device": None}
COLUMNS = {"gold": "gold", "pred": "pred", "question": None}
MODEL = SIGNED | {"model": None, "adapter": None, "device": "cpu,64"}


def functions() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Public functions with arguments that are right, all of which are exchanged in turn."""
    rng = np.random.default_rng(0)
    labels = np.array([0.0, 1.0] * 20)
    scores = labels + rng.random(40)
    few = answersim.Bootstrap(level=0.9, resamples=5)
    calibration = answersim.calibrate(scores, labels, signature=F1, bootstrap=few)
    some = Scores([0.5, 1.0, 0.0], F1)
    metric = answersim.metric
    first = {"gold": "a", "pred": "b", "metric": "f1", "question": "", "calibration": None} | SIGNED
    several = {"gold": ["a", "b"], "pred": ["b", "b"], "question": ["", ""]}
    pairs = {"pairs": [("a", "b")] * 2, "metric": ["em", "f1"], "question": ["", ""], "calibration": {}} | SIGNED
    study = {"data": TABLE, "metric": ["f1"], "label": "label", "by": [], "against": None, "compare": ["tau-b"]}
    resampled = {"tests": None, "bootstrap": few, "test_resamples": 5, "method": "percentile"}
    fitted = {"data": scores, "labels": labels, "cut": None, "groups": None, "signature": "x", "method": "auto"}
    rules = {"target": 0.9, "bootstrap": few}
    examined = {"metric": ["em"], "part": "dev", "pairs": [FAMILY], "attacked": 1, "properties": False}
    return {
        "score": (answersim.score, first | QUIET),
        "score of several": (answersim.score, first | several | {"progress": False}),
        "score_pairs": (answersim.score_pairs, pairs | QUIET | NETWORK),
        "metric": (metric, SIGNED | {"name": "meteor", "alpha": 0.9, "order": None, "words": None}),
        "metric bi-encoder": (metric, MODEL | {"name": "bi-encoder", "pooling": None, "max_length": None}),
        "metric bertscore": (
            metric,
            {"name": "bertscore", "lang": "en", "layer": None, "measure": "f1"}
            | {"idf": None, "baseline": None, "max_length": None},
        ),
        "metric sas": (metric, MODEL | {"name": "sas", "order": None, "activation": None}),
        "correlate": (correlate, study | resampled | COLUMNS | SIGNED | NETWORK | {"scores": [], "progress": False}),
        "judgments": (
            judgments,
            {"data": TABLE, "label": "label", "scores": None, "columns": [], "lang": "en"} | COLUMNS,
        ),
        "calibrate": (answersim.calibrate, fitted | rules | {"metric": None}),
        "probability": (calibration.probability, {"scores": [0.5, 1.0]}),
        "verdicts": (calibration.verdicts, {"scores": [0.5, 1.0]}),
        "threshold": (calibration.threshold, {"rule": "f1"}),
        "find": (storing.find, {"calibration": "f1", "signature": None}),
        "ci": (some.ci, {"level": 0.9}),
        "indexed": (some.indexed, {"index": None}),
        "Scores": (Scores, {"values": [0.5, 1.0], "signature": "x", "references": [0, 0]}),
        "data.load": (data.load, {"name": "probe", "lang": None, "cleaning": "paper"}),
        "data.about": (data.about, {"name": "probe"}),
        "data.present": (data.present, {"name": "probe"}),
        "Bootstrap": (answersim.Bootstrap, {"level": 0.9, "resamples": 5, "rng": rng}),
        "plan": (
            answersim.plan,
            {"data": TABLE, "metric": None, "width": 0.1, "score": "label", "labels": "label", "bootstrap": few}
            | {"share": None, "explained": None, "rows": None, "drop": None, "differing": None, "power": None},
        ),
        "plan of a comparison": (answersim.plan, {"drop": 0.1, "differing": 0.2, "power": 0.8, "bootstrap": few}),
        "examine": (
            doctor.examine,
            examined | SIGNED | QUIET | {"bootstrap": few},
        ),
    }


def is_ours(error: BaseException) -> bool:
    """Whether a statement ``raise`` of the package made this error, which has a message."""
    last: TracebackType | None = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or not isinstance(error, OURS) or not str(error).strip():
        return False
    code = last.tb_frame.f_code
    line = linecache.getline(code.co_filename, last.tb_lineno).strip()
    return code.co_filename.startswith(PACKAGE) and line.startswith("raise")


def complaint(function: Callable[..., Any], given: dict[str, Any]) -> str | None:
    """What is wrong with what this call does; None if it returns or refuses the arguments in words of ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(**given)
    except Exception as error:
        if not is_ours(error):
            place = traceback.extract_tb(error.__traceback__)[-1]
            return f"{type(error).__name__}: {str(error)[:80]!r} from {Path(place.filename).name}:{place.lineno}"
    return None


def calls(whole: bool) -> Iterator[tuple[str, str, str]]:
    """Yield function, parameter and odd value: a sixth of the values for each parameter, another one for the next."""
    parameters = sorted((parameter, name) for name, (_, usual) in functions().items() for parameter in usual)
    for (i, (parameter, name)), (j, value) in product(enumerate(parameters), enumerate(odd())):
        if whole or (i + j) % 6 == 0:
            yield name, parameter, value


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_odd_argument_is_used_or_refused_in_words_of_ours(whole):
    known, values = functions(), odd()
    failed = [
        f"{name}({parameter}={value}): {result}"
        for name, parameter, value in calls(whole)
        if (result := complaint(known[name][0], known[name][1] | {parameter: values[value]()}))
    ]
    assert not failed, f"{len(failed)} calls\n" + "\n".join(failed)


def test_two_odd_arguments_are_used_or_refused_in_words_of_ours():
    rng = random.Random(18)
    failed = []
    for name, (function, usual) in functions().items():
        values = odd()
        for _ in range(60):
            changed = rng.sample(list(usual), min(2, len(usual)))
            chosen = {entry: rng.choice(list(values)) for entry in changed}
            stated = usual | {entry: values[value]() for entry, value in chosen.items()}
            if result := complaint(function, stated):
                failed.append(f"{name}({chosen}): {result}")
    assert not failed, f"{len(failed)} calls\n" + "\n".join(failed)


def test_a_text_of_another_class_becomes_a_plain_one():
    assert type(arguments.text("lang", np.str_("de"))) is str


def test_a_value_is_shown_whatever_it_is():
    assert arguments.shown(Strange()) == "<repr failed: RuntimeError> (Strange)"
    assert len(arguments.shown("x" * 1000)) < 80
    assert "\n" not in arguments.shown(np.zeros((9, 9)))


LONG = "in regions of new growth " * 100


WARNINGS = [
    (TruncationWarning(3, "pairs", "sas|v:1"), "3 pairs were longer than"),
    (ExtractionWarning(2, 3000, "boxed", "empty"), "no final answer in 2 of 3,000 predictions; they are read as empty"),
]


@every(("warning", "message"), WARNINGS)
def test_a_warning_has_counts_as_numbers_and_survives_pickling(warning, message):
    copy = pickle.loads(pickle.dumps(warning))
    assert tuple(vars(copy).values()) == warning.args
    assert str(copy) == str(warning)
    assert re.search(message, str(copy))


@pytest.mark.parametrize("filters", ["always", "error"])
def test_a_warning_issued_once_per_place_is_raised_each_time_by_the_error_filter(filters):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(filters)  # type: ignore[arg-type]
        for _ in range(3):
            with suppress(UserWarning):
                warn_user(UserWarning(f"once, by the filter {filters}"), once=True)
                caught.append("issued")  # type: ignore[arg-type] # not reached if it is raised
    assert len(caught) == {"always": 1 + 3, "error": 0}[filters]


@pytest.mark.parametrize("depth", ["metric", "score", "score_pairs"])
def test_a_truncation_warning_names_the_line_of_the_user_whatever_the_depth(depth, tiny):
    pytest.importorskip("torch")
    metric = answersim.metric("bi-encoder", model=tiny())
    calls = {
        "metric": lambda: metric([Pair(LONG, "x")]),
        "score": lambda: answersim.score(LONG, "x", metric),
        "score_pairs": lambda: answersim.score_pairs([(LONG, "x")], [metric]),
    }
    with pytest.warns(TruncationWarning) as caught:
        calls[depth]()
    (warning,) = caught
    assert isinstance(warning.message, TruncationWarning)
    assert (warning.filename, warning.message.count) == (__file__, 1)


def test_deferred_warnings_are_collected_and_issued_later():
    with deferred_warnings() as collected:
        warn_user(TruncationWarning(1, "texts", "a"))
        with deferred_warnings() as inner:
            warn_user(TruncationWarning(2, "texts", "b"))
    assert [str(entry) for entry in (*collected, *inner)] == [str(TruncationWarning(*count)) for count in _COUNTS]
    with pytest.warns(TruncationWarning, match="1 text was"):
        warn_user(collected[0])


_COUNTS = ((1, "texts", "a"), (2, "texts", "b"))


def test_deferred_warnings_of_one_thread_do_not_take_those_of_another():
    def collect() -> None:
        with deferred_warnings() as collected:
            inside.set()
            done.wait()
        remaining.extend(collected)

    inside, done, remaining = threading.Event(), threading.Event(), list[Warning]()
    thread = threading.Thread(target=collect)
    thread.start()
    inside.wait()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_user(TruncationWarning(1, "texts", "a"))
    done.set()
    thread.join()
    assert len(caught) == 1
    assert not remaining


def test_a_non_finite_score_is_named_with_its_pair_shortened_and_its_metric():
    error = NonFiniteScoreError(4, float("inf"), "mine|v:1", "g" * 100, "p")
    assert isinstance(error, ValueError)
    assert str(error).startswith(
        f"the score of pair 5 (gold '{'g' * 57}...', prediction 'p') is inf, but a score is a "
    )
    assert "(mine|v:1)" in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.index, copy.score, str(copy)) == (4, float("inf"), str(error))


@dataclass(frozen=True)
class Encoder:
    fingerprint: str = "abc"


@dataclass(frozen=True)
class Settings:
    encoder: Encoder = Encoder()
    layer: int = 3
    rescaled: bool = False
    idf: str | None = None
    batch: int = field(default=8, compare=False)


def test_compared_fields_are_signed_in_their_order_and_the_others_are_not():
    assert signature("mine", Settings()) == "mine|encoder:abc|layer:3|rescaled:no|idf:no|rev:1"
    assert signature("mine", Settings(batch=1)) == signature("mine", Settings())


def test_the_revision_ends_the_line_and_the_version_of_the_package_is_not_in_it():
    assert signature("mine", stem="porter", revision=3) == "mine|stem:porter|rev:3"


def test_what_is_computed_once_is_computed_once_for_each_object():
    class Slow:
        """With a property that counts."""

        calls = 0

        @computed_once
        def line(self) -> str:
            """The line."""
            type(self).calls += 1
            return f"line {self.calls}"

    first, second = Slow(), Slow()
    assert [first.line, first.line, second.line, first.line] == ["line 1", "line 1", "line 2", "line 1"]
    assert Slow.line.__doc__ == "The line."


@every(("plain", "signed"), cases_of(__file__)["the_use_of_questions_is_signed_once_and_before_the_revision"])
def test_the_use_of_questions_is_signed_once_and_before_the_revision(plain, signed):
    assert with_question(plain) == signed
    assert with_question(signed) == signed
    assert asks_question(signed)
    assert not asks_question(plain)


@every("name", ["meteor", "f1"])
def test_the_signature_of_a_metric_is_computed_once_and_not_pickled(name):
    metric: Any = answersim.metric(name)
    assert metric.signature is metric.signature
    assert "signature" not in metric.__reduce_ex__(4)[2]
    assert pickle.loads(pickle.dumps(metric)).signature == metric.signature


SHOWN = TextTable("A & B", ("name", "n", "share"), (("x_1", "1,200", "83 % [80, 86]"), ("y|z", "-", "-")), ("note #1",))


def test_markdown_has_one_line_per_row():
    assert markdown_table(SHOWN) == [
        "## A &amp; B",
        "",
        "| name | n | share |",
        "| --- | --- | --- |",
        r"| x_1 | 1,200 | 83 % \[80, 86\] |",
        r"| y\|z | - | - |",
        "",
        "- note #1",
        "",
    ]


def test_latex_aligns_numbers_to_the_right_and_escapes():
    assert latex_table(SHOWN) == [
        r"\begin{table}",
        r"\centering",
        r"\caption{A \& B}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"name & n & share \\",
        r"\midrule",
        r"x\_1 & 1,200 & 83 \% [80, 86] \\",
        r"y\textbar{}z & - & - \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "% note #1",
        "",
    ]


def test_wide_tables_in_latex_are_split():
    header = tuple("abcdefghij")
    text = "\n".join(latex_table(TextTable("T", header, (header,))))
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 2
    assert r"a & b & c & d & e & f & g \\" in text
    assert r"a & h & i & j \\" in text
    assert r"\caption{T, continued}" in text


def test_html_is_escaped():
    table = html_table(SHOWN._replace(title="<b>", rows=(("<script>", "&", "\x1b"),)))
    assert "<script>" not in table
    assert "<caption>&lt;b&gt;</caption>" in table
    assert "\\x1b" in table


def test_control_characters_are_shown():
    assert printable("a\u202eb\n") == "a\\u202eb\\n"
    assert escaped("_a_ <b>") == r"\_a\_ &lt;b>"
