"""The adapter of torchmetrics, and the fault of its BERTScore; run where torchmetrics is installed."""

import pytest

from answersim.doctor import as_subject
from answersim.testing import properties
from answersim.testing.properties import PAIRS
from answersim.types import Pair

pytest.importorskip("torchmetrics", reason="the libraries of adapters are tested in environments of their own")
pytestmark = pytest.mark.filterwarnings("ignore")
TEXTS = [pair for pair in PAIRS if pair.gold.strip() and pair.pred.strip()]


@pytest.mark.parametrize(
    ("metric", "same", "other"),
    [
        ("SQuAD,key=f1", 100.0, 50.0),
        ("SQuAD,key=exact_match", 100.0, 0.0),
        ("WordErrorRate", 0.0, -0.5),
        ("EditDistance", 0.0, -4.0),
        ("ROUGEScore,rouge_keys=rouge1,key=rouge1_fmeasure", 1.0, 0.5),
    ],
)
def test_each_pair_has_its_own_number_and_more_is_better(metric, same, other):
    subject = as_subject(f"torchmetrics:{metric}")
    assert subject([Pair("red fox", "red fox"), Pair("red fox", "red bear")]) == pytest.approx([same, other])


def test_several_references_are_given_in_the_form_of_each_metric():
    for metric in ("SQuAD,key=f1", "BLEUScore,n_gram=1", "CHRFScore", "ROUGEScore,rouge_keys=rouge1,key=rouge1_recall"):
        subject = as_subject(f"torchmetrics:{metric}")
        several = subject.scores([["red fox", "blue bird"]], ["blue bird"])[0]
        assert several == subject([Pair("blue bird", "blue bird")])[0], metric


def test_a_metric_with_several_numbers_needs_a_key():
    with pytest.raises(TypeError, match="choose one by key="):
        as_subject("torchmetrics:SQuAD")([Pair("a", "a")])
    with pytest.raises(LookupError, match="did you mean 'BERTScore'"):
        as_subject("torchmetrics:BertScore")


@pytest.mark.parametrize("idf", ["false", "true"])
def test_bertscore_depends_on_the_batch(tiny, idf):
    subject = as_subject(
        f"torchmetrics:BERTScore,model_name_or_path={tiny('bert')},num_layers=2,max_length=64,idf={idf}"
    )
    finding = properties.batch(subject, TEXTS, None, 1e-4)
    assert finding.holds is False, "torchmetrics may have mended this: then say from which version on in docs/doctor.md"
    assert finding.largest > 0.01
