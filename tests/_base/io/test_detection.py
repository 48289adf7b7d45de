"""The encoding and the delimiter of a text file: literal cases, and what is stated goes first."""

from pathlib import Path

from answersim._base.errors import DetectedFormatWarning, deferred_warnings
from answersim._base.io.detection import delimiter_of, encoding_of, read_options, text_format
from tests.cases import every

LONG = "plain words, " * 20_000


@every(
    ("content", "encoding"),
    [
        (b"", "utf-8"),
        (b"gold,pred\n", "utf-8"),
        ("Zürich – “Genf”".encode(), "utf-8"),
        ("Zürich".encode("utf-8-sig"), "utf-8"),
        ("Zürich – “Genf”".encode("cp1252"), "cp1252"),
        ((LONG + "Zürich").encode("cp1252"), "cp1252"),
        ((LONG + "Zürich" + LONG).encode(), "utf-8"),
        ("Zürich".encode() + b"\xff", "utf-8"),  # damaged
        ("Αθήνα".encode("iso-8859-7"), "utf-8"),  # neither
        (b"Z\x81rich", "utf-8"),  # undefined in cp1252
        ("gold".encode("utf-16"), "utf-16-le"),
        (b"\xfe\xff" + "gold".encode("utf-16-be"), "utf-16-be"),
        ("gold,pred\nZürich".encode("utf-16-be"), "utf-16-be"),
        ("東京,大阪".encode("utf-16"), "utf-16-le"),
        ("gold".encode("utf-32"), "utf-32-le"),
    ],
)
def test_all_bytes_decide_the_encoding_and_a_guess_is_a_warning(content, encoding, tmp_path):
    (tmp_path / "t.csv").write_bytes(content)
    with deferred_warnings() as message:
        assert encoding_of(tmp_path / "t.csv") == encoding
    assert [type(warning) for warning in message] == ([] if encoding == "utf-8" else [DetectedFormatWarning])


@every(
    ("text", "usual", "delimiter"),
    [
        ("gold,pred\na,b\n", ",", ","),
        ("gold;pred\na,x;b\n", ",", ";"),
        ("gold;pred, given;more\na;b;c\n", ",", ";"),
        ("gold\tpred\na,x\tb\n", ",", "\t"),
        ("gold|pred\na|b\n", ",", "|"),
        ("gold,pred\na,b\n", "\t", ","),
        ("gold\na;b\n", ",", ","),
        ("gold,pred\na,b,c\n", ",", ","),  # malformed, which the reader reports
        ('gold,pred\n"a;b","c;d"\n', ",", ","),
        ('"gold";"pred"\n"a\n,b";c\n', ",", ";"),
        ("", ",", ","),
        ("gold;pred\n" + "a;b\n" * 40_000 + "half;", ",", ";"),
    ],
)
def test_the_first_rows_decide_the_delimiter(text, usual, delimiter, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with deferred_warnings() as message:
        assert delimiter_of(tmp_path / "t.csv", "utf-8", usual) == delimiter
    assert len(message) == (delimiter != usual)


def test_what_is_stated_is_used_without_a_word(tmp_path):
    path = Path(tmp_path / "t.csv")
    path.write_text("gold;pred\nZürich;x\n", encoding="cp1252")
    with deferred_warnings() as message, read_options("latin-1", "semicolon"):
        assert text_format() == ("iso8859-1", ";")
        assert encoding_of(path) == "iso8859-1"
        assert delimiter_of(path, "iso8859-1", ",") == ";"
    assert message == []
    assert text_format() == (None, None)


@every(("name", "encoding"), [("utf-16", "utf-16-be"), ("utf-8-sig", "utf-8"), ("UTF8", "utf-8")])
def test_a_mark_gives_the_byte_order_of_a_stated_encoding(name, encoding, tmp_path):
    (tmp_path / "t.csv").write_bytes(b"\xfe\xff" + "gold".encode("utf-16-be"))
    with read_options(name):
        assert encoding_of(tmp_path / "t.csv") == encoding
