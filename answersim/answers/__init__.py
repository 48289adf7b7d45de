"""The one reader of answers: ids, gold answers, predictions, questions and groups of a table or a log."""
