"""Signatures and tables of text: written as one line, and read back."""

import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest

import answersim
from answersim._base.signature import asks_question, computed_once, signature, with_question, without_question
from answersim._base.text_tables import TextTable, escaped, html_table, latex_table, markdown_table, printable
from tests.cases import every


@dataclass(frozen=True)
class Encoder:
    fingerprint: str = "abc"


@dataclass(frozen=True)
class Settings:
    encoder: Encoder = Encoder()
    layer: int = 3
    rescaled: bool = False
    idf: str | None = None
    batch: int = field(default=8, compare=False)


def test_compared_fields_are_signed_in_their_order_and_the_others_are_not():
    assert signature("mine", Settings()) == "mine|encoder:abc|layer:3|rescaled:no|idf:no|rev:1"
    assert signature("mine", Settings(batch=1)) == signature("mine", Settings())


def test_the_revision_ends_the_line_and_the_version_of_the_package_is_not_in_it():
    assert signature("mine", stem="porter", revision=3) == "mine|stem:porter|rev:3"


def test_what_is_computed_once_is_computed_once_for_each_object():
    class Slow:
        """With a property that counts."""

        calls = 0

        @computed_once
        def line(self) -> str:
            """The line."""
            type(self).calls += 1
            return f"line {self.calls}"

    first, second = Slow(), Slow()
    assert [first.line, first.line, second.line, first.line] == ["line 1", "line 1", "line 2", "line 1"]
    assert Slow.line.__doc__ == "The line."


def test_only_a_dataclass_can_be_signed():
    with pytest.raises(TypeError, match="only a dataclass can be signed, not dict"):
        signature("mine", {"layer": 3})


@every(
    ("plain", "signed"),
    [
        ("f1|text:en|rev:1", "f1|text:en|question:yes|rev:1"),
        ("mine|v:1", "mine|question:yes|v:1"),
        ("mine", "mine|question:yes"),
        ("mine|layer:2", "mine|layer:2|question:yes"),
    ],
)
def test_the_use_of_questions_is_signed_once_and_before_the_revision(plain, signed):
    assert with_question(plain) == signed
    assert with_question(signed) == signed
    assert without_question(signed) == plain
    assert asks_question(signed)
    assert not asks_question(plain)


@every("name", ["meteor", "f1"])
def test_the_signature_of_a_metric_is_computed_once_and_not_pickled(name):
    metric: Any = answersim.metric(name)
    assert metric.signature is metric.signature
    assert "signature" not in metric.__reduce_ex__(4)[2]
    assert pickle.loads(pickle.dumps(metric)).signature == metric.signature


TABLE = TextTable("A & B", ("name", "n", "share"), (("x_1", "1,200", "83 % [80, 86]"), ("y|z", "-", "-")), ("note #1",))


def test_markdown_has_one_line_per_row():
    assert markdown_table(TABLE) == [
        "## A &amp; B",
        "",
        "| name | n | share |",
        "| --- | --- | --- |",
        r"| x_1 | 1,200 | 83 % \[80, 86\] |",
        r"| y\|z | - | - |",
        "",
        "- note #1",
        "",
    ]


def test_latex_aligns_numbers_to_the_right_and_escapes():
    assert latex_table(TABLE) == [
        r"\paragraph{A \& B}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"name & n & share \\",
        r"\midrule",
        r"x\_1 & 1,200 & 83 \% [80, 86] \\",
        r"y\textbar{}z & - & - \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"note \#1\\",
        "",
    ]


def test_html_is_escaped():
    table = html_table(TABLE._replace(title="<b>", rows=(("<script>", "&", "\x1b"),)))
    assert "<script>" not in table
    assert "<caption>&lt;b&gt;</caption>" in table
    assert "\\x1b" in table


def test_control_characters_are_shown():
    assert printable("a\u202eb\n") == "a\\u202eb\\n"
    assert escaped("_a_ <b>") == r"\_a\_ &lt;b>"
