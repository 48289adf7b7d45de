"""The sources of the site: the pages of the tree under their own paths, with the files that they link to."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETTINGS = "docs/site"  # conf.py, the style sheet, the start page, and pages that are lists of pages
PAGES = (
    *("README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md"),
    *("benchmarks/results/*.md", "answersim/metrics/neural/adapters/*/README.md"),
    *("answersim/evaluation/data/probe/*.md", "rankers/data/*.md"),
)
EXAMPLES = "examples"  # scripts and GALLERY_HEADER.rst, from which sphinx-gallery makes the pages of gallery/
_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
_FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"^(?:(?P<title>.*)<(?P<path>[^>]+)>|(?P<alone>[\w/.-]+))$")


def pages(root: Path = ROOT) -> list[str]:
    """Return the paths of all pages of the tree, relative to its root, in order."""
    return sorted({path.relative_to(root).as_posix() for pattern in PAGES for path in root.glob(pattern)})


def examples(root: Path = ROOT) -> list[Path]:
    """Return the examples that run when the site is built, and their header."""
    return sorted(path for path in (root / EXAMPLES).glob("*") if path.suffix in (".py", ".rst"))


def links(text: str) -> Iterator[str]:
    """Yield the targets of the links and images of a page that stay inside the tree. Blocks of code have no links.

    >>> list(links("[a](b.md#c), ![d](e.png), [f](https://g.org), [h](#i)"))
    ['b.md#c', 'e.png', '#i']
    """
    for match in _LINK.finditer(_FENCE.sub("", text)):
        if not re.match(r"[a-z]+:", match[2]):
            yield match[2]


def titles(text: str) -> dict[str, str]:
    r"""Return the title of each document that the lists of contents of a page name, "" if they give none.

    >>> titles("```{toctree}\nA title </docs/a>\nb/index\n```")
    {'docs/a': 'A title', 'b/index': ''}
    """
    found = {}
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            entry = None if line.startswith(":") else _ENTRY.match(line.strip())
            if entry:
                found[(entry["path"] or entry["alone"]).lstrip("/")] = (entry["title"] or "").strip()
    return found


def with_title(text: str, title: str) -> str:
    r"""Return a page with a heading of the first level: its own, or else the title. Result pages begin with tables.

    >>> with_title("## A table\n", "Speed"), with_title("# Speed\n", "Another")
    ('# Speed\n\n## A table\n', '# Speed\n')
    """
    return text if re.search(r"^# ", _FENCE.sub("", text), re.MULTILINE) else f"# {title}\n\n{text}"


def assemble(folder: Path, root: Path = ROOT) -> list[str]:
    """Write the settings, the lists, the pages and the files that pages link to below a folder; return the pages.

    A page keeps its path, so that relative links lead to the same place. A link to a folder leads to its README.
    """
    shutil.copytree(root / SETTINGS, folder, dirs_exist_ok=True)
    found, named = pages(root), dict[str, str]()
    for path in folder.glob("*.md"):
        named |= titles(path.read_text(encoding="utf-8"))
    for page in found:
        source = root / page
        text = source.read_text(encoding="utf-8")
        for link in links(text):
            target = (source.parent / link.partition("#")[0]).resolve()
            if link.startswith("#") or target.relative_to(root.resolve()).as_posix() in found:
                continue
            if not target.exists():
                raise FileNotFoundError(f"{page} links to {link}, which is not in the tree; fix the link")
            if target.is_dir():
                text = text.replace(f"]({link})", f"]({link.rstrip('/')}/README.md)")
            else:
                copy(target, folder / target.relative_to(root.resolve()))
        write(folder / page, with_title(text, named.get(page.removesuffix(".md"), page)))
    for example in examples(root):
        copy(example, folder / EXAMPLES / example.name)
    return found


def write(path: Path, text: str) -> None:
    """Write a text, and create its folder if it does not exist."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy(source: Path, target: Path) -> None:
    """Copy a file, and create the folder of the copy if it does not exist."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
