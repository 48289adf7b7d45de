"""What the commands of the benchmarks share: names between commas, and where the result is written."""

import pytest

from benchmarks.options import chosen, write_out


@pytest.mark.parametrize("names", ["f2", "f1,f2", "f1,,em"])
def test_an_unknown_name_is_an_error_with_its_kind(names):
    with pytest.raises(LookupError, match="no metric is called"):
        chosen("metric", names, ("em", "f1"))


def test_a_result_is_printed_or_written_to_a_file(tmp_path, capsys):
    write_out("a table\n", None)
    assert capsys.readouterr().out == "a table\n"
    write_out("a table\n", tmp_path / "table.txt")
    assert (tmp_path / "table.txt").read_text(encoding="utf-8") == "a table\n"
    assert capsys.readouterr().out == ""
