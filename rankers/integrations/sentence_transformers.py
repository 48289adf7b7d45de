"""An evaluator of rankings for the trainings of sentence-transformers, with answer similarity beside the measures."""

from rankers.systems.evaluator import AnswerSelectionEvaluator

__all__ = ["AnswerSelectionEvaluator"]
