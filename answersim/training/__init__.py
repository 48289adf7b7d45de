"""How the weights that ship were made: each file is a program that trains one adapter, seeded and resumable."""
