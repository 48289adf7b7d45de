"""``answersim train``: a bi-encoder on pairs of names, or a cross-encoder."""

from __future__ import annotations

import typer

from answersim._base.runtime.option_groups import GroupedCommand
from answersim.training.bi_encoder.options import main as names
from answersim.training.cross_encoder.options import main as cross_encoder

app = typer.Typer(help="Train the small models behind the metrics. Needs the extra 'train'.", no_args_is_help=True)
app.command("names", cls=GroupedCommand)(names)
app.command("cross-encoder", cls=GroupedCommand)(cross_encoder)
