"""A wrong argument of a program is an error that names it: status 2, no output, no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.programs import invoke, message

CASES = (
    ("correlations", "--metrics f1,bertscor", "no metric is called 'bertscor'; did you mean"),
    ("correlations", "--datasets squat", "no data set is called 'squat'; did you mean 'squad'"),
    ("correlations", "--datasets squad", "the data set 'squad' was not found"),
    ("correlations", "--metrics f1 --against sas", "--against is sas, but it is not one of the metrics: f1"),
    ("correlations", "--metrics em --scores recorded", "no recorded scores of em"),
    ("correlations", "--datasets probe --scores recorded", "recorded scores, but probe is"),
    ("correlations", "--scores recorded", "only the sets of the paper have recorded scores"),
    ("correlations", "--output no/such/folder/x.txt", "there is no folder"),
    ("correlations", "--format html", "html"),
    ("correlations", "--profile big", "big"),
    ("figures", "--only 4", "no figure is called '4'"),
    ("judged", "--metrics bertscor", "no metric is called 'bertscor'"),
    ("judged", "--sets evona", "no data set is called 'evona'; did you mean 'evouna'"),
    ("judged", "--metrics em", "judged/evouna-TQ.json was not found"),
    ("judged", "--metrics em --against f2", "no column of --against is called 'f2'"),
    ("judged", "--metrics em --records absent/x.json", "--records is absent/x.json, but there is no folder"),
    ("precision", "--metrics f1", "no neural metric is called 'f1'"),
    ("precision", "--precisions fp32", "no precision beside fp32 is called 'fp32'"),
    ("precision", "--datasets probe", "no set of the paper is called 'probe'"),
    ("precision", "--device gpu", "no device 'gpu' in this machine"),
    ("ranking", "--dataset wikiq", "wikiqa"),
    ("ranking", "--trained-on nothing", "no dataset"),
    ("ranking", "--systems mann", "man"),
    ("ranking", "--change epochs", "SETTING=VALUE"),
    ("ranking", "--metrics no-such", "no-such"),
    ("ranking", "--systems match-pyramid --change epoch=3", "epoch"),
    ("speed", "latency --metrics meteor", "f1"),
    ("speed_lexical", "--metrics f1,sas", "no metric with a peer is called 'sas'"),
    ("speed_neural", "--peers sentence-transformer", "did you mean 'sentence-transformers'"),
    ("speed_neural", "--precisions fp23", "did you mean 'fp32'"),
    ("throughput", "--metrics f1 --device cpu", "no neural metric is called 'f1'"),
    ("typed_verdicts", "--sets squat", "did you mean 'squad'"),
)


@pytest.mark.parametrize(("module", "arguments", "expected"), CASES)
def test_a_wrong_argument_is_an_error_that_names_it(
    no_data: None, module: str, arguments: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    result = invoke(module, *arguments.split())
    assert result.exit_code == 2, result.output
    assert expected in message(result)
    assert "|text:" not in result.stdout  # no signature, so no table
    assert list(tmp_path.iterdir()) == []
