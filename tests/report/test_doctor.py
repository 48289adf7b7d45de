"""The page of an examination: one file, every text escaped."""

from html.parser import HTMLParser

import answersim
from answersim.doctor import examine
from answersim.doctor.results import DoctorReport
from answersim.report.doctor import audit_page, doctor_page


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


def examination() -> DoctorReport:
    def bold(golds: list[str], preds: list[str]) -> list[float]:
        return [float("<b>" in pred) for pred in preds]

    from answersim.data.minimal_pairs import MinimalPair

    pairs = [MinimalPair("en", "x", f"en-x-{i}", "dev", "Which?", "a", "b", "<b>c</b>") for i in range(3)]
    return examine({"<i>mine</i>": bold, "f1": "f1"}, pairs=pairs, attacked=2, progress=False)


def test_the_page_holds_all_tables_and_loads_nothing():
    result = examination()
    page, tags = doctor_page(result, title="<u>x</u>"), Tags()
    tags.feed(page)
    assert tags.opened.count("table") == len(list(result.tables(10)))
    assert {"script", "i", "b", "u", "img", "link"} & set(tags.opened) == set()
    assert all(link.startswith("#part-") for link in tags.links)
    assert "default-src 'none'" in page
    assert "&lt;b&gt;c&lt;/b&gt;" in page
    assert "&lt;u&gt;x&lt;/u&gt;" in page


def test_equal_examinations_give_equal_pages():
    result = examination()
    assert doctor_page(result) == doctor_page(result)


def test_the_page_of_an_audit_escapes_texts_and_loads_nothing():
    def bold(golds: list[str], preds: list[str]) -> list[bool]:
        return ["<b>" in pred for pred in preds]

    found = answersim.audit(bold, {"gold": ["a"] * 4, "pred": ["<b>c</b>"] * 4}, attacked=1)
    page, tags = audit_page(found, worst=5), Tags()
    tags.feed(page)
    assert tags.opened.count("table") == len(list(found.tables()))
    assert {"script", "b", "img", "link"} & set(tags.opened) == set()
    assert "<h1>Audit of bold</h1>" in page
