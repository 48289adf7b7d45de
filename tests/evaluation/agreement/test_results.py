"""What a study returns: rows, the best metrics, JSON and tables."""

import json

from answersim.evaluation.agreement import correlate
from answersim.stats.resampling import Bootstrap
from tests.evaluation.agreement.made_judgments import noise


def test_results_are_json_and_a_table(found):
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["rows"][0]["coefficients"]["tau-b"]["value"] == found.rows[0].measured["tau-b"].value
    flat = next(row for row in plain["rows"] if row["metric"] == "flat")
    assert flat["coefficients"]["tau-b"]["value"] is None
    table = found.to_pandas()
    assert len(table) == 3 * 4 * 7
    chosen = table[(table.subset == "F1=0") & (table.metric == "good") & (table.coefficient == "tau-b")]
    assert chosen.value.item() == found.row("good", "F1=0").measured["tau-b"].value


def test_a_best_metric_that_does_not_exist_is_null_in_json():
    agreement = correlate(noise(one=0.0, other=0.0), bootstrap=Bootstrap(resamples=100))
    content = json.loads(json.dumps(agreement.to_dict()))
    assert {each["coefficient"] for each in content["best"]} == {
        "pearson",
        "spearman",
        "tau-b",
        "tau-c",
        "auc>=1",
        "auc>=2",
    }
    assert {each["metric"] for each in content["best"]} == {None}
