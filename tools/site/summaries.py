"""llms.txt and llms-full.txt: the pages as a list of links with summaries, and as one text, for language models."""

from __future__ import annotations

import re
from pathlib import Path

from tools.site.sources import toctree

_BLOCK = re.compile(r"^```\{toctree\}\n:caption: (.*?)\n.*?^```", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"^```.*?^```$|^ {4}[^\n]*$", re.DOTALL | re.MULTILINE)
_BRIEF = ("Results", "Project")  # the sections that llms-full.txt leaves out: result pages are numbers without end


def title(text: str) -> str:
    r"""Return the first heading of a page, or "" if it has none.

    >>> title("<!-- made -->\n# The `f1` card\n\ntext"), title("text")
    ('The `f1` card', '')
    """
    match = re.search(r"^# +(.+)$", text, re.MULTILINE)
    return match[1].strip() if match else ""


def summary(text: str) -> str:
    r"""Return the first sentence of the first paragraph of a page, on one line and without marks of Markdown.

    >>> summary("# T\n\n**One [thing](a.md),\nand another.** More.")
    'One thing, and another.'
    >>> summary("---\nlicense: cc0-1.0\n---\n\n# A model card\n\n    $ make it\n\n```\na\n\nb\n```\n\nAn adapter.")
    'An adapter.'
    """
    for block in re.split(r"\n\s*\n", _CODE.sub("", re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL))):
        if re.match(r"\s*(#|\||<!--|!\[|- |\d+\. )", block) or not block.strip():
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(block.split())).replace("**", "")
        return re.split(r"(?<=[.:?!])\s", plain, maxsplit=1)[0]
    return ""


def summaries(folder: Path) -> dict[str, str]:
    """Return llms.txt and llms-full.txt by name.

    Args:
        folder: The assembled sources: the index decides on sections and order.
    """
    index = (folder / "index.md").read_text(encoding="utf-8")
    lines, full = [f"# {title(index)}", "", f"> {summary(index)}", ""], []
    for match in _BLOCK.finditer(index):
        pages = [page for document in toctree(match[0]) for page in _with_children(folder, document)]
        lines += [f"## {match[1]}", ""]
        for page in pages:
            text = (folder / f"{page}.md").read_text(encoding="utf-8")
            brief = summary(text)
            lines.append(f"- [{title(text) or page}]({page}.html){': ' + brief if brief else ''}")
            full += [] if match[1] in _BRIEF else [text]
        lines.append("")
    return {"llms.txt": "\n".join(lines), "llms-full.txt": "\n\n---\n\n".join(full)}


def _with_children(folder: Path, document: str) -> list[str]:
    """Return the documents below an entry of the index that are Markdown: itself and what its own lists name."""
    path = folder / f"{document}.md"
    if not path.is_file():
        return []
    children = toctree(path.read_text(encoding="utf-8"))
    inside = [child if "/" in child else f"{document.rpartition('/')[0]}/{child}" for child in children]
    return [document, *(child for child in inside if (folder / f"{child}.md").is_file())]
