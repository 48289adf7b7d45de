"""The builder of the toy set of answer selection."""
