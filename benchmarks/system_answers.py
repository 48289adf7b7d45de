"""Answers of systems with human labels, correct or not: EVOUNA (TriviaQA and NQ), EfficientQA and DIVER-QA."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args
from urllib.parse import unquote

from answersim._base.errors import unknown
from answersim._base.io import text_rows
from answersim.evaluation.data import datasets
from answersim.evaluation.data.datasets import DatasetNotFoundError
from answersim.evaluation.data.fetch import COMMAND, DATA_VARIABLE, places
from answersim.evaluation.data.labeled import read_csv

Part: TypeAlias = Literal["train", "dev", "test"]

EVOUNA = "judged/evouna-TQ.json"
EVOUNA_NQ = "judged/evouna-NQ-train.json"
EFFICIENTQA = "judged/NQ-open.efficientqa.test.1.1.jsonl"
DIVER = "judged/diver-qa-train.csv"
SOURCES = {
    EVOUNA: "github.com/wangcunxiang/QA-Eval, commit 90007d3, Apache-2.0",
    EVOUNA_NQ: "github.com/wangcunxiang/QA-Eval, commit 90007d3, Apache-2.0",
    DIVER: "github.com/saishridhar/DIVER-QA, commit df33f7f, MIT",
    EFFICIENTQA: "github.com/google-research-datasets/natural-questions, commit fb26a30, CC BY-SA 3.0",
}

NQ_OPEN_SAS = "sas/nq_open_with_questions.csv"
NQ_OPEN_SAS_QUESTIONS = 863  # of the 1,769 questions of EfficientQA

_ENDS = {"train": 0.70, "dev": 0.85, "test": 1.0}  # each part ends at this share of all hashes
_WITHIN = re.compile(r"(?<!\w)(?:UN/LOCODE|AC/DC|A/C|9/11)(?!\w)|://|\s/\s")  # slashes that are part of an answer
_ESCAPES = re.compile(r"(?:%[0-9A-F]{2})+")  # %22 for a quotation mark: the golds were addresses of pages
_LAYERS = re.compile(r'\\+(u[0-9a-fA-F]{4}|")')
_KEPT = "\0"
_ALPHANUMERIC = re.compile(r"[^\W_]+")
_VERDICTS = (  # fields of a record of EfficientQA, the verdict, and whether it is certain
    ("def_correct_predictions", True, True),
    ("poss_correct_predictions", True, False),
    ("def_incorrect_predictions", False, True),
)


class SystemAnswer(NamedTuple):
    """The answer of one system to a question, with its human label."""

    question: str  # the question
    golds: tuple[str, ...]  # the gold answers: at least one, without repetitions
    system: str  # the system that answered
    answer: str  # its answer: a phrase or whole sentences
    verdict: bool  # whether the annotator called the answer correct
    part: str  # "train", "dev" or "test": the part of its question, see ``part_of``
    # whether the annotators were sure. EfficientQA also has answers that are "possibly correct": their verdict is True
    # and ``certain`` is False.
    certain: bool = True


def load_evouna(part: Part | None = None, *, path: Path | None = None) -> list[SystemAnswer]:
    """Read the judged answers of five systems to questions of TriviaQA, grouped by question, in file order.

    1,938 questions, 9,690 answers; the questions that the file marks as improper are left out. ``golds_of`` splits a
    gold answer. ``part``: only the questions of this part. By default, all. ``path``: the file; when not given,
    ``judged/evouna-TQ.json`` below ``$ANSWERSIM_DATA`` or in the cache. Raise DatasetNotFoundError if the file is
    missing, LookupError if there is no such part, ValueError if the file has another format.

    Source: Wang et al. 2023, "Evaluating Open-QA Evaluation".
    """
    if part not in (None, *get_args(Part)):
        raise unknown("part", part, get_args(Part))
    path = path or locate(EVOUNA)
    records = json.loads(path.read_bytes())
    if not isinstance(records, list):
        raise ValueError(
            f"{path} contains a JSON {type(records).__name__}, but a file of EVOUNA is a list of questions"
        )
    answers = [answer for i, record in enumerate(records, start=1) for answer in _evouna(record, f"{path}, record {i}")]
    return [answer for answer in answers if part in (None, answer.part)]


def load_efficientqa(
    *, certain: bool = True, nq_open_sas: bool | None = None, path: Path | None = None, sas_path: Path | None = None
) -> list[SystemAnswer]:
    """Read the predictions for NQ-open with the verdicts of annotators, grouped by question, in file order.

    NQ-open of the SAS paper was made from 863 of the 1,769 questions. These questions are for evaluation only, never
    for training. Escapes in the text are resolved.

    ===============  =======================  ========================  ==========================
    ``nq_open_sas``  answers with a verdict   of them correct           "possibly correct" answers
    ===============  =======================  ========================  ==========================
    None             4,902 (1,485 questions)  753                       984
    True             2,860                    411                       555
    False            2,042                    342                       429
    ===============  =======================  ========================  ==========================

    ``certain``: whether to leave out the answers that annotators called possibly correct. If they are read, each has
    the verdict True and ``certain`` False. ``nq_open_sas``: True for the questions of NQ-open of the SAS paper only,
    False for the others only, see ``in_nq_open_sas``; all questions by default. Raise DatasetNotFoundError or
    ValueError as ``load_evouna``, and as ``in_nq_open_sas`` if ``nq_open_sas`` is given. Raise ValueError if
    ``nq_open_sas`` is given and a question of NQ-open of the SAS paper is missing in the file.

    Source: Min et al. 2021, "NeurIPS 2020 EfficientQA Competition", section 5.
    """
    path = path or locate(EFFICIENTQA)
    records = list(text_rows.json_records(path.read_text(encoding="utf-8").split("\n"), path))
    if nq_open_sas is not None:
        flags = in_nq_open_sas((_text(record, "question", where) for where, record in records), path=sas_path)
        if sum(flags) != NQ_OPEN_SAS_QUESTIONS:
            raise ValueError(
                f"{path} contains {sum(flags)} of the questions of {NQ_OPEN_SAS}, but it must contain all "
                f"{NQ_OPEN_SAS_QUESTIONS}, each once; fetch the published file: {SOURCES[EFFICIENTQA]}"
            )
        records = [place for place, flag in zip(records, flags, strict=True) if flag == nq_open_sas]
    return [answer for where, record in records for answer in _efficientqa(record, where, certain)]


def load_diver(
    part: Part | None = None, *, path: Path | None = None, evouna_path: Path | None = None
) -> list[SystemAnswer]:
    """Read the judged answers of five language models to 300 questions of DIVER-QA, grouped by question, in file order.

    The questions are from SQuAD, HotpotQA, TriviaQA, MedQA and AdversarialQA; nearly all answers are sentences. A
    system is the source of the question and the model, such as "squad/claude". 9 of the questions are also in the
    TriviaQA of EVOUNA. They are in the part of the question there. ``part``: only the questions of this part. By
    default, all. Raise DatasetNotFoundError or ValueError as ``load_evouna``.
    """
    known = {plain(answer.question): answer.part for answer in load_evouna(path=evouna_path)}
    by_question: dict[str, list[SystemAnswer]] = {}
    for row in read_csv(path or locate(DIVER), ["questions", "answers", "dataset", "prediction", "model", "eval"]):
        question, right = row["questions"], row["eval"] == "1"
        own_part = known.get(plain(question), part_of(question))
        system = f"{row['dataset']}/{row['model']}"
        answer = SystemAnswer(question, (row["answers"],), system, row["prediction"], right, own_part)
        by_question.setdefault(question, []).append(answer)
    return [answer for answers in by_question.values() for answer in answers if part in (None, answer.part)]


def in_nq_open_sas(questions: Iterable[str], *, path: Path | None = None) -> list[bool]:
    """Return for each question whether NQ-open of the SAS paper contains it, so that it may not be trained on.

    Case, punctuation, spaces and the forms of Unicode characters do not count: "Who wrote  Emma?" is "who wrote emma".
    The questions are those of ``sas/nq_open_with_questions.csv``, which has all pairs that the paper evaluates. Raise
    DatasetNotFoundError if the file is missing, ValueError if the file does not have 863 different questions.
    """
    path = path or datasets.locate("nq-open", NQ_OPEN_SAS)
    known = {plain(row["question"]) for row in read_csv(path, ["question"])}
    if len(known) != NQ_OPEN_SAS_QUESTIONS:
        raise ValueError(
            f"{path} has {len(known)} different questions, but the file of the paper has {NQ_OPEN_SAS_QUESTIONS}; "
            f"'{COMMAND}' brings the file as it was published"
        )
    return [plain(question) in known for question in questions]


def part_of(question: str) -> Part:
    """Return the part of a question: 70 % train, 15 % dev, 15 % test, by the SHA-256 of its text in UTF-8.

    It depends on the text only, so all answers to a question are in the same part on every machine and in every file.

    >>> [part_of(question) for question in ("Who wrote Emma?", "Who wrote Ulysses?", "Who wrote Dracula?")]
    ['train', 'train', 'test']
    """
    share = int.from_bytes(sha256(question.encode()).digest()[:8], "big") / 2**64
    return cast(Part, next((name for name, end in _ENDS.items() if share < end), "test"))


def golds_of(joined: str) -> tuple[str, ...]:
    """Split a text that joins answers by "/", and return them in order, each once and none empty.

    It is ambiguous which slashes belong to an answer. Slashes between blanks, in addresses (``://``) and in a few words
    that are never two answers (UN/LOCODE, AC/DC, A/C, 9/11) count as parts of answers. Every other slash splits, even
    if it should not ("Road from 1/2 to 3"). The result may contain too many references, but never too few. A
    percent-encoded character (%22) is decoded.

    >>> golds_of("61/sixty-one")
    ('61', 'sixty-one')
    >>> golds_of("AC/DC/Bruce Wayne / Batman/%22The Bat%22/AC/DC")
    ('AC/DC', 'Bruce Wayne / Batman', '"The Bat"')
    """
    marked = _WITHIN.sub(lambda match: match.group().replace("/", _KEPT), joined)
    pieces = (piece.replace(_KEPT, "/").strip() for piece in marked.split("/"))
    plain = (_ESCAPES.sub(lambda match: unquote(match.group()), piece) for piece in pieces)
    return tuple(dict.fromkeys(piece for piece in plain if piece))


def locate(path: str) -> Path:
    """Return the path of this file: below ``$ANSWERSIM_DATA``, else in the cache.

    Raise DatasetNotFoundError if neither contains it.
    """
    tried = [folder / path for _, folder in places()]
    for file in tried:
        if file.is_file():
            return file
    raise DatasetNotFoundError(
        f"{path} was not found; searched: {', '.join(map(str, tried)) or 'nothing (no home folder)'}. "
        f"Its source is {SOURCES[path]}; put it into one of these places, or set ${DATA_VARIABLE}"
    )


def _evouna(record: Any, where: str) -> Iterator[SystemAnswer]:
    """Return the answers to one question: a field ``answer_X`` and a field ``judge_X`` per system."""
    question, golds = _text(record, "question", where), golds_of(_text(record, "golden_answer", where))
    if not golds:
        raise ValueError(
            f"{where}: golden_answer is {record['golden_answer']!r}, but it must contain at least one answer"
        )
    if _verdict(record, "improper", where):
        return
    for system in (name.removeprefix("answer_") for name in record if name.startswith("answer_")):
        answer, verdict = _text(record, f"answer_{system}", where), _verdict(record, f"judge_{system}", where)
        yield SystemAnswer(question, golds, system, answer, verdict, part_of(question))


def _efficientqa(record: Any, where: str, only_certain: bool) -> Iterator[SystemAnswer]:
    """Return the answers to one question: the correct ones, the possibly correct ones if requested, and the others."""
    question = _text(record, "question", where)
    golds = tuple(dict.fromkeys(_texts(record, "answer", where)))
    for name, verdict, certain in _VERDICTS:
        if certain or not only_certain:
            for answer in _texts(record, name, where):
                yield SystemAnswer(question, golds, "efficientqa", answer, verdict, part_of(question), certain)


def plain(text: str) -> str:
    """Return the letters and digits of a text, without case.

    >>> plain("Kareem Abdul - Jabbar!")
    'kareemabduljabbar'
    """
    return "".join(_ALPHANUMERIC.findall(unicodedata.normalize("NFKC", text).casefold()))


def _field(record: Any, name: str, kind: type, where: str) -> Any:
    value = record.get(name) if isinstance(record, dict) else None
    if not isinstance(value, kind):
        raise ValueError(
            f"{where}: {name} is {value!r}, but it must be {kind.__name__}; is this the file as published?"
        )
    return value


def _text(record: Any, name: str, where: str) -> str:
    return _field(record, name, str, where)


def _verdict(record: Any, name: str, where: str) -> bool:
    return _field(record, name, bool, where)


def _texts(record: Any, name: str, where: str) -> list[str]:
    return [_unescaped(_text({name: text}, name, where)) for text in _field(record, name, list, where)]


def _unescaped(text: str) -> str:
    r"""Remove further layers of JSON escapes: some predictions contain \" and \u00e9 literally."""
    return _LAYERS.sub(lambda match: '"' if match[1] == '"' else chr(int(match[1][1:], 16)), text)
