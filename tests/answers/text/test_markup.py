"""What a reader of an answer with markup sees: a table that can be checked by hand."""

from hypothesis import given
from hypothesis import strategies as st

from answersim.answers.text.markup import visible, visible_lines, visible_pair
from tests.cases import every

SEEN = [
    # comments
    ("London <!-- Paris -->", "London"),
    ("<!-- Paris -->London", "London"),
    ("London <!-- Paris", "London"),  # not closed: a page shows nothing after it
    ("London\n\n[//]: # (Paris)", "London"),
    ("&lt;!-- Paris --&gt; London", "London"),
    # hidden elements, attributes and text that is struck out
    ('London<span style="display:none">Paris</span>', "London"),
    ("London <p hidden>Paris</p>", "London"),
    ("<script>Paris</script>London", "London"),
    ('<div style="visibility: hidden">a<div>b</div>c</div>London', "London"),
    ('<span title="Paris">London</span>', "London"),
    ('London <img src="x.png" alt="Paris">', "London"),
    ('<a href="https://example.org/Paris">London</a>', "London"),
    ("[London](https://example.org/Paris)", "London"),
    ("![Paris](x.png) London", "London"),
    ("~~Paris~~ London", "London"),
    ("<del>Paris</del> <b>London</b>", "London"),
    # signs around what is read
    ("**Paris**", "Paris"),
    ("***Paris***", "Paris"),
    ("__Paris__", "Paris"),
    ("_Emma_", "Emma"),
    ("The answer is **Paris**.", "The answer is Paris."),
    ("## Paris\n", "Paris"),
    ("- Paris", "Paris"),
    ("- 1984", "1984"),
    ("`Paris`", "Paris"),
    ("```text\nParis\n```", "Paris"),
    ("<b>Paris</b>", "Paris"),
    ("<strong class='x'>Par</strong>is", "Paris"),
    ("Paris<br>France", "Paris France"),
    ("<div><span>Paris</span></div>", "Paris"),
    ("<answer>Paris</answer>", "Paris"),
    ("&quot;Paris&quot;", '"Paris"'),
    (r"\boxed{Paris}", "Paris"),
    (r"The answer is $\boxed{-3}$.", "The answer is -3."),
    (r"$\text{Paris}$", "Paris"),
    ("\u200bPa\u200bris\ufeff", "Paris"),
    ("“Paris”", "Paris"),
    ("«Paris».", "Paris."),
    ("„Paris“", "Paris"),
    ("<!-- Paris -->", ""),
]
KEPT = [
    *("Paris", "", " Paris ", "C#", "C++", "#1", "# 1", "A*", "5*", "*NSYNC", "M*A*S*H", "2*3*4", "5 * 3 * 2", "a_b_c"),
    *("__init__", "x < y > z", "vector<int>", "a<b and b>c", "<b>", "<b></b>", "<br>", "- 5", "-5", "+5", "~5", "$5"),
    *(
        "A$AP Rocky and A$AP Ferg",
        "US$5 or A$6",
        "$5 to $10",
        "$5-$10",
        "AT&T",
        "R&B",
        "f[x](y)",
        r"\frac{3}{4}",
        r"\boxed{\frac{3}{4}}",
        "Hawai`i",
        "[0, 1)",
    ),
    *(
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "نمی\u200cخواهم",
        "E=mc^2",
        "1_000",
        "“War” and “Peace”",
        "He said “no”.",
    ),
]


@every(("text", "seen"), SEEN)
def test_markup_is_not_read(text, seen):
    assert visible(text) == seen


@every("text", KEPT)
def test_a_text_without_markup_stays(text):
    assert visible(text) == text


@every(
    ("gold", "pred", "expected"),
    [
        ("<div>", "The <div> element", ("<div>", "The <div> element")),
        ("<div>", "The <p> element <!-- <div> -->", ("<div>", "The <p> element")),
        ("<div>", "<div>", ("<div>", "<div>")),
        ("<i>Emma</i>", "<b>Emma</b>", ("Emma", "Emma")),
        ("x < y", "<b>x < y</b>", ("x < y", "x < y")),
    ],
)
def test_a_gold_answer_that_is_a_tag_is_found_in_a_prediction(gold, pred, expected):
    assert visible_pair(gold, pred) == expected


@given(st.text(st.sampled_from("ab <>/!-*_`~[]()#&$\\{}\n\u200b\"'="), max_size=60))
def test_what_is_seen_has_no_markup_of_its_own_letters(text):
    """Nothing is added: the letters that are seen are letters of the text, in order."""
    letters = iter(text)
    assert all(letter in letters for letter in visible(text) if letter in "ab")


@every("piece", ["<a '", '<a "', "<del>", "<!--", "[a](", "**a ", "`", "~~", "$a", "![", "<b>a</b>", "&lt;"])
def test_a_repeated_opening_takes_no_more_than_linear_work(piece):
    """A pattern that reads to the end from each opening would need minutes here."""
    assert len(visible(piece * 20_000)) <= len(piece) * 20_000


def test_signs_of_lines_are_seen_in_short_and_in_long_texts() -> None:
    for words in ("Rome", "Rome " * 60):
        assert visible(f"# {words}") == words.strip()
        assert visible_lines(f"# {words}") == (words.strip(), f"# {words}".strip())
        assert visible(f"#{words}") == f"#{words}".strip()
