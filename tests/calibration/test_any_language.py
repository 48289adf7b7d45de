"""A calibration of the multilingual weights is for every language, with a caution where it was not checked."""

from dataclasses import replace
from pathlib import Path

import pytest

from answersim._base.signature import language_of, without_language
from answersim.answers.text.support import SUPPORT, is_checked
from answersim.answers.text.tokens import LANGUAGES
from answersim.calibration import shipped_index, storing, wording
from answersim.calibration.model import Calibration
from answersim.calibration.storing import ANY, find, write

GERMAN = "answersim|weights:0|parts:1|lang:de|floor:0.96|rules:de.5|rev:4"
CHECK = {"n": 100, "data": "some", "equivalent": 0.5, "probability": 0.5, "accuracy": [0.9, 0.8, 0.95]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of calibrations with one for all languages, which was checked in French."""
    made = replace(
        find("recall"),
        signature=GERMAN,
        metric={"name": "answersim", "lang": "de", "profile": None, "options": {}},
        metadata={shipped_index.ANY_LANGUAGE: True, "languages": {"fr": CHECK}},
    )
    write(made, tmp_path / "answersim-multilingual.json")
    monkeypatch.setattr(storing, "SHIPPED", tmp_path)
    return tmp_path


def french(lang: str) -> str:
    return GERMAN.replace("lang:de", f"lang:{lang}").replace("rules:de", "rules:en")


@pytest.mark.usefixtures("folder")
def test_the_calibration_is_found_for_every_language() -> None:
    for lang in ("de", "fr", "sw"):
        found = find(ANY, GERMAN if lang == "de" else french(lang))
        assert isinstance(found, Calibration)
        assert language_of(found.signature) == lang


@pytest.mark.usefixtures("folder")
def test_a_language_without_a_check_has_a_caution() -> None:
    assert wording.language_caution(find(ANY, french("fr"))) == []
    (caution,) = wording.language_caution(find(ANY, french("sw")))
    assert "not checked in the language 'sw'" in caution


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("other", ["weights:9", "parts:9", "floor:0.9", "rev:5"])
def test_other_weights_or_parts_have_none(other: str) -> None:
    name = other.partition(":")[0]
    changed = "|".join(other if part.startswith(f"{name}:") else part for part in french("fr").split("|"))
    with pytest.raises(LookupError):
        find(ANY, changed)


def test_the_language_is_every_part_that_names_it() -> None:
    assert without_language("f1|text:de|rev:1") == without_language("f1|text:zh|rev:1")
    assert without_language("typed+f1|text:de|rules:de.5|rev:1") == "typed+f1|text:*|rules:*.5|rev:1"
    assert without_language("sas|order:mean|rev:1") == "sas|order:mean|rev:1"


def test_every_code_of_the_table_is_a_language() -> None:
    assert all(codes <= LANGUAGES for codes in SUPPORT)
    assert is_checked("el")
    assert not is_checked("sw")
