"""The systems of the SCAN paper, on a tiny encoder: one transfer for all, adaptation from it, and a plain network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from answersim._base.runtime.training_checkpoints import FILE
from rankers.data import load
from rankers.models import neural_ranker, store
from rankers.models.neural_ranker import NeuralRanker
from rankers.papers import TRANSFER
from rankers.papers.scan import Damage, mislabel, misspell
from rankers.systems import fit as fitting
from rankers.systems.catalog import HISTORY
from rankers.systems.fit import fit
from rankers.training.sampling import with_positives
from rankers.types import Candidate, Question, Questions, Ranker

HOME = f"{TRANSFER}-toy"


@pytest.fixture(scope="module")
def train(asked):
    return asked(8)


@pytest.fixture(scope="module")
def overrides(tiny):
    encoder = str(tiny("bert"))
    return {
        **{"network.checkpoint": encoder, "inputs.checkpoint": encoder, "network.max_length": 40, "network.frozen": 1},
        **{"question_length": 12, "answer_length": 24, "batch_size": 10, "limit": 6, "dev_limit": 4, "epochs": 2},
        **{"training.source": "toy", "keep": "last"},
    }


@pytest.fixture(scope="module")
def make(train, asked, overrides):
    """``make("scan", folder=...)`` is the trained ranker on a tiny BERT, which was trained on some of toy first."""

    def fitted(name, changes=None, **settings):
        stated = {"train": train, "dev": asked(4, split="dev", start=4), "preset": "smoke", **settings}
        return fit(name, stated.pop("train"), stated.pop("dev"), overrides={**overrides, **(changes or {})}, **stated)

    return fitted


@pytest.fixture
def fitted(make, tmp_path):
    """The same in the folder of the test."""
    return lambda name, changes=None, **settings: make(name, changes, **{"folder": tmp_path, **settings})


SYSTEMS = ("tanda", "scan", "scan-wo-fd", "scan-wo-both", "scan-equation-5", "ce-plain")


class Trained(NamedTuple):
    """The systems ``SYSTEMS``, trained one after another in one folder."""

    folder: Path
    rankers: dict[str, Ranker]
    lines: list[str]  # their log


@pytest.fixture(scope="module")
def trained(make, tmp_path_factory):
    folder, lines = tmp_path_factory.mktemp("trained"), list[str]()
    return Trained(folder, {name: make(name, folder=folder, log=lines.append) for name in SYSTEMS}, lines)


def history_of(folder: Path, training: str) -> dict[str, Any]:
    return json.loads((folder / training / HISTORY).read_text())


def tensors(ranker: Ranker) -> dict[str, bytes]:
    assert isinstance(ranker, NeuralRanker)
    return {name: weight.numpy().tobytes() for name, weight in neural_ranker.weights(ranker.network).items()}


def test_one_transfer_serves_all_systems_and_its_folder_states_the_source(trained):
    announced, epochs = (
        [line.split(":")[0] for line in trained.lines if what in line] for what in ("trains first on toy", ": epoch ")
    )
    own = [name for name in SYSTEMS if name != "scan-wo-both"]  # which ranks by the training of tanda
    assert announced == [name for name in own if name != "ce-plain"]
    assert epochs == [training for training in (HOME, *own) for _ in range(3)]
    provenance = history_of(trained.folder, HOME)["provenance"]
    assert (provenance["source"], provenance["train"]) == ("toy", load("toy", "train").fingerprint)
    assert provenance["dev"] == load("toy", "dev").fingerprint
    assert history_of(trained.folder, "scan")["provenance"]["source"] == "toy"
    spent = [history_of(trained.folder, training)["epochs"][-1]["seconds"] for training in (HOME, "scan")]
    assert fitting.seconds(trained.folder, "scan") == pytest.approx(sum(spent))


def test_adaptation_starts_from_the_transfer_and_plain_fine_tuning_does_not(fitted, trained, tmp_path):
    for name in ("tanda", "scan", "ce-plain"):
        fitted(name, {"epochs": 0})
    transfer = tensors(store.load(tmp_path / HOME / "model"))
    assert tensors(store.load(tmp_path / "tanda" / "model")) == transfer
    assert tensors(store.load(tmp_path / "scan" / "model")) == transfer
    assert tensors(store.load(tmp_path / "ce-plain" / "model")) == transfer  # of no epoch, and of the same seed
    first = tensors(store.load(trained.folder / HOME / "model"))
    adapted, plain = (tensors(trained.rankers[name]) for name in ("tanda", "ce-plain"))
    assert adapted not in (first, plain)
    assert adapted["head.weight"] != plain["head.weight"] != first["head.weight"]


def test_the_network_that_ranks_has_no_branch_and_the_one_that_learned_had_one(trained):
    ranker = trained.rankers["scan"]
    assert not any("debias" in name for name in tensors(ranker))
    assert not ranker.settings.debias  # type: ignore[attr-defined]
    result = history_of(trained.folder, "scan")
    assert result["provenance"]["network"]["debias"]
    assert result["parameters"] == sum(parameter.numel() for parameter in ranker.network.parameters())  # type: ignore[attr-defined]
    assert ranker == store.load(trained.folder / "scan" / "model")


def test_every_epoch_states_how_far_weights_were_from_equal(fitted, tmp_path):
    lines: list[str] = []
    fitted("scan", {"objective.reweighting.lrbl": 5.0, "training.source": ""}, log=lines.append)
    assert [path.name for path in tmp_path.iterdir()] == ["scan"]  # the checkpoint is the start
    assert fitting.seconds(tmp_path, "scan") == history_of(tmp_path, "scan")["epochs"][-1]["seconds"]
    reports = history_of(tmp_path, "scan")["objective_statistics"]
    assert [report["epoch"] for report in reports] == [1, 2]
    assert all(0.05 < report["effective"] < 0.9999 and report["largest"] > 1.001 for report in reports)
    assert all(min(report["weighted"], report["branch"], report["contrast"]) > 0 for report in reports)
    assert [f"largest weight {report['largest']:.3f}" in line for report, line in zip(reports, lines[-2:], strict=True)]
    assert all("effective sample size" in line for line in lines[-2:])
    assert not any("effective" in line for line in lines[:-2])


def test_weights_move_with_equation_5_as_printed_and_else_it_is_reported_that_they_stay_equal(trained):
    printed, published = (
        history_of(trained.folder, name)["objective_statistics"] for name in ("scan-equation-5", "scan")
    )
    assert all(report["largest"] > 1.01 for report in printed)
    assert all(report["largest"] < 1.001 for report in published)
    reported = [line for line in trained.lines if line.startswith("scan: epoch")][1:]
    assert all("the weights stay equal" in line and "objective.reweighting.lrbl" in line for line in reported)


@pytest.mark.parametrize("epoch", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_a_scan_that_was_stopped_resumes_with_the_same_bits(epoch, fitted, tmp_path):
    def dies(line):
        if line.startswith(f"scan: epoch {epoch:3d}"):
            raise KeyboardInterrupt

    changes = {"objective.reweighting.lrbl": 50.0, "training.source": ""}
    whole = fitted("scan", changes, folder=tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        fitted("scan", changes, folder=tmp_path / "killed", log=dies)
    assert (tmp_path / "killed" / "scan" / FILE).exists()
    lines: list[str] = []
    resumed = fitted("scan", changes, folder=tmp_path / "killed", log=lines.append)
    said = [line for line in lines if "epoch" in line]
    assert said[0] == f"scan: resumed after epoch {epoch - 1}"
    assert said[1].startswith(f"scan: epoch {epoch:3d}")
    assert tensors(resumed) == tensors(whole)
    first, second = (history_of(tmp_path / name, "scan") for name in ("whole", "killed"))
    assert first["objective_statistics"] == second["objective_statistics"]
    assert len(first["objective_statistics"]) == 2


@pytest.mark.parametrize(
    ("name", "damage"), [("tanda-perturbed", Damage(letters=0.3)), ("scan-rate-1-noisy", Damage(labels=0.2))]
)
def test_damage_is_done_to_training_questions_only_and_follows_from_the_seed(name, damage, train, overrides):
    stated = fitting.provenance(name, train, train, preset="smoke", seed=3, overrides=overrides)
    assert stated[name]["train"] == damage.done(with_positives(train), 3).fingerprint != train.fingerprint
    assert stated[name]["dev"] == train.fingerprint
    assert stated[name]["damage"] == {"letters": damage.letters, "labels": damage.labels}
    assert stated[HOME]["train"] == load("toy", "train").fingerprint
    assert stated[HOME]["damage"] is None


def test_the_table_of_weights_has_a_batch_of_rows_and_the_run_s_seed(train, overrides):
    stated = fitting.provenance("scan", train, train, preset="smoke", seed=4, overrides=overrides)["scan"]["objective"]
    assert (stated["is"], stated["reweighting"]["rows"], stated["reweighting"]["seed"]) == ("ScanConfig", 10, 4)


def test_a_transfer_from_the_corpus_itself_or_an_unknown_one_is_refused(fitted, no_data, tmp_path):
    toy = {"train": load("toy", "train"), "folder": tmp_path / "new"}
    with pytest.raises(ValueError, match="the first and the second training are both on toy"):
        fitted("scan", **toy)
    with pytest.raises(LookupError, match="selqa is not shipped: set"):
        fitted("tanda", {"training.source": "selqa"}, folder=tmp_path / "new")
    with pytest.raises(LookupError, match="no corpus is called 'selka'; did you mean 'selqa'"):
        fitted("tanda", {"training.source": "selka"}, folder=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_it_trains_on_an_encoder_with_byte_pieces(fitted, tiny, tmp_path):
    encoder = str(tiny("roberta"))
    result = fitted("scan", {"network.checkpoint": encoder, "inputs.checkpoint": encoder, "training.source": ""})
    first, second = result.score(["where is the apple kept?"], [["the apple is on the table", "some cellar"]])[0]
    assert first != second
    assert store.load(tmp_path / "scan" / "model") == result


def pairs(questions: Questions) -> list[Candidate]:
    return [candidate for question in questions for candidate in question.candidates]


def one(text: str) -> Questions:
    return Questions("made-up", "test", (Question("q", text, (Candidate("c", "", 1),)),))


def is_one_edit(old: str, new: str) -> bool:
    """Whether a swap of neighbours, one letter more or one letter less makes the new word."""
    less = {old[:i] + old[i + 1 :] for i in range(len(old))}
    more = {old[:i] + letter + old[i:] for i in range(len(old) + 1) for letter in old}
    swapped = {old[:i] + old[i + 1] + old[i] + old[i + 2 :] for i in range(len(old) - 1)}
    return new in (less | more | swapped) - {old}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.37, 1.0])
def test_a_share_of_texts_or_labels_changes_and_nothing_else(asked, share):
    before = asked(10)
    after, flipped = misspell(before, share), mislabel(before, share)
    assert sum(old != new for old, new in zip(pairs(before), pairs(after), strict=True)) == round(share * 40)
    assert sum(old.text != new.text for old, new in zip(before, after, strict=True)) == round(share * 10)
    assert [pair._replace(text="") for pair in pairs(after)] == [pair._replace(text="") for pair in pairs(before)]
    assert [(entry.id, entry.golds) for entry in after] == [(entry.id, entry.golds) for entry in before]
    assert sum(old != new for old, new in zip(pairs(before), pairs(flipped), strict=True)) == round(share * 40)
    assert [pair._replace(grade=0) for pair in pairs(flipped)] == [pair._replace(grade=0) for pair in pairs(before)]
    assert {(old.grade, new.grade) for old, new in zip(pairs(before), pairs(flipped), strict=True)} <= {
        *((0, 0), (1, 1), (0, 1), (1, 0))
    }
    assert after.notes == (*before.notes, f"wrong letters in {share:.0%} of the questions and answers, seed 0")


def test_a_word_that_is_drawn_gets_one_edit_and_short_ones_none():
    text = "the cat of 2,000 standing, balloon naïvely"
    for seed in range(30):
        old, new = text.split(), misspell(one(text), 1.0, seed).items[0].text.split()
        assert new[:4] == old[:4]
        changed = [(a, b) for a, b in zip(old[4:], new[4:], strict=True) if a != b]
        assert len(changed) == 1  # a fifth of three words, but at least one
        assert is_one_edit(changed[0][0].strip(","), changed[0][1].strip(","))
    assert misspell(one("who is he?"), 1.0).items[0].text == "who is he?"


def test_equal_texts_of_different_candidates_get_edits_of_their_own():
    pool = tuple(Candidate(str(i), "balloon", 0) for i in range(10))
    after = misspell(Questions("made-up", "test", (Question("q", "?", pool),)), 1.0)
    assert len({pair.text for pair in pairs(after)}) > 3


def test_the_seed_decides_the_damage(asked):
    for damage in (Damage(letters=0.3), Damage(labels=0.2), Damage(0.3, 0.2)):
        assert damage.done(asked(10), 1) == damage.done(asked(10), 1)
        assert damage.done(asked(10), 1).items != damage.done(asked(10), 2).items
    assert Damage().done(asked(10)) == asked(10)
    assert Damage(0.3, 0.2).done(asked(10)) == mislabel(misspell(asked(10), 0.3), 0.2)
