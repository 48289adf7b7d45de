"""The numbers of other libraries for the same pairs, against which the tests and ``parity`` check ours.

Every function takes pairs, gold first, and returns one float64 per pair, shape (n,). The caller handles the warnings of
the libraries.
"""

from __future__ import annotations

import os
import re
import shutil
import string
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.types import Pair

DICTIONARY = Path("/usr/share/wordnet")
PACKAGES = "wordnet-base wordnet-sense-index"

Pairs = Sequence[Pair]
_MARK = re.compile(r"#### (\-?[0-9\.\,]+)")
_LATEX = (
    ("\n", ""), ("\\!", ""), ("\\\\", "\\"), ("tfrac", "frac"), ("dfrac", "frac"), ("\\left", ""), ("\\right", ""),
    ("^{\\circ}", ""), ("^\\circ", ""), ("\\$", ""),
)  # fmt: skip


def squad_em(pairs: Pairs) -> FloatArray:
    """Compute ``compute_exact`` of the official SQuAD v2 evaluation script (evaluate-v2.0.py), by its definition."""
    return np.array([float(_normalize(gold) == _normalize(pred)) for gold, pred in pairs])


def squad_f1(pairs: Pairs) -> FloatArray:
    """Compute ``compute_f1`` of the same script."""
    return np.array([_squad_f1(gold, pred) for gold, pred in pairs])


def squad_tokens(text: str) -> list[str]:
    """Return the tokens of ``get_tokens`` of the same script."""
    return _normalize(text).split() if text else []


def _normalize(text: str) -> str:
    excluded = set(string.punctuation)
    text = "".join(character for character in text.lower() if character not in excluded)
    return " ".join(re.sub(re.compile(r"\b(a|an|the)\b", re.UNICODE), " ", text).split())


def _squad_f1(gold: str, pred: str) -> float:
    gold_tokens, pred_tokens = squad_tokens(gold), squad_tokens(pred)
    same = sum((Counter(gold_tokens) & Counter(pred_tokens)).values())
    if not gold_tokens or not pred_tokens:
        return float(gold_tokens == pred_tokens)
    if same == 0:
        return 0.0
    precision, recall = same / len(pred_tokens), same / len(gold_tokens)
    return 2 * precision * recall / (precision + recall)


def gsm8k_correct(gold: str, pred: str) -> bool:
    """Return what ``is_correct`` of grade_school_math/dataset.py returns (MIT License, OpenAI)."""
    answer = _marked(gold)
    if answer == "[invalid]":
        raise ValueError(f"{gold!r} has no answer")
    return _marked(pred) == answer


def _marked(text: str) -> str:
    match = _MARK.search(text)
    return match.group(1).strip().replace(",", "") if match else "[invalid]"


def math_equal(gold: str, pred: str) -> bool:
    """Return what ``is_equiv`` of modeling/math_equivalence.py of MATH returns for the boxed answers, by its steps."""
    gold_answer, pred_answer = _boxed(gold), _boxed(pred)
    if gold_answer is None or pred_answer is None:
        return gold_answer is pred_answer
    try:
        return _plain_latex(gold_answer) == _plain_latex(pred_answer)
    except (IndexError, ValueError):
        return gold_answer == pred_answer


def _boxed(text: str) -> str | None:
    start = text.rfind("\\boxed{")
    depth = 0
    for i in range(start, len(text)) if start >= 0 else ():
        if text[i] == "{":
            depth += 1
        if text[i] == "}":
            depth -= 1
            if depth == 0:
                return text[start + len("\\boxed{") : i]
    return None


def _plain_latex(text: str) -> str:
    for old, new in _LATEX:
        text = text.replace(old, new)
    if "\\text{ " in text:
        text, _ = text.split("\\text{ ")
    for old, new in (("\\%", ""), (" .", " 0."), ("{.", "{0.")):
        text = text.replace(old, new)
    if text[:1] == ".":
        text = "0" + text
    if len(text.split("=")) == 2 and len(text.split("=")[0]) <= 2:
        text = text.split("=")[1]
    if "\\sqrt" in text:
        first, *others = text.split("\\sqrt")
        text = first + "".join("\\sqrt" + (part if part[0] == "{" else f"{{{part[0]}}}{part[1:]}") for part in others)
    text = _fractions(text.replace(" ", ""))
    if text == "0.5":
        text = "\\frac{1}{2}"
    if len(text.split("/")) == 2:
        above, below = text.split("/")
        if above.isdigit() and below.isdigit() and text == f"{int(above)}/{int(below)}":
            text = f"\\frac{{{int(above)}}}{{{int(below)}}}"
    return text


def _fractions(text: str) -> str:
    first, *others = text.split("\\frac")
    written = first
    for part in others:
        if part[0] == "{":
            written += "\\frac" + part
        elif len(part) < 2:
            return text
        else:
            written += f"\\frac{{{part[0]}}}" + (part[1:] if part[1] == "{" else f"{{{part[1]}}}{part[2:]}")
    return written


def rouge_l(pairs: Pairs) -> FloatArray:
    """Compute the F-measure of rougeL by ``rouge_score``, without stemmer."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    return np.array([float(scorer.score(gold, pred)["rougeL"].fmeasure) for gold, pred in pairs])


def sentence_bleu(pairs: Pairs, tokenize: str = "13a") -> FloatArray:
    """Compute ``sacrebleu.sentence_bleu`` with its defaults, on a scale of 0 to 1."""
    import sacrebleu

    return np.array([sacrebleu.sentence_bleu(pred, [gold], tokenize=tokenize).score / 100 for gold, pred in pairs])


def corpus_bleu(pairs: Pairs) -> FloatArray:
    """Compute corpus BLEU by NLTK for each pair alone: unsmoothed, whitespace tokens, the gold answer as hypothesis."""
    from nltk.translate.bleu_score import corpus_bleu as by_nltk

    scores = np.array([by_nltk([[pred.split()]], [gold.split()]) for gold, pred in pairs], dtype=np.float64)
    # NLTK counts one n-gram in a text that has none, and uses the smallest float for a precision of 0.
    short = np.array([min(len(gold.split()), len(pred.split())) < 4 for gold, pred in pairs], dtype=bool)
    scores[short | (scores < 1e-50)] = 0.0
    return scores


def meteor(pairs: Pairs, wordnet: Any) -> FloatArray:
    """Compute ``single_meteor_score`` of NLTK on tokens of its word tokenizer; ``wordnet``: see ``nltk_wordnet``."""
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.translate.meteor_score import single_meteor_score

    words = NLTKWordTokenizer().tokenize
    return np.array([single_meteor_score(words(gold), words(pred), wordnet=wordnet) for gold, pred in pairs])


@contextmanager
def nltk_wordnet(dictionary: Path = DICTIONARY) -> Iterator[Any]:
    """Yield the WordNet reader of NLTK on copies of the files of Debian, as it only reads below ``nltk.data.path``.

    Raise FileNotFoundError if the files are missing.
    """
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    if not (dictionary / "data.noun").is_file() or not (dictionary / "index.sense").is_file():
        raise FileNotFoundError(f"needs Debian's WordNet in {dictionary} (apt-get install {PACKAGES})")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "corpora" / "wordnet"
        folder.mkdir(parents=True)
        # Debian omits this list. METEOR does not use its names, but the reader needs one line per file.
        (folder / "lexnames").write_text("".join(f"{i:02d}\tfile{i}\t1\n" for i in range(45)), encoding="ascii")
        for name in WordNetCorpusReader._FILES:
            if name != "lexnames":
                shutil.copyfile(dictionary / name, folder / name)
        nltk.data.path.append(home)
        try:
            import warnings

            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="The multilingual functions")
                yield WordNetCorpusReader(str(folder), None)
        finally:
            nltk.data.path.remove(home)


def bertscore(pairs: Pairs, folder: Path, layer: int, **options: Any) -> NDArray[np.float64]:
    """Compute precision, recall and F1 by ``bert_score.score``, shape (3, n).

    The batch size is 1, because in a larger batch a padded position has a similarity of 0, which exceeds negative ones.
    """
    import bert_score

    golds, preds = [gold for gold, _ in pairs], [pred for _, pred in pairs]
    settings = {"num_layers": layer, "batch_size": 1, "use_fast_tokenizer": True, **options}
    with path_without_t5(folder) as place:
        measures = bert_score.score(preds, golds, model_type=str(place), **settings)
    return np.stack([measure.numpy() for measure in measures[:3]]).astype(np.float64)


@contextmanager
def path_without_t5(folder: Path) -> Iterator[Path]:
    """Yield this folder under a path without "t5", which ``bert_score`` takes as the mark of a T5 model."""
    if "t5" not in str(folder):
        yield folder
        return
    link = Path(tempfile.gettempdir()) / f"encoder-{os.getpid()}"
    link.unlink(missing_ok=True)
    link.symlink_to(folder.resolve(), target_is_directory=True)
    try:
        yield link
    finally:
        link.unlink()


def bi_encoder(pairs: Pairs, folder: Path) -> FloatArray:
    """Compute the cosine of ``SentenceTransformer.encode`` of both answers."""
    from sentence_transformers import SentenceTransformer, util

    model = SentenceTransformer(str(folder), device="cpu")
    gold, pred = model.encode([gold for gold, _ in pairs]), model.encode([pred for _, pred in pairs])
    return util.pairwise_cos_sim(gold, pred).numpy().astype(np.float64)


def cross_encoder(pairs: Pairs, folder: Path) -> FloatArray:
    """Compute ``CrossEncoder.predict``."""
    from sentence_transformers import CrossEncoder

    scores = CrossEncoder(str(folder), device="cpu").predict([tuple(pair) for pair in pairs])
    return np.asarray(scores, dtype=np.float64)


@contextmanager
def merged(base: Path, adapter: Path) -> Iterator[Path]:
    """Yield a folder with the sequence classifier of this base and adapter, which any library can load."""
    import transformers

    from answersim.metrics.checkpoints.adapter import merge

    with tempfile.TemporaryDirectory() as home:
        plain = transformers.AutoModelForSequenceClassification.from_pretrained(base, num_labels=1)
        merge(plain, adapter).save_pretrained(home)
        transformers.AutoTokenizer.from_pretrained(base).save_pretrained(home)
        yield Path(home)
