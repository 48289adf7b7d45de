"""ANTIQUE: non-factoid questions with graded answers, as a re-ranking of the judged pool; a part, or all of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankers.data.corpus import Corpus, Counts, Request
from rankers.data.pools import Answer, CandidateRow, Group, blocks
from rankers.data.tables import document, grade, plain, read_quoted, wanted_texts
from rankers.types import Questions

_FOLDER = "ranking/antique"
_JUDGED = f"{_FOLDER}/judged-answers-500q.json"
_COUNTS = {"train": Counts(267, 3272, 2408), "dev": Counts(200, 2193, 1584), "test": Counts(200, 6589, 2530)}
_FULL_COUNTS = {"train": Counts(2226, 25_229), "dev": Counts(200, 2193), "test": Counts(200, 6589)}
_RELEVANT = 3
_GAINS = {1: 0, 2: 1, 3: 2, 4: 3}  # linear, from the second lowest grade on (the corpus' own readme)


def _read(request: Request) -> Questions:
    path = request.path(ANTIQUE.files[request.split][0])
    groups = _train(request, path) if request.split == "train" else _graded(path)
    return request.questions(path, groups, _COUNTS[request.split], relevant=_RELEVANT, gains=_GAINS)


def _read_full(request: Request) -> Questions:
    """Read the four files of the corpus; the judged answers of a question are its candidates."""
    collection, queries, qrels = map(request.path, FULL.files[request.split])
    grades: dict[str, dict[str, int]] = {}
    for where, (question, _, document_id, label) in plain(qrels, 4, None):
        if document_id in grades.setdefault(question, {}):
            raise ValueError(f"{where}: {document_id!r} occurs twice under question {question!r}; keep one")
        grades[question][document_id] = grade(label, where)
    if request.split != "test":
        grades = {name: graded for name, graded in grades.items() if (name in DEV_IDS) == (request.split == "dev")}
    wanted = {document_id for graded in grades.values() for document_id in graded}
    texts, asked = wanted_texts(collection, wanted), wanted_texts(queries, grades.keys())
    groups = []
    for name, graded in grades.items():
        for path, known, ids in ((queries, asked, [name]), (collection, texts, list(graded))):
            if missing := [identifier for identifier in ids if identifier not in known]:
                raise ValueError(f"{qrels} names {missing[0]!r}, but {path} has no text of that id; copy both again")
        groups.append(Group(asked[name], tuple(Answer(texts[i], label, i) for i, label in graded.items()), name))
    expected = _FULL_COUNTS[request.split]
    return request.questions(qrels, groups, expected, relevant=_RELEVANT, gains=_GAINS)


def _graded(path: Path) -> Iterator[Group]:
    """Yield the questions of a file with the columns question, answer, binary label and grade, quoted as in CSV."""
    rows = []
    for line in read_quoted(path, 4):
        question, answer, _, label = line.cells
        rows.append(CandidateRow(question, question, Answer(answer, grade(label, line.where))))
    return blocks(rows)


def _train(request: Request, path: Path) -> Iterator[Group]:
    """Yield the judged questions that are not in dev or test and share at most a stray answer with those."""
    held_out = [group for split in ("dev", "test") for group in _graded(request.path(f"{_FOLDER}/{split}.tsv"))]
    questions = {_plain(group.text) for group in held_out}
    pools = [{_plain(answer.text) for answer in group.answers} for group in held_out]
    for question, judged in _mapping(path).items():
        answers = tuple(_answer(path, question, entry) for entry in judged)
        if _plain(question) not in questions and not _same_pool({_plain(answer.text) for answer in answers}, pools):
            yield Group(question, answers)


def _same_pool(answers: set[str], pools: list[set[str]]) -> bool:
    """Return whether most of these answers are those of one of the pools: the same question in another spelling."""
    return any(2 * len(answers & pool) > min(len(answers), len(pool)) for pool in pools)


def _plain(words: str) -> str:
    return " ".join(words.lower().split())


def _mapping(path: Path) -> dict[str, list[dict[str, Any]]]:
    content = document(path)
    if not all(isinstance(value, list) for value in content.values()):
        raise ValueError(f"{path} must be an object from each question to the list of its labeled answers")
    return content


def _answer(path: Path, question: str, judged: Any) -> Answer:
    where = f"{path}, an answer to {question!r}"
    if not isinstance(judged, dict) or not isinstance(judged.get("passage"), str):
        raise ValueError(f"{where}: {judged!r} has no text under 'passage'")
    return Answer(judged["passage"], grade(judged.get("label"), where))  # its own id begins with its author's question


ANTIQUE = Corpus(
    name="antique",
    about="non-factoid questions, answers graded 1-4 (3 and 4 relevant, gains grade - 1); the judged pool re-ranked",
    files={
        "train": (_JUDGED, f"{_FOLDER}/dev.tsv", f"{_FOLDER}/test.tsv"),
        "dev": (f"{_FOLDER}/dev.tsv",),
        "test": (f"{_FOLDER}/test.tsv",),
    },
    source="github xish9/SCAN @ 0abccf7 (dev, test); babyyang525/LINKAGE-Listwise-NFQA-Evaluation @ 097fdc5 (train)",
    license="research use (ANTIQUE, Hashemi et al. 2020, from Yahoo! Webscope L6)",
    read=_read,
)

_FULL_FOLDER = "ranking/antique-full"

FULL = Corpus(
    name="antique-full",
    about="all of ANTIQUE: 2,426 training questions (200 of them are dev), 200 test questions; judged pools re-ranked",
    files={
        split: (
            f"{_FULL_FOLDER}/antique-collection.txt",
            f"{_FULL_FOLDER}/antique-{source}-queries.txt",
            f"{_FULL_FOLDER}/antique-{source}.qrel",
        )
        for split, source in {"train": "train", "dev": "train", "test": "test"}.items()
    },
    source="https://ciir.cs.umass.edu/downloads/Antique/ (Hashemi et al. 2020)",
    license="research use (ANTIQUE, Hashemi et al. 2020, from Yahoo! Webscope L6)",
    read=_read_full,
    tried=False,
)


# The training questions that are the dev split of OpenNIR and ir_datasets (antique/train/split200-valid).
DEV_IDS = frozenset(
    """
    2704 3961 11706 17665 66151 94629 98438 103298 114758 126182 189364 196651 212427 220575 242701 263783 278043
    317469 332662 344029 348777 358253 363519 397709 404359 406082 461995 485408 489705 511835 514804 544869 546552
    554539 566364 595342 643630 684633 727663 752633 763189 772988 844617 884643 913424 929821 937635 961127 963523
    986260 993601 1016750 1034050 1037897 1051346 1097878 1107012 1144768 1158088 1184520 1188438 1191621 1211877
    1246269 1251077 1289770 1295284 1321784 1341602 1398838 1423289 1440810 1443637 1450678 1458676 1467322 1471877
    1485589 1495234 1512776 1514356 1536937 1582044 1583099 1607303 1607924 1639607 1647624 1708787 1727343 1727879
    1881436 1907320 1907847 1933929 1970273 1978816 2008456 2035638 2041828 2048278 2094435 2112535 2113006 2137263
    2147417 2155390 2169746 2175167 2180502 2235825 2306533 2357505 2418824 2421078 2439070 2466898 2492366 2500918
    2522067 2534994 2543919 2546730 2550445 2571912 2573745 2573803 2587810 2613648 2620488 2630860 2632334 2677193
    2678484 2678635 2689609 2700836 2735795 2764765 2776069 2858043 2891885 2897078 2901754 2910592 2942624 2961191
    3083719 3104841 3118286 3124162 3152714 3159749 3172166 3178012 3211282 3272207 3280274 3374970 3382182 3407617
    3470651 3495304 3507499 3556937 3608433 3617468 3626847 3635284 3651236 3652886 3690922 3731489 3738877 3752394
    3814583 3824106 3841762 3884772 3885753 3913653 3958214 4031702 4032777 4042061 4048305 4069320 4092472 4165672
    4183127 4217473 4237144 4262151 4287367 4287894 4336509 4338583 4387641 4400543 4450252
    """.split()
)
