"""A language model as a metric: requests over HTTP, a record of all replies, and replays of the record."""
