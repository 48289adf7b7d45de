"""The metric ``answersim``: lexical and neural evidence of one pair, combined by a small monotone model."""
