"""The training of a bi-encoder: recipe, model, trainer, search of hyperparameters."""

__all__ = ()
