"""Each row of the table of patterns has an example that it finds, a counter-example that it does not, and a use."""

import re
from pathlib import Path

import answersim.answers as room
from answersim.answers.text.patterns import EXPRESSIONS, Patterns, pattern, table
from tests.cases import every

ROWS = table("text/patterns.tsv")
SOURCES = [path.read_text(encoding="utf-8") for path in sorted(Path(room.__path__[0]).rglob("*.py"))]


@every("row", [row for row in ROWS if row[2]])
def test_a_pattern_finds_its_example_and_not_its_counter_example(row):
    module, name, use, _, example, counter = row
    find = getattr(pattern(module, name), use)
    assert find(example.replace("⏎", "\n"))
    assert not find(counter.replace("⏎", "\n"))


def test_each_pattern_is_used_and_each_used_one_is_in_the_table():
    used, used_sets = set(), set()
    for source in SOURCES:
        module = re.search(r'\bPatterns\("(\w+)"\)', source)
        names = re.findall(r"\b_P\.(\w+)", source)
        used |= {(module[1], name) for name in names} if module else set()
        used |= set(re.findall(r'\bpattern\("(\w+)", "(\w+)"', source))
        if sets := re.search(r'\bword_sets\("(\w+)"\)', source):
            used_sets |= {(sets[1], name) for name in re.findall(r'\b(?:_W|word_sets\("\w+"\))\.(\w+)', source)}
    assert sorted(used_sets) == sorted((module, name) for module, name, *_ in table("text/word_sets.tsv"))
    fragments = {(module, name) for module, name, *_ in ROWS if name.isupper()}
    assert used == EXPRESSIONS.keys() - fragments
    everywhere = " ".join(EXPRESSIONS.values())
    assert [name for _, name in fragments if f"<{name}>" not in everywhere] == []
    assert len(ROWS) == len(EXPRESSIONS)


def test_a_missing_pattern_is_an_attribute_error():
    assert not hasattr(Patterns("choice"), "zz_none")
