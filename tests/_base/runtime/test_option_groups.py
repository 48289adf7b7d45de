"""A group of options in a signature becomes options; notes, defaults and fields differ by command, texts do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pytest
import typer
from typer.testing import CliRunner

from answersim._base.runtime.option_groups import GroupedCommand, Later, OptionGroup, Use, command, listed, option
from tests.cases import every

seen: list[Any] = []


@dataclass(frozen=True)
class Fruit(OptionGroup):
    heading: ClassVar[str] = "Fruit"

    apple: str = option("red", "The color of apples.")
    pears: tuple[str, ...] = option((), "The names of pears.")
    nuts: tuple[str, ...] = option((), "Texts of nuts.", multiple="verbatim")


@command
def one(fruit: Annotated[Fruit, Use(pears="One here.")]) -> None:
    seen.append(fruit)


@command
def several(fruit: Annotated[Fruit, Use(without="nuts", several="pears", defaults={"apple": "green"})]) -> None:
    seen.append(fruit)


@command
def fails(fruit: Annotated[Fruit, Use("apple")]) -> None:
    raise ValueError(f"{fruit.apple} is no color")


@command
def flagged(ripe: Annotated[bool, "Only ripe fruit."] = False, washed: Annotated[bool, "Wash it."] = True) -> None:
    seen.append((ripe, washed))


def run(function: Any, *words: str) -> tuple[int, str, str]:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(cls=GroupedCommand)(function)
    result = CliRunner().invoke(app, [*words])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("function", "words", "expected"),
    [
        (one, (), Fruit("red", (), ())),
        (one, ("--pears", "a,b"), Fruit("red", ("a,b",), ())),
        (one, ("--nuts", "a,b", "--nuts", "c"), Fruit("red", (), ("a,b", "c"))),
        (several, ("--pears", "a, b", "--pears", "c"), Fruit("green", ("a", "b", "c"), ())),
        (several, ("--apple", "blue"), Fruit("blue", (), ())),
    ],
)
def test_a_command_gets_the_group_with_the_values(function: Any, words: tuple[str, ...], expected: Fruit) -> None:
    seen.clear()
    assert run(function, *words)[0] == 0
    assert seen == [expected]


def test_the_help_has_the_note_of_the_command() -> None:
    text = run(one, "--help")[1]
    assert "The names of pears. One here." in text
    assert one.notes == {"pears": "One here."}  # type: ignore[attr-defined]


@command
def many(
    fruit: Annotated[Fruit, Use("apple pears", later="apple")], wax: Annotated[str, Later("The wax.")] = "none"
) -> None:
    seen.append(fruit)


def test_help_shows_the_first_options_and_help_all_every_one_under_its_heading() -> None:
    code, text, _ = run(many, "--help")
    assert code == 0
    assert "--pears TEXT" in text
    assert "--apple" not in text
    assert "--wax" not in text
    assert text.rstrip().endswith("2 more options: many --help-all")
    code, text, _ = run(many, "--help-all")
    assert code == 0
    assert text.index("Options:") < text.index("--wax TEXT") < text.index("Fruit:") < text.index("--apple TEXT")
    assert "more options" not in text
    seen.clear()
    assert run(many, "--apple", "blue", "--wax", "thin")[0] == 0  # what is not shown can be given
    assert seen == [Fruit("blue", (), ())]


def test_a_command_that_shows_all_its_options_names_no_others() -> None:
    assert "--help-all" not in run(flagged, "--help")[1]


def test_a_field_that_a_command_lacks_is_no_option() -> None:
    assert run(several, "--nuts", "a")[0] == 2


def test_only_an_option_that_is_on_by_default_can_be_switched_off() -> None:
    seen.clear()
    assert run(flagged, "--ripe", "--no-washed")[0] == 0
    assert seen == [(True, False)]
    assert run(flagged, "--no-ripe")[0] == 2


def test_an_error_of_the_user_is_one_line_with_status_2() -> None:
    assert run(fails, "--apple", "loud") == (2, "", "answersim: loud is no color\n")


@every(
    ("values", "expected"),
    [(None, []), ([], []), (["f1"], ["f1"]), (["f1, em", "f1"], ["f1", "em"]), ([" ,f1,,"], ["f1"])],
)
def test_names_are_listed_once_in_order(values: list[str] | None, expected: list[str]) -> None:
    assert listed(values) == expected
