"""The adapter of evaluate with a metric of a local script; run where evaluate is installed."""

from pathlib import Path

import pytest

from answersim.doctor import as_subject
from answersim.types import Pair

pytest.importorskip("evaluate", reason="the libraries of adapters are tested in environments of their own")
pytestmark = pytest.mark.filterwarnings("ignore")
SCRIPT = """
import datasets
import evaluate


class Shared(evaluate.Metric):
    def _info(self):
        features = datasets.Features({"predictions": datasets.Value("string"), "references": datasets.Value("string")})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(self, predictions, references, weight=1.0):
        shares = [len(set(p.split()) & set(r.split())) / len(set(r.split())) for p, r in zip(predictions, references)]
        return {"share": weight * sum(shares) / len(shares), "pairs": [len(shares)], "name": "x"}
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "shared.py").write_text(SCRIPT)
    return folder


def test_each_pair_has_its_own_number(script):
    pairs = [Pair("red fox", "red fox"), Pair("red fox", "red bear"), Pair("red", "blue")]
    subject = as_subject(f"evaluate:{script},key=share")
    assert subject(pairs).tolist() == [1.0, 0.5, 0.0]
    assert subject([]).shape == (0,)
    assert as_subject(f"evaluate:{script},key=share,weight=0.5")(pairs).tolist() == [0.5, 0.25, 0.0]


def test_a_metric_with_several_numbers_needs_a_key(script):
    with pytest.raises(TypeError, match="returns share, pairs; choose one by key=, such as key=share"):
        as_subject(f"evaluate:{script}")([Pair("a", "a")])
