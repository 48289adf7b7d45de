"""A language model as a metric: asked over HTTP, recorded, replayed, and never trusted without a record."""
