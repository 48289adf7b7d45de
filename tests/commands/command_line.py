"""The command line within this process: what it prints, and how it ends."""

from __future__ import annotations

from typer.testing import CliRunner

from answersim.__main__ import app

TABLE = "id,gold,pred\n1,National Football League,the NFL\n2,Rome,in Rome\n3,NA,None\n"


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of the command line, within this process; any other exception is a failure."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def succeed(*arguments: object) -> str:
    """What is printed by a run that ends well and has nothing to complain about."""
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    return out


def refused(*arguments: object) -> str:
    """The one line that a run says which does nothing."""
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("answersim: ")
    assert err.count("\n") == 1
    return err.removeprefix("answersim: ").rstrip("\n")


def combined(*arguments: object, typed: str = "") -> tuple[int, str]:
    """Exit status, and stdout and stderr together, of the command line with this input."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=typed)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output
