"""Odd texts, values and bytes, a tiny model, and the sandbox in which the areas work."""

import os
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PIECES = (
    "the", "a", "an", "The", "cat", "Cat,", "dog's", "on-mat", "Rome", "NFL", "the NFL", "U.S.", "C++", "C#", "-5",
    "5", "1.5", "3,600", "3600", "1/2", "½", "10^6", "1e6", "1945", "XIV", "$5", "5 %", "é", "e\u0301", "ß", "ẞ",
    "İ", "ı", "Müller", "ﬁn", "北京", "東京タワー", "مرحبا", "\u200fשלום\u200e", "👩\u200d👩\u200d👧", "🇩🇪", "\u200b",
    "\u00ad", "\u2028", "\u0085", "\x00", "\ufeff", "\ufffd", "&amp;", "<skipped>", "'", "’", "''", '"', "“x”",
    "--", "…", ".", "?!", "\t", "\n", "\r\n", " ", "\u00a0", "\u3000", "=SUM(A1)", "[CLS]", "[SEP]", "</s>", "None",
    "nan", "x" * 200,
)  # fmt: skip


def text(rng: random.Random, most: int = 12) -> str:
    """Return up to so many odd pieces, usually separated by spaces, and sometimes a random code point."""
    words = [rng.choice(PIECES) for _ in range(rng.randrange(most + 1))]
    if rng.random() < 0.15:
        words += [
            chr(rng.choice([rng.randrange(1, 0x300), rng.randrange(0x300, 0xD800), rng.randrange(0xE000, 0x11000)]))
        ]
    return (" " if rng.random() < 0.9 else "").join(words)


def pairs(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """Return so many pairs, of which a third are nearly equal texts."""
    result = []
    for _ in range(count):
        gold = text(rng)
        pred = text(rng)
        if rng.random() < 0.33:
            words = gold.split(" ")
            rng.shuffle(words)
            pred = " ".join(words[: rng.randrange(len(words) + 1)] + ([text(rng, 2)] if rng.random() < 0.5 else []))
        result.append((gold, pred))
    return result


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Return the bytes with one to four random changes: flipped, replaced, removed, doubled, zeroed or inserted."""
    result = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        if not result:
            break
        start = rng.randrange(len(result))
        end = min(len(result), start + rng.choice((1, 2, 8, 64, 4096)))
        kind = rng.randrange(7)
        if kind == 0:
            result[start] ^= 1 << rng.randrange(8)
        elif kind == 1:
            result[start:end] = rng.randbytes(end - start)
        elif kind == 2:
            del result[start:]
        elif kind == 3:
            del result[start:end]
        elif kind == 4:
            result[start:start] = result[start:end]
        elif kind == 5:
            result[start:end] = bytes(end - start)
        else:
            result[start:start] = rng.choice((b"\xff\xfe", b"\n", b'"', b",", b"\x00", b"}", b"NaN", b"1e999", b"null"))
    return bytes(result)


@contextmanager
def sandbox() -> Iterator[Path]:
    """Use an empty folder as working directory, home and cache, without the data sets and without a network."""
    remaining = {name: os.environ.get(name) for name in _SANDBOXED}
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = Path(name).resolve()
        (folder / "home").mkdir()
        work = folder / "work"
        work.mkdir()
        os.environ.update(
            HOME=str(folder / "home"), XDG_CACHE_HOME=str(folder / "cache"), ANSWERSIM_CACHE_DIR=str(folder / "cache"),
            HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false",
        )  # fmt: skip
        os.environ.pop("ANSWERSIM_DATA", None)
        os.chdir(work)
        try:
            yield work
        finally:
            os.chdir(here)
            for key, value in remaining.items():
                if value is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = value


_SANDBOXED: Sequence[str] = (
    "HOME", "XDG_CACHE_HOME", "ANSWERSIM_CACHE_DIR", "HF_HUB_OFFLINE", "TOKENIZERS_PARALLELISM", "ANSWERSIM_DATA"
)  # fmt: skip


def tiny(folder: Path) -> Path:
    """Make a small random BERT with its tokenizer in this folder: the one of the tests."""
    from tests.conftest import _make

    folder.mkdir(parents=True, exist_ok=True)
    _make(folder, "bert", classifier=False, labels=1, seed=0, positions=64)
    return folder
