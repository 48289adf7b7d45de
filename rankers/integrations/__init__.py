"""Rankers inside other libraries, and their evaluation inside a training; one file per host."""
