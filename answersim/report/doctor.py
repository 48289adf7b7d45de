"""The pages of ``answersim doctor`` and ``answersim audit``: one self-contained HTML file without scripts."""

from __future__ import annotations

import html
from collections.abc import Sequence

from answersim.doctor.audit_results import Audit
from answersim.doctor.results import DoctorReport
from answersim.report.rendering import style
from answersim.signature import VERSION
from answersim.text_tables import TextTable, html_table, printable

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_ABOUT = (
    "A minimal pair is a gold answer with a rewrite that keeps the meaning and a close miss that does not. The order "
    "is right if the rewrite scores above the close miss."
)


def doctor_page(examination: DoctorReport, *, title: str = "What these metrics see", worst: int = 10) -> str:
    """Return the examination as HTML. Equal arguments give an equal page, in which every text is escaped.

    Args:
        examination: The result of ``answersim.doctor.examine``.
        title: The heading.
        worst: The maximum number of misordered minimal pairs per metric.
    """
    return _page(title, _ABOUT, list(examination.tables(worst)), examination.footer())


def audit_page(audit: Audit, *, worst: int = 100) -> str:
    """Return an audit as HTML, likewise.

    Args:
        audit: The result of ``answersim.audit``.
        worst: The maximum number of attacks and spellings.
    """
    return _page(f"Audit of {audit.verifier}", " ".join(audit.summary()), list(audit.tables(worst)), audit.footer())


def _page(title: str, about: str, tables: Sequence[TextTable], footer: Sequence[str]) -> str:
    links = "".join(
        f'<li><a href="#part-{i}">{html.escape(printable(table.title))}</a></li>' for i, table in enumerate(tables)
    )
    sections = "".join(
        f'<section id="part-{i}"><h2>{html.escape(printable(table.title))}</h2><div class="scroll" tabindex="0">'
        f"{html_table(table._replace(title=''))}</div></section>"
        for i, table in enumerate(tables)
    )
    closing = "".join(f"<li>{html.escape(printable(line))}</li>" for line in footer)
    heading = html.escape(printable(title))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{heading}</title>'
        f"<style>{style()}</style></head><body><header><h1>{heading}</h1>"
        f'<p class="soft">{html.escape(printable(about))}</p><nav aria-label="sections"><ul>{links}</ul></nav></header>'
        f'<main id="main">{sections}<section><h2>Settings and signatures</h2><ul class="small">{closing}</ul></section>'
        f'</main><footer class="small soft">Made by answersim {VERSION}.</footer></body></html>\n'
    )
