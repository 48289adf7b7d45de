"""The training of a cross-encoder: recipe, model, trainer, averages of weights."""

__all__ = ()
