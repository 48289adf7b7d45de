"""Pairs for trainings of users: names of one entity, and numbers in words."""
