"""The final answer in what a model writes, by named rules; and whether it attempts one."""

from answersim.answers.extraction.abstention import attempted
from answersim.answers.extraction.extractor import NAMES, Extraction, Extractor, extractor

__all__ = ["NAMES", "Extraction", "Extractor", "attempted", "extractor"]
