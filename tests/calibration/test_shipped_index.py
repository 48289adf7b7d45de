"""The index of shipped calibrations: each signature leads to one name."""

from answersim.calibration.shipped_index import index
from answersim.calibration.storing import SHIPPED, read


def test_each_calibration_is_found_by_its_own_signature():
    shipped = index(SHIPPED)
    for name in shipped.names:
        signature = read(SHIPPED / f"{name}.json").signature
        assert shipped.by_signature[signature] == name
        assert signature.split("|", 1)[0] in shipped.metrics


def test_a_language_that_was_checked_leads_to_the_english_calibration():
    assert index(SHIPPED).by_signature["f1|text:de|rev:1"] == "f1"
    assert "f1|text:fr|rev:1" not in index(SHIPPED).by_signature
