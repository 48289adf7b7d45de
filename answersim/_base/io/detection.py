"""How a text file of a table is encoded, and what separates its values."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from pathlib import Path

from answersim._base.errors import DetectedFormatWarning, unknown, warn_user

UTF8, WESTERN = "utf-8", "cp1252"
WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")  # in which a line end is not one byte
DELIMITERS = (",", ";", "\t", "|")
_NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_MARKS = (  # the longer ones first
    (codecs.BOM_UTF8, UTF8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD = 1 << 16  # bytes that decide the delimiter, and whether there are zero bytes
_RECORDS = 20  # that must have the same number of values as the header
_FOREIGN = 1 / 3  # more letters outside ASCII than this share are not Western European
_ABOVE = re.compile("[^\x00-\x7f“”‘’–—…«»\xa0]+")  # characters outside ASCII, but for quotes, dashes and spaces
_BESIDE = 2 / 3  # more of them beside another one than this share are characters of two bytes
_SHOWN = {"cp1252": "Windows-1252 (cp1252)", "\t": "tab"}


_stated: ContextVar[tuple[str | None, str | None]] = ContextVar("answersim_reading", default=(None, None))


@contextmanager
def read_options(encoding: str | None = None, delimiter: str | None = None) -> Iterator[None]:
    """Read the tables inside the block with this encoding and delimiter, instead of those that are detected.

    ``encoding``: a name of Python, such as "cp1252". ``delimiter``: one character, or "tab", "comma", "semicolon" or
    "pipe".
    """
    token = _stated.set((_known(encoding), _single(delimiter)))
    try:
        yield
    finally:
        _stated.reset(token)


def text_format() -> tuple[str | None, str | None]:
    """Return the encoding and the delimiter that the user states for the files that are read now; None if detected."""
    return _stated.get()


def encoding_of(path: Path) -> str:
    """Return the encoding of a text file: the stated one, or the one that all its bytes fit.

    UTF-8 is assumed unless a byte order mark or zero bytes show UTF-16 or UTF-32, or the bytes fit Windows-1252 only. A
    file that is UTF-8 but for a few bytes is damaged. A file in which most letters are outside ASCII, or stand beside
    another such character, is not Western European: it may be Shift-JIS or GBK. Both are returned as UTF-8, so that
    reading them fails with the position of the first such byte. The result is the Python name of the encoding. A byte
    order mark is not part of the text. With "utf-8" there may be one.
    """
    stated, _ = text_format()
    with path.open("rb") as file:
        head = file.read(_HEAD)
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if stated in ("utf-16", "utf-32"):  # with the byte order of the mark, else that of this format by default
        return marked if marked is not None and marked.startswith(stated) else f"{stated}-le"
    if stated is not None:
        return stated
    encoding = marked or _by_zeros(head) or _by_bytes(path.read_bytes())
    if encoding != UTF8:
        warn_user(
            DetectedFormatWarning(
                f"{path} is read as {_SHOWN.get(encoding, encoding.upper())}; if that is wrong, give --encoding"
            ),
            once=True,
        )
    return encoding


def delimiter_of(path: Path, encoding: str, usual: str) -> str:
    """Return the stated delimiter, or the one that splits the first rows of a file into a table, first the usual."""
    _, stated = text_format()
    if stated is not None:
        return stated
    with path.open("rb") as file:
        raw = file.read(_HEAD)
    text = raw.decode(encoding, errors="replace").removeprefix("\ufeff")
    lines = text.splitlines(keepends=True)
    if len(raw) == _HEAD:
        lines = lines[:-1]  # it may be incomplete
    widths = {candidate: _width(lines, candidate) for candidate in dict.fromkeys((usual, *DELIMITERS))}
    if widths[usual] > 1:
        return usual
    best = max(widths, key=lambda candidate: widths[candidate])
    if widths[best] < 2:
        return usual
    spelled = _SHOWN.get(best, repr(best))
    warn_user(
        DetectedFormatWarning(f"{path} is read with the delimiter {spelled}; if that is wrong, give --delimiter"),
        once=True,
    )
    return best


def _known(encoding: str | None) -> str | None:
    if encoding is None:
        return None
    try:
        info = codecs.lookup(encoding)
    except (LookupError, ValueError):  # ValueError for a name with a null character
        raise unknown(
            "encoding", encoding, ("utf-8", "cp1252", "utf-16", "latin-1", "mac_roman", "shift_jis")
        ) from None
    if not getattr(info, "_is_text_encoding", True):
        raise LookupError(f"{encoding!r} is not an encoding of texts; give one such as cp1252 or utf-16")
    return UTF8 if info.name == "utf-8-sig" else info.name


def _single(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    character = _NAMED.get(delimiter.lower(), delimiter)
    if len(character) != 1 or character in '"\r\n\ufeff ' or ord(character) > 0xFFFF:
        raise ValueError(
            f"--delimiter is {delimiter!r}, but it must be one character between values, such as ';', or the word tab"
        )
    return character


def _by_zeros(head: bytes) -> str | None:
    """Return UTF-16 if most characters have a zero as their first or second byte, as ASCII does."""
    pairs = len(head) // 2
    if not pairs:
        return None
    first, second = head[0 : 2 * pairs : 2].count(0) / pairs, head[1 : 2 * pairs : 2].count(0) / pairs
    if second > 0.5 > 0.05 > first:
        return "utf-16-le"
    return "utf-16-be" if first > 0.5 > 0.05 > second else None


def _by_bytes(raw: bytes) -> str:
    """Return UTF-8 or Windows-1252, by all bytes of a file."""
    if _decodes(raw, UTF8):
        return UTF8
    text = raw.decode(UTF8, "replace")
    if sum(character > "\x7f" for character in text) >= 2 * text.count("\ufffd") or not _decodes(raw, WESTERN):
        return UTF8
    text = raw.decode(WESTERN)
    foreign = sum(character > "\x7f" for character in text if character.isalpha())
    runs = [len(run) for run in _ABOVE.findall(text)]
    beside = sum(run for run in runs if run > 1)
    is_foreign = foreign > _FOREIGN * sum(map(str.isalpha, text)) or beside > _BESIDE * sum(runs)
    return UTF8 if is_foreign or _may_be_japanese(raw) else WESTERN


def _may_be_japanese(raw: bytes) -> bool:
    """Return whether the bytes fit Shift-JIS too, and most characters of two bytes begin as those of Japanese do."""
    if not _decodes(raw, "cp932"):
        return False
    pairs = "".join(character for character in raw.decode("cp932") if character > "\x7f")
    return sum(0x81 <= character.encode("cp932", "replace")[0] <= 0x9F for character in pairs) > len(pairs) / 2


def _decodes(raw: bytes, encoding: str) -> bool:
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _width(lines: Sequence[str], delimiter: str) -> int:
    """Return how many values each of the first records has; 0 if that differs."""
    reader = csv.reader(io.StringIO("".join(lines), newline="\n"), delimiter=delimiter)
    try:
        widths = {len(record) for record in islice(reader, _RECORDS) if record}
    except csv.Error:
        return 0
    return widths.pop() if len(widths) == 1 else 0
