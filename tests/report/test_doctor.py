"""The page of an examination: one file, every text escaped."""

import answersim
from answersim.doctor import examine
from answersim.doctor.results import DoctorReport
from answersim.report.doctor import audit_page, doctor_page
from tests.report.pages import read


def examination() -> DoctorReport:
    def bold(golds: list[str], preds: list[str]) -> list[float]:
        return [float("<b>" in pred) for pred in preds]

    from answersim.data.minimal_pairs import MinimalPair

    pairs = [MinimalPair("en", "x", f"en-x-{i}", "dev", "Which?", "a", "b", "<b>c</b>") for i in range(3)]
    return examine({"<i>mine</i>": bold, "f1": "f1"}, pairs=pairs, attacked=2, progress=False)


def test_the_page_holds_all_tables_and_loads_nothing():
    result = examination()
    page = doctor_page(result, title="<u>x</u>")
    tags = read(page).tags
    opened = [tag for tag, _ in tags]
    assert opened.count("table") == len(list(result.tables(10)))
    assert {"script", "i", "b", "u", "img", "link"} & set(opened) == set()
    assert all(str(attributes.get("href", "#part-")).startswith("#part-") for _, attributes in tags)
    assert all("src" not in attributes for _, attributes in tags)
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
    page = audit_page(found, worst=5)
    opened = [tag for tag, _ in read(page).tags]
    assert opened.count("table") == len(list(found.tables()))
    assert {"script", "b", "img", "link"} & set(opened) == set()
    assert "<h1>Audit of bold</h1>" in page
