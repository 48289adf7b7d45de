"""The one reader of answers: read_answers returns the ids, gold answers, predictions, questions and labels of a table or log."""
