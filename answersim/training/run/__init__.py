"""What all trainings share: the recipe, its options, checkpoints, what is written, and divergence."""

__all__ = ()
