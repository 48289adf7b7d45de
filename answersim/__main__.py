"""The command line: parse, one library call, print."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from answersim import profiles
from answersim.catalog import lookup
from answersim.commands.cache import app as cache_app
from answersim.commands.calibrate import calibrate
from answersim.commands.cascade import cascade
from answersim.commands.compare import compare
from answersim.commands.correlate import correlate
from answersim.commands.doctor import doctor
from answersim.commands.evaluate import evaluate
from answersim.commands.gate import gate
from answersim.commands.judging import PromptName, show_judge
from answersim.commands.label import label
from answersim.commands.layers import layers
from answersim.commands.official import official
from answersim.commands.plan import plan
from answersim.commands.report import report
from answersim.commands.score import score
from answersim.commands.shared import Language, Profile, print_table
from answersim.commands.verdict import verdict
from answersim.commands.verify import verify
from answersim.runtime.cli_errors import one_line, user_errors
from answersim.signature import VERSION


class _Trainings(TyperGroup):
    """The commands of ``answersim train``, imported only if one of them is run or listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return self._imported().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of this name, or None."""
        return self._imported().get_command(ctx, cmd_name)

    def _imported(self) -> TyperGroup:
        from answersim.training.commands import app as trainings

        above = typer.Typer(**_STYLE)
        above.add_typer(trainings, name=self.name)
        group: TyperGroup = typer.main.get_group(above).commands[self.name]  # type: ignore[assignment, index]
        return group


class _Commands(TyperGroup):
    """The commands. The name of a metric in the place of a command is an error with a hint."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name."""
        name = args[0]
        if self.get_command(ctx, name) is None:
            with suppress(LookupError, ValueError):  # no metric has this name, or a plug-in cannot be used
                known = lookup.entry(name).name
                ctx.fail(f"{name!r} is a metric and not a command; to score with it: answersim score FILE -m {known}")
        return super().resolve_command(ctx, args)


_STYLE: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}
app = typer.Typer(
    name="answersim",
    help="How close is a predicted answer to the gold answer in meaning, and how was that number made?",
    no_args_is_help=True,
    cls=_Commands,
    **_STYLE,
)
data_app = typer.Typer(help="List and fetch the labeled sets of the paper.", no_args_is_help=True)
train_app = typer.Typer(
    help="Train the small models behind the metrics. Needs the extra 'train'.", cls=_Trainings, no_args_is_help=True
)
app.add_typer(cache_app, name="cache")
app.add_typer(data_app, name="data")
app.add_typer(train_app, name="train")


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(VERSION)
        raise typer.Exit


app.command()(score)  # first in the help too
app.command()(evaluate)


@app.command("list")
def list_() -> None:
    """List all metrics, their aliases, and those of plug-ins."""
    with user_errors():
        rows = [(entry.name, entry.kind, entry.summary) for entry in map(lookup.entry, lookup.names())]
        rows += [(name, lookup.REMOTE, lookup.entry(name).summary) for name in lookup.remote_names()]
        rows += [(alias, "alias", f"another name for {full}") for alias, full in lookup.ALIASES.items()]
        rows.append(
            (f"{lookup.TYPED}NAME", "wrapper", "a metric of this list, overruled if both answers are typed values")
        )
        rows.append((f"{lookup.OFFICIAL}NAME", "wrapper", "the rule of a benchmark; 'answersim official' lists them"))
        rows += [(name, "wrapper", wrapper.summary) for name, wrapper in lookup.WRAPPERS.items()]
        rows += [(name, "plug-in", _plug_in_summary(name)) for name in lookup.plug_ins()]
        rows += [
            (name, "plug-in", f"not used, because its name is taken: {origin}")
            for name, origin in lookup.clashes().items()
        ]
        print_table(("metric", "kind", "what it computes"), rows)


def _plug_in_summary(name: str) -> str:
    """Return what a plug-in computes, or why it cannot be used."""
    try:
        return lookup.entry(name).summary
    except ValueError as error:
        return f"cannot be used: {one_line(error)}"


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="The name of a metric.")],
    lang: Language = "en",
    profile: Profile = None,
    prompt: PromptName = None,
    record: Annotated[
        Path | None, typer.Option(help="The record of a judge. What a citation of it needs is printed too.")
    ] = None,
) -> None:
    """Show what a metric computes, its weights and its signature."""
    with user_errors():
        entry = lookup.entry(name)
        lines = {"metric": entry.name, "computes": entry.summary, "source": entry.source}
        name, aliases = entry.name, lookup.aliases_of(entry.name)
        if aliases:
            lines["alias"] = ", ".join(aliases)
        if entry.kind == "neural":
            behind = profiles.weights(name, lang, profile)
            layer = "" if behind.layer is None else f", layer {behind.layer}"
            adapter = "" if behind.adapter is None else f", adapter {behind.adapter.name}"
            order = "" if behind.order is None else f", order {behind.order}"
            revision = "" if behind.revision is None else f", revision {behind.revision}"
            lines["weights"] = f"{behind.model}{revision}{layer}{adapter}{order} (profile {profile or 'embedded'})"
            if behind.never_run:
                lines["note"] = (
                    "this project never ran these weights, only small random weights of the same architecture"
                )
                if behind.revision is None:
                    lines["note"] += "; no revision is pinned, so the hub may change them"
        if entry.parts:
            lines["parts"] = ", ".join(entry.parts)
        if lookup.reads_question(name, lang, profile):
            lines["question"] = "read if it is given"
        lines["options"] = ", ".join(lookup.options_of(name)) or "none"
        if entry.kind == lookup.REMOTE:
            show_judge(lines, prompt, record)
            return
        if prompt is not None or record is not None:
            raise TypeError(f"--prompt and --record are for a judge, but {name} calls no service; leave them out")
        try:
            lines["signature"] = lookup.metric(name, lang=lang, profile=profile).signature
        except (ImportError, LookupError, OSError, ValueError) as error:
            if entry.kind not in ("neural", "combined"):
                raise
            lines["signature"] = f"not available here: {one_line(error)}"  # weights or an extra are missing or damaged
        for key, value in lines.items():
            typer.echo(f"{key:<10} {value}")


@data_app.command("list")
def data_list() -> None:
    """List the labeled sets, and whether they are on this machine."""
    from answersim.data import datasets

    with user_errors():
        print_table(
            ("set", "here", "what it is"),
            [(name, "yes" if datasets.present(name) else "no", datasets.about(name)) for name in datasets.names()],
        )


@data_app.command("fetch")
def data_fetch(
    names: Annotated[
        list[str] | None, typer.Argument(help="The sets to fetch. By default, all sets are fetched.")
    ] = None,
    progress: Annotated[bool, typer.Option(help="Show progress bars on a terminal.")] = True,
) -> None:
    """Fetch the sets of the paper into the cache. Their source is its public repository. Their SHA-256 is verified."""
    from answersim.data.fetch import FILES, fetch
    from answersim.runtime.progress import bar
    from answersim.runtime.progress import progress as shown

    with user_errors(), shown(progress):
        wanted = names or list(FILES)
        for name in wanted:
            with bar(0, name, "B") as line:

                def tell(file: object, here: int, size: int | None, line: Any = line) -> None:
                    line.total = size
                    line.update(here - line.n)

                for result in fetch([name], progress=tell):
                    typer.echo(f"{'fetched' if result.brought else 'was here'}  {result.path}")


app.command()(compare)
app.command()(gate)
app.command()(label)
app.command()(plan)
app.command()(calibrate)
app.command()(cascade)
app.command()(correlate)
app.command()(doctor)
app.command()(layers)
app.command()(official)
app.command()(report)
app.command()(verdict)
app.command()(verify)


def main() -> None:
    """Run the command line. An error that the user can correct ends it with one line and exit status 2."""
    with user_errors():  # also covers errors outside the command itself, such as while its help is printed
        app()


if __name__ == "__main__":
    main()
