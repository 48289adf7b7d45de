"""Another distribution that has a package called ``rankers`` is reported."""

from __future__ import annotations

import subprocess
import sys
import warnings

import rankers

CODE = "import warnings; warnings.simplefilter('error'); import rankers"


def test_nothing_is_printed_without_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rankers._warn_of_the_other_rankers()


def test_it_is_named_with_its_version_when_rankers_is_imported(tmp_path):
    folder = tmp_path / "rankers-9.8.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: rankers\nVersion: 9.8\n", encoding="utf-8")
    code = f"import sys; sys.path.append({str(tmp_path)!r}); {CODE}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "UserWarning: the distribution 'rankers' 9.8 is installed beside 'answersim'" in done.stderr
    assert "pip uninstall rankers" in done.stderr
