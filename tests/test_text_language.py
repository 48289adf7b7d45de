"""The language of texts: found with enough evidence, never for English answers with foreign names, one warning."""

import csv
import json
import pickle
import random
import warnings
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

import answersim
from answersim.errors import DetectedLanguageWarning
from answersim.io import chunks
from answersim.text_language import FREQUENT, text_language
from tests.cases import every
from tests.command_line import run

GERMAN = [
    ("Wie hoch ist der Berg?", "über 2000 Meter", "Er ist etwa 2000 Meter hoch."),
    ("Wann wurde die Stadt gegründet?", "im Jahr 1158", "nach dem Krieg, im Jahr 1158"),
    ("Wer schrieb die Oper?", "Mozart", "Sie wurde von Mozart geschrieben."),
    ("Ist das erlaubt?", "nicht erlaubt", "erlaubt"),
    ("Welche Farbe hat das Haus?", "es ist rot", "weiß und auch rot"),
    ("Wo liegt der See?", "zwischen zwei Bergen", "bei München"),
]
ENGLISH = [
    ("Who wrote Der Ring des Nibelungen?", "Richard Wagner", "It was written by Richard Wagner."),
    ("Where is the Université de Montréal?", "Montréal", "in the city of Montréal"),
    ("What is the capital of Bolivia?", "La Paz", "Nuestra Señora de La Paz"),
    ("Who painted Het meisje met de parel?", "Johannes Vermeer", "Jan Vermeer van Delft"),
    ("Which film won?", "La vita è bella", "Das Leben der Anderen"),
    ("Who sang Non, je ne regrette rien?", "Édith Piaf", "Piaf"),
    ("What is the motto?", "Liberté, égalité, fraternité", "liberty"),
    ("Where was he born?", "Rio de Janeiro", "São Paulo"),
    ("What does Пётр mean?", "rock", "stone (Πέτρος)"),
]
OTHERS = {
    "fr": [
        "Quand la guerre a-t-elle commencé ?",
        "en 1914, après l'attentat",
        "pour la paix dans le monde",
        "avec sa sœur et sans elle",
        "Où est-il né ?",
    ],
    "es": [
        "¿Cuándo empezó la guerra?",
        "en 1914, después del atentado",
        "por la paz en el mundo",
        "¿Quién escribió esta novela?",
        "su hermana es más alta, pero también es menor",
    ],
    "it": [
        "Quando è iniziata la guerra?",
        "nel 1914, dopo l'attentato",
        "per la pace nel mondo",
        "Chi ha scritto questa opera?",
        "anche sua sorella è più alta",
    ],
    "nl": [
        "Wanneer begon de oorlog?",
        "in 1914, na een aanslag",
        "voor vrede, ook tijdens de winter",
        "Wie schreef het boek?",
        "zij is niet meer naar huis gegaan",
    ],
    "pt": [
        "Quando começou a guerra?",
        "em 1914, depois de um atentado",
        "pela paz no mundo, não só hoje",
        "Quem escreveu uma obra destas?",
        "são mais altos, mas também são mais novos",
    ],
    "ja": ["第二次世界大戦はいつ終わりましたか", "1945年に終わりました", "昭和20年の夏です", "はい"],
    "ko": ["전쟁은 언제 시작되었습니까?", "천구백오십년에 시작되었습니다", "유월 이십오일", "네, 그렇습니다"],
    "zh": [
        "中国的首都是哪里",
        "北京是中国的首都",
        "长江是亚洲最长的河流",
        "上海是最大的城市之一",
        "他在一九四九年出生于北京",
    ],
    "ru": ["Когда началась война?", "в тысяча девятьсот сорок первом году", "Москва", "столица России"],
    "el": ["Πότε άρχισε ο πόλεμος;", "το χίλια εννιακόσια σαράντα", "στην Αθήνα"],
}


def texts(rows: list[tuple[str, str, str]]) -> list[str]:
    return [text for row in rows for text in row]


@every(("code", "of"), [("de", texts(GERMAN)), *OTHERS.items()])
def test_a_language_is_found_with_enough_evidence(code, of):
    found = text_language(of)
    assert found is not None
    assert (found.code, found.n) == (code, len(of))
    assert 3 <= found.showing <= len(of)


@every(
    "of",
    [
        [],
        ["", " "],
        texts(ENGLISH),
        texts(ENGLISH) * 50,
        [f"{text} {i}" for i in range(50) for text in texts(ENGLISH)],
        [answer for _, *answers in ENGLISH for answer in answers],  # names only
        texts(GERMAN)[:3],  # too little
        ["Москва"],
        ["1", "2", "3.5", "$5"] * 30,
    ],
)
def test_english_answers_with_foreign_names_are_english(of):
    assert text_language(of) is None


def test_no_frequent_word_is_one_of_english():
    for one, other in combinations(FREQUENT, 2):
        assert "en" not in (one, other) or not FREQUENT[one] & FREQUENT[other]


def test_the_module_is_small():
    path = Path(answersim.__file__).parent / "text_language.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 150


# --- the warning


def pairs() -> tuple[list[str], list[str], list[str]]:
    questions, golds, preds = map(list, zip(*GERMAN, strict=True))
    return questions, golds, preds


def of_language(found: list[warnings.WarningMessage]) -> list[DetectedLanguageWarning]:
    return [each.message for each in found if isinstance(each.message, DetectedLanguageWarning)]


@pytest.mark.parametrize("metric", ["f1", "recall", "meteor", "rouge-l", "typed+em"])
def test_german_answers_scored_as_english_give_one_warning_with_counts(metric):
    _, golds, preds = pairs()
    with pytest.warns(DetectedLanguageWarning, match=r"look German, .* give --lang de \(lang='de'\)") as found:
        answersim.score(golds, preds, metric=metric)
    (warning,) = of_language(list(found))
    assert (warning.language, warning.name, warning.metrics) == ("de", "German", metric)
    assert 4 <= warning.count <= warning.n == 12
    again = pickle.loads(pickle.dumps(warning))
    assert (str(again), again.count) == (str(warning), warning.count)


def test_one_warning_names_all_metrics_that_read_english():
    _, golds, preds = pairs()
    with pytest.warns(DetectedLanguageWarning, match="but recall, f1 reads them as English") as found:
        answersim.score_pairs(list(zip(golds, preds, strict=True)), ["recall", "bleu", "f1"])
    assert len(of_language(list(found))) == 1


@pytest.mark.parametrize(
    ("metric", "options"),
    [("f1", {"lang": "de"}), ("bleu", {}), ("f1", {"profile": "unicode"}), ("f1", {"profile": "squad"})],
)
def test_metrics_that_do_not_read_english_give_no_warning(metric, options):
    _, golds, preds = pairs()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answersim.score(golds, preds, metric=metric, **options)


def test_the_warning_names_the_languages_with_rules_for_values():
    texts = OTHERS["ja"]
    with pytest.warns(
        DetectedLanguageWarning, match="give --lang ja .* Rules for values exist in English and German only"
    ):
        answersim.score(texts, texts[::-1], metric="recall")


def test_english_weights_are_named_as_such():
    _, golds, preds = pairs()
    with pytest.warns(DetectedLanguageWarning, match="look German, .* its weights are English"):
        answersim.score(golds, preds, metric="bi-encoder")


@pytest.fixture
def german_file(tmp_path: Path) -> Path:
    path = tmp_path / "de.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "gold", "pred", "other", "label", "number", "id"])
        for i in range(400):  # several blocks
            question, gold, pred = GERMAN[i % 6]
            writer.writerow([question, f"{gold} {i}", f"{pred} {i}", f"{gold} {i + 1}", i % 2, i % 7, i])
    return path


COMMANDS = {
    "score": ["-m", "recall"],
    "evaluate": ["-m", "recall", "--pred", "pred,other", "--question", "question"],
    "correlate": ["-m", "recall", "--resamples", "20", "--score", "number"],
    "calibrate": ["-m", "recall", "--output", "c.json"],
    "compare": ["other.csv", "--id", "id", "-m", "recall"],
    "gate": ["other.csv", "--id", "id", "-m", "recall", "--max-drop", "0.99"],
    "report": ["other.csv", "--id", "id", "-m", "recall", "--output", "r.html"],
    "label": ["-m", "recall", "-n", "20", "--sheet", "s.csv"],
    "score -c": ["--calibration", "recall"],
}
KNOWN_LANGUAGE = ("score -c", "label")  # a calibration has a language of its own; the sheet is there already


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=pytest.mark.slow) if name == "report" else name for name in COMMANDS]
)
def test_a_command_warns_once(command, german_file, tmp_path, monkeypatch):
    monkeypatch.setattr(chunks, "ROWS", 100)
    monkeypatch.chdir(tmp_path)
    table = list(csv.DictReader(german_file.read_text(encoding="utf-8").splitlines()))
    with (tmp_path / "other.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(row | {"pred": row["other"]} for row in table)
    warned = succeed_err(command.split()[0], german_file, *COMMANDS[command])
    assert warned.count("look German") == 1, warned
    if command not in KNOWN_LANGUAGE:
        assert "look German" not in succeed_err(command.split()[0], german_file, *COMMANDS[command], "--lang", "de")


def succeed_err(*arguments: object) -> str:
    code, _, err = run(*arguments)
    assert code == 0, err
    return err


@pytest.mark.data
def test_human_labeled_sets_are_english_but_for_german_quad(data_home):
    for name, rows in _sets(data_home):
        for size in (5, 10, 20, 50, 120, len(rows)):
            rng = random.Random(size)
            draws = [rng.sample(rows, min(size, len(rows))) for _ in range(20 if size < len(rows) else 1)]
            found = [text_language(text for row in draw for text in row) for draw in draws]
            codes = {language.code for language in found if language is not None}
            assert codes <= {"de" if name == "GermanQuAD" else ""} - {""}, (name, size)
            if name == "GermanQuAD" and size >= 50:
                assert None not in found


def _sets(home: Path) -> Iterator[tuple[str, list[list[str]]]]:
    for name in ("SQuAD", "NQ-open", "GermanQuAD"):
        with (home / "sas" / f"{name}_SAS.csv").open(newline="", encoding="utf-8") as file:
            yield name, [[row["answer1"], row["answer2"]] for row in csv.DictReader(file)]
    if (home / "judged" / "evouna-TQ.json").is_file():
        answers = json.loads((home / "judged" / "evouna-TQ.json").read_text(encoding="utf-8"))
        for system in ("fid", "gpt35", "chatgpt", "gpt4", "newbing"):
            yield f"EVOUNA {system}", [[row["golden_answer"], row[f"answer_{system}"] or ""] for row in answers]
    efficient = home / "judged" / "NQ-open.efficientqa.test.1.1.jsonl"
    if efficient.is_file():
        rows = [json.loads(line) for line in efficient.read_text(encoding="utf-8").splitlines()]
        yield ("EfficientQA", [[row["answer"][0], pred] for row in rows for pred in row["def_incorrect_predictions"]])
