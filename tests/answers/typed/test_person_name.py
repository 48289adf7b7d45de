"""The name of a person, taken apart."""

from answersim.answers.typed.person import person_name
from tests.cases import every


@every(
    ("name", "expected"),
    [
        ("John Fitzgerald Kennedy", ("", ("John", "Fitzgerald"), "Kennedy", "")),
        ("Kennedy, John F., Jr.", ("", ("John", "F."), "Kennedy", "Jr.")),
        ("Martin Luther King Jr.", ("", ("Martin", "Luther"), "King", "Jr.")),
        ("William Gates, III", ("", ("William",), "Gates", "III")),
        ("Vincent van Gogh", ("", ("Vincent",), "van Gogh", "")),
        ("Martin Van Buren", ("", ("Martin",), "Van Buren", "")),
        ("Juana Inés de la Cruz", ("", ("Juana", "Inés"), "de la Cruz", "")),
        ("van der Waals, Johannes Diderik", ("", ("Johannes", "Diderik"), "van der Waals", "")),
        ("Sir Isaac Newton", ("Sir", ("Isaac",), "Newton", "")),
        ('Eric A. "Rick" Crawford', ("", ("Eric", "A."), "Crawford", "")),
        ("Judge Reinhold", ("", ("Judge",), "Reinhold", "")),
        ("john f kennedy", ("", ("john", "f"), "kennedy", "")),
        ("Van Morrison", ("", ("Van",), "Morrison", "")),
    ],
)
def test_a_persons_name_is_taken_apart(name, expected):
    assert person_name(name) == expected


@every(
    "name",
    [
        *("", " ", ",", "Madonna", "Madonna, ", "Dr. House", "毛澤東", "毛 澤東", "Владимир Ленин", "50 Cent"),
        *("Bank of America", "a, b, c d", "Louis XIV 2", "Jr.", "John (Jack)", "Apple Inc.", "Sir"),
    ],
)
def test_what_is_no_persons_name_gives_nothing(name):
    assert person_name(name) is None
