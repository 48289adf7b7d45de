"""The catalog: names, definitions, examples, and which metric a definition builds."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError, LanguageWarning, MissingExtraError, PluginError
from answersim.metrics.catalog import built_metrics, lookup
from answersim.metrics.catalog.description import SHOWN, description
from answersim.metrics.catalog.papers import ENTRIES, PACKAGE, STUDY, bibtex, papers
from answersim.metrics.checkpoints import search
from answersim.metrics.checkpoints.profiles import MULTILINGUAL, WORDS
from answersim.metrics.composite import ensemble
from answersim.metrics.neural.engines import choice
from answersim.types import Metric
from tests.cases import cases_of, every
from tests.command_line import run

CODE = """
import numpy as np

class Ratio:
    def __init__(self, power=1, signature="ratio|power:1|v:1"):
        self.power, self.signature = power, signature
    def __call__(self, pairs):
        return np.array([(len(pred) / max(1, len(gold))) ** self.power for gold, pred in pairs])

def good(*, lang, profile, power=1):
    "The length of the prediction by that of the gold answer."
    return Ratio(power, f"ratio|lang:{lang}|power:{power}|v:1")

def anything(**options):
    return Ratio()

class LengthRatio:
    signature = "length-ratio|v:1"
    def __call__(self, pairs):
        return np.zeros(len(pairs))

def of_class(*, lang, profile):
    return LengthRatio

def raising(*, lang, profile):
    raise RuntimeError("no such thing")

def leaving(*, lang, profile):
    raise SystemExit(3)

def nothing(*, lang, profile):
    return None

def unsigned(*, lang, profile):
    return Ratio(signature="")

def two_lines(*, lang, profile):
    return Ratio(signature="a|v:1\\nb")

def number_signature(*, lang, profile):
    return Ratio(signature=5)

def signed_as_f1(*, lang, profile):
    return Ratio(signature=f"f1|text:{lang}|rev:1")

number = 5
instance = Ratio()
"""
BROKEN = cases_of(__file__)["broken"]
FAILING = cases_of(__file__)["failing"]


def distribution(folder: Path, name: str, points: dict[str, str]) -> None:
    """What pip leaves of an installed package: its metadata and entry points."""
    info = folder / f"{name.replace('-', '_')}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    lines = "".join(f"{point} = {value}\n" for point, value in points.items())
    (info / "entry_points.txt").write_text(f"[answersim.metrics]\n{lines}")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, dict[str, str]], None]]:
    """``installed("mine", {"ratio": "plugged:good"})`` installs a package with these plug-ins for the test."""
    (tmp_path / "plugged.py").write_text(CODE)
    (tmp_path / "plugged_syntax.py").write_text("def (")
    (tmp_path / "plugged_exit.py").write_text("import sys\nsys.exit(1)\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(name: str, points: dict[str, str]) -> None:
        distribution(tmp_path, name, points)
        importlib.invalidate_caches()

    yield install
    for module in ("plugged", "plugged_syntax", "plugged_exit"):
        sys.modules.pop(module, None)


# --- plug-ins


def listed(out: str) -> list[list[str]]:
    """Return the cells of each row that `list` prints, whose texts wrap."""
    _, _, *lines = out.splitlines()
    rows: list[list[str]] = []
    for line in lines:
        if line.startswith(" "):
            rows[-1][2] += f" {line.strip()}"
        else:
            rows.append(line.split(maxsplit=2))
    return rows


def test_an_installed_plug_in_scores_is_listed_and_shown(installed):
    installed("my-metrics", {"ratio": "plugged:good", "any": "plugged:anything"})
    score = answersim.score("ab", "abcd", "ratio", power=2, lang="de")
    assert (score, score.signature) == (4.0, "ratio|lang:de|power:2|v:1")
    assert answersim.score("ab", "abcd", "any") == 2.0
    assert lookup.plug_ins() == ("ratio", "any")
    assert "ratio" not in answersim.names()
    code, out, err = run("show", "--all")
    assert (code, err) == (0, "")
    rows = listed(out)
    assert [row[0] for row in rows] == [
        *SHOWN,
        *(name for name in (*answersim.names(), *lookup.remote_names()) if name not in SHOWN),
        *("bertscore", "typed", "typed+NAME", "official:NAME", "ratio", "any"),
    ]
    assert rows[-2] == ["ratio", "plug-in", "The length of the prediction by that of the gold answer."]
    code, out, err = run("show", "ratio")
    assert (code, err) == (0, "")
    printed = dict(line.split(maxsplit=1) for line in out.partition("\n\n")[0].splitlines())
    assert printed["source"] == "plugged.good"
    assert printed["options"] == "power"
    assert printed["signature"] == "ratio|lang:en|power:1|v:1"
    with pytest.raises(TypeError, match="the metric 'ratio' has no option 'layer'; its options are power"):
        answersim.metric("ratio", layer=3)


@pytest.mark.parametrize("name", BROKEN)
def test_a_plug_in_that_cannot_be_used_is_named_with_its_fault(installed, name):
    value, fault = BROKEN[name]
    installed("bad-metrics", {name: value, "ratio": "plugged:good"})
    with pytest.raises(PluginError) as raised:
        answersim.metric(name)
    assert str(raised.value).startswith(f"the plug-in {name!r} ({value} of the package bad-metrics 1.2) {fault}")
    code, out, err = run("show", "--all")
    assert (code, err) == (0, "")
    rows = {row[0]: row[2] for row in listed(out)}
    assert f"cannot be used: the plug-in {name!r}" in rows[name]
    assert rows["ratio"].startswith("The length")
    code, out, err = run("show", name)
    assert (code, out) == (2, "")
    assert err.startswith(f"answersim: the plug-in {name!r}")
    assert answersim.score("a", "a", "f1") == answersim.score("a", "a", "ratio") == 1.0


@pytest.mark.parametrize("name", FAILING)
def test_a_plug_in_that_builds_no_metric_is_named_with_its_fault(installed, name):
    value, fault = FAILING[name]
    installed("bad-metrics", {name: value})
    with pytest.raises(PluginError) as raised:
        answersim.score("a", "b", name)
    assert str(raised.value).startswith(f"the plug-in {name!r} ({value} of the package bad-metrics 1.2) ")
    assert fault in str(raised.value)
    assert run("show", "--all")[0] == 0
    code, _, err = run("show", name)
    assert code == 2
    assert "Traceback" not in err


@pytest.mark.parametrize("name", ["f1", "bertscore"])
def test_a_plug_in_with_a_name_of_ours_is_listed_as_not_used(installed, name):
    installed("my-metrics", {name: "plugged:good"})
    assert answersim.metric(name).signature.startswith(("f1|", "bertscore|"))
    assert lookup.plug_ins() == ()
    code, out, _ = run("show", "--all")
    assert code == 0
    fault = "not used, because its name is taken: plugged:good of the package my-metrics 1.2"
    assert listed(out)[-1] == [name, "plug-in", fault]


def test_two_plug_ins_of_one_name_are_refused_and_both_are_named(installed):
    installed("one", {"ratio": "plugged:good"})
    installed("two", {"ratio": "plugged:anything"})
    with pytest.raises(PluginError, match=r"2 plug-ins are called 'ratio': .*package (one|two).*package (one|two)"):
        answersim.metric("ratio")
    assert run("show", "--all")[0] == 0


# --- aliases


# --- languages


NAMES = (*answersim.names(), "typed+recall")


@every("name", NAMES)
def test_the_examples_have_the_scores_of_the_metric(name: str) -> None:
    entry = lookup.entry(name)
    assert len(entry.examples) == 3
    try:
        metric = answersim.metric(name)
    except (CheckpointNotFoundError, MissingExtraError) as error:
        pytest.skip(f"needs the weights of {name}: {error}")
    scores = [metric([example])[0] for example in ((gold, pred) for gold, pred, _ in entry.examples)]
    assert scores == pytest.approx([example.score for example in entry.examples], abs=6e-4)


def test_every_metric_is_described_by_its_entry() -> None:
    for name in answersim.names():
        result, entry = description(name), lookup.entry(name)
        assert (result["metric"], result["computes"], result["source"]) == (name, entry.summary, entry.source)
        assert result["options"] == (", ".join(lookup.options_of(name)) or "none")
        assert ("weights" in result) == (entry.kind == "neural")
        if not result["signature"].startswith("not available here: "):  # as on a machine without the extra 'embedded'
            assert result["signature"] == answersim.metric(name).signature


@every("name", [*answersim.names(), *lookup.remote_names()])
def test_every_paper_that_a_source_names_has_an_entry_and_no_other(name):
    source = unicodedata.normalize("NFKD", lookup.entry(name).source).encode("ascii", "ignore").decode()
    authors = re.findall(r"(\w+)(?: et al\.| & \w+)? (\d{4})", source)
    named = {f"{author.lower()}{year}" for author, year in authors}
    of_parts = {key for part in lookup.entry(name).parts for key in papers(part)}
    assert set(papers(name)) - of_parts == named - {STUDY}


def test_a_metric_made_of_others_has_the_papers_of_its_parts():
    assert set(papers("typed+sas")) == set(papers("sas")) == {"risch2021"}
    assert set(papers("answersim")) == {"risch2021", "zhang2020", "rajpurkar2018"}


def test_every_entry_is_that_of_a_metric_or_of_the_package():
    assert {*ENTRIES} == {PACKAGE, STUDY, *(key for name in answersim.names() for key in papers(name))}


def test_the_entries_are_balanced_and_have_authors():
    for entry in ENTRIES.values():
        assert re.match(r"@(inproceedings|misc)\{[a-z]+\d{4},\n", entry)
        assert entry.count("{") == entry.count("}")
        assert all(f"  {field} = {{" in entry for field in ("title", "author", "year"))
        assert re.search(r"(?<!\\)[&%#]", entry) is None
        assert entry.isascii()


def test_an_unknown_metric_is_an_error():
    with pytest.raises(LookupError, match="did you mean 'meteor'"):
        bibtex("meteo")


PAIRS = [
    ("zwölf", "12", "equivalent"),
    ("Berlin", "Berlin", "equivalent"),
    ("Berlin", "München", "unsure"),
    ("das rote Auto", "der rote Wagen", "unsure"),
    ("12 kg", "12 t", "different"),
]


@pytest.fixture
def without_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "is_installed", lambda profile: False)


@pytest.mark.usefixtures("without_weights")
def test_without_weights_words_and_values_decide_and_nothing_else_is_equivalent() -> None:
    golds, preds = [pair[0] for pair in PAIRS], [pair[1] for pair in PAIRS]
    with pytest.warns(LanguageWarning) as caught:
        scores = answersim.score(golds, preds, lang="de", calibration="shipped")
    assert [*scores.verdicts] == [pair[2] for pair in PAIRS]
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "\n" not in message
    assert "answersim data fetch multilingual" in message
    assert '".[multilingual]"' in message


@every(("here", "reasons"), [(True, ["'tokenizers'"]), (False, ["'tokenizers'", "no weights"])])
def test_the_warning_of_a_language_names_the_missing_package_and_its_extra(monkeypatch, here, reasons):
    monkeypatch.setattr(choice, "find_spec", lambda name: None)
    monkeypatch.setattr(search, "is_here", lambda name: here)
    with pytest.warns(LanguageWarning) as caught:
        assert lookup.selected_profile("answersim", "de", None, warn=True) == WORDS
    message = str(caught[0].message)
    assert [reason for reason in ("'tokenizers'", "no weights") if reason in message] == reasons
    assert '".[embedded-numpy]"' in message


@pytest.mark.usefixtures("without_weights")
def test_without_weights_a_score_grows_with_the_shared_words() -> None:
    metric = answersim.metric("answersim", lang="de", profile=WORDS)
    scores = metric([("alte Brücke", "neue Straße"), ("alte Brücke", "neue Brücke"), ("Brücke", "die alte Brücke")])
    assert scores[0] < scores[1] < scores[2]


@every(
    ("name", "lang", "profile", "selected"),
    [
        *((name, "de", None, MULTILINGUAL) for name in ("answersim", "sas", "sas-answers", "bi-encoder", "bertscore")),
        *(("answersim", lang, None, MULTILINGUAL) for lang in ("de-AT", "ja", "sw")),
        *((name, lang, None, None) for name in ("answersim", "sas", "bi-encoder") for lang in (None, "en", "en-GB")),
        *((name, "de", None, None) for name in ("f1", "official:squad")),  # they run no network
        *(("answersim", "de", "embedded", "embedded"), ("sas", "ja", "strong", "strong")),
    ],
)
def test_the_language_selects_the_weights_unless_a_profile_is_given(monkeypatch, name, lang, profile, selected):
    monkeypatch.setattr(lookup, "is_installed", lambda profile: True)
    assert lookup.selected_profile(name, lang, profile, warn=True) == selected
    assert lookup.parts_of("answersim", WORDS) == ("recall", "containment") != lookup.parts_of("answersim", None)


def test_a_network_with_english_weights_alone_scores_no_other_language() -> None:
    with pytest.raises(LookupError, match=r"no bertscore-names; .*profile='embedded', which is English"):
        answersim.metric("bertscore-names", lang="de")


def test_weights_are_installed_if_base_adapters_and_ensemble_are_there(tmp_path, monkeypatch):
    monkeypatch.setattr(ensemble, "weights_file", lambda profile: tmp_path / "weights.json")
    assert not lookup.is_installed(MULTILINGUAL)
    shutil.copyfile(Path(ensemble.__file__).parent / "weights" / "words.json", tmp_path / "weights.json")
    assert lookup.is_installed(MULTILINGUAL)  # no part runs a network
    (tmp_path / "weights.json").write_text('{"parts": ["bi-encoder", "recall"], "weights": {}, "intercept": 0.0}')
    monkeypatch.setattr(search, "is_here", lambda model: model == "e5-small-q4")
    assert lookup.is_installed(MULTILINGUAL)
    monkeypatch.setattr(search, "is_here", lambda model: False)
    assert not lookup.is_installed(MULTILINGUAL)


@pytest.fixture
def _fresh() -> Iterator[None]:
    """No metric of another test."""
    lookup.release()
    yield
    lookup.release()


FRESH = pytest.mark.usefixtures("_fresh")


def settled(folder: Path) -> Path:
    """Wait until the files in this folder are older than the clock of the file system can tell."""
    time.sleep(3 * built_metrics._TICK / 1e9)
    return folder


@FRESH
@pytest.mark.parametrize("name", ["f1", "rouge-l", "meteor", "bertscore", "answersim"])
def test_a_metric_is_built_once(name):
    if lookup.entry(name).kind != "lexical":
        pytest.importorskip("torch")
    assert answersim.metric(name) is answersim.metric(name)
    assert answersim.metric(name, lang="en") is answersim.metric(name)


@FRESH
def test_a_part_of_a_composite_metric_is_the_metric_of_its_name():
    pytest.importorskip("torch")
    parts = answersim.metric("answersim").parts  # type: ignore[attr-defined] # it has parts
    assert answersim.metric("recall") in parts


@FRESH
def test_language_profile_and_options_are_parts_of_the_key():
    metrics = [
        answersim.metric("meteor", **asked)  # type: ignore[arg-type] # options of several types
        for asked in ({}, {"lang": "de"}, {"profile": "paper"}, {"alpha": 0.5}, {"alpha": 0.5, "beta": 2.0})
    ]
    assert len({metric.signature for metric in metrics}) == len(metrics)


@FRESH
def test_a_mistyped_name_is_refused_every_time():
    for _ in range(2):
        with pytest.raises(LookupError, match="no language has the ISO 639-1 code 'xx'"):
            answersim.metric("f1", lang="xx")
        with pytest.raises(LookupError, match="no profile is called 'papper'"):
            answersim.metric("f1", profile="papper")


@FRESH
def test_many_threads_get_one_metric(monkeypatch):
    built: list[Metric] = []
    build = lookup.entry("f1").build

    def slowly(*, lang: str, profile: str | None) -> Metric:
        time.sleep(0.05)
        built.append(build(lang=lang, profile=profile))
        return built[-1]

    monkeypatch.setitem(lookup.ENTRIES, "f1", replace(lookup.entry("f1"), build=slowly))
    start = Barrier(8)

    def ask(_: int) -> Metric:
        start.wait()
        return answersim.metric("f1")

    with ThreadPoolExecutor(8) as threads:
        metrics = list(threads.map(ask, range(8)))
    assert len(built) == 1
    assert all(metric is built[0] for metric in metrics)


@FRESH
def test_a_changed_model_is_a_new_metric(tiny, tmp_path):
    pytest.importorskip("torch")
    folder = settled(shutil.copytree(tiny("bert"), tmp_path / "model"))
    before = answersim.metric("bi-encoder", model=folder)
    assert answersim.metric("bi-encoder", model=str(folder)) is before
    shutil.copytree(tiny("bert", seed=1), folder, dirs_exist_ok=True)
    after = answersim.metric("bi-encoder", model=folder)
    assert after.signature != before.signature


@FRESH
def test_release_forgets_metrics_and_models(tiny):
    pytest.importorskip("torch")
    from answersim.metrics.neural import loading

    folder = settled(tiny("bert"))
    before = answersim.metric("bi-encoder", model=folder)
    f1 = answersim.metric("f1")
    encoder = before.encoder  # type: ignore[attr-defined] # it has one

    def load() -> object:
        return loading.text_model(encoder.checkpoint.folder, encoder.fingerprint, None, 2, "fp32", "cpu")

    model = load()
    assert load() is model
    lookup.release()
    assert load() is not model
    again = answersim.metric("bi-encoder", model=folder)
    assert again is not before
    assert again == before
    assert answersim.metric("f1") is not f1
