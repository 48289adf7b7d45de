"""How a network runs: the choice between torch and numpy, and the forward pass in numpy."""
