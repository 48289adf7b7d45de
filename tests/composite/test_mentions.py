"""Where a prediction mentions the gold answer."""

from answersim.composite.mentions import MENTION, content, plain, with_mentions, words
from tests.cases import every


@every(
    ("gold", "pred", "expected"),
    [
        ("Paris", "It is Paris, Paris!", "it is <M>, <M>!"),
        ("The Beatles", "the Beatles", "the <M>"),
        ("Paris.", "PARIS", "<M>"),
        ("Paris", "Parisian art", "<M> art"),  # the same first letters
        ("Art", "Artist", "artist"),  # too short for it
        ("Robert Nesta Marley", "Bob Marley", "bob <M>"),
        ("Gary Puckett & the Union Gap", "Gary Puckett and The Union Gap", "<M>"),
        ("War and Peace", "Peace and War", "<M>"),
        ("Paris", "London", "london"),
        ("", "London", "london"),
    ],
)
def test_mentions_are_replaced_by_a_sign(gold, pred, expected):
    assert with_mentions(gold, pred) == expected.replace("<M>", MENTION)


def test_parts_of_a_name_are_searched_in_short_predictions_only():
    assert MENTION in with_mentions("Bob Marley", "Marley " + "x " * 20)
    assert MENTION not in with_mentions("Bob Marley", "Marley " + "x " * 30)


def test_words_of_grammar_count_only_if_there_are_no_others():
    assert content(words("in the season seven premiere")) == {"season", "seven", "premiere"}
    assert content(words("To be or to be")) == {"to", "be", "or"}
    assert plain("Rock\u2019n\u2019 Roll  &\nmore", kept="\n") == "rock'n' roll  and \nmore".replace("  and", " and")
