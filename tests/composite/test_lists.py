"""Which predictions are lists of far more answers than the gold answer: a table that can be checked by hand."""

from answersim.composite.lists import lists_many
from tests.cases import every

CITIES = ["Rome", "Oslo", "Paris", "Bern", "Lima", "Cairo"]
MANY = [
    ("Paris", ", ".join(CITIES)),
    ("Paris", " / ".join(CITIES)),
    ("Paris", " | ".join(CITIES)),
    ("Paris", "; ".join(CITIES)),
    ("Paris", "\n".join(CITIES)),
    ("Paris", "- " + "\n- ".join(CITIES)),
    ("Paris", " or ".join(CITIES)),
    ("Paris", "A) Rome B) Oslo C) Paris D) Bern"),
    ("Paris", "1. Rome 2. Oslo 3. Paris 4. Bern"),
    ("Paris", "It is one of: Rome, Oslo, Paris"),
    ("Paris", "The answer could be Rome, Oslo, Paris, or Bern."),
    ("Paris", "Possible answers are Rome; Oslo; Paris; Bern"),
    ("Bill Russell", "Rome, Oslo, Boston Celtics center Bill Russell, Bern"),
    ("Albert, Duke of York", "Rome, Oslo, Albert, Duke of York, Bern"),
    ("Gary Puckett & the Union Gap", "A) Rome B) Gary Puckett & the Union Gap C) Oslo D) Bern"),
    ("October 10, 2017", "Rome; Oslo; October 10, 2017; Bern"),
    ("Rome and Paris", ", ".join([*CITIES, "Quito", "Delhi", "Tokyo"])),
    ("Madrid", ", ".join(CITIES)),  # it does not contain the gold answer either
]
FEW = [
    ("Paris", "Paris"),
    ("Paris", "Paris, Lutetia"),
    ("Paris", "Paris, Île-de-France, France"),
    ("Paris", "It is Paris, the capital of France, on the Seine."),
    ("red, white and blue", "red, white, and blue"),
    ("Rome, Oslo, Paris, Bern", "Bern, Paris, Oslo and Rome"),
    ("Four", "The human heart has four chambers: the right atrium, right ventricle, left atrium, and left ventricle."),
    ("Cyclopes", "In Greek mythology, Arges, Brontes, and Steropes were three of the Cyclopes."),
    ("Karl Marx", "The last name of the brothers Chico, Harpo, Groucho, Zeppo, and Gummo is Marx."),
    (
        "Sheep",
        "Haggis is made from the heart, liver, and lungs of a sheep, mixed with onion, oatmeal, suet and spices.",
    ),
    ("1776", "Thursday, July 4, 1776"),
    ("Paris", ""),
    ("", "Rome, Oslo, Bern"),
    ("1,234,567", "1,234,567"),
]


@every(("gold", "pred", "expected"), [(*pair, True) for pair in MANY] + [(*pair, False) for pair in FEW])
def test_a_list_has_far_more_answers_or_not(gold, pred, expected):
    assert lists_many(gold, pred) is expected


@every("n", [4, 10, 150])
@every("join", [", ", "; ", "\n", " or ", " | "])
def test_the_place_of_the_gold_answer_in_a_list_does_not_matter(n, join):
    for place in (0, n // 2, n - 1):
        items = [f"Place{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(n)]
        items[place] = "Paris"
        assert lists_many("Paris", join.join(items)), place
