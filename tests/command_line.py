"""The command line within this process: what it prints, and how it ends."""

from __future__ import annotations

from typer.testing import CliRunner, Result

from answersim.__main__ import app

TABLE = "id,gold,pred\n1,National Football League,the NFL\n2,Rome,in Rome\n3,NA,None\n"


def invoke(*arguments: object, typed: str = "") -> Result:
    """The result of the command line with this input, within this process; an exception that it lets out is raised."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=typed)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def run(*arguments: object, typed: str = "") -> tuple[int, str, str]:
    """Exit status, stdout and stderr of the command line."""
    result = invoke(*arguments, typed=typed)
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
    result = invoke(*arguments, typed=typed)
    return result.exit_code, result.output


def output(*arguments: object, status: tuple[int, ...] = (0,)) -> str:
    """Stdout and stderr together, of a run that ends with one of these statuses."""
    code, text = combined(*arguments)
    assert code in status, text
    return text
