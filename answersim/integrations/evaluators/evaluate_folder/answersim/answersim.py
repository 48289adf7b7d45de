"""A metric of Hugging Face evaluate: ``evaluate.load(answersim.integrations.evaluators.hf_evaluate.folder(), "sas")``.

evaluate copies this file and runs the copy, so all work is done in the installed package.
"""

from typing import Any

import datasets
import evaluate

from answersim.integrations.evaluators import hf_evaluate

DESCRIPTION = "How close is a predicted answer to the gold answer in meaning? The configuration names the metric."


class AnswerSimilarity(evaluate.Metric):  # type: ignore[misc] # mypy skips evaluate
    """A metric of answersim; references are texts, or lists of texts of which the best counts."""

    def _info(self) -> Any:
        text = datasets.Value("string")
        several = datasets.Features({"predictions": text, "references": datasets.Sequence(text)})
        single = datasets.Features({"predictions": text, "references": text})
        about = {"description": DESCRIPTION, "inputs_description": hf_evaluate.compute.__doc__, "citation": ""}
        return evaluate.MetricInfo(**about, features=[single, several])

    def _compute(self, predictions: Any, references: Any, **settings: Any) -> dict[str, Any]:
        return hf_evaluate.compute(predictions, references, **{"metric": self.config_name, **settings})
