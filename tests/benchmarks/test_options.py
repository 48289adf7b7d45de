"""What the commands of the benchmarks share: names between commas, and where the result is written."""

from benchmarks.options import write_out


def test_a_result_is_printed_or_written_to_a_file(tmp_path, capsys):
    write_out("a table\n", None)
    assert capsys.readouterr().out == "a table\n"
    write_out("a table\n", tmp_path / "table.txt")
    assert (tmp_path / "table.txt").read_text(encoding="utf-8") == "a table\n"
    assert capsys.readouterr().out == ""
