import gzip
from collections import Counter

import pytest

from tests.cases import every
from tests.training.data.drawing import put
from tools.pairs.alias_tables import Entity, read_aliases, read_dbpedia, read_legislators

DBPEDIA = """\
"URI","rdf-schema#label","name","alias","nationality_label","nationality"
"URI","http://www.w3.org/2000/01/rdf-schema#label","http://xmlns.com/foaf/0.1/name","http://dbpedia.org/ontology/alias","http://dbpedia.org/ontology/nationality","http://dbpedia.org/ontology/nationality"
"URI","XMLSchema#string","XMLSchema#string","XMLSchema#string","XMLSchema#string","Country"
"URI","http://www.w3.org/2001/XMLSchema#string","http://www.w3.org/2001/XMLSchema#string","http://www.w3.org/2001/XMLSchema#string","http://www.w3.org/2001/XMLSchema#string","http://dbpedia.org/ontology/Country"
"http://dbpedia.org/resource/Ann_Ox","Ann Ox (politician)","{Ann Ox|Ox, Ann}","Annie ""Bull"" Ox","{United States|Canada}","{http://dbpedia.org/resource/United_States|http://dbpedia.org/resource/Canada}"
"http://dbpedia.org/resource/Bo_Elk","Bo Elk","NULL","NULL","NULL","NULL"
"http://dbpedia.org/resource/X","NULL","Nobody","NULL","NULL","NULL"
"http://dbpedia.org/resource/None","None","NA","NULL","NULL","http://dbpedia.org/resource/S%C3%A3o_Tom%C3%A9"
"""
DBPEDIA_READ = [
    Entity("Ann Ox", ("Ox, Ann", 'Annie "Bull" Ox'), ("United States", "Canada")),
    Entity("Bo Elk"),
    Entity("None", ("NA",), ("São Tomé",)),
]
LEGISLATORS = """\
last_name,first_name,middle_name,suffix,nickname,full_name,state,bioguide_id,wikipedia_id
Ox,Bernard,,,Bernie,Bernard Ox,VT,O01,Bernie Ox
Elk,John,Quincy,Jr.,"“Jack”",,MA,E01,John Elk (Massachusetts politician)
Ox,Ben,,,,Ben Ox,VT,O01,Ben Ox
Fly,Ann,,,,,NY,,
"""


def test_one_row_is_one_alias(tmp_path):
    table = "entity,alias,group\nGates,Bill,US\nBo,,\nGates,William,US\nGates,Bill,US\nGates, Gates ,US\nGates,Dan,CA\n"
    assert read_aliases(put(tmp_path / "a.csv", table)) == [
        Entity("Gates", ("Bill", "William"), ("US",)),
        Entity("Bo"),
        Entity("Gates", ("Dan",), ("CA",)),
    ]


def test_one_row_is_all_aliases_with_a_separator(tmp_path):
    table = "entity\talias\tgroup\nH2O\twater| aqua ||H2O\tall\nNa\t\t\n"
    assert read_aliases(put(tmp_path / "a.tsv", table), "|") == [
        Entity("H2O", ("water", "aqua"), ("all",)),
        Entity("Na"),
    ]


def test_null_na_and_none_are_names(tmp_path):
    table = "entity,alias\nNone,NA\nnull,nan\n"
    assert read_aliases(put(tmp_path / "a.csv", table)) == [Entity("None", ("NA",)), Entity("null", ("nan",))]


@every(
    ("table", "columns", "error"),
    [
        ("entity,other\na,b\n", {}, r"a\.csv has no column 'alias'; its columns are: entity, other"),
        ("entity,alias\na,b\n ,c\n", {}, r"a\.csv, line 3: the column 'entity' is empty"),
        ("entity,alias\n", {}, r"contains no entities"),
        ("entity,alias\na,b\n", {"separator": ""}, r"separator is empty"),
    ],
)
def test_a_bad_alias_table_is_refused(tmp_path, table, columns, error):
    with pytest.raises(ValueError, match=error):
        read_aliases(put(tmp_path / "a.csv", table), **columns)


def test_a_dbpedia_table_is_read_plain_and_gzipped(tmp_path):
    plain = put(tmp_path / "Politician.csv", DBPEDIA)
    packed = tmp_path / "Politician.csv.gz"
    packed.write_bytes(gzip.compress(DBPEDIA.encode()))
    assert list(read_dbpedia(plain)) == list(read_dbpedia(packed)) == DBPEDIA_READ


def test_a_dbpedia_table_is_read_lazily(tmp_path):
    broken_at_the_end = put(tmp_path / "Politician.csv", DBPEDIA + '"a","b"\n')
    entities = read_dbpedia(broken_at_the_end)
    assert [next(entities) for _ in range(3)] == DBPEDIA_READ
    with pytest.raises(ValueError, match=r"line 9: 2 values for 6 columns"):
        next(entities)


def test_values_longer_than_the_csv_modules_limit_are_read(tmp_path):
    long = "x" * 200_000
    path = put(tmp_path / "P.csv", DBPEDIA + f'"u","Long","{long}","NULL","NULL","NULL"\n')
    assert list(read_dbpedia(path))[-1] == Entity("Long", (long,))


@every(
    ("table", "error"),
    [
        ("entity,alias\na,b\n", "is not a DBpedia table"),
        ("entity,alias\na,b\nc,d\ne,f\ng,h\n", "is not a DBpedia table"),
        ("", "is not a DBpedia table"),
        (DBPEDIA.replace("rdf-schema#label", "label", 1), r"no column 'rdf-schema#label'"),
        (DBPEDIA.replace('"name","alias"', '"a","b"', 1), r"none of the columns name, alias, birthName; its columns"),
        (DBPEDIA.replace('"nationality_label","nationality"', '"a","b"', 1), r"none of the columns nationality_label"),
    ],
)
def test_a_bad_dbpedia_table_is_refused(tmp_path, table, error):
    with pytest.raises(ValueError, match=error):
        list(read_dbpedia(put(tmp_path / "P.csv", table)))


def test_a_legislator_has_the_spellings_of_the_fields(tmp_path):
    path = put(tmp_path / "legislators.csv", LEGISLATORS)
    assert read_legislators([path, path]) == [
        Entity("Bernard Ox", ("Bernie Ox",), ("VT",)),
        Entity("John Elk", ("John Quincy Elk", "John Quincy Elk Jr.", "Jack Elk"), ("MA",)),
        Entity("Ann Fly", (), ("NY",)),
    ]


@every(
    ("table", "error"),
    [
        ("last_name,first_name\nOx,Ann\n", "no column 'middle_name'"),
        (LEGISLATORS + "Fly,,,,,,NY,F02,\n", "line 6: the first or the last name is missing"),
    ],
)
def test_a_bad_legislators_file_is_refused(tmp_path, table, error):
    with pytest.raises(ValueError, match=error):
        read_legislators([put(tmp_path / "l.csv", table)])


@pytest.mark.data
def test_the_legislators_have_aliases(data_home):
    names = data_home / "names"
    entities = read_legislators([names / "legislators-current.csv", names / "legislators-historical.csv"])
    assert len(entities) == 12_767
    assert sum(len(entity.aliases) for entity in entities) > 10_000
    assert Counter(bool(entity.groups) for entity in entities) == {True: 12_767}
