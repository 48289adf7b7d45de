"""The index of shipped calibrations: each signature leads to one name."""

from answersim.calibration.shipped_index import OF_LENGTHS, index
from answersim.calibration.storing import SHIPPED, read


def test_each_calibration_of_any_length_is_found_by_its_own_signature():
    shipped = index(SHIPPED)
    for name in shipped.names:
        signature = read(SHIPPED / f"{name}.json").signature
        if not name.endswith(OF_LENGTHS):
            assert shipped.by_signature[signature] == name
        assert signature.split("|", 1)[0] in shipped.metrics
    assert not [name for name in shipped.by_signature.values() if name.endswith(OF_LENGTHS)]


def test_a_language_that_was_checked_leads_to_the_english_calibration():
    assert index(SHIPPED).by_signature["f1|text:de|rev:1"] == "f1"
    assert "f1|text:fr|rev:1" not in index(SHIPPED).by_signature
