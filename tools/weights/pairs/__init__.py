"""Sources of training pairs for the models that ship, and mixtures of them."""
