"""Trained rankers as folders: save and load."""
