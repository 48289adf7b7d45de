"""The metric ``answersim``: lexical and neural features of a pair, combined by a small monotone model."""
