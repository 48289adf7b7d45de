"""Render a page from a template and its values: every text is escaped, and only scripts of the page run."""

from __future__ import annotations

import base64
import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files as resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from answersim.errors import MissingExtraError
from answersim.io import output_files
from answersim.signature import VERSION


@dataclass(frozen=True)
class PageSettings:
    """What a page shows besides its result, and where its figures are.

    Attributes:
        title: The heading; that of the kind of page if None.
        command: The command line for this page, to be shown.
        metadata: More lines for "how to reproduce", such as the checksum of the file.
        figures: A folder for the files of the figures (SVG, PNG, PDF); inside the page if None.
        base: The folder of the page, if there is such a folder.
    """

    title: str | None = None
    command: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    figures: Path | None = None
    base: Path | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The values of the template."""
        return {"command": self.command, "linked": self.figures is not None}


SCRIPTS = ("data.js", "browser.js", "tables.js")


def rendered(template: str, *, data: Mapping[str, Any], **values: Any) -> str:
    """Return a page as HTML with its style and scripts inside. Equal arguments give an equal page.

    Args:
        template: The name of the template.
        data: What the scripts of the page read, as JSON.
        values: The values of the template. Texts are escaped where they are inserted.

    Raises:
        MissingExtraError: If jinja2 is not installed.
    """
    jinja2 = ready()
    script = "".join(map(_resource, SCRIPTS))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, loader=jinja2.FunctionLoader(_resource)
    )
    return str(
        environment.get_template(template).render(
            style=style(),
            script=script,
            script_hash=f"sha256-{digest}",
            data=embedded(data),
            version=VERSION,
            **values,
        )
    )


def ready() -> Any:
    """Return jinja2. Raise MissingExtraError if it or matplotlib is missing, before a long study is computed."""
    for name in ("jinja2", "matplotlib"):
        if find_spec(name) is None:
            raise MissingExtraError("a report", "report", name)
    import jinja2

    return jinja2


def embedded(value: Any) -> str:
    r"""Return this value as JSON for a script element: nothing in it ends the element or opens a comment.

    >>> embedded(["</script><!--"])
    '["\\u003c/script\\u003e\\u003c!--"]'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def settings_shown(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the non-empty settings of a study as texts in order, and the versions."""
    shown = {
        name.replace("_", " "): ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        for name, value in settings.items()
        if value not in (None, (), [])
    }
    return {**shown, "answersim": VERSION, "Python": platform.python_version(), "numpy": np.__version__}


def style() -> str:
    """Return the style of a page."""
    return _resource("base.css") + _resource("style.css")


def _resource(name: str) -> str:
    return (resources("answersim.report") / name).read_text(encoding="utf-8")


def check_page(output: Path, folder: Path | None = None) -> None:
    """Check before any work that a page can be written to this file, and its figures to this folder.

    Raises:
        ValueError: If the file is not an HTML file by its name.
        FileNotFoundError: If it is a folder, or there is no folder to write it in.
        NotADirectoryError: If the folder of the figures is a file.
    """
    if output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"the output is {output}, but a report is an HTML file; give a name that ends in .html")
    if output.is_dir() or not output.resolve().parent.is_dir():
        raise FileNotFoundError(f"{output} cannot be written: it is a folder, or there is no folder to write it in")
    if folder is not None and folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"--figures is {folder}, but that is a file; give the name of a folder")


def write_page(html: str, output: Path, what: str) -> str:
    """Write the page, completely or not at all, and return a line with its size and content."""
    with output_files.atomic_write(output) as draft:
        draft.write_text(html, encoding="utf-8", errors="replace", newline="\n")
    return f"written: {output} ({output.stat().st_size / 1e6:.1f} MB, {what})"
